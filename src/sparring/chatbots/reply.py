"""Messages of a chatbot in the answers of its server, with tool calls and usage."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from pydantic import ValidationError

from sparring.chatbots.approvals import WaitingCall
from sparring.chatbots.html import parts_of_html
from sparring.chatbots.placeholders import as_text
from sparring.chatbots.preset import (
    CaseVariables,
    Choices,
    Consumed,
    Interrupt,
    NewItems,
    Preset,
    Said,
    SessionOptions,
    StateParts,
    StatePlace,
)
from sparring.chatbots.response import (
    BROKEN_OFF,
    Format,
    RawResponse,
    ResponseBody,
    bounded,
    cleaned_reply,
    first_at,
    is_at,
    is_so,
    items_at,
    text_at,
    understand,
)
from sparring.chatbots.secrets import hidden
from sparring.chatbots.tool_calls import Asked, parse_tool_calls, storable
from sparring.core.errors import ChatbotError
from sparring.core.json_path import JsonPath
from sparring.core.message import Button, Image, Link, Message, Part, Text, ToolCall
from sparring.core.state import parse_path, without_paths
from sparring.core.tool_errors import with_failures
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.llm.call_context import current_call
from sparring.llm.client.transport import Response


def parse_reply(
    options: SessionOptions,
    answer: ResponseBody,
    *,
    joined: bool = False,
    asked: Asked | None = None,
    whole: bool = False,
) -> Message:
    """Return the chatbot's message in an answer, and record the reported usage.

    `asked` are the tool calls of earlier answers that had no result, which may be in this one. A `whole` answer needs
    no sign that its stream is complete.
    """
    if options.final is not None and not whole and not _is_complete(answer, options.final):
        raise ChatbotError(BROKEN_OFF)
    parts = parse_event_reply(options.reply, answer, joined=joined)
    if not parts and options.silence == "error":
        raise ChatbotError(f"the chatbot said nothing: {answer.shown}")
    try:
        calls = parse_tool_calls(options.tools, answer, {} if asked is None else asked) if options.tools else ()
    except ValidationError as error:
        raise ChatbotError(f"the tools in the answer cannot be kept: {answer.shown}") from error
    if usage := _consumed(options, answer):
        named = options.usage.model if options.usage else ()
        model = next((found for each in answer.says if (found := text_at(named, each))), "")
        current_call().record_usage("chatbot", usage, model=answer.received.hide(model[:_LONGEST_NAME]))
    said = Message(role="chatbot", parts=parts, tool_calls=tuple(calls), ends=is_so(options.ended, answer))
    return cleaned_reply(with_failures(said, options.tool_errors))


def _is_complete(answer: ResponseBody, final: JsonPath | str) -> bool:
    if isinstance(final, str):
        return answer.received.response.body.rstrip().endswith(final.encode())
    return bool(answer.find(final))


def parse_event_reply(said: Said, answer: ResponseBody, *, joined: bool = False) -> tuple[Part, ...]:
    """Return the parts of a message; `joined` joins all texts. A missing place is an error."""
    items = _messages(said, answer)
    if items is None:
        raise ChatbotError(f"there is no {_either(said.each)} in the answer: {answer.shown}")
    if items and all(path.find(item) is None for path in said.wanted for item in items):
        raise ChatbotError(f"there is no {_either(said.wanted)} in the answer: {answer.shown}")
    parts = _joined(said, items) if joined else [part for item in items for part in _parts(said, item)]
    spoken = (part for part in parts if not isinstance(part, Text) or part.text.strip())
    return bounded(tuple(_without_keys(part, answer) for part in spoken))


def _joined(said: Said, items: Iterable[Json]) -> list[Part]:
    """Return pieces as texts, in the order of their first pieces, and everything else behind them."""
    words: dict[str, str] = {}
    others: list[Part] = []
    for item in items:
        by = text_at([said.by], item) if said.by else ""
        for part in _parts(said, item):
            if isinstance(part, Text):
                words[by] = words.get(by, "") + part.text
            else:
                others.append(part)
    return [*(Text(text=text) for text in words.values()), *others]


def _without_keys(part: Part, answer: ResponseBody) -> Part:
    """Return a message without keys, because it is stored and displayed."""
    texts = {name: answer.received.hide(text) for name, text in part if name != "kind"}
    return part.model_copy(update=texts)


def _consumed(options: SessionOptions, answer: ResponseBody) -> Usage | None:
    """Return the reported usage, or None."""
    where, stated = options.usage, options.cost_per_turn
    if where is None and stated is None:
        return None
    where = where or Consumed()
    found = {
        name: [
            figure
            for value in items_at(getattr(where, name), answer.says) or ()
            if (figure := _figure(value)) is not None
        ]
        for name in ("input_tokens", "output_tokens", "cached_tokens", "cost")
    }
    figures = {name: sum(values) if where.sum else values[-1] for name, values in found.items() if values}
    claimed = figures.get("cost", stated)
    cost = stated if claimed is not None and claimed > _MOST_DOLLARS else claimed
    tokens = {name: int(figures.get(name, 0)) for name in ("input_tokens", "output_tokens", "cached_tokens")}
    calls = max(1, len(found["output_tokens"])) if where.sum else 1
    unknown = not found["input_tokens"] and not found["output_tokens"]
    unknowns = {"unknown_tokens": calls if unknown else 0, "unknown_costs": calls if cost is None else 0}
    return Usage(calls=calls, **tokens, **unknowns, cost=cost or 0.0)


def parse_state(asking: StatePlace, answer: ResponseBody) -> Json:
    """Return the state in an answer. Raise ChatbotError if it has none."""
    found = answer.find(asking.result)
    if found is None:
        raise ChatbotError(f"there is no {asking.result} in the answer: {answer.shown}")
    state = hidden(found[-1] if found else None, answer.received.keys)
    return without_paths(state, tuple(map(parse_path, asking.ignore)))


def state_parts(where: StateParts, answer: ResponseBody) -> dict[str, Json]:
    """Return the values of the state in an answer, by name."""
    items = [(text_at([where.name], item), item) for item in items_at([where.each], answer.says) or ()]
    return {
        name.removeprefix(where.prefix): hidden(first_at([where.value], item), answer.received.keys)
        for name, item in items
        if name.startswith(where.prefix)
    }


class News:
    """The parts of the answers of one conversation that earlier answers lacked."""

    def __init__(self, where: NewItems | None) -> None:
        self._where = where
        self._seen: set[str] = set()

    def cut(self, answer: ResponseBody) -> ResponseBody:
        """Return the answer with only the new items of its list."""
        if self._where is None:
            return answer
        return replace(answer, says=tuple(self._cut(self._where, value) for value in answer.says))

    def _cut(self, where: NewItems, value: Json) -> Json:
        items = items_at([where.each], [value])
        if items is None:
            return value
        last = max((at for at, item in enumerate(items) if any(is_at(sign, item) for sign in where.after)), default=-1)
        ids = [text_at([where.id], item) if where.id else "" for item in items]
        new: list[Json] = [
            item for item, id in zip(items[last + 1 :], ids[last + 1 :], strict=True) if id not in self._seen
        ]
        self._seen.update(filter(None, ids))
        return where.each.replaced(value, new)


def questions(interrupt: Interrupt | None, answer: ResponseBody) -> tuple[Part, ...]:
    """Return what an interrupted chatbot asks, or nothing if it was not interrupted."""
    items = items_at([interrupt.path], answer.says) or () if interrupt and interrupt.call is None else ()
    texts = (as_text(first_at(interrupt.text, item)) for item in items if interrupt)
    return bounded(tuple(Text(text=answer.received.hide(text)) for text in texts))


def waiting_calls(preset: Preset, answer: ResponseBody, asked: Asked) -> Iterator[WaitingCall]:
    """Yield the tool calls of an interrupted chatbot that wait for an approval."""
    where = preset.interrupt
    if where is None or where.call is None or preset.tools is None:
        return
    for item in items_at([where.path], answer.says) or ():
        call = asked.get(id := text_at([where.call], item))
        name, arguments = text_at(preset.tools.name, call), first_at(preset.tools.arguments, call)
        approval = text_at([where.id], item) if where.id else id
        yield WaitingCall(approval, id, answer.received.hide(name), hidden(arguments, answer.received.keys))


def noted(facts: CaseVariables, answer: ResponseBody) -> ToolCall:
    """Return the facts of a chatbot as a tool call with a result."""
    found = facts.result.find(answer.says[0]) if answer.says else None
    if not found:
        raise ChatbotError(f"there is no {facts.result} in the answer: {answer.shown}")
    result, unreadable = storable(found if len(found) > 1 else found[0])
    return ToolCall(name=facts.name, result=hidden(result, answer.received.keys), error=unreadable)


def has_words(said: Said, answer: ResponseBody) -> bool:
    """Return True if an answer has any content of the chatbot."""
    return any(path.find(item) for path in said.wanted for item in _messages(said, answer) or [])


def has_text(said: Said, form: Format, body: bytes) -> bool:
    """Return True if the first part of a streamed answer has words."""
    try:
        answer = ResponseBody(understand(body, form), RawResponse(Response(200, {}, body), []))
        return any(isinstance(part, Text) for part in parse_event_reply(said, answer, joined=True))
    except (ChatbotError, ValueError):
        return False


def _messages(said: Said, answer: ResponseBody) -> list[Json] | None:
    return items_at(said.each, answer.says) if said.each else list(answer.says)


def _parts(said: Said, item: Json) -> Iterator[Part]:
    for path in said.text:
        for part in _words(path, item):
            yield from parts_of_html(part.text) if said.markup == "html" and isinstance(part, Text) else [part]
    for path in said.images:
        yield from (Image(url=part.text) if isinstance(part, Text) else part for part in _words(path, item))
    for choices in (*said.buttons, *said.links):
        chosen = (_choice(choices, choice) for choice in items_at(choices.each, [item]) or [])
        yield from (part for part in chosen if part)


def _choice(choices: Choices, item: Json) -> Part | None:
    title, payload = text_at(choices.title, item), text_at(choices.payload, item)
    if url := text_at(choices.url, item) or (payload if payload.startswith(("http://", "https://")) else ""):
        return Link(url=url, title=title)
    title = title or text_at([_ITSELF], item)
    return Button(title=title, payload=payload) if title else None


_MOST_DOLLARS = 1e9
_LONGEST_NAME = 200
_ITSELF = JsonPath.parse("$")


def _words(path: JsonPath, item: Json) -> Iterator[Part]:
    """Yield the words at a place, and images among them. Text blocks in a row are one text."""
    blocks = ""
    for value in [*(items_at([path], [item]) or []), ""]:
        block = _block(value) if isinstance(value, dict) else None
        if isinstance(block, str):
            blocks += block
            continue
        if blocks:
            yield Text(text=blocks)
            blocks = ""
        if block is not None:
            yield block
        elif isinstance(value, dict | list | bool):
            raise ChatbotError(f"at {path} is {_KINDS[type(value)]}, where words were expected")
        elif value != "":
            yield Text(text=str(value))


def _block(value: dict[str, Json]) -> str | Image | None:
    """Return the text or the image of a content block; of another block, such as reasoning, nothing."""
    kind = value.get("type")
    if not isinstance(kind, str):
        return None
    if kind in ("text", "output_text", "input_text"):
        return text_at(_BLOCK_TEXT, value)
    url = text_at(_BLOCK_URL, value) if kind in ("image", "image_url") else ""
    return Image(url=url) if url else ""


_BLOCK_TEXT = [JsonPath.parse("text")]
_BLOCK_URL = [JsonPath.parse(path) for path in ("image_url.url", "image_url", "source.url", "url")]
_KINDS = {dict: "a mapping", list: "a list in a list", bool: "true or false"}


def _figure(value: Json) -> float | None:
    """Return a plausible number of tokens or dollars, else None."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1e15 else None


def _either(paths: Iterable[JsonPath]) -> str:
    return " or ".join(map(str, paths))
