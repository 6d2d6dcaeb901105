"""The ASGI app: routers, guard and lifespan, including the deletion of expired batches."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import timedelta

from fastapi import Depends, FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sparring.app.cluster.runner import runner_for
from sparring.app.config import AppConfig
from sparring.app.retention import delete_expired
from sparring.core.batch import judges_of
from sparring.core.clock import Clock, SystemClock
from sparring.core.errors import SparringError
from sparring.core.version import __version__
from sparring.llm.redaction import Hidden
from sparring.settings import Serve, Settings
from sparring.store.store import Store
from sparring.store.tokens import Tokens
from sparring.web.api import analysis, events, judging, meta, recordings, use_cases
from sparring.web.api import batches as batch_api
from sparring.web.api import prompts as prompt_api
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import check_query, install_error_handlers
from sparring.web.api.launch import AllowedChoices
from sparring.web.api.meta import CountedRequests, Metrics
from sparring.web.batch_names import NamesWithSlashes
from sparring.web.pages import batches as batch_pages
from sparring.web.pages import comparison, conversations, home, labels, launch, live
from sparring.web.pages import prompts as prompt_pages
from sparring.web.security.access import Access, RequestRate
from sparring.web.security.access import router as login_router
from sparring.web.security.guard import Guard, allowed_hosts

_RETENTION_INTERVAL = 3600
"""Seconds between two deletions of expired batches."""


def guarded(app: FastAPI, settings: Settings, token: str = "", *, clock: Clock | None = None) -> ASGIApp:
    """Put the guard in front of the app. `token` is the operator's token."""
    serve, clock = settings.serve, clock or SystemClock()
    access = app.state.access = Access(Hidden(token), Tokens(settings.store), clock)
    guard = Guard(
        app,
        allowed_hosts(serve.host, serve.hosts),
        serve.max_body_bytes,
        access,
        RequestRate(serve.requests_per_minute, clock),
    )
    return CountedRequests(guard, app.state.metrics)


_ROUTERS = (
    meta.router,
    use_cases.router,
    analysis.router,
    judging.router,
    recordings.router,
    login_router,
    events.router,
    batch_api.router,
    live.router,
    launch.router,
    home.router,
    conversations.router,
    labels.router,
    batch_pages.router,
    prompt_pages.router,
    comparison.router,
    prompt_api.router,
    prompt_api.editing_router,
    batch_pages.named,
)
"""All routers. The first match wins, so the order matters."""


def application(
    opened: AbstractAsyncContextManager[Store],
    settings: Settings,
    environment: Mapping[str, str],
    *,
    clock: Clock | None = None,
) -> FastAPI:
    """Create the app. During its lifespan the store is open and batches run in the background.

    Routes find their `AppState` in `app.state.service`.
    """
    serve = settings.serve
    own = (settings.user, settings.chatbot_model, *judges_of(settings.judge))
    allowed = AllowedChoices(serve.chatbots, serve.models, own, serve.callbacks)
    clock, config = clock or SystemClock(), settings.app_config(environment=environment)
    app = FastAPI(
        title="Sparring",
        description="Run simulated users against a chatbot and judge the conversations.",
        version=__version__,
        lifespan=lambda app: _lifespan(app, opened, allowed, config, serve, clock),
        generate_unique_id_function=lambda route: route.name,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(NamesWithSlashes)
    app.state.metrics = Metrics()
    for router in _ROUTERS:
        app.include_router(router, dependencies=[Depends(check_query)] if router.include_in_schema else [])
    app.mount("/static", StaticFiles(packages=[("sparring.web", "static"), ("sparring.reports.html", "static")]))
    install_error_handlers(app)
    return app


@asynccontextmanager
async def _lifespan(
    app: FastAPI,
    opened: AbstractAsyncContextManager[Store],
    allowed: AllowedChoices,
    config: AppConfig,
    serve: Serve,
    clock: Clock,
) -> AsyncIterator[None]:
    """Run batches and delete expired ones in the background, and close the caches at the end."""
    run, count = runner_for(config), app.state.metrics.count
    async with opened as store, run(store, config, permit=allowed.permit, clock=clock, on_event=count) as background:
        state = app.state.service = AppState(store, background, allowed, config, serve, clock)
        retention = asyncio.create_task(_run_retention(state))
        try:
            yield
        finally:
            retention.cancel()
            await asyncio.gather(retention, return_exceptions=True)
            await state.listings.close()
            await state.background_cache.close()


async def _run_retention(service: AppState) -> None:
    """Delete expired batches at startup and then every hour; running batches are kept."""
    days = service.config.keep_days
    if days is None:
        return
    log = logging.getLogger("uvicorn.error")
    while True:
        before = service.clock.now() - timedelta(days=days)
        try:
            deleted = await delete_expired(service.store, before, service.config)
        except SparringError as error:
            log.warning("cannot delete batches older than %d days: %s", days, error)
        else:
            if deleted:
                log.warning("deleted %d batches older than %d days", deleted, days)
        await asyncio.sleep(_RETENTION_INTERVAL)
