"""Messages of either side: text, images, buttons, links and tool calls."""

from collections.abc import Mapping
from operator import not_
from typing import Annotated, Any, Literal

from pydantic import Field, NonNegativeInt, model_validator

from sparring.core.value import JsonValue, Value

Role = Literal["user", "chatbot"]


class Text(Value):
    """Text of a message."""

    kind: Literal["text"] = "text"
    text: str


class Image(Value):
    """An image by its URL. Sparring never fetches it."""

    kind: Literal["image"] = "image"
    url: str
    alt: str = ""


class Button(Value):
    """A choice that the chatbot offers. Picking it sends `payload`, or `title` if that is empty."""

    kind: Literal["button"] = "button"
    title: str
    payload: str = ""


class Link(Value):
    """A link that the chatbot sent. Sparring never fetches it."""

    kind: Literal["link"] = "link"
    url: str
    title: str = ""


Part = Annotated[Text | Image | Button | Link, Field(discriminator="kind")]


CallStatus = Literal["attempted", "failed", "executed", "succeeded"]
"""How far a tool call got. Each status but `failed` includes those before it.

A call that was only `attempted` never ran, or has no outcome. An `executed` one ran, but its result is not shown.
"""


class ToolCall(Value):
    """A tool call of the chatbot together with its result.

    `error` explains a missing result: malformed arguments, an unknown tool, or a failure. With `stubbed`, a script
    supplied the result and the tool did not run. Unless `status` is given, it follows from the rest: a call with an
    error, or with a result that has one, failed; a call without both was executed. A `fault` is how the case broke it.
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    result: JsonValue = None
    error: str = ""
    stubbed: bool = False
    status: CallStatus = "succeeded"
    fault: str = Field("", exclude_if=not_)

    @model_validator(mode="before")
    @classmethod
    def _with_status(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "status" in data:
            return data
        return {**data, "status": _status(data)}

    @property
    def succeeded(self) -> bool:
        """True if the call succeeded, or ran with a result that the chatbot does not show."""
        return self.status in ("succeeded", "executed")


def _status(call: Mapping[str, Any]) -> CallStatus:
    if call.get("error") or says_error(call.get("result")):
        return "failed"
    return "succeeded" if "result" in call else "executed"


def says_error(result: object) -> bool:
    """Return True if a result is a mapping with an `error`, which says that the call failed."""
    return isinstance(result, dict) and bool(result.get("error"))


UserAct = Literal[
    "wish",
    "question",
    "value",
    "yes",
    "no",
    "correction",
    "change",
    "alternative",
    "unknown",
    "wait",
    "remark",
    "thanks",
    "that_is_all",
    "farewell",
]
"""What a simulated user does with a part of its message.

`alternative` takes what the chatbot offered instead, `unknown` says that the user does not have what was asked for.
"""


class Meant(Value):
    """What a simulated user meant by a part of its message.

    `goal` is the index of the goal it is about, from 0. `slots` maps each variable or fact that was said to its value.
    """

    act: UserAct
    goal: NonNegativeInt | None = None
    slots: dict[str, str] = {}


class Delivery(Value):
    """Language and styles that a simulated user was to write a message in, and the note to its model."""

    language: str = ""
    styles: tuple[str, ...] = ()
    note: str = ""


class Message(Value):
    """One message: its parts, the tool calls made for it, and a flag if it ends the conversation.

    An `injected` message was added by a script: it is shown, but it is no act of the chatbot. `meant`, `manner` and
    `repaired` are known of messages of simulated users only, and never sent to a chatbot. `repaired` names what had to
    be removed from the words of a model that plays the user, or `thoughts` in a chatbot's.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    ends: bool = False
    injected: bool = False
    meant: tuple[Meant, ...] = Field((), exclude_if=not_)
    manner: Delivery | None = Field(None, exclude_if=not_)
    repaired: tuple[str, ...] = Field((), exclude_if=not_)

    @property
    def text(self) -> str:
        """Text parts only, one per line."""
        parts = self.parts
        if len(parts) == 1 and isinstance(parts[0], Text):
            return parts[0].text
        return "\n".join([part.text for part in parts if isinstance(part, Text)])

    @property
    def silent(self) -> bool:
        """True if the message has no visible part, no tool call, and does not end the conversation."""
        shown = any(not isinstance(part, Text) or part.text.strip() for part in self.parts)
        return not (shown or self.tool_calls or self.ends)


def message(
    role: Role,
    text: str,
    *,
    tool_calls: tuple[ToolCall, ...] = (),
    ends: bool = False,
    injected: bool = False,
    meant: tuple[Meant, ...] = (),
) -> Message:
    """Return a message that consists of text only."""
    parts = (Text(text=text),) if text else ()
    return Message(role=role, parts=parts, tool_calls=tool_calls, ends=ends, injected=injected, meant=meant)


def message_of_parts(
    role: Role, parts: tuple[Part, ...], *, tool_calls: tuple[ToolCall, ...] = (), ends: bool = False
) -> Message:
    """Return a message of parts and calls that are already valid.

    It skips validation, because thousands of messages a second are made from replies of models.
    """
    fields = {"role": role, "parts": parts, "tool_calls": tool_calls, "ends": ends, "injected": False}
    return Message.unchecked(fields | _ABOUT_USERS)


_ABOUT_USERS = {"meant": (), "manner": None, "repaired": ()}


def as_received(said: Message) -> Message:
    """Return a message as the other side hears it, without what is known of the user that says it."""
    if not (said.meant or said.manner or said.repaired):
        return said
    return said.changed(**_ABOUT_USERS)


def text_part(text: str) -> Text:
    """Return a text part without validation."""
    return Text.unchecked({"kind": "text", "text": text})
