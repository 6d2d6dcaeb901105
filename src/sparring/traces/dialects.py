"""Spans in the words of each instrumentation, read by tables."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from sparring.core.value import MAX_DEPTH, decoded
from sparring.traces.spans import Span

Kind = Literal["model", "tool", "agent", ""]


@dataclass(frozen=True, slots=True)
class Reading:
    """A span with the table of its dialect."""

    span: Span
    table: Mapping[str, Any]
    kind: Kind
    parent: str = ""
    """The nearest span above it that is of a known dialect, too."""
    _said: dict[str, list[dict[str, Any]]] = field(default_factory=dict, compare=False, repr=False)

    def value(self, what: str) -> Any:
        """Return the first attribute of what is asked for, with JSON in texts read; None if there is none."""
        attributes = self.span.attributes
        for name in self.table[what]:
            if name == "name":
                return self.span.name
            if (value := attributes.get(name)) is not None:
                return decoded(value)
            if what in ("input", "output") and (inner := _nested(attributes, f"{name}.")):
                return inner
            outer, _, last = name.rpartition(".")
            if isinstance(held := decoded(attributes.get(outer)), dict) and held.get(last) is not None:
                return held[last]
        return None

    def messages(self, what: Literal["input", "output"]) -> list[dict[str, Any]]:
        """Return the messages that went in or out, in the shape of chat completions."""
        if what not in self._said:
            self._said[what] = self._messages(what)
        return self._said[what]

    def _messages(self, what: Literal["input", "output"]) -> list[dict[str, Any]]:
        value = self.value(what)
        if isinstance(value, dict):
            value = value.get("messages", [value] if "role" in value or "content" in value else value.get("choices"))
        if isinstance(value, str):
            value = [{"role": "user" if what == "input" else "assistant", "content": value}]
        found = [_message(each) for each in value if isinstance(each, dict)] if isinstance(value, list) else []
        return [each if each.get("role") else {**each, "role": "assistant"} for each in found]

    def number(self, what: str) -> float | None:
        """Return a figure, or None if it is unknown."""
        value = self.value(what)
        return value if isinstance(value, (int, float)) and value >= 0 else None


def reading(span: Span, parent: str = "") -> Reading | None:
    """Return a span as its dialect says it; None if it is of no known one."""
    for table in _tables():
        kind = span.attributes.get(table["is"])
        if kind is not None:
            kinds: Sequence[Kind] = ("model", "tool", "agent")
            return Reading(span, table, next((each for each in kinds if kind in table[each]), ""), parent)
    return None


@cache
def _tables() -> list[dict[str, Any]]:
    return list(tomllib.loads(files(__package__).joinpath("dialects.toml").read_text(encoding="utf-8")).values())


def _nested(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Return what flat names such as `llm.input_messages.0.message.role` hold, as lists and mappings."""
    places: dict[str, Any] = {"": {}}
    for name, value in attributes.items():
        if name.startswith(prefix):
            outer, _, last = name[len(prefix) :].rpartition(".")
            inner = places[outer] if outer in places else _place(places, outer)
            if isinstance(inner, dict):
                inner[last] = value
    return _listed(places[""], 0)


def _place(places: dict[str, Any], path: str) -> Any:
    """Return the mapping at a path, and note it and those around it; None if a value is in its place."""
    outer, _, last = path.rpartition(".")
    around = places[outer] if outer in places else _place(places, outer)
    places[path] = around.setdefault(last, {}) if isinstance(around, dict) else None
    return places[path]


def _listed(value: Any, depth: int) -> Any:
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return value
    inner = {name: _listed(each, depth + 1) if type(each) is dict else each for name, each in value.items()}
    return [inner[name] for name in sorted(inner, key=int)] if inner and all(map(str.isdecimal, inner)) else inner


def _message(whole: dict[str, Any]) -> dict[str, Any]:
    """Return a message of any dialect in the shape of chat completions; its text is a list of parts."""
    said: Any = whole.get("message", whole)
    if not isinstance(said, dict):
        return {}
    if isinstance(said.get("parts"), list):
        return _of_parts(said)
    calls = [each.get("tool_call", each) for each in said.get("tool_calls") or () if isinstance(each, dict)]
    contents = said.get("contents")
    texts = [each.get("message_content", each) for each in contents if isinstance(each, dict)] if contents else None
    return {**said, **({"tool_calls": calls} if calls else {}), **({"content": texts} if texts else {})}


def _of_parts(said: dict[str, Any]) -> dict[str, Any]:
    parts = [each for each in said["parts"] if isinstance(each, dict)]
    answers = [each for each in parts if each.get("type") == "tool_call_response"]
    if answers:
        content = answers[0].get("response", answers[0].get("result"))
        return {"role": "tool", "tool_call_id": answers[0].get("id"), "content": content, "more": answers[1:]}
    calls = [each for each in parts if each.get("type") == "tool_call"]
    texts = [{"type": "text", "text": each.get("content")} for each in parts if each.get("type") == "text"]
    return {"role": said.get("role"), "content": texts, "tool_calls": calls}
