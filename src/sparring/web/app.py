"""The ASGI app: its routers, its lifespan, and the guard in front of it."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sparring.app.background import BackgroundRunner
from sparring.core.clock import Clock, SystemClock
from sparring.core.version import __version__
from sparring.llm.redaction import Hidden
from sparring.settings import Settings
from sparring.store.store import Store
from sparring.store.tokens import Tokens
from sparring.web.api import batches as batch_api
from sparring.web.api import events, meta
from sparring.web.api import prompts as prompt_api
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import install_error_handlers
from sparring.web.api.launch import AllowedChoices
from sparring.web.pages import actions, comparison, launch, live
from sparring.web.pages import batches as batch_pages
from sparring.web.pages import prompts as prompt_pages
from sparring.web.retention import run_retention
from sparring.web.security import login
from sparring.web.security.access import Access, RequestRate
from sparring.web.security.guard import Guard, allowed_hosts


def guarded(app: FastAPI, settings: Settings, token: str = "", *, clock: Clock | None = None) -> ASGIApp:
    """Put the guard in front of the app. `token` is the operator's token."""
    serve, clock = settings.serve, clock or SystemClock()
    access = app.state.access = Access(Hidden(token), Tokens(settings.store), clock)
    return Guard(
        app,
        allowed_hosts(serve.host, serve.hosts),
        serve.max_body_bytes,
        access,
        RequestRate(serve.requests_per_minute, clock),
    )


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
    allowed = AllowedChoices(
        settings.serve.chatbots, settings.serve.models, (settings.user, settings.chatbot_model, settings.judge)
    )
    clock, config = clock or SystemClock(), settings.app_config(environment=environment)

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with (
            opened as store,
            BackgroundRunner(store, config, permit=allowed.permit, clock=clock) as background,
        ):
            state = AppState(store, background, allowed, config, settings.serve, clock)
            app.state.service = state
            retaining = asyncio.create_task(run_retention(state))
            try:
                yield
            finally:
                retaining.cancel()
                await asyncio.gather(retaining, return_exceptions=True)
                await state.listings.close()
                await state.background_cache.close()

    app = FastAPI(
        title="Sparring",
        description="Run simulated users against a chatbot and judge the conversations.",
        version=__version__,
        lifespan=running,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
    )
    for router in (
        meta.router,
        login.router,
        events.router,
        batch_api.router,
        live.router,
        actions.router,
        launch.router,
        batch_pages.router,
        prompt_pages.router,
        batch_pages.report_router,
        comparison.router,
        prompt_api.router,
        prompt_api.editing_router,
    ):
        app.include_router(router)
    app.mount("/static", StaticFiles(packages=[("sparring.web", "static"), ("sparring.reports.html", "static")]))
    install_error_handlers(app)
    return app
