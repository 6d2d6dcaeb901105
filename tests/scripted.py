"""Scripted fakes: a chatbot and a model that return prepared replies."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from sparring.chatbots.chatbot import EVERYTHING, BaseChatbot, Capabilities
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, ToolCall, message
from sparring.core.usage import Usage
from sparring.llm.model import Completion, Request, ToolRequest, UnpricedModel

Reply = str | Message | BaseException | Callable[[Message], "str | Message"]


@dataclass
class ScriptedSession:
    """One session of a scripted chatbot. Records received messages, injected steps, and unused stubs."""

    case: Case
    replies: tuple[Reply, ...]
    greeting: Message | None
    received: list[Message] = field(default_factory=list)
    injected: list[InjectReply | InjectTool] = field(default_factory=list)
    stubs: list[InjectTool] = field(default_factory=list)
    closed: bool = False

    async def inject(self, step: InjectReply | InjectTool) -> None:
        self.injected.append(step)

    async def stub(self, tool: InjectTool) -> None:
        self.stubs.append(tool)

    async def reply(self, message: Message) -> Message:
        self.received.append(message)
        if len(self.received) > len(self.replies):
            raise ChatbotError("the script of the chatbot is over")
        reply = self.replies[len(self.received) - 1]
        if isinstance(reply, BaseException):
            raise reply
        said = _message(reply(message) if callable(reply) else reply)
        return said.model_copy(update={"tool_calls": tuple(map(self._call, said.tool_calls))})

    def _call(self, call: ToolCall) -> ToolCall:
        """Return the call with the result of the first matching stub, which is used up."""
        for stub in self.stubs:
            if stub.name == call.name and all(
                name in call.arguments and call.arguments[name] == value for name, value in stub.arguments.items()
            ):
                self.stubs.remove(stub)
                return ToolCall(name=call.name, arguments=call.arguments, result=stub.result, stubbed=True)
        return call


class ScriptedChatbot(BaseChatbot):
    """A chatbot that gives the same replies in order in every conversation.

    A reply is text, a message, an exception to raise, or a function of the user's message. `sessions` lists the
    sessions in the order of their start.
    """

    def __init__(self, *replies: Reply, greeting: str | Message | None = None, reports_tools: bool = False) -> None:
        self.sessions: list[ScriptedSession] = []
        self._replies = replies
        self._greeting = None if greeting is None else _message(greeting)
        self.capabilities = Capabilities(reports_tools=reports_tools, injects=EVERYTHING)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[ScriptedSession]:
        session = ScriptedSession(case, self._replies, self._greeting)
        self.sessions.append(session)
        try:
            yield session
        finally:
            session.closed = True


def _message(said: str | Message) -> Message:
    return message("chatbot", said) if isinstance(said, str) else said


ModelReply = str | Completion | ToolRequest | tuple[ToolRequest, ...] | Exception
"""Text, a complete completion, tool requests, or an error to raise."""


class ScriptedModel(UnpricedModel):
    """A model that gives one reply per call and records the `requests`.

    A reply may be a function of its request.

    Text and tool requests have zero cost. A call beyond the last reply raises `AssertionError`.
    """

    def __init__(self, *replies: ModelReply | Callable[[Request], ModelReply]) -> None:
        self._replies = replies
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if len(self.requests) > len(self._replies):
            asked = request.messages[-1].content if request.messages else ""
            raise AssertionError(
                f"ScriptedModel has {len(self._replies)} replies, but this is call {len(self.requests)}: {asked!r}"
            )
        reply = self._replies[len(self.requests) - 1]
        return _completion(reply(request) if callable(reply) else reply)


def _completion(reply: ModelReply) -> Completion:
    if isinstance(reply, Exception):
        raise reply
    if isinstance(reply, Completion):
        return reply
    if isinstance(reply, str):
        return Completion(text=reply, usage=Usage(calls=1))
    return Completion(tool_requests=(reply,) if isinstance(reply, ToolRequest) else reply, usage=Usage(calls=1))
