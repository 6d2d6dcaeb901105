"""What first differs between a request that is made and one that was recorded, in words."""

from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Any

import orjson

from sparring.models.recording import Call, Recording, Written
from sparring.models.redaction import quote

_SHOWN = 60
_BEFORE = 20


def difference(call: Call, asked: Written, recording: Recording) -> str:
    """The first thing that differs, from the first message to the options."""
    return next(_differences(call, asked, recording), "nothing")


def nearest(calls: Iterable[Call], asked: Written, recording: Recording) -> Call:
    """Of some calls the one that is like the request for longest, and of several such the first."""
    return max(calls, key=lambda call: _alike(call, asked, recording))


def _alike(call: Call, asked: Written, recording: Recording) -> tuple[int, ...]:
    """How long a call is like the request: in messages, in letters of the next, and then in all the rest."""
    pairs = zip(call.messages, asked.messages, strict=False)
    whole = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    letters = 0
    if whole < min(len(call.messages), len(asked.messages)):
        then, now = recording.part(call.messages[whole]), _part(asked, asked.messages[whole])
        letters = _first_difference(str(then["content"]), str(now["content"])) if then["role"] == now["role"] else -1
    options = sum(call.options.get(name) == value for name, value in asked.options.items())
    same = (len(call.messages) == len(asked.messages), call.model == asked.model, call.others == asked.others)
    return whole, letters, *same, options


def _differences(call: Call, asked: Written, recording: Recording) -> Iterator[str]:
    for number, (then, now) in enumerate(zip(call.messages, asked.messages, strict=False), 1):
        if then != now:
            yield f"message {number} {_message(recording.part(then), _part(asked, now))}"
    if len(call.messages) != len(asked.messages):
        yield f"{len(asked.messages)} messages, where {len(call.messages)} were recorded"
    if call.model != asked.model:
        yield f"the model is {asked.model}, and was {call.model}"
    if call.others != asked.others:
        yield "the tools, or the shape of the answer that is asked for"
    for name, value in asked.options.items():
        if call.options.get(name) != value:
            yield f"{name} is {value}, and was {call.options.get(name)}"


def _message(then: dict[str, Any], now: dict[str, Any]) -> str:
    if then["role"] != now["role"]:
        return f"is of the {now['role']}, and was of the {then['role']}"
    before, after = str(then["content"]), str(now["content"])
    if before == after:
        return f"({now['role']}): the tools that are asked for"
    at = _first_difference(before, after)
    return f"({now['role']}) at letter {at + 1}: {_cut(after, at)!r}, and was {_cut(before, at)!r}"


def _first_difference(before: str, after: str) -> int:
    """How many letters two texts have in common at their beginning."""
    return next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )


def _cut(text: str, at: int) -> str:
    start = max(0, at - _BEFORE)
    return quote(text[start : start + _SHOWN])


def _part(asked: Written, hash: str) -> Any:
    return orjson.loads(asked.parts[hash])
