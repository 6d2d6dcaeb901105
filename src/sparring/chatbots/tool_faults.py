"""Faults of a chatbot's tools: calls that fail, and wrong results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import islice
from random import Random

from sparring.core.case import FaultKind, ToolFault
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json

EXPLICIT: Mapping[FaultKind, str] = {
    "timeout": "the tool did not answer in time",
    "error": "internal error of the tool",
    "rate_limit": "429 too many requests, try again later",
}
"""Faults with which a tool does not run, and the errors that the chatbot gets."""


class ToolFailed(RuntimeError):
    """A tool did not run because of a fault."""


@dataclass(slots=True)
class _Breaking:
    """A fault in one conversation: the number of calls it applied to, and of those it broke."""

    fault: ToolFault
    calls: int = 0
    broken: int = 0

    def is_due(self, tool: str, arguments: Mapping[str, Json]) -> bool:
        wanted = self.fault.arguments.items()
        return tool == self.fault.tool and all(arguments.get(name, wanted) == value for name, value in wanted)

    def strikes(self, random: Random) -> bool:
        """Return True if the fault breaks the call that was just counted."""
        if self.fault.share is not None:
            return random.random() < self.fault.share
        if self.fault.nth is not None:
            return self.calls == self.fault.nth
        return self.fault.when == "always" or not self.broken


@dataclass
class ToolFaults:
    """The faults of one conversation. Before each call, ask `failing`; after it, `result_of`.

    Calls count in the order of requests.
    """

    faults: tuple[ToolFault, ...]
    random: Random
    _breaking: list[_Breaking] = field(init=False)
    _earlier: list[tuple[str, dict[str, Json], Json]] = field(default_factory=list)
    _struck: list[_Breaking] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._breaking = [_Breaking(fault) for fault in self.faults]

    def failing(self, tool: str, arguments: Mapping[str, Json]) -> FaultKind | None:
        """Count a call, and return the fault with which the tool does not run."""
        due = [each for each in self._breaking if each.is_due(tool, arguments)]
        for each in due:
            each.calls += 1
        self._struck = [each for each in due if each.strikes(self.random)]
        first = next((each for each in self._struck if each.fault.fails in EXPLICIT), None)
        if first is None:
            return None
        first.broken += 1
        return first.fault.fails

    def result_of(self, tool: str, arguments: Mapping[str, Json], result: Json) -> tuple[Json, FaultKind | None]:
        """Return the result of the call that was just counted, and the fault that broke it.

        A fault that cannot change the result waits for the next call.
        """
        given = dict(arguments)
        earlier = [past for name, past_arguments, past in self._earlier if (name, past_arguments) == (tool, given)]
        self._earlier.append((tool, given, result))
        for each in self._struck:
            broken = _broken(each.fault.fails, given, result, earlier, self.random)
            if broken != result:
                each.broken += 1
                return broken, each.fault.fails
        return result, None

    def note(self, call: ToolCall) -> ToolCall:
        """Return a finished call as the chatbot sees it."""
        result, fault = self.result_of(call.name, call.arguments, call.result)
        return call if fault is None else call.changed(result=result, fault=fault)


def failed_call(tool: str, arguments: Mapping[str, Json], fault: FaultKind) -> ToolCall:
    """Return the record of a call that did not run."""
    return ToolCall(name=tool, arguments=dict(arguments), error=EXPLICIT[fault], fault=fault)


def with_faults(reply: Message, broken: list[ToolCall]) -> Message:
    """Return a reply whose calls name the faults that broke them; calls that it leaves out are added."""
    calls, missing = list(reply.tool_calls), list[ToolCall]()
    for each in broken:
        at = next((at for at, call in enumerate(calls) if _is_same(call, each)), None)
        if at is None:
            missing.append(each)
        else:
            calls[at] = calls[at].changed(fault=each.fault)
    return reply.changed(tool_calls=(*missing, *calls)) if broken else reply


def _is_same(call: ToolCall, broken: ToolCall) -> bool:
    same = (call.name, call.arguments, call.fault) == (broken.name, broken.arguments, "")
    return same and (not call.succeeded if broken.error else call.result == broken.result)


def _broken(kind: FaultKind, arguments: Mapping[str, Json], result: Json, earlier: list[Json], random: Random) -> Json:
    match kind:
        case "empty":
            return type(result)() if isinstance(result, dict | list | str) else None
        case "stale":
            return next((past for past in reversed(earlier) if past != result), result)
        case "truncated":
            return _first_half(result)
        case "swapped":
            return _Other(random.randrange(1, 9)).value(result)
        case _:
            said = [value for value in arguments.values() if isinstance(value, str | int | float)]
            return _Other(random.randrange(1, 9), only=said).value(result)


def _first_half(result: Json) -> Json:
    if isinstance(result, str | list):
        return result[: len(result) // 2]
    if isinstance(result, dict):
        return dict(islice(result.items(), len(result) // 2))
    return None


@dataclass(frozen=True, slots=True)
class _Other:
    """Makes a different record out of one: other numbers, codes and dates, the same words.

    With `only`, change the values among these, or the first one if none is.
    """

    step: int
    only: list[str | int | float] | None = None

    def value(self, result: Json) -> Json:
        if self.only is None:
            return self._all(result)
        changed = self._all(result)
        return changed if changed != result else replace(self, only=None)._first(result)

    def _all(self, value: Json) -> Json:
        if isinstance(value, dict):
            return {name: self._all(each) for name, each in value.items()}
        if isinstance(value, list):
            return [self._all(each) for each in value]
        return value if self.only is not None and value not in self.only else self._one(value)

    def _first(self, value: Json) -> Json:
        """Return the value with the first change that is possible."""
        if not isinstance(value, dict | list):
            return self._one(value)
        if isinstance(value, list):
            made = self._first({str(at): each for at, each in enumerate(value)})
            return list(made.values()) if isinstance(made, dict) else made
        for name, each in value.items():
            if (changed := self._first(each)) != each:
                return {**value, name: changed}
        return value

    def _one(self, value: Json) -> Json:
        if isinstance(value, bool):
            return not value
        if isinstance(value, int | float):
            return value + self.step
        return self._text(value) if isinstance(value, str) else value

    def _text(self, text: str) -> str:
        """Return a text with another last digit; a date moves by days."""
        try:
            return (date.fromisoformat(text) + timedelta(days=self.step)).isoformat()
        except (ValueError, OverflowError):
            at = next((at for at in range(len(text) - 1, -1, -1) if text[at] in "0123456789"), None)
        return text if at is None else f"{text[:at]}{(int(text[at]) + self.step) % 10}{text[at + 1 :]}"
