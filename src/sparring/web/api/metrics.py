"""Figures of the service in Prometheus' text format. Counters begin with the process."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sparring.core.events import BatchStarted, ConversationEnded, Event, VerdictGiven
from sparring.core.usage import Usage, UsageTotal
from sparring.web.api.batches import Service
from sparring.web.api.errors import error_responses

router = APIRouter(tags=["service"])
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
