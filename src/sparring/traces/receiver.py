"""Receives spans over OTLP/HTTP while conversations run: protobuf or JSON, packed or not."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import orjson
from aiohttp import web

from sparring.core.errors import InputError
from sparring.core.value import mapping
from sparring.traces.book import TraceBook
from sparring.traces.log_events import events_of_json, events_of_protobuf
from sparring.traces.spans import spans_of_json, spans_of_protobuf

_LARGEST = 64_000_000
_JSON, _PROTOBUF = "application/json", "application/x-protobuf"
_BOOK = web.AppKey("book", TraceBook)
_LOOPBACK = ("", "127.0.0.1", "localhost")


def port_of(address: str) -> int:
    """Return the port of `:4318`. Raise InputError for an invalid one, or one of another machine."""
    host, _, port = address.rpartition(":")
    if not port.isdecimal() or int(port) >= 1 << 16:
        raise InputError(f"--traces {address}: is not a port", hint="--traces :4318")
    if host not in _LOOPBACK:
        raise InputError(f"--traces {address}: spans are received from this machine only", hint="--traces :4318")
    return int(port)


@asynccontextmanager
async def received(address: str) -> AsyncIterator[TraceBook]:
    """Receive spans inside the block, and yield the book that they are in."""
    book = TraceBook()
    async with receiver(address, book):
        yield book


@asynccontextmanager
async def receiver(address: str, book: TraceBook) -> AsyncIterator[int]:
    """Receive spans inside the block, and yield the port."""
    app = web.Application(client_max_size=_LARGEST)
    app[_BOOK] = book
    app.router.add_post("/{prefix:.*}v1/traces", _receive)
    app.router.add_post("/{prefix:.*}v1/logs", _receive)
    app.router.add_post("/{prefix:.*}v1/metrics", _drop)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", port_of(address))
        try:
            await site.start()
        except OSError as error:
            raise InputError(f"--traces {address}: {error.strerror}", hint="choose another port") from error
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


async def _receive(request: web.Request) -> web.Response:
    kind = request.content_type
    if kind not in (_JSON, _PROTOBUF):
        raise web.HTTPUnsupportedMediaType(text=f"send {_PROTOBUF} or {_JSON}, packed with gzip or not")
    content, logs, book = await request.read(), request.path.endswith("/logs"), request.app[_BOOK]
    try:
        if logs:
            events = events_of_protobuf(content) if kind == _PROTOBUF else events_of_json(orjson.loads(content))
            refused = book.add_events(list(events))
        else:
            document = None if kind == _PROTOBUF else mapping(orjson.loads(content))
            spans = spans_of_protobuf(content) if document is None else spans_of_json(document.get("resourceSpans", ()))
            refused = book.add(list(spans))
    except (orjson.JSONDecodeError, InputError) as error:
        hint = error.hint if isinstance(error, InputError) else ""
        if hint:
            raise web.HTTPUnsupportedMediaType(text=f"{error}: {hint}") from None
        raise web.HTTPBadRequest(text=str(error)) from None
    return _answer(kind, refused, "rejectedLogRecords" if logs else "rejectedSpans")


async def _drop(request: web.Request) -> web.Response:
    await request.read()
    return _answer(request.content_type, 0)


def _answer(kind: str, refused: int, name: str = "") -> web.Response:
    """Return the answer to an export; the one to log records has the same form in protobuf."""
    reason = "too many spans are held, or some have no ids"
    if kind == _JSON:
        partial = {"partialSuccess": {name: str(refused), "errorMessage": reason}}
        return web.json_response(partial if refused else {})
    if not refused:
        return web.Response(content_type=_PROTOBUF)
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

    made = ExportTraceServiceResponse()
    made.partial_success.rejected_spans, made.partial_success.error_message = refused, reason
    return web.Response(content_type=_PROTOBUF, body=made.SerializeToString())
