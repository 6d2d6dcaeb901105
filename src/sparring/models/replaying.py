"""A model whose answers are recorded, or come from a recording."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sparring.core.errors import ModelError, NotRecorded
from sparring.models.difference import difference, nearest
from sparring.models.model import Completion, Model, Request
from sparring.models.place import Place, here
from sparring.models.prices import Price, price_by
from sparring.models.recording import Recording, Written

Mode = Literal["record", "strict", "sequence", "loose"]


@dataclass(frozen=True)
class Tape:
    """A recording, and how it is used.

    `record`: every call is made, and added to it. `strict`: what is asked must have been asked exactly so. `sequence`:
    the n-th call of a role in a conversation is answered as the n-th was, and where it first asks for something else is
    noted. `loose`: what was never asked is asked now, and added.
    """

    recording: Recording
    mode: Mode

    def unbegun(self, conversation: str) -> str:
        """Why a conversation was not begun when this was recorded, since no model would have answered; else empty."""
        replayed = self.mode in ("strict", "sequence") and conversation not in self.recording.conversations
        return self.recording.gave_up if replayed else ""

    def model(self, name: str, role: str, make: Callable[[], Model]) -> "Taped":
        """The model called `name`, made only if it has to be asked."""
        return Taped(self, name, role, make() if self.mode in ("record", "loose") else None)


class Taped:
    """A model that plays `role`, over a tape."""

    def __init__(self, tape: Tape, name: str, role: str, model: Model | None) -> None:
        self._recording, self._mode = tape.recording, tape.mode
        self._name, self._role, self._model = name, role, model

    @property
    def price(self) -> Price:
        """What its calls cost: nothing, where they are not made."""
        return _nothing if self._model is None else price_by(self._model)

    async def complete(self, request: Request) -> Completion:
        place, asked = here(), self._recording.write(self._name, request)
        key = place.conversation, self._role, place.number(self._role)
        if self._mode != "record" and (found := self._found(place, key, asked)) is not None:
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

    def _found(self, place: Place, key: tuple[str, str, int], asked: Written) -> Completion | None:
        """The recorded answer; None if there is none and the model may be asked. Raises what was recorded as raised."""
        recorded = self._recording.at(*key)
        if recorded is not None and recorded.content == asked.content:
            return recorded.answer()
        if (same := self._recording.asking(asked.content)) is not None:
            return same.answer()
        if self._mode == "loose":
            return None
        turn = max(place.turn + (self._role == "user"), 1)
        where = f"turn {turn}, call {key[2]} of the {self._role}"
        if recorded is None:
            raise NotRecorded(f"{where} is not in the recording {self._recording.path}")
        if self._mode == "strict":
            near = nearest(self._recording.all_at(*key), asked, self._recording)
            raise NotRecorded(f"not as it was recorded: {where}: {difference(near, asked, self._recording)}")
        place.diverged = place.diverged or f"{where}: {difference(recorded, asked, self._recording)}"
        return recorded.answer()


def _nothing(input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
    return 0.0
