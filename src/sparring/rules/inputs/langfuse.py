"""Exports of Langfuse: observations, or traces that hold them, as its API or exports name them."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any

from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.value import mapping, mappings
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat
from sparring.rules.inputs.otlp import Traces
from sparring.rules.inputs.transcript import parsed
from sparring.traces.spans import Span

_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")
_TABLE = "langfuse.observation"
_PARTS = ("TOOL", "RETRIEVER", "EMBEDDING", "GUARDRAIL", "EVALUATOR", "EVENT")
_SIDES = (("input", "user"), ("output", "assistant"))
_WORDS = ("input", "question", "query", "message", "output", "answer", "response", "text")


def _read(entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    traces, shows_text = Traces(), False
    for entry in entries:
        for span, shows in _spans(entry.value):
            traces.add(span, entry)
            shows_text = shows_text or shows
    yield from traces.conversations(*(() if shows_text else ("no observation has an input or output",)))


def _spans(value: Mapping[str, Any]) -> Iterator[tuple[Span, bool]]:
    """Yield the spans of a row, and whether each shows what went in or out."""
    row = _snake(value)
    inner = mappings(value.get("observations"))
    if not inner:
        yield _span(row, row)
    for each in map(_snake, inner):
        yield _span({"trace_id": row.get("id"), **each}, row)
    roots = [each for each in inner if not _snake(each).get("parent_observation_id")]
    if inner and not any(each.get("input") for each in roots):  # the trace itself has the turn
        yield _span({**row, "trace_id": row.get("id"), "id": f"trace {row.get('id')}", "type": "AGENT"}, row)


def _span(row: Mapping[str, Any], trace: Mapping[str, Any]) -> tuple[Span, bool]:
    is_root = not row.get("parent_observation_id") and str(row.get("type")).upper() not in _PARTS
    sent, received = (_turn(row.get(name), role) if is_root else parsed(row.get(name)) for name, role in _SIDES)
    attributes = {
        f"{_TABLE}.type": str(row.get("type") or "SPAN").lower(),
        f"{_TABLE}.input": sent,
        f"{_TABLE}.output": received,
        f"{_TABLE}.metadata": parsed(row.get("metadata")),
        f"{_TABLE}.usage_details": parsed(row.get("usage_details")) or _usage(row),
        f"{_TABLE}.cost_details": {"total": row["total_cost"]}
        if row.get("total_cost")
        else parsed(row.get("cost_details")),
        f"{_TABLE}.model.name": row.get("model") or row.get("provided_model_name"),
        "session.id": row.get("session_id") or trace.get("session_id"),
    }
    start = _nanoseconds(row.get("start_time", row.get("timestamp")))
    span = Span(
        trace=str(row.get("trace_id") or row.get("id")),
        id=str(row.get("id")),
        parent=str(row.get("parent_observation_id") or ""),
        name=str(row.get("name") or ""),
        start=start,
        end=_nanoseconds(row.get("end_time")) or start,
        failed=row.get("level") == "ERROR",
        message=str(row.get("status_message") or ""),
        attributes={name: each for name, each in attributes.items() if each not in (None, "", {})},
    )
    return span, bool(row.get("input") or row.get("output"))


def _turn(said: Any, role: str) -> Any:
    """Return the messages of a turn on one side: as they are, or the words that a function took or gave."""
    value = parsed(said)
    value = value[0] if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str) else value
    if not isinstance(value, dict) or value.keys() & {"messages", "role", "content", "choices"}:
        return value
    args, named = value.get("args"), mapping(value.get("kwargs"))
    given = [*args, *named.values()] if isinstance(args, list) else [*value.values()]
    texts = [each for each in given if isinstance(each, str)]
    words = next((value[name] for name in _WORDS if isinstance(value.get(name), str)), None)
    words = words or (texts[0] if len(texts) == 1 else json.dumps(value, ensure_ascii=False) if value else "")
    return [{"role": role, "content": words}] if words else None


def _usage(row: Mapping[str, Any]) -> dict[str, Any]:
    usage = mapping(row.get("usage"))
    return {name: usage[name] for name in ("input", "output") if usage.get(name) is not None}


def _snake(row: Mapping[str, Any]) -> dict[str, Any]:
    return {_snake_name(name): value for name, value in row.items()}


@lru_cache(maxsize=1000)  # each row has the same few names
def _snake_name(name: str) -> str:
    return _CAPITAL.sub(r"_\1", name).lower()


def _nanoseconds(text: Any) -> int:
    try:
        return int(datetime.fromisoformat(str(text)).timestamp() * 1_000_000) * 1000
    except (ValueError, OverflowError):
        return 0


def _fits(entry: LogEntry) -> bool:
    row = _snake(mapping(entry.value))
    observed = {"trace_id", "type", "start_time"} <= row.keys()
    return observed or ("observations" in row and bool(row.keys() & {"session_id", "timestamp", "project_id"}))


FORMAT = LogFormat(_fits, _read)
