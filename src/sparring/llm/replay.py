"""Models that record their calls or replay a recording, and the first difference between two requests."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

import orjson

from sparring.core.errors import ModelError, NotRecorded
from sparring.llm.call_context import ReplayPosition, current_call
from sparring.llm.model import Completion, Model, Request
from sparring.llm.pricing import Price
from sparring.llm.recording import CallRecording, RecordedCall, StoredRequest
from sparring.llm.redaction import quote

_SHOWN = 60
_BEFORE = 20


def difference(call: RecordedCall, asked: StoredRequest, recording: CallRecording) -> str:
    """Return the first difference between a recorded and a new request.

    Messages come before options.
    """
    return next(_differences(call, asked, recording), "nothing")


def nearest(calls: Iterable[RecordedCall], asked: StoredRequest, recording: CallRecording) -> RecordedCall:
    """Return the call whose request agrees longest with this one; of several, the first."""
    return max(calls, key=lambda call: _alike(call, asked, recording))


def _alike(call: RecordedCall, asked: StoredRequest, recording: CallRecording) -> tuple[int, ...]:
    """Return how far two requests agree.

    Entire messages count first, then characters of the next message, then the rest.
    """
    pairs = zip(call.messages, asked.messages, strict=False)
    whole = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    letters = 0
    if whole < min(len(call.messages), len(asked.messages)):
        then, now = recording.part(call.messages[whole]), _part(asked, asked.messages[whole])
        letters = _first_difference(str(then["content"]), str(now["content"])) if then["role"] == now["role"] else -1
    options = sum(call.options.get(name) == value for name, value in asked.options.items())
    same = (len(call.messages) == len(asked.messages), call.model == asked.model, call.others == asked.others)
    return whole, letters, *same, options


def _differences(call: RecordedCall, asked: StoredRequest, recording: CallRecording) -> Iterator[str]:
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
    """Return the length of the common prefix of two texts."""
    return next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )


def _cut(text: str, at: int) -> str:
    start = max(0, at - _BEFORE)
    return quote(text[start : start + _SHOWN])


def _part(asked: StoredRequest, hash: str) -> Any:
    return orjson.loads(asked.parts[hash])


Mode = Literal["record", "strict", "sequence", "update"]


@dataclass(frozen=True)
class Recorder:
    """A recording and its mode.

    `record`: every call is made and added. `strict`: a request has to be recorded exactly. `sequence`: the n-th call of
    a role in a conversation gets the n-th recorded answer, and the first difference is noted. `update`: requests that
    are not recorded are made and added.
    """

    recording: CallRecording
    mode: Mode

    def unbegun(self, conversation: str) -> str:
        """Return the reason that a conversation was not started when this was recorded, or an empty text."""
        replayed = self.mode in ("strict", "sequence") and conversation not in self.recording.conversations
        return self.recording.gave_up if replayed else ""

    def model(self, name: str, role: str, make: Callable[[], Model]) -> "RecordedModel":
        """Return the recorded model called `name`. `make` is called only if calls may be made."""
        return RecordedModel(self, name, role, make() if self.mode in ("record", "update") else None)


class RecordedModel:
    """A model in a `role` whose calls are recorded or replayed."""

    def __init__(self, recorder: Recorder, name: str, role: str, model: Model | None) -> None:
        self._recording, self._mode = recorder.recording, recorder.mode
        self._name, self._role, self._model = name, role, model

    @property
    def price(self) -> Price:
        """Price of the model's calls; replayed calls cost nothing."""
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

    def _found(self, position: ReplayPosition, key: tuple[str, str, int], asked: StoredRequest) -> Completion | None:
        """Return the recorded answer, or None if the model may be called. Raise a recorded error."""
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
