"""What a chatbot's server answered: JSON, plain text, or a stream of events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

import orjson

from sparring.chatbots.json_paths import JsonPath
from sparring.core.value import Json
from sparring.models.redaction import quote
from sparring.models.transport import Response

_LONGEST_READ = 20_000
_LONGEST_SHOWN = 200

Format = Literal["json", "text", "events", "deltas"]


@dataclass(frozen=True, slots=True)
class Received:
    """What came back as it came, and what of it must not be shown."""

    response: Response = field(repr=False)
    secrets: Sequence[str] = field(repr=False)

    @property
    def shown(self) -> str:
        """Its first words, for complaints."""
        words = self.quote(self.response.body[:_LONGEST_READ].decode("utf-8", "replace")) or "nothing"
        return words if len(words) <= _LONGEST_SHOWN else words[: _LONGEST_SHOWN - 1] + "…"

    def quote(self, text: str) -> str:
        return quote(text, *self.secrets)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back as it was understood: the one thing it says, or one for each event."""

    says: tuple[Json, ...]
    received: Received

    @property
    def shown(self) -> str:
        return self.received.shown

    def find(self, path: JsonPath) -> list[Json] | None:
        """Everything at `path` in any of the things it says; None if there is no such place in any of them."""
        found = [values for says in self.says if (values := path.find(says)) is not None]
        return [value for values in found for value in values] if found else None

    def last(self, path: JsonPath | None) -> Json:
        """The last value at `path` that is not null: of a stream of events, the later one knows better."""
        found = self.find(path) if path else None
        return next((value for value in reversed(found or []) if value is not None), None)


def understand(body: bytes, form: Format) -> tuple[Json, ...]:
    """What an answer says; a ValueError if it is not of the form it should have."""
    if form == "json":
        return (orjson.loads(body),)
    text = body.decode("utf-8", "replace")
    return (text,) if form == "text" else tuple(map(_event, _events(text)))


def _events(text: str) -> Iterator[str]:
    """The data of server-sent events, or the lines of JSON lines; comments, names and `[DONE]` say nothing."""
    data: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line.startswith(("{", "[")):
            yield line
        elif not line and data:
            if data != ["[DONE]"]:
                yield "\n".join(data)
            data = []


def _event(data: str) -> Json:
    """What one event says, which is plain words where it is not JSON."""
    try:
        value: Json = orjson.loads(data)
    except orjson.JSONDecodeError:
        return data
    return value
