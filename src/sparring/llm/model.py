"""The model protocol with its requests and completions, and the metered model, which calls all pass."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from sparring.core.errors import BadCompletion, ModelError, ModelTimeout
from sparring.core.message import Button, Image, Link, Message, Role, Text
from sparring.core.usage import Usage
from sparring.llm.call_context import metered_call
from sparring.llm.metering import CallAttempts, Meter
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
    """A language model."""

    @property
    def price(self) -> Price:
        """The price of a call in US dollars; `unknown_price` if it is not known."""

    async def complete(self, request: Request) -> Completion:
        """Answer a request. Raise only ModelError."""


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


@dataclass(frozen=True)
class MeteredModel:
    """A model in a `role` whose calls are recorded, if the provider may bill them.

    Usage of a failed or cancelled call is unknown unless its answers state it; one that was refused at every attempt is
    none. Cancellation carries no accounting: the retry policy counts attempts in the call context, and this class reads
    them there.
    """

    model: Model
    role: str

    @property
    def price(self) -> Price:
        """Price of the model's calls."""
        return self.model.price

    async def complete(self, request: Request) -> Completion:
        attempts = CallAttempts()
        with metered_call(attempts) as call:
            spending, meter = call.spending, call.meter
            if spending is not None:
                if allowed := spending.acquire():
                    await allowed
                spending.running.add(attempts)
                attempts.intend = spending.intend
            begun = meter.now() if meter else 0.0
            asked = call.clock.talking() if call.clock else 0.0
            try:
                completion = await self.model.complete(request)
            except asyncio.CancelledError:
                if call.clock:
                    call.clock.unanswered = call.clock.talking() - asked
                if billable := attempts.billable:
                    call.record_usage(self.role, attempts.usage(billable), _since(meter, begun))
                raise
            except ModelError as error:
                attempts.stated = error.usage or attempts.stated
                if unknown := max(error.charged, isinstance(error, ModelTimeout | BadCompletion)):
                    call.record_usage(self.role, attempts.usage(unknown), _since(meter, begun))
                elif spending:
                    spending.record(Usage())
                if spending and error.pointless:
                    spending.stop(error.one_line)
                raise
            finally:
                if spending is not None:
                    spending.running.discard(attempts)
            call.record_usage(self.role, completion.usage, _since(meter, begun))
        if completion.stopped:
            what = f"cut off in what it said ({completion.stopped})"
            call.warn(f"the model of the {self.role} was {what}: some of it is missing")
        return completion


def _since(meter: Meter | None, begun: float) -> float | None:
    return max(0.0, meter.now() - begun) if meter else None
