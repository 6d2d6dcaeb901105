"""What one side says: words, pictures, buttons, and the tools used on the way."""

from typing import Annotated, Literal

from pydantic import Field

from sparring.core.value import JsonValue, Value

Role = Literal["user", "chatbot"]


class Text(Value):
    """Words."""

    kind: Literal["text"] = "text"
    text: str


class Image(Value):
    """A picture, by its address; Sparring never fetches it."""

    kind: Literal["image"] = "image"
    url: str
    alt: str = ""


class Button(Value):
    """A choice the chatbot offers; whoever picks it sends `payload`, or else its title."""

    kind: Literal["button"] = "button"
    title: str
    payload: str = ""


class Link(Value):
    """An address the chatbot points to; Sparring never fetches it."""

    kind: Literal["link"] = "link"
    url: str
    title: str = ""


Part = Annotated[Text | Image | Button | Link, Field(discriminator="kind")]


class ToolCall(Value):
    """A tool the chatbot used, with what came back: never two records to be matched later.

    `error` says why there is no result: the arguments were malformed, the tool is unknown, or it failed. A call that is
    `stubbed` was made, but its result came from a script, and the tool did nothing.
    """

    name: str
    arguments: dict[str, JsonValue] = {}
    result: JsonValue = None
    error: str = ""
    stubbed: bool = False


class Message(Value):
    """One utterance: what was said, the tools used to say it, and whether it ends the conversation.

    What is `injected` was put into the chatbot's mouth by a script: it shows, but is nothing the chatbot said or did.
    """

    role: Role
    parts: tuple[Part, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    ends: bool = False
    injected: bool = False

    @property
    def text(self) -> str:
        """The words alone, one text part a line."""
        parts = self.parts
        if len(parts) == 1 and isinstance(parts[0], Text):
            return parts[0].text
        return "\n".join([part.text for part in parts if isinstance(part, Text)])

    @property
    def silent(self) -> bool:
        """Whether there is nothing in it: no word, picture, button, link or tool, and no end."""
        shown = any(not isinstance(part, Text) or part.text.strip() for part in self.parts)
        return not (shown or self.tool_calls or self.ends)


def message(
    role: Role, text: str, *, tool_calls: tuple[ToolCall, ...] = (), ends: bool = False, injected: bool = False
) -> Message:
    """A message that is only words."""
    parts = (Text(text=text),) if text else ()
    return Message(role=role, parts=parts, tool_calls=tool_calls, ends=ends, injected=injected)


def spoken(
    role: Role, parts: tuple[Part, ...], *, tool_calls: tuple[ToolCall, ...] = (), ends: bool = False
) -> Message:
    """A message of parts and calls that are checked already: those that models say are made so, thousands a second."""
    fields = {"role": role, "parts": parts, "tool_calls": tool_calls, "ends": ends, "injected": False}
    return Message.unchecked(fields)


def words_of(text: str) -> Text:
    """Words that are known to be text, as a part of a message."""
    return Text.unchecked({"kind": "text", "text": text})
