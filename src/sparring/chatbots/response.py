"""Answers of a chatbot's server, parsed into messages, tools and usage.

An answer is JSON, text or a stream of events.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

import orjson
from pydantic import ValidationError

from sparring.chatbots.html import parts_of_html
from sparring.chatbots.json_path import JsonPath
from sparring.chatbots.placeholders import as_text
from sparring.chatbots.preset import CaseVariables, Choices, Said, SessionOptions, Sign, StatePlace, Tools
from sparring.chatbots.secrets import hidden
from sparring.core.errors import ChatbotError
from sparring.core.message import Button, CallStatus, Image, Link, Message, Part, Text, ToolCall
from sparring.core.usage import Usage
from sparring.core.value import MAX_DEPTH, Json, is_deeper
from sparring.llm.call_context import current_call
from sparring.llm.client.transport import Response
from sparring.llm.redaction import quote, without

_LONGEST_SHOWN = 200
_DEEPEST = 2 * MAX_DEPTH  # what is kept of it may be half as deep, and the rest is the way to there

Format = Literal["json", "text", "events", "deltas"]


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
    return (text,) if form == "text" else tuple(map(_event, _events(text)))


def parsed(said: str | bytes) -> Json:
    """Parse JSON. Raise ValueError with the problem."""
    try:
        return _shallow(orjson.loads(said))
    except orjson.JSONDecodeError:
        raise ValueError("is not JSON") from None


def _shallow(value: Json) -> Json:
    if is_deeper(value, _DEEPEST):
        raise ValueError("is nested too deep")
    return value


def _events(text: str) -> Iterator[str]:
    """Yield the data of server-sent events or JSON lines, without comments, names and `[DONE]`."""
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
    """Return the value of an event; text that is not JSON is itself."""
    try:
        return _shallow(orjson.loads(data))
    except orjson.JSONDecodeError:
        return data


LONGEST = 50_000


def bounded(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of a message. Raise ChatbotError if they are too large; they are never truncated."""
    size = sum([len(part.text) if isinstance(part, Text) else _letters(part) for part in parts])
    if size > LONGEST:
        raise ChatbotError(f"the reply has {size:,} characters; no more than {LONGEST:,} are taken")
    return parts


def _letters(part: Part) -> int:
    return sum(len(text) for name, text in part if name not in ("kind", "url"))


def parse_reply(conduct: SessionOptions, answer: ResponseBody, *, joined: bool = False) -> Message:
    """Return the chatbot's message in an answer, and record the reported usage."""
    parts = parse_event_reply(conduct.reply, answer, joined=joined)
    if not parts and conduct.silence == "error":
        raise ChatbotError(f"the chatbot said nothing: {answer.shown}")
    try:
        calls = tuple(_calls(conduct.tools, answer)) if conduct.tools else ()
    except ValidationError as error:
        raise ChatbotError(f"the tools in the answer cannot be kept: {answer.shown}") from error
    if usage := _consumed(conduct, answer):
        current_call().record_usage("chatbot", usage)
    return Message(role="chatbot", parts=parts, tool_calls=calls, ends=is_so(conduct.ended, answer))


def parse_event_reply(said: Said, answer: ResponseBody, *, joined: bool = False) -> tuple[Part, ...]:
    """Return the parts of a message; `joined` joins all texts. A missing place is an error."""
    items = _messages(said, answer)
    if items is None:
        raise ChatbotError(f"there is no {_either(said.each)} in the answer: {answer.shown}")
    if items and all(path.find(item) is None for path in said.wanted for item in items):
        raise ChatbotError(f"there is no {_either(said.wanted)} in the answer: {answer.shown}")
    parts = [part for item in items for part in _parts(said, item)]
    if joined:
        words = "".join(part.text for part in parts if isinstance(part, Text))
        parts = [Text(text=words), *(part for part in parts if not isinstance(part, Text))]
    spoken = (part for part in parts if not isinstance(part, Text) or part.text.strip())
    return bounded(tuple(_without_keys(part, answer) for part in spoken))


def _without_keys(part: Part, answer: ResponseBody) -> Part:
    """Return a message without keys, because it is stored and displayed."""
    texts = {name: answer.received.hide(text) for name, text in part if name != "kind"}
    return part.model_copy(update=texts)


def _consumed(conduct: SessionOptions, answer: ResponseBody) -> Usage | None:
    """Return the reported usage, or None."""
    where, stated = conduct.usage, conduct.cost_per_turn
    if where is None and stated is None:
        return None
    figures = {
        name: _figure(answer.last(getattr(where, name, None)))
        for name in ("input_tokens", "output_tokens", "cached_tokens", "cost")
    }
    told = figures["cost"] if (figures["cost"] or 0) <= _MOST_DOLLARS else None
    cost = told if told is not None else stated
    tokens = {name: int(figures[name] or 0) for name in ("input_tokens", "output_tokens", "cached_tokens")}
    unknown = figures["input_tokens"] is None and figures["output_tokens"] is None
    return Usage(calls=1, **tokens, unknown_tokens=unknown, cost=cost or 0.0, unknown_costs=cost is None)


def parse_state(asking: StatePlace, answer: ResponseBody) -> Json:
    """Return the state in an answer. Raise ChatbotError if it has none."""
    found = answer.find(asking.result)
    if found is None:
        raise ChatbotError(f"there is no {asking.result} in the answer: {answer.shown}")
    state = hidden(found[-1] if found else None, answer.received.keys)
    if not isinstance(state, dict):
        return state
    return {name: value for name, value in state.items() if name not in asking.ignore}


def noted(facts: CaseVariables, answer: ResponseBody) -> ToolCall:
    """Return the facts of a chatbot as a tool call with a result."""
    found = facts.result.find(answer.says[0]) if answer.says else None
    if not found:
        raise ChatbotError(f"there is no {facts.result} in the answer: {answer.shown}")
    result, unreadable = _result(found if len(found) > 1 else found[0])
    return ToolCall(name=facts.name, result=hidden(result, answer.received.keys), error=unreadable)


def has_words(said: Said, answer: ResponseBody) -> bool:
    """Return True if an answer has any content of the chatbot."""
    return any(path.find(item) for path in said.wanted for item in _messages(said, answer) or [])


def _messages(said: Said, answer: ResponseBody) -> list[Json] | None:
    return _items(said.each, answer.says) if said.each else list(answer.says)


def _parts(said: Said, item: Json) -> Iterator[Part]:
    for path in said.text:
        for words in _texts(path, item):
            yield from parts_of_html(words) if said.markup == "html" else [Text(text=words)]
    for path in said.images:
        yield from (Image(url=url) for url in _texts(path, item) if url)
    for choices in (*said.buttons, *said.links):
        yield from (part for choice in _items(choices.each, [item]) or [] if (part := _choice(choices, choice)))


def _choice(choices: Choices, item: Json) -> Part | None:
    title, payload = _text(choices.title, item), _text(choices.payload, item)
    if url := _text(choices.url, item) or (payload if payload.startswith(("http://", "https://")) else ""):
        return Link(url=url, title=title)
    title = title or _text(_ITSELF, item)
    return Button(title=title, payload=payload) if title else None


_MOST_DOLLARS = 1e9
_ITSELF = JsonPath.parse("$")


def _calls(tools: Tools, answer: ResponseBody) -> Iterator[ToolCall]:
    keys, hide = answer.received.keys, answer.received.hide
    for item in _items(tools.each, answer.says) or []:
        if name := _text(tools.name, item):
            given, malformed = _arguments(_first(tools.arguments, item))
            result, unreadable = _result(_first(tools.result, item))
            failure = as_text(_first(tools.error, item) or "")
            arguments = {hide(name): hidden(value, keys) for name, value in given.items()}
            error = hide("; ".join(filter(None, (failure, malformed, unreadable))))
            fields = {"name": hide(name), "arguments": arguments, "result": hidden(result, keys), "error": error}
            yield ToolCall.model_validate(fields | _status(tools, item, error))


def _status(tools: Tools, item: Json, error: str) -> dict[str, CallStatus]:
    """Return the status of a call, unless the call itself shows that it succeeded or has an error."""
    if error or (tools.result is None and tools.failed is None):
        return {} if error else {"status": "executed"}
    if tools.failed is not None and _fits(tools.failed, tools.failed.path.find(item)):
        return {"status": "failed"}
    return {"status": "attempted"} if tools.result is not None and tools.result.find(item) is None else {}


def _result(value: Json) -> tuple[Json, str]:
    return (None, "the result is nested too deep") if is_deeper(value, MAX_DEPTH) else (value, "")


def _arguments(value: Json) -> tuple[dict[str, Json], str]:
    """Return arguments and their problem; some chatbots send them as text."""
    if isinstance(value, str):
        try:
            value = orjson.loads(value or "{}")
        except orjson.JSONDecodeError:
            return {}, "the arguments are not JSON"
    if is_deeper(value, MAX_DEPTH + 1):  # each of them may be as deep as anything that is kept
        return {}, "the arguments are nested too deep"
    return (value, "") if isinstance(value, dict) else ({}, "" if value is None else "the arguments are no mapping")


def is_so(condition: Sign | None, answer: ResponseBody) -> bool:
    """Return True if a condition of a preset is met."""
    if condition is None:
        return False
    return _fits(condition, answer.find(condition.path))


def _fits(condition: Sign, found: list[Json] | None) -> bool:
    if condition.equals is None:
        return any(found or ())
    wanted = condition.equals if isinstance(condition.equals, list) else [condition.equals]
    return any(value in wanted for value in found or ())


def _items(paths: Iterable[JsonPath], says: Iterable[Json]) -> list[Json] | None:
    """Return the items at these places, or None. A path may lead to a list or to all of its items."""
    found = [values for value in says for path in paths if (values := path.find(value)) is not None]
    flat = [value for values in found for value in values if value is not None]
    return [item for value in flat for item in (value if isinstance(value, list) else [value])] if found else None


def _texts(path: JsonPath, item: Json) -> Iterator[str]:
    for value in _items([path], [item]) or []:
        if isinstance(value, dict | list | bool):
            raise ChatbotError(f"at {path} is {_KINDS[type(value)]}, where words were expected")
        yield str(value)


_KINDS = {dict: "a mapping", list: "a list in a list", bool: "true or false"}


def _first(path: JsonPath | None, item: Json) -> Json:
    return next(iter(path.find(item) or []), None) if path else None


def _text(path: JsonPath | None, item: Json) -> str:
    value = _first(path, item)
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _figure(value: Json) -> float | None:
    """Return a plausible number of tokens or dollars, else None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e15 else None


def _either(paths: Iterable[JsonPath]) -> str:
    return " or ".join(map(str, paths))
