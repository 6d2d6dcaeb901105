"""REST routes about the service: root, health, OpenAPI document, and figures for Prometheus."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.app.stores import store_problems, worker_problems
from sparring.core.clock import in_seconds
from sparring.core.events import BatchStarted, ConversationEnded, Event, VerdictGiven
from sparring.core.usage import Usage, UsageTotal
from sparring.core.value import Value
from sparring.core.version import __version__
from sparring.web.api.batches import Service
from sparring.web.api.dependencies import AppState
from sparring.web.api.errors import error_responses, json_response, wants_page
from sparring.web.api.openapi import openapi_document
from sparring.web.rendering import page
from sparring.web.schemas import Health

NAME = "sparring"
router = APIRouter(tags=["service"])

_PAUSE = 60
"""Seconds of a pause of a model that is a problem."""


class About(Value):
    """Name, version and endpoints of the service."""

    service: str
    version: str
    description: str
    endpoints: dict[str, str]
    documentation: str


@router.get("/", response_model=About, responses=error_responses())
async def root(request: Request) -> Response:
    """Return name, version and endpoints of the service. Browsers are redirected to the pages."""
    if wants_page(request):
        return RedirectResponse("/batches", 303)
    endpoints = {
        f"{method.upper()} {path}": operation["description"].partition("\n")[0]
        for path, operations in openapi_document(request.app)["paths"].items()
        for method, operation in operations.items()
    }
    return json_response(
        About(
            service=NAME,
            version=__version__,
            description=request.app.description,
            endpoints=endpoints,
            documentation="/docs",
        )
    )


@router.get("/api/health", response_model=Health, responses={**error_responses(), 503: {"model": Health}})
async def health(service: Service) -> Response:
    """Return the health of the service: 200 if its store can be read and written, 503 otherwise.

    `problems` say what is wrong, also that workers are gone, which no restart of the server mends.
    """
    problems = await store_problems(service.store, service.config.store)
    error = problems[-1] if problems else None
    problems += [] if error else await worker_problems(service.store, service.config.store)
    problems += _pauses(service)
    result = Health(
        status="unhealthy" if error else "healthy",
        service=NAME,
        version=__version__,
        timestamp=service.clock.now(),
        error=error,
        problems=tuple(problems),
    )
    return json_response(result, 503 if error else 200)


def _pauses(service: AppState) -> list[str]:
    """Return the models that are rate limited for longer than a conversation would wait."""
    pauses = service.background.limits.pauses()
    return [f"{name}: rate limited for another {in_seconds(left)}" for name, left in pauses.items() if left > _PAUSE]


@router.get("/openapi.json", responses=error_responses())
async def description(request: Request) -> JSONResponse:
    """Return the OpenAPI document."""
    return JSONResponse(openapi_document(request.app))


@router.get("/docs", response_class=HTMLResponse, responses=error_responses())
async def docs(request: Request) -> HTMLResponse:
    """Show the API reference."""
    return page(request, "docs.html", described=openapi_document(request.app))


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass
class Metrics:
    """Counters of requests, and of the conversations and the usage of batches."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    conversations: Counter[str] = field(default_factory=Counter)
    batches: set[str] = field(default_factory=set)
    usage: dict[str, UsageTotal] = field(default_factory=dict)

    def count(self, event: Event) -> None:
        """Count the conversation or the verdict of an event, and note the batches that are played."""
        if isinstance(event, BatchStarted):
            self.batches.add(event.batch.id)
        if isinstance(event, ConversationEnded):
            self.conversations[str(event.conversation.ending)] += 1
            for role, usage in event.conversation.usage.items():
                self._use(role, usage)
        elif isinstance(event, VerdictGiven):
            self._use("judge", event.verdict.usage)

    def _use(self, role: str, usage: Usage) -> None:
        self.usage.setdefault(role, UsageTotal()).add(usage)


@dataclass(frozen=True)
class CountedRequests:
    """Counts the requests of an app by method and status."""

    app: ASGIApp
    metrics: Metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.metrics.requests[scope["method"][:10], message["status"]] += 1
            await send(message)

        await self.app(scope, receive, counted if scope["type"] == "http" else send)


@router.get(
    "/metrics",
    response_class=PlainTextResponse,
    responses={**error_responses(), 200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(request: Request, service: Service) -> PlainTextResponse:
    """Return figures for Prometheus: requests, batches, conversations, models, queue, event loop."""
    counters: Metrics = request.app.state.metrics
    running = service.background.running
    queued = sum([(await service.store.progress(id)).left for id in running])
    gauges = {
        "sparring_batches_running": ("Batches that run.", len(running)),
        "sparring_queue_conversations": (
            "Conversations of running batches to come.",
            queued,
        ),
        "sparring_batches_stored": ("Batches in the store.", await service.store.count()),
        "sparring_event_streams": ("Open event streams.", service.listener_limit.count),
        "sparring_event_loop_lag_seconds": ("Delay of a task that is ready to run.", await _lag()),
    }
    lines = [line for name, (help, value) in gauges.items() for line in _family(name, "gauge", help, {"": value})]
    outcomes: Counter[str] = Counter()
    for id in counters.batches:
        outcomes.update((await service.store.totals(id)).outcomes)
    by_outcome = {_labels(outcome=outcome): count for outcome, count in outcomes.items()}
    lines += _family("sparring_outcomes", "gauge", "Conversations by outcome, of batches played.", by_outcome)
    return PlainTextResponse("\n".join([*_counted(counters), *lines, ""]), media_type=MEDIA_TYPE)


async def _lag() -> float:
    begun = time.perf_counter()
    await asyncio.sleep(0)
    return time.perf_counter() - begun


def _counted(counters: Metrics) -> Iterator[str]:
    requests = {_labels(method=method, status=status): n for (method, status), n in counters.requests.items()}
    yield from _family("sparring_requests_total", "counter", "Requests by method and status.", requests)
    endings = {_labels(ending=ending): n for ending, n in counters.conversations.items()}
    yield from _family("sparring_conversations_total", "counter", "Conversations by ending.", endings)
    used = {role: total.usage for role, total in counters.usage.items()}
    calls = {_labels(role=role): usage.calls for role, usage in used.items()}
    yield from _family("sparring_model_calls_total", "counter", "Calls of models by role.", calls)
    tokens = {
        _labels(role=role, direction=direction): count
        for role, usage in used.items()
        for direction, count in (("in", usage.input_tokens), ("out", usage.output_tokens))
    }
    yield from _family("sparring_model_tokens_total", "counter", "Tokens by role and direction.", tokens)
    cost = {_labels(role=role): usage.cost for role, usage in used.items()}
    yield from _family("sparring_model_cost_dollars_total", "counter", "Known cost in US dollars by role.", cost)


def _family(name: str, kind: str, help: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {help}"
    yield f"# TYPE {name} {kind}"
    yield from (f"{name}{labels} {value:.12g}" for labels, value in sorted(values.items()))


def _labels(**values: object) -> str:
    escaped = (f'{name}="{_escaped(str(value))}"' for name, value in values.items())
    return f"{{{','.join(escaped)}}}"


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
