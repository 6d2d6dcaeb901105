"""The model protocol with its requests and completions, and a conversation as one role sees it.

Requests are plain dataclasses and tuples, not core values: every call makes them and they are never stored as they are.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sparring.core.message import Button, Image, Link, Message, Role, Text
from sparring.core.usage import Usage
from sparring.llm.pricing import Price, unknown_price


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that a model may request. `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A model's request for a tool call. `arguments` is the text it wrote, which may not be JSON."""

    id: str
    name: str
    arguments: str


class ChatMessage(NamedTuple):
    """One message of the history.

    `tool_request_id` is the id of the request that a `tool` message answers.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_request_id: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The schema of an answer: a JSON schema of type object, with a name of letters, digits and `_`."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model. Most providers treat `seed` as best effort; some do not support it."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[Tool, ...] = ()
    answer: Schema | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer: text or tool requests, and usage.

    `model` is the name the provider reports. `rung` is the output mode of a structured answer (json_schema, tool,
    json_object, prompt). `stopped` is the reason of an incomplete answer (length, content_filter). `refused` is true if
    the text is the provider's refusal.
    """

    text: str = ""
    tool_requests: tuple[ToolRequest, ...] = ()
    usage: Usage = field(default_factory=Usage)
    model: str = ""
    rung: str = ""
    stopped: str = ""
    refused: bool = False


class Model(Protocol):
    """A language model. `complete` raises a `ModelError` and nothing else. `price` is `unknown_price` if not known."""

    @property
    def price(self) -> Price: ...

    async def complete(self, request: Request) -> Completion: ...


class UnpricedModel:
    """A model whose price is unknown; subclasses add `complete`."""

    price: Price = staticmethod(unknown_price)


def view(messages: Iterable[Message], role: Role) -> tuple[ChatMessage, ...]:
    """Return the messages as a model in `role` sees them: its own as `assistant`, the others as `user`.

    Tool calls are left out. An empty message becomes `(says nothing)`, because providers reject empty messages.
    """
    return tuple(
        [
            ChatMessage("assistant" if message.role == role else "user", words(message) or "(says nothing)")
            for message in messages
            if message.parts or not message.injected
        ]
    )


def words(message: Message) -> str:
    """Return a message as text, with parts that are not text described in brackets."""
    parts = message.parts
    if len(parts) == 1 and isinstance(parts[0], Text):
        return parts[0].text
    lines = []
    for part in parts:
        match part:
            case Text(text=text):
                lines.append(text)
            case Button(title=title):
                lines.append(f"[button: {title}]")
            case Image(alt=alt, url=url):
                lines.append(f"[image: {alt or url}]")
            case Link(title=title, url=url):
                lines.append(f"[link: {title} {url}]" if title else f"[link: {url}]")
    return "\n".join(lines)
