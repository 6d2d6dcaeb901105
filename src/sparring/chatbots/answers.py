"""What a chatbot's server answered: JSON, plain text, or a stream of events."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import orjson

from sparring.chatbots.json_paths import JsonPath
from sparring.core.value import DEEPEST, Json, is_deeper
from sparring.llm.client.transport import Response
from sparring.llm.redaction import quote, without

_LONGEST_SHOWN = 200
_DEEPEST = 2 * DEEPEST  # what is kept of it may be half as deep, and the rest is the way to there

Format = Literal["json", "text", "events", "deltas"]


@dataclass(frozen=True, slots=True)
class Received:
    """What came back as it came, what must not be shown of it, and the keys that are hidden even where it says them."""

    response: Response = field(repr=False)
    secrets: list[str] = field(repr=False)
    keys: list[str] = field(default_factory=list, repr=False)

    @property
    def shown(self) -> str:
        """Its first words, for complaints."""
        words = self.quote(self.response.body.decode("utf-8", "replace")) or "nothing"
        return words if len(words) <= _LONGEST_SHOWN else words[: _LONGEST_SHOWN - 1] + "…"

    def quote(self, text: str) -> str:
        return quote(text, *self.secrets)

    def hide(self, text: str) -> str:
        return without(text, *self.keys)


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
    """What an answer says; a ValueError that says what is wrong if it is not of the form it should have."""
    if form == "json":
        return (parsed(body),)
    text = body.decode("utf-8", "replace")
    return (text,) if form == "text" else tuple(map(_event, _events(text)))


def parsed(said: str | bytes) -> Json:
    """What JSON says; a ValueError that says what is wrong with it."""
    try:
        return _shallow(orjson.loads(said))
    except orjson.JSONDecodeError:
        raise ValueError("is not JSON") from None


def _shallow(value: Json) -> Json:
    if is_deeper(value, _DEEPEST):
        raise ValueError("is nested too deep")
    return value


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
        return _shallow(orjson.loads(data))
    except orjson.JSONDecodeError:
        return data
