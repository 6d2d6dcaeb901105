"""A model that says what it is told to."""

from collections.abc import Callable

from sparring.core.usage import Usage
from sparring.llm.model import Completion, Request, ToolRequest

ModelReply = str | Completion | ToolRequest | tuple[ToolRequest, ...] | Exception
"""Text, a whole completion, tools to ask for, or an error to raise."""


class ScriptedModel:
    """Gives these replies, one a call, and keeps the `requests`. A function among them makes a reply of its request.

    Text and tool requests cost nothing, which is known. Whoever asks more often than there are replies fails.
    """

    def __init__(self, *replies: ModelReply | Callable[[Request], ModelReply]) -> None:
        self._replies = replies
        self.requests: list[Request] = []

    async def complete(self, request: Request) -> Completion:
        self.requests.append(request)
        if len(self.requests) > len(self._replies):
            asked = request.messages[-1].content if request.messages else ""
            raise AssertionError(
                f"the ScriptedModel has {len(self._replies)} replies, and this is call {len(self.requests)}: {asked!r}"
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
