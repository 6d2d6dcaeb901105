"""Rule functions over the tool calls of a chatbot."""

from collections.abc import Mapping
from typing import Any, Literal

from sparring.core.message import ToolCall
from sparring.rules.functions.function import function
from sparring.rules.recording import Recording
from sparring.rules.undecided import NoTools


@function()
def called(conversation: Recording, tool: str, **args: Any) -> bool:
    """True if the chatbot called a tool with these and possibly more arguments: `called('refund', id=7)`."""
    used = any(_fits(call, tool, args) for call in _visible_calls(conversation))
    return used or _require_tool_reports(conversation)


@function()
def not_called(conversation: Recording, tool: str, **args: Any) -> bool:
    """True if the chatbot never called a tool with these arguments."""
    return not called.call(conversation, tool, **args)


@function()
def call_order(conversation: Recording, *tools: str) -> bool:
    """True if these tools were called in this order, with any calls between.

    For example, `call_order('look_up', 'refund')`.
    """
    made = iter([call.name for call in _visible_calls(conversation)])
    return all(tool in made for tool in tools) or _require_tool_reports(conversation)


@function()
def calls(
    conversation: Recording,
    tool: str | None = None,
    args: Mapping[str, Any] | None = None,
    since: Literal["start", "last_user"] = "start",
) -> int:
    """The number of calls of a tool, or of all tools: `calls('refund', {'order_id': 7}) < 2`.

    `args` are arguments that a call must have, among others. With `since='last_user'`, only calls after the user's last
    message count. Injected calls never count.
    """
    _require_tool_reports(conversation)
    used = _visible_calls(conversation, since)
    return sum((tool is None or call.name == tool) and _fits(call, call.name, args or {}) for call in used)


@function()
def tool_result(conversation: Recording, tool: str) -> Any:
    """The result of the last call of a tool, or None: `tool_result('place_order')['total'] == price`."""
    last = next((call for call in reversed(_visible_calls(conversation)) if call.name == tool), None)
    if last is None:
        _require_tool_reports(conversation)
        return None
    return last.result


@function()
def tools_used(conversation: Recording, since: Literal["start", "last_user"] = "start") -> str:
    """The tool calls with their arguments as text, for `yields`."""
    return ", ".join(map(_call_text, _visible_calls(conversation, since))) or "none"


def _visible_calls(conversation: Recording, since: str = "start") -> list[ToolCall]:
    if since not in ("start", "last_user"):
        raise ValueError(f"since should be 'start' or 'last_user', got {since!r}")
    said = conversation.since_last_user if since == "last_user" else conversation.messages
    return [call for each in said if not each.injected for call in each.tool_calls]


def _call_text(call: ToolCall) -> str:
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


def _require_tool_reports(conversation: Recording) -> Literal[False]:
    """Return False. Raise NoTools if tool calls are not visible, because then their absence means nothing."""
    if not conversation.reports_tools:
        raise NoTools("chatbot reports no tools")
    return False


def _fits(call: ToolCall, tool: str, args: Mapping[str, Any]) -> bool:
    return call.name == tool and all(
        name in call.arguments and call.arguments[name] == value for name, value in args.items()
    )
