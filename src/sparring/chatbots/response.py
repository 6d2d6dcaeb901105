"""Parsed answers of a chatbot's server, and their values by path.

An answer is JSON, text or a stream of events.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from operator import is_
from typing import Literal

import orjson

from sparring.chatbots.preset import Sign
from sparring.core.errors import ChatbotError
from sparring.core.json_path import JsonPath
from sparring.core.message import Message, Part, Text
from sparring.core.text import without_thoughts
from sparring.core.value import MAX_DEPTH, Json, is_deeper, mappings
from sparring.llm.call_context import current_call
from sparring.llm.client.transport import Response
from sparring.llm.redaction import quote, without

_LONGEST_SHOWN = 200
_DEEPEST = 2 * MAX_DEPTH  # what is kept of it may be half as deep, and the rest is the way to there

Format = Literal["json", "text", "events", "deltas", "chunks"]


@dataclass(frozen=True, slots=True)
class RawResponse:
    """A response as received, its secrets, and the keys that are redacted even in the chatbot's words."""

    response: Response = field(repr=False)
    secrets: list[str] = field(repr=False)
    keys: list[str] = field(default_factory=list, repr=False)

    @property
    def shown(self) -> str:
        """Its first words, redacted, for error messages."""
        words = self.quote(self.response.body.decode("utf-8", "replace")) or "nothing"
        return words if len(words) <= _LONGEST_SHOWN else words[: _LONGEST_SHOWN - 1] + "…"

    def quote(self, text: str) -> str:
        return quote(text, *self.secrets)

    def hide(self, text: str) -> str:
        return without(text, *self.keys)


@dataclass(frozen=True, slots=True)
class ResponseBody:
    """A parsed answer: one value, or one for each event."""

    says: tuple[Json, ...]
    received: RawResponse

    @property
    def shown(self) -> str:
        return self.received.shown

    def find(self, path: JsonPath) -> list[Json] | None:
        """Return all values at `path`, or None if no event has such a place."""
        found = [values for says in self.says if (values := path.find(says)) is not None]
        return [value for values in found for value in values] if found else None

    def last(self, path: JsonPath | None) -> Json:
        """Return the last value at `path` that is not null: later events replace earlier ones."""
        found = self.find(path) if path else None
        return next((value for value in reversed(found or []) if value is not None), None)


def understand(body: bytes, form: Format) -> tuple[Json, ...]:
    """Parse an answer. Raise ValueError with the problem."""
    if form == "json":
        return (parsed(body),)
    text = body.decode("utf-8", "replace")
    if form == "text":
        return (text,)
    if form == "chunks":
        return _completion(text)
    return tuple(map(_event, _events(text)))


def parsed(said: str | bytes) -> Json:
    """Parse JSON. Raise ValueError with the problem."""
    try:
        return _shallow(orjson.loads(said))
    except orjson.JSONDecodeError:
        page = said.lstrip()[:1] in (b"<", "<")
        raise ValueError("is not JSON but a web page" if page else "is not JSON") from None


def _shallow(value: Json) -> Json:
    if is_deeper(value, _DEEPEST):
        raise ValueError("is nested too deep")
    return value


_LINE_END = re.compile(r"\r\n|\r|\n")  # JSON may have what `splitlines` takes for others


def _events(text: str) -> Iterator[str]:
    """Yield the data of server-sent events or JSON lines, without comments, names and `[DONE]`.

    An event without data, with which servers of MCP begin, is none.
    """
    data: list[str] = []
    for line in [*_LINE_END.split(text.removeprefix("\ufeff")), ""]:
        if line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))
        elif line.startswith(("{", "[")):
            yield line
        elif not line and data:
            if data not in (["[DONE]"], [""]):
                yield "\n".join(data)
            data = []


def _event(data: str) -> Json:
    """Return the value of an event; text that is not JSON is itself."""
    try:
        return _shallow(orjson.loads(data))
    except orjson.JSONDecodeError:
        return data


def is_at_once(form: Format, answer: ResponseBody) -> bool:
    """Return True if a server sent the whole chat completion instead of its chunks."""
    return form == "chunks" and answer.received.response.body.lstrip()[:1] == b"{"


_IN_PIECES = ("content", "refusal", "arguments")


def _completion(text: str) -> tuple[Json, ...]:
    """Return the chunks of a streamed chat completion as the whole one, which other servers send at once."""
    try:
        chunks = [parsed(text)]
    except ValueError:
        chunks = list(map(_event, _events(text)))
        if not mappings(chunks) and text.lstrip().startswith("{"):
            raise
    whole: Json = None
    for chunk in chunks:
        whole = _joined(whole, chunk) if isinstance(chunk, dict) else whole
    return (whole,) if chunks else ()


def _joined(old: Json, new: Json, name: str = "") -> Json:
    """Return a value of the chunks so far with the one of the next chunk."""
    if isinstance(new, dict):
        empty: dict[str, Json] = {"content": None} if name == "delta" else {}
        whole = {**(old if isinstance(old, dict) else empty)}
        for key, value in new.items():
            if value is not None or key in _IN_PIECES:
                at = "message" if key == "delta" else key
                whole[at] = _joined(whole.get(at), value, key)
        return whole
    if isinstance(new, list):
        items: dict[int, Json] = {each["index"]: each for each in mappings(old) if "index" in each}
        for each in new:
            index = each.get("index") if isinstance(each, dict) else None
            if not isinstance(index, int):
                return new
            items[index] = _joined(items.get(index), each)
        return [items[index] for index in sorted(items)]
    if isinstance(old, str) and name in _IN_PIECES:
        return old + new if isinstance(new, str) else old
    return new


def note_first_token(response: Response, has_text: Callable[[bytes], bool]) -> None:
    """Record how long a streamed reply went on after the first part of its body that `has_text`."""
    arrivals, clock = response.arrivals, current_call().clock
    first = bisect_left(arrivals, True, key=lambda arrival: has_text(response.body[: arrival[0]]))
    if clock is not None and first < len(arrivals):
        clock.streamed = arrivals[-1][1] - arrivals[first][1]


LONGEST = 50_000
BROKEN_OFF = "the stream broke off"


def bounded(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of a message. Raise ChatbotError if they are too large; they are never truncated."""
    size = sum([len(part.text) if isinstance(part, Text) else _letters(part) for part in parts])
    if size > LONGEST:
        raise ChatbotError(f"the reply has {size:,} characters; no more than {LONGEST:,} are taken")
    return parts


def cleaned_reply(message: Message) -> Message:
    """Return a chatbot's message without its model's thoughts. Raise ChatbotError if it is too large."""
    spoken = [
        part.model_copy(update={"text": without_thoughts(part.text).strip()})
        if isinstance(part, Text) and without_thoughts(part.text) is not part.text
        else part
        for part in bounded(message.parts)
    ]
    if all(map(is_, spoken, message.parts)):
        return message
    parts = tuple(part for part in spoken if not isinstance(part, Text) or part.text)
    return message.changed(parts=parts, repaired=("thoughts",))


def _letters(part: Part) -> int:
    return sum(len(text) for name, text in part if name not in ("kind", "url"))


def is_so(condition: Sign | None, answer: ResponseBody) -> bool:
    """Return True if an answer meets a condition of a preset."""
    if condition is None:
        return False
    return fits(condition, answer.find(condition.path))


def is_at(condition: Sign, item: Json) -> bool:
    """Return True if an item meets a condition."""
    return fits(condition, condition.path.find(item))


def fits(condition: Sign, found: list[Json] | None) -> bool:
    """Return True if the values at the place of a condition meet it."""
    if condition.equals is None:
        return any(found or ())
    wanted = condition.equals if isinstance(condition.equals, list) else [condition.equals]
    return any(value in wanted for value in found or ())


def items_at(paths: Iterable[JsonPath], says: Iterable[Json]) -> list[Json] | None:
    """Return the items at these places, or None. A path may lead to a list or to all of its items."""
    found = [values for value in says for path in paths if (values := path.find(value)) is not None]
    flat = [value for values in found for value in values if value is not None]
    return [item for value in flat for item in (value if isinstance(value, list) else [value])] if found else None


def first_at(paths: Iterable[JsonPath], item: Json) -> Json:
    """Return the first value at any of these places, or None."""
    return next((value for path in paths for value in path.find(item) or [] if value is not None), None)


def text_at(paths: Iterable[JsonPath], item: Json) -> str:
    """Return the first value at these places if it is text or a number, or nothing."""
    value = first_at(paths, item)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
