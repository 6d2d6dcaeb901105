"""Conversations as spans to a collector while a batch is played: `run --otlp URL`."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from sparring.app.notices import Notice
from sparring.app.results import verdicts_on
from sparring.core.batch import Batch
from sparring.core.events import BatchFinished, ConversationEnded, Event, VerdictGiven
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.client.transport import Transport, TransportError
from sparring.reports.otlp import otlp_line
from sparring.store.store import Store

_AGAIN = frozenset({429, 502, 503, 504})
_PAUSES = (0.5, 2.0, 5.0)  # seconds before a request is sent again
_SECONDS = 10.0
_MOST_FAILURES = 3  # in a row
_HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"


class TraceExport:
    """Sends conversations to a collector, each after its verdicts, without delaying the batch."""

    def __init__(self, url: str, headers: Mapping[str, str], batch: Batch, store: Store, transport: Transport) -> None:
        self._url, self._headers = url, headers
        self._batch, self._store, self._transport = batch, store, transport
        self._awaited: dict[str, int] = {}
        self._ready = asyncio.Queue[str]()
        self.lost, self.reason = 0, ""

    def take(self, event: Event) -> None:
        """Record an event: a conversation is ready after its last verdict, or at the end of the batch."""
        match event:
            case ConversationEnded(conversation=ended):
                judged = self._batch.rubrics_for(ended.case) if self._batch.who.judge else ()
                self._awaited[ended.id] = len(judged)
                self._release([ended.id])
            case VerdictGiven(verdict=verdict):
                if verdict.conversation in self._awaited:
                    self._awaited[verdict.conversation] -= 1
                    self._release([verdict.conversation])
            case BatchFinished():
                self._awaited = dict.fromkeys(self._awaited, 0)
                self._release(list(self._awaited))

    def _release(self, ids: list[str]) -> None:
        for id in ids:
            if self._awaited.get(id, 1) <= 0:
                del self._awaited[id]
                self._ready.put_nowait(id)

    async def send_all(self) -> None:
        """Send what is ready, forever; after several failures in a row, stop sending."""
        failures = 0
        while True:
            id = await self._ready.get()
            try:
                if failures < _MOST_FAILURES:
                    await self._send(id)
                    failures = 0
                else:
                    self.lost += 1
            except (TransportError, TimeoutError) as error:
                failures += 1
                self.lost, self.reason = self.lost + 1, str(error) or "no answer"
            finally:
                self._ready.task_done()

    async def finish(self) -> None:
        """Wait until everything that is ready is sent."""
        await self._ready.join()

    async def _send(self, id: str) -> None:
        conversation = await self._store.conversation(self._batch.id, id)
        (verdicts,) = await verdicts_on(self._batch, self._store, [conversation])
        body = otlp_line(self._batch, verdicts.reported(conversation))
        headers = {"Content-Type": "application/json", **self._headers}
        for pause in (*_PAUSES, None):
            async with asyncio.timeout(_SECONDS):
                response = await self._transport.send("POST", self._url, headers=headers, body=body)
            if response.status not in _AGAIN or pause is None:
                break
            await asyncio.sleep(pause)
        if response.status >= 300:
            raise TransportError(f"HTTP {response.status}")


async def sent_on(
    events: AsyncGenerator[Event], url: str, batch: Batch, store: Store, environment: Mapping[str, str]
) -> AsyncGenerator[Event | Notice]:
    """Pass events on, send finished conversations to a collector, and warn of those not sent."""
    place = url if url.endswith("/v1/traces") else f"{url.rstrip('/')}/v1/traces"
    async with LateTransport(environment) as transport, aclosing(events):
        export = TraceExport(place, _headers(environment.get(_HEADERS, "")), batch, store, transport)
        sending = asyncio.create_task(export.send_all())
        try:
            async for event in events:
                export.take(event)
                yield event
            await export.finish()
        finally:
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
    if export.lost:
        yield Notice(f"{export.lost:,} conversations were not sent to {url}: {export.reason}")


def _headers(text: str) -> dict[str, str]:
    """Return the headers of `name=value,other=value`."""
    pairs = (pair.partition("=") for pair in text.split(",") if "=" in pair)
    return {name.strip(): value.strip() for name, _, value in pairs}
