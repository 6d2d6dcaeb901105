"""Spans of OpenTelemetry, read from JSON and protobuf."""

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sparring.core.errors import InputError
from sparring.core.plugins import install
from sparring.core.value import mapping, mappings

_MOST_CHARACTERS = 1_000_000
_MOST_DEPTH = 50
_ERROR = (2, "STATUS_CODE_ERROR")
_KINDS = {
    f"{kind}{end}": kind
    for kind in ("string", "int", "bool", "double", "bytes", "array", "kvlist")
    for end in ("Value", "_value")
}


class Span(NamedTuple):
    """A span; ids are hexadecimal, times nanoseconds."""

    trace: str
    id: str
    parent: str = ""
    name: str = ""
    start: int = 0
    end: int = 0
    failed: bool = False
    message: str = ""
    scope: str = ""
    attributes: Mapping[str, Any] = {}
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()

    @property
    def error(self) -> str:
        """The words of a failure: of its exception, its status, or the type of its error."""
        thrown = (about.get("exception.message") for name, about in self.events if name == "exception")
        said = next((str(each) for each in thrown if each), self.message)
        return said or str(self.attributes.get("error.type") or "failed")


def spans_of_json(resources: Iterable[Any]) -> Iterator[Span | None]:
    """Yield the spans of items of `resourceSpans`, and None for each without the ids of a span."""
    for resource in mappings(resources):
        for scope in mappings(_of(resource, "scopeSpans", "scope_spans")):
            name = str(mapping(scope.get("scope")).get("name") or "")
            spans = scope.get("spans")
            yield from (_span(mapping(span), name) for span in (spans if isinstance(spans, list) else ()))


def _span(span: Mapping[str, Any], scope: str) -> Span | None:
    trace, id = hex_id(_of(span, "traceId", "trace_id"), 32), hex_id(_of(span, "spanId", "span_id"), 16)
    if not trace or not id:
        return None
    status = mapping(span.get("status"))
    events = ((str(each.get("name")), attributes_of(each.get("attributes"))) for each in mappings(span.get("events")))
    return Span(
        trace=trace,
        id=id,
        parent=hex_id(_of(span, "parentSpanId", "parent_span_id"), 16),
        name=str(span.get("name") or ""),
        start=integer(_of(span, "startTimeUnixNano", "start_time_unix_nano")),
        end=integer(_of(span, "endTimeUnixNano", "end_time_unix_nano")),
        failed=status.get("code") in _ERROR,
        message=str(status.get("message") or ""),
        scope=scope,
        attributes=attributes_of(span.get("attributes")),
        events=tuple(events),
    )


def hex_id(value: Any, length: int) -> str:
    """Return an id as hexadecimal digits; some exporters write base64."""
    text = value if isinstance(value, str) else ""
    if len(text) != length and text:
        try:
            text = base64.b64decode(text, validate=True).hex()
        except (binascii.Error, ValueError):
            return ""
    return text.lower() if len(text) == length and set(text) != {"0"} else ""


def integer(value: Any) -> int:
    try:
        return int(value or 0)
    except (TypeError, ValueError):
        return 0


def attributes_of(items: Any) -> dict[str, Any]:
    if isinstance(items, dict):  # already plain, as files of some tools have it
        return items
    return {str(each.get("key")): any_value(each.get("value"), 0) for each in mappings(items)}


def any_value(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > _MOST_DEPTH:
        return None
    for name, inner in value.items():
        kind = _KINDS.get(name)
        if kind == "string":
            return str(inner)[:_MOST_CHARACTERS]
        if kind == "int":
            return integer(inner)
        if kind in ("bool", "double", "bytes"):
            return inner
        if kind == "array":
            return [any_value(each, depth + 1) for each in mappings(mapping(inner).get("values"))]
        if kind == "kvlist":
            pairs = mappings(mapping(inner).get("values"))
            return {str(each.get("key")): any_value(each.get("value"), depth + 1) for each in pairs}
    return None


def spans_of_protobuf(content: bytes) -> Iterator[Span | None]:
    """Yield the spans of an export request or of a file of the same form, and None for each without ids.

    Raises:
        InputError: the content is none, or the extra `otel` is not installed.
    """
    try:
        from opentelemetry.proto.trace.v1.trace_pb2 import TracesData  # only with the extra
    except ImportError:
        raise InputError("spans in protobuf need a package", hint=install("otel")) from None
    from google.protobuf.message import DecodeError

    data = TracesData()
    try:
        data.ParseFromString(content)
    except DecodeError:
        raise InputError("is not an export of OpenTelemetry traces in protobuf") from None
    for resource in data.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                trace, id = span.trace_id.hex(), span.span_id.hex()
                if len(trace) != 32 or len(id) != 16:
                    yield None
                    continue
                yield Span(
                    trace=trace,
                    id=id,
                    parent=span.parent_span_id.hex(),
                    name=span.name,
                    start=span.start_time_unix_nano,
                    end=span.end_time_unix_nano,
                    failed=span.status.code == 2,  # STATUS_CODE_ERROR
                    message=span.status.message,
                    scope=scope.scope.name,
                    attributes=protobuf_attributes(span.attributes),
                    events=tuple((each.name, protobuf_attributes(each.attributes)) for each in span.events),
                )


def protobuf_attributes(items: Iterable[Any]) -> dict[str, Any]:
    """Return attributes by name; most are texts, which take half the time of other values."""
    return {
        each.key: text[:_MOST_CHARACTERS] if (text := each.value.string_value) else protobuf_value(each.value, 0)
        for each in items
    }


def protobuf_value(value: Any, depth: int) -> Any:
    kind = value.WhichOneof("value")
    if kind is None or depth > _MOST_DEPTH:
        return None
    if kind == "string_value":
        return value.string_value[:_MOST_CHARACTERS]
    if kind == "array_value":
        return [protobuf_value(each, depth + 1) for each in value.array_value.values]
    if kind == "kvlist_value":
        return {each.key: protobuf_value(each.value, depth + 1) for each in value.kvlist_value.values}
    return getattr(value, kind)


def _of(value: Mapping[str, Any], *names: str) -> Any:
    return next((value[name] for name in names if name in value), None)
