"""Spans in the words of each instrumentation, read by tables."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Literal

from sparring.core.value import MAX_DEPTH, decoded, mapping, mappings
from sparring.traces.spans import Span

_KINDS = ("model", "tool", "agent")


@dataclass(frozen=True, slots=True)
class Reading:
    """A span with the table of its dialect."""

    span: Span
    table: Mapping[str, Any]
    parent: str = ""
    """The nearest span above it that is of a known dialect, too."""
    _said: dict[str, list[dict[str, Any]]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def kind(self) -> Literal["model", "tool", "agent", ""]:
        """The kind of step that the span is of."""
        return self.table["kinds"].get(str(self.span.attributes[self.table["is"]]), "")  # type: ignore[no-any-return]

    def value(self, what: str) -> Any:
        """Return the first of these attributes, with JSON in texts parsed; None if there is none."""
        attributes = self.span.attributes
        for name in self.table[what]:
            if name == "name":
                return self.span.name
            if (value := attributes.get(name)) is not None:
                return decoded(value)
            if what in ("input", "output") and (inner := _nested(attributes, f"{name}.", what)):
                return inner
            outer, _, last = name.rpartition(".")
            if isinstance(held := decoded(attributes.get(outer)), dict) and held.get(last) is not None:
                return held[last]
        return None

    def messages(self, what: Literal["input", "output"]) -> list[dict[str, Any]]:
        """Return the messages that went in or out, in the shape of chat completions.

        Of those that went in before the last message of the user, only the roles are read.
        """
        if what not in self._said:
            self._said[what] = self._messages(what)
        return self._said[what]

    def _messages(self, what: Literal["input", "output"]) -> list[dict[str, Any]]:
        value = self.value(what)
        if isinstance(value, dict):
            value = value.get("messages", [value] if "role" in value or "content" in value else value.get("choices"))
        if isinstance(value, str):
            value = [{"role": "user" if what == "input" else "assistant", "content": value}]
        found: list[dict[str, Any]] = []
        early = False
        for each in reversed(mappings(value)):
            said = {"role": _role(each)} if early else _message(each)
            found.append(said if said.get("role") else {**said, "role": "assistant"})
            early = early or (what == "input" and said.get("role") == "user")
        return found[::-1]

    def number(self, what: str) -> float | None:
        """Return a figure, or None if it is unknown."""
        value = self.value(what)
        return value if isinstance(value, (int, float)) and value >= 0 else None


def dialect(span: Span) -> Mapping[str, Any] | None:
    """Return the table of a span's dialect; None if it is of no known one."""
    return next((table for table in _tables() if span.attributes.get(table["is"]) is not None), None)


@cache
def _tables() -> list[dict[str, Any]]:
    tables = tomllib.loads(files(__package__).joinpath("dialects.toml").read_text(encoding="utf-8")).values()
    return [{**each, "kinds": {name: kind for kind in _KINDS for name in each[kind]}} for each in tables]


def _nested(attributes: Mapping[str, Any], prefix: str, what: str) -> Any:
    """Return what flat names such as `llm.input_messages.0.message.role` hold, as lists and mappings.

    Of messages that went in before the last one of the user, it has only the roles.
    """
    start = len(prefix)
    names = [name for name in attributes if name.startswith(prefix)]
    early: list[Any] = []
    if what == "input" and names:
        early = _early_roles(attributes, prefix)
        passed = tuple([f"{prefix}{at}." for at in range(len(early))])
        names = [name for name in names if not name.startswith(passed)] if early else names
    found: dict[str, Any] = {}
    for name in names:
        *outer, last = _parts(name[start:])
        inner: Any = found
        for part in outer:
            inner = inner.setdefault(part, {}) if type(inner) is dict else None
        if type(inner) is dict:
            inner[last] = attributes[name]
    listed = _listed(found, 0)
    return [*({"role": role} for role in early), *listed] if early else listed


def _early_roles(attributes: Mapping[str, Any], prefix: str) -> list[Any]:
    """Return the roles of the messages before the last one of the user."""
    roles: list[Any] = []
    while (role := attributes.get(f"{prefix}{len(roles)}.message.role")) is not None:
        roles.append(role)
    while roles and roles.pop() != "user":
        pass
    return roles


@lru_cache(maxsize=4096)
def _parts(name: str) -> list[str]:
    return name.split(".")


def _listed(value: dict[str, Any], depth: int) -> Any:
    """Return a mapping whose names are numbers as a list, and so those in it."""
    if depth <= MAX_DEPTH:
        for name, each in value.items():
            if type(each) is dict:
                value[name] = _listed(each, depth + 1)
    listed = value and next(iter(value)).isdecimal() and all(map(str.isdecimal, value))
    return [value[name] for name in sorted(value, key=int)] if listed else value


_TYPES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}
"""Roles by the types of LangChain's messages."""


def _role(whole: dict[str, Any]) -> Any:
    said = mapping(whole.get("message", whole))
    return said.get("role") or _TYPES.get(str(said.get("type")))


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
    role = {"role": _role(said)} if _role(said) else {}
    return {**said, **role, **({"tool_calls": calls} if calls else {}), **({"content": texts} if texts else {})}


def _of_parts(said: dict[str, Any]) -> dict[str, Any]:
    parts = [each for each in said["parts"] if isinstance(each, dict)]
    answers = [each for each in parts if each.get("type") == "tool_call_response"]
    if answers:
        content = answers[0].get("response", answers[0].get("result"))
        return {"role": "tool", "tool_call_id": answers[0].get("id"), "content": content, "more": answers[1:]}
    calls = [each for each in parts if each.get("type") == "tool_call"]
    texts = [{"type": "text", "text": each.get("content")} for each in parts if each.get("type") == "text"]
    return {"role": said.get("role"), "content": texts, "tool_calls": calls}
