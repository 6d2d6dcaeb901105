"""A language model, as everything here sees one: a request in, a completion out.

These are plain dataclasses and tuples and not core values: they are made for every call and never stored as they are.

A conversation as one of its sides sees it: its own lines are its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sparring.core.message import Button, Image, Link, Message, Role, Text
from sparring.core.usage import Usage
from sparring.llm.pricing import Price, unknown_price


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool a model may ask for; `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolRequest:
    """A model asks for a tool. `arguments` is the text it wrote, which need not be JSON."""

    id: str
    name: str
    arguments: str


class ChatMessage(NamedTuple):
    """One line of the history a model is shown. `tool_request_id` says which request a `tool` message answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_requests: tuple[ToolRequest, ...] = ()
    tool_request_id: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The shape an answer must have: a JSON schema of type object, under a name of letters, digits and `_`."""

    name: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked. `seed` is a wish: most providers treat it as best effort, some have none."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[Tool, ...] = ()
    answer: Schema | None = None
    temperature: float | None = None
    seed: int | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered: text or tool requests, and what it consumed.

    `model` is the name the provider reports; `rung` says how an answer of a given shape was obtained
    (json_schema, tool, json_object, prompt). `stopped` is why it is not all that the model would have said (length,
    content_filter), if it is not. `refused` says that the text is the provider's word for declining to answer.
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
    """What a model that plays `role` is shown: what it said as `assistant`, what it heard as `user`.

    Tools are the chatbot's own business, so neither side is shown them here; silence is shown as `(says nothing)`,
    because providers refuse empty lines.
    """
    return tuple(
        [
            ChatMessage("assistant" if message.role == role else "user", words(message) or "(says nothing)")
            for message in messages
            if message.parts or not message.injected
        ]
    )


def words(message: Message) -> str:
    """A message in words alone, with what is not words described in brackets."""
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
