"""Turns of agents of other frameworks: texts, tool calls with their results, and usage."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from sparring.core.message import CallStatus, ToolCall
from sparring.core.usage import Usage
from sparring.core.value import decoded


class ModelUse(NamedTuple):
    """Usage of a model, and its name and provider as far as the framework tells them."""

    usage: Usage
    model: str = ""
    provider: str = ""


class AgentTurn(NamedTuple):
    """What an agent did in one turn: its texts, its tool calls in order, and the usage of its models."""

    texts: Sequence[str]
    calls: Sequence[ToolCall]
    used: Sequence[ModelUse] = ()


class Asked(NamedTuple):
    """A tool call of an agent, and its status if it has no result."""

    id: str
    name: str
    arguments: Any
    otherwise: CallStatus = "attempted"


class Calls:
    """The tool calls of one conversation.

    A call whose result comes in a later turn is reported again there.
    """

    def __init__(self) -> None:
        self._open: dict[str, Asked] = {}

    def with_results(self, asked: Iterable[Asked], results: Mapping[str, tuple[Any, bool]]) -> list[ToolCall]:
        """Return calls with their results by id, each with True if it is an error."""
        new = list(asked)
        ids = {each.id for each in new}
        waiting = [each for id, each in self._open.items() if id in results and id not in ids]
        for each in (*waiting, *new):
            self._open.pop(each.id, None)
        self._open |= {each.id: each for each in new if each.id not in results}
        return [
            _call(each, *results[each.id]) if each.id in results else _unanswered(each) for each in (*waiting, *new)
        ]


def _unanswered(call: Asked) -> ToolCall:
    return ToolCall(name=call.name, arguments=_arguments(call.arguments), status=call.otherwise)


def _call(call: Asked, result: Any, failed: bool) -> ToolCall:
    """Return a call with its result, which is the error if it failed."""
    outcome = {"error": shown(result)} if failed else {"result": _plain(result)}
    return ToolCall.model_validate({"name": call.name, "arguments": _arguments(call.arguments), **outcome})


def _arguments(given: Any) -> dict[str, Any]:
    found = _plain(given)
    return found if isinstance(found, dict) else {}


def _plain(value: Any) -> Any:
    """Return a value as JSON; text that is JSON is parsed."""
    if isinstance(value, str):
        return decoded(value)
    try:
        return orjson.loads(orjson.dumps(value, default=_fields))
    except ValueError:
        return str(value)


def _fields(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    return dump(mode="json") if callable(dump) else str(value)


def shown(value: Any) -> str:
    """Return a value as words: itself, or its JSON."""
    return value if isinstance(value, str) else "" if value is None else orjson.dumps(_plain(value)).decode()


def words_of(content: Any) -> str:
    """Return the text of a message, without blocks of other kinds, such as reasoning."""
    if isinstance(content, str):
        return content
    blocks = (each if isinstance(each, dict) else {"type": "text", "text": str(each)} for each in content or ())
    return "".join(str(each.get("text", "")) for each in blocks if each.get("type") in ("text", "output_text"))


def field_of(item: Any, name: str) -> Any:
    """Return a field of an object or of a mapping, or None."""
    return item.get(name) if isinstance(item, dict) else getattr(item, name, None)


def usage_of(calls: int, read: int | None, written: int | None, cached: int | None) -> Usage:
    """Return the usage of model calls; zero tokens mean unknown usage."""
    read, written = read or 0, written or 0
    figures = {"input_tokens": read, "output_tokens": written, "cached_tokens": cached or 0}
    return Usage(calls=calls, unknown_tokens=0 if read or written else calls, unknown_costs=calls, **figures)
