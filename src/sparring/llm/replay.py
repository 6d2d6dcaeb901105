"""A model whose answers are recorded, or come from a recording.

What first differs between a request that is made and one that was recorded, in words.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

import orjson

from sparring.core.errors import ModelError, NotRecorded
from sparring.llm.call_context import ReplayPosition, current_call
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price
from sparring.llm.recording import Call, Recording, Written
from sparring.llm.redaction import quote

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


Mode = Literal["record", "strict", "sequence", "update"]


@dataclass(frozen=True)
class Recorder:
    """A recording, and how it is used.

    `record`: every call is made, and added to it. `strict`: what is asked must have been asked exactly so. `sequence`:
    the n-th call of a role in a conversation is answered as the n-th was, and where it first asks for something else is
    noted. `update`: what was never asked is asked now, and added.
    """

    recording: Recording
    mode: Mode

    def unbegun(self, conversation: str) -> str:
        """Why a conversation was not begun when this was recorded, since no model would have answered; else empty."""
        replayed = self.mode in ("strict", "sequence") and conversation not in self.recording.conversations
        return self.recording.gave_up if replayed else ""

    def model(self, name: str, role: str, make: Callable[[], Model]) -> "RecordedModel":
        """The model called `name`, made only if it has to be asked."""
        return RecordedModel(self, name, role, make() if self.mode in ("record", "update") else None)


class RecordedModel:
    """A model that plays `role`, over a tape."""

    def __init__(self, tape: Recorder, name: str, role: str, model: Model | None) -> None:
        self._recording, self._mode = tape.recording, tape.mode
        self._name, self._role, self._model = name, role, model

    @property
    def price(self) -> Price:
        """What its calls cost: nothing, where they are not made."""
        return _nothing if self._model is None else self._model.price

    async def complete(self, request: Request) -> Completion:
        call, asked = current_call(), self._recording.write(self._name, request)
        key = call.conversation, self._role, call.replay.next_call(self._role)
        if self._mode != "record" and (found := self._found(call.replay, key, asked)) is not None:
            return found
        assert self._model is not None
        self._recording.ready()
        try:
            completion = await self._model.complete(request)
        except ModelError as error:
            self._recording.add(key, asked, error)
            raise
        self._recording.add(key, asked, completion)
        return completion

    def _found(self, position: ReplayPosition, key: tuple[str, str, int], asked: Written) -> Completion | None:
        """The recorded answer; None if there is none and the model may be asked. Raises what was recorded as raised."""
        recorded = self._recording.at(*key)
        if recorded is not None and recorded.content == asked.content:
            return recorded.answer()
        if (same := self._recording.asking(asked.content)) is not None:
            return same.answer()
        if self._mode == "update":
            return None
        turn = max(position.turn + (self._role == "user"), 1)
        where = f"turn {turn}, call {key[2]} of the {self._role}"
        if recorded is None:
            raise NotRecorded(f"{where} is not in the recording {self._recording.path}")
        if self._mode == "strict":
            near = nearest(self._recording.all_at(*key), asked, self._recording)
            raise NotRecorded(f"not as it was recorded: {where}: {difference(near, asked, self._recording)}")
        position.diverged = position.diverged or f"{where}: {difference(recorded, asked, self._recording)}"
        return recorded.answer()


def _nothing(input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
    return 0.0
