"""A conversation in the making: what a log says, with the tool calls and their results."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson
from pydantic import ValidationError

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message, Role, ToolCall, message_of_parts, text_part
from sparring.core.usage import Usage
from sparring.core.value import MAX_DEPTH, is_deeper, mapping, mappings
from sparring.rules.inputs import NotARecording

NO_RESULT = object()


class Transcript:
    """Messages in the making.

    Consecutive messages of the chatbot, with the calls between them, are one reply.
    """

    def __init__(self) -> None:
        self._said: list[tuple[Role, list[str], list[dict[str, Any]]]] = []
        self._calls: dict[str, dict[str, Any]] = {}
        self._open: list[dict[str, Any]] = []
        self._early: dict[str, tuple[object, str]] = {}
        self._left_out = Counter[str]()
        self.has_calls = self._has_results = False

    def say(self, role: Role, text: str) -> None:
        """Add words of one side."""
        if role == "user" or not self._said or self._said[-1][0] == "user":
            self._said.append((role, [], []))
        if text:
            self._said[-1][1].append(text)

    def call(self, name: object, arguments: object = None, id: object = None, **known: Any) -> None:
        """Add a tool call of the chatbot; `known` are other fields of it, such as its `result`.

        A result of its id that came before belongs to it.
        """
        if not name:
            self.leave_out("tool call without a name")
            return
        value = parsed(arguments) if arguments else {}
        fields: dict[str, Any] = {"name": str(name), "arguments": value if isinstance(value, dict) else {}}
        if not isinstance(value, dict):
            fields["error"] = f"the arguments are not a JSON object: {shortened(value)}"
        fields |= {
            key: content for key, content in known.items() if content or (key == "result" and content is not None)
        }
        fields = {key: content for key, content in fields.items() if content is not NO_RESULT}
        self.say("chatbot", "")
        self._said[-1][2].append(fields)
        self.has_calls = True
        self._has_results = self._has_results or "result" in fields
        if "result" not in fields:
            self._open.append(fields)
        if id is not None:
            self._calls[str(id)] = fields
            if str(id) in self._early:
                content, error = self._early.pop(str(id))
                self.result(content, id, error=error)

    def result(self, content: object, id: object = None, *, error: str = "") -> None:
        """Add the result of the call with this id; without an id, of the first one that has none."""
        call = self._calls.get(str(id)) if id is not None else next(iter(self._open), None)
        self._has_results = True
        if call is None and id is not None:
            self._early[str(id)] = content, error
            return
        if call is None:
            self.leave_out("result of no call")
            return
        if call in self._open:
            self._open.remove(call)
        if error:
            call["error"] = error
        else:
            call["result"] = parsed(content)

    def read(self, content: Any) -> str:
        """Return the words of a content, and note its parts that are none."""
        if content is None or isinstance(content, str):
            return content or ""
        for kind in unread_parts(content):
            self.leave_out(kind)
        return words(content)

    def read_result(self, content: Any) -> Any:
        """Return the words of a result in parts, and any other result as it is."""
        in_parts = isinstance(content, list) and any(isinstance(mapping(part).get("type"), str) for part in content)
        return self.read(content) if in_parts else content

    def items(self, found: Any, what: str) -> list[dict[str, Any]]:
        """Return the mappings of a list, and note what else is in its place."""
        if isinstance(found, dict):
            found = [found]
        for each in found if isinstance(found, list) else [found]:
            if each is not None and not isinstance(each, dict):
                self.leave_out(f"{what} that is no object ({shortened(each)})")
        return mappings(found)

    def leave_out(self, what: str) -> None:
        """Note a part of the log that has no place in a conversation."""
        self._left_out[what] += 1

    def warnings(self) -> tuple[str, ...]:
        """Return what was left out, with its number."""
        for id in self._early:
            self.leave_out(f"result of the call {id!r}, which is not there")
        self._early = {}
        counts = (f"{number:,} × {what}" if number > 1 else what for what, number in self._left_out.items())
        return (f"left out: {', '.join(counts)}",) if self._left_out else ()

    @property
    def has_open_call(self) -> bool:
        """True if exactly one call waits for its result."""
        return len(self._open) == 1

    @property
    def has_begun(self) -> bool:
        """True if there is a message."""
        return bool(self._said)

    @property
    def has_user(self) -> bool:
        """True if the user says something."""
        return any(role == "user" for role, _, _ in self._said)

    def messages(self) -> tuple[Message, ...]:
        """Return the messages. In a log with results, a call without one was only attempted."""
        for call in self._open:
            if self._has_results and "error" not in call:
                call.setdefault("status", "attempted")
        return tuple(
            message_of_parts(role, tuple(map(text_part, texts)), tool_calls=tuple(map(ToolCall.model_validate, calls)))
            for role, texts, calls in self._said
        )


def conversation(
    id: str,
    transcript: Transcript,
    *,
    variables: Mapping[str, Any] | None = None,
    ending: Ending = Ending.USER_DONE,
    error: str = "",
    complete: bool = False,
    tools: object = None,
    usage: Usage | None = None,
    **case: Any,
) -> Conversation:
    """Return the conversation of a log.

    Its calls are all that were made if it is `complete`, or shows a call or a list of tools.
    """
    try:
        found = Case(id=id, variables={**(variables or {})}, **case)
        messages = transcript.messages()
    except ValidationError as error_:
        raise NotARecording(f"is not a conversation: {first_error(error_)}") from None
    return _EMPTY.changed(
        case=found,
        messages=messages,
        ending=ending,
        error=error,
        reports_tools=complete or transcript.has_calls or tools is not None,
        tools=dict(_tools(tools)),
        usage={"chatbot": usage} if usage else {},
        warnings=transcript.warnings(),
    )


_EMPTY = Conversation(case=Case(id="-"))


def first_error(error: ValidationError) -> str:
    """Return the first problem of a validation with its place."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place + ': ' if place else ''}{first['msg']}"


def parsed(text: Any) -> Any:
    """Return a text parsed as JSON, or the text itself if it is not JSON or too deep to be stored."""
    try:
        value = orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return text
    deep = isinstance(text, str) and text.count("{") + text.count("[") > MAX_DEPTH and is_deeper(value, MAX_DEPTH)
    return text if deep else value


def words(content: Any) -> str:
    """Return the text of a content, which is a text or a list of parts; thoughts are none."""
    if isinstance(content, str):
        return content
    if isinstance(content, int | float) and not isinstance(content, bool):
        return str(content)
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else _part_text(part) for part in parts)
    return "\n".join(text for text in texts if text)


_SKIPPED = ("thinking", "redacted_thinking", "reasoning", "tool_use", "tool_result", "server_tool_use")
_READ = ("text", "output_text", "input_text", "refusal", "summary_text")


def unread_parts(content: Any) -> Iterator[str]:
    """Yield what each part of a content is that `words` does not read, such as an image."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, bool | list):
            yield f"part {shortened(part)}"
        kind = mapping(part).get("type")
        text = mapping(part).get("text", mapping(part).get("content"))
        if not isinstance(part, dict) or not part or _part_text(part) or kind in _SKIPPED:
            continue
        if kind not in _READ or text not in (None, "", []):
            yield f"part of the type {kind!r}" if kind is not None else f"part with {shortened([*part])}"


def _part_text(part: Any) -> str:
    part = mapping(part)
    text = "" if part.get("type") in _SKIPPED else part.get("text", part.get("content"))
    return text if isinstance(text, str) else ""


_SHOWN = 60


def shortened(value: Any) -> str:
    """Return the first letters of a value."""
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def figure(value: Any) -> float | None:
    """Return a number of tokens or dollars, or None if it is none."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e15
    return value if known else None


def _tools(tools: object) -> Iterable[tuple[str, str]]:
    """Yield the names of offered tools, each with the first line of its description."""
    for tool in mappings(tools):
        function = mapping(tool.get("function", tool))
        if function.get("name"):
            yield str(function["name"]), str(function.get("description") or "").partition("\n")[0]
