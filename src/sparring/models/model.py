"""A language model, as everything here sees one: a request in, a completion out.

These are plain dataclasses and tuples and not core values: they are made for every call and never stored as they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sparring.core.usage import Usage


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
    """A language model. `complete` raises a `ModelError` and nothing else."""

    async def complete(self, request: Request) -> Completion: ...
