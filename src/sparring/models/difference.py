"""What first differs between a request that is made and one that was recorded, in words."""

from collections.abc import Iterator
from typing import Any

import orjson

from sparring.models.recording import Call, Recording, Written
from sparring.models.redaction import quote

_SHOWN = 60
_BEFORE = 20


def difference(call: Call, asked: Written, recording: Recording) -> str:
    """The first thing that differs, from the first message to the options."""
    return next(_differences(call, asked, recording), "nothing")


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
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    return f"({now['role']}) at letter {at + 1}: {_cut(after, at)!r}, and was {_cut(before, at)!r}"


def _cut(text: str, at: int) -> str:
    start = max(0, at - _BEFORE)
    return quote(text[start : start + _SHOWN])


def _part(asked: Written, hash: str) -> Any:
    return orjson.loads(asked.parts[hash])
