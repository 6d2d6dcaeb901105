"""Log events of spans: some OpenTelemetry instrumentations put messages of models there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sparring.core.errors import InputError
from sparring.core.plugins import install
from sparring.core.value import mapping, mappings
from sparring.traces.spans import Span, any_value, attributes_of, hex_id, integer, protobuf_attributes, protobuf_value

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
_ROLES = {f"gen_ai.{role}.message": role for role in ("system", "user", "assistant", "tool")}
_CHOICE = "gen_ai.choice"
_DETAILS = "gen_ai.client.inference.operation.details"
_EVENTS = frozenset({*_ROLES, _CHOICE, _DETAILS})
_SENDERS = "opentelemetry.instrumentation."
"""Prefixes of the scopes of instrumentations that may write events."""


@dataclass(frozen=True, slots=True)
class LogEvent:
    """An event of the span with this id; `at` is in nanoseconds."""

    trace: str
    span: str
    name: str
    at: int = 0
    body: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> bytes:
        """The same for an event that comes twice."""
        return orjson.dumps([self.span, self.name, self.at, self.body], default=str)


def events_of_json(document: Any) -> Iterator[LogEvent]:
    """Yield the events of an export request that tell what models heard and said."""
    for resource in mappings(mapping(document).get("resourceLogs")):
        for scope in mappings(resource.get("scopeLogs")):
            for record in mappings(scope.get("logRecords")):
                attributes = attributes_of(record.get("attributes"))
                name = str(record.get("eventName") or attributes.get("event.name") or "")
                body = mapping(any_value(record.get("body"), 0))
                at = integer(record.get("timeUnixNano") or record.get("observedTimeUnixNano"))
                trace, span = hex_id(record.get("traceId"), 32), hex_id(record.get("spanId"), 16)
                if name in _EVENTS and trace and span:
                    yield LogEvent(trace, span, name, at, body, attributes)


def events_of_protobuf(content: bytes) -> Iterator[LogEvent]:
    """Yield the events of an export request. Raise InputError for anything else or without extra `otel`."""
    try:
        from opentelemetry.proto.logs.v1.logs_pb2 import LogsData  # only with the extra
    except ImportError:
        raise InputError("logs in protobuf need a package", hint=install("otel")) from None
    from google.protobuf.message import DecodeError

    data = LogsData()
    try:
        data.ParseFromString(content)
    except DecodeError:
        raise InputError("is not an export of OpenTelemetry logs in protobuf") from None
    for resource in data.resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                attributes = protobuf_attributes(record.attributes)
                name = record.event_name or str(attributes.get("event.name") or "")
                at = record.time_unix_nano or record.observed_time_unix_nano
                body = mapping(protobuf_value(record.body, 0))
                if name in _EVENTS and record.trace_id and record.span_id:
                    yield LogEvent(record.trace_id.hex(), record.span_id.hex(), name, at, body, attributes)


def with_events(spans: Iterable[Span], events: Iterable[LogEvent]) -> list[Span]:
    """Return spans with the messages from their events, if they have none themselves."""
    by_span: dict[str, list[LogEvent]] = {}
    for event in sorted(events, key=lambda each: each.at):
        by_span.setdefault(event.span, []).append(event)
    return [
        span._replace(attributes={**_attributes(by_span[span.id]), **span.attributes}) if span.id in by_span else span
        for span in spans
    ]


def _attributes(events: Sequence[LogEvent]) -> dict[str, Any]:
    details = {name: value for event in events if event.name == _DETAILS for name, value in event.attributes.items()}
    inputs = [_message(event, _ROLES[event.name]) for event in events if event.name in _ROLES]
    said = [_message(event, "assistant") for event in events if event.name == _CHOICE]
    return {**({_INPUT: inputs} if inputs else {}), **({_OUTPUT: said} if said else {}), **details}


def _message(event: LogEvent, role: str) -> dict[str, Any]:
    """Return a message in the shape of chat completions."""
    said = {"role": role, **event.body, **mapping(event.body.get("message"))}
    return {**said, "tool_call_id": event.body.get("id")} if role == "tool" else said


def awaits_events(span: Span) -> bool:
    """Return True if a span of a model may get messages by events, and has none yet."""
    is_model = span.attributes.get("gen_ai.operation.name") == "chat"
    return is_model and span.scope.startswith(_SENDERS) and not span.attributes.get(_OUTPUT)
