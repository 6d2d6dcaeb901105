"""Results of tools that report a failure, as the author describes them.

A chatbot whose tool answers `{"status": "error"}` has not done what it asked for, although the call itself worked.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BeforeValidator

from sparring.core.conversation import Conversation
from sparring.core.json_path import JsonPath
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json, Value


class ToolError(Value):
    """A result that means a failure.

    It has a true value at `path`, or one that `equals` the given one, or one of a list. `tool` is the name of the tool;
    `*` stands for any characters.
    """

    tool: str = "*"
    path: Annotated[JsonPath, BeforeValidator(JsonPath.parse)]
    equals: Json = None

    def fits(self, call: ToolCall) -> bool:
        """Return True if the result of a call means a failure."""
        found = self.path.find(call.result) if fnmatchcase(call.name, self.tool) else None
        if self.equals is None:
            return any(found or ())
        return any(value in (self.equals if isinstance(self.equals, list) else [self.equals]) for value in found or ())


def with_failures(said: Message, errors: Sequence[ToolError]) -> Message:
    """Return a message whose tool calls are marked as failed where their results mean it."""
    if not any(call.succeeded and each.fits(call) for call in said.tool_calls for each in errors):
        return said
    calls = (
        call.changed(status="failed") if call.succeeded and any(each.fits(call) for each in errors) else call
        for call in said.tool_calls
    )
    return said.changed(tool_calls=tuple(calls))


def with_all_failures(conversation: Conversation, errors: Sequence[ToolError]) -> Conversation:
    """Return a conversation whose tool calls are marked as failed where their results mean it."""
    messages = tuple(with_failures(each, errors) for each in conversation.messages) if errors else ()
    changed = any(new is not old for new, old in zip(messages, conversation.messages, strict=False))
    return conversation.changed(messages=messages) if changed else conversation
