"""Rule functions over the tool calls of a chatbot."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sparring.core.conversation import Recovery
from sparring.core.message import ToolCall
from sparring.core.state import parse_path, shown, values_at
from sparring.extraction.recoveries import recoveries, worst
from sparring.extraction.speech_acts import asks_for_more, is_denial, is_open_question
from sparring.extraction.tokens import sentences
from sparring.rules.functions.function import function
from sparring.rules.recording import RecordedMessage, Recording
from sparring.rules.undecided import Missing, NoTools


@function()
def called(conversation: Recording, tool: str, **args: Any) -> bool:
    """True if a call of a tool with these and possibly more arguments succeeded: `called('refund', id=7)`."""
    used = any(_fits(call, tool, args) for call in _visible_calls(conversation) if call.succeeded)
    return used or _require_tool_reports(conversation)


@function()
def attempted(conversation: Recording, tool: str, **args: Any) -> bool:
    """True if the chatbot asked for a tool with these arguments, even if the call failed or never ran."""
    used = any(_fits(call, tool, args) for call in _visible_calls(conversation))
    return used or _require_tool_reports(conversation)


@function()
def not_called(conversation: Recording, tool: str, **args: Any) -> bool:
    """True if the chatbot never attempted to call a tool with these arguments.

    `not called(...)` is weaker: it also holds if every call failed.
    """
    return not attempted.call(conversation, tool, **args)


@function()
def call_order(conversation: Recording, *tools: str) -> bool:
    """True if calls of these tools succeeded in this order, with any calls between.

    For example, `call_order('look_up', 'refund')`.
    """
    made = iter([call.name for call in _visible_calls(conversation) if call.succeeded])
    return all(tool in made for tool in tools) or _require_tool_reports(conversation)


@function()
def calls(
    conversation: Recording,
    tool: str | None = None,
    args: Mapping[str, Any] | None = None,
    since: Literal["start", "last_user"] = "start",
    status: Literal["attempted", "executed", "succeeded"] = "succeeded",
    result: Any = None,
) -> int:
    """The number of calls of a tool, or of all tools, that succeeded.

    Such as `calls('refund', {'order_id': 7}) < 2`. `args` are arguments that a call must have, among others. With
    `since='last_user'`, only calls after the user's last message count. With `status='executed'`, calls that ran and
    failed count, too; with `attempted`, every call that the chatbot asked for. Unless it is None, `result` is what a
    call must have returned; of a mapping, these entries among others. Injected calls never count.
    """
    if status not in _COUNTED:
        raise ValueError(f"status should be one of {', '.join(_COUNTED)}, got {status!r}")
    _require_tool_reports(conversation)
    used = [call for call in _visible_calls(conversation, since) if call.status in _COUNTED[status]]
    fitting = [call for call in used if tool in (None, call.name) and _fits(call, call.name, args or {})]
    return sum(result is None or _returned(call.result, result) for call in fitting)


@function()
def tool_result(conversation: Recording, tool: str, n: int = -1, *, path: str = "", **args: Any) -> Any:
    """The result of the n-th call of a tool that returned, or None.

    Such as `tool_result('place_order')['total'] == price`, or `tool_result('place_order', path='total', id=7)`: the
    value at a path in the result of a call with these arguments. The first is 0, and the last is -1. A call that
    returned that it failed has a result, too.
    """
    results = _results(call for call in _calls_of(conversation, tool) if _fits(call, tool, args))
    found = results[n] if -len(results) <= n < len(results) else None
    return next(iter(values_at(found, parse_path(path))), None)


@function()
def tool_results(conversation: Recording, tool: str) -> list[Any]:
    """The results of all calls of a tool that returned, in order: `len(tool_results('refund')) == 1`."""
    return _results(_calls_of(conversation, tool))


def _results(made: Iterable[ToolCall]) -> list[Any]:
    return [call.result for call in made if call.status != "attempted" and not call.error]


@function()
def failed_calls(conversation: Recording, tool: str | None = None) -> int:
    """The number of calls that failed or were refused, of a tool or all: `failed_calls('pay') == 0`."""
    return len(_failed(conversation, tool))


@function()
def call_errors(conversation: Recording, tool: str | None = None) -> list[str]:
    """The errors of calls that failed or were refused, or their results as text, for `yields`."""
    return [f"{call.name}: {call.error or shown(call.result)}" for call in _failed(conversation, tool)]


def _failed(conversation: Recording, tool: str | None) -> list[ToolCall]:
    made = _calls_of(conversation, tool)
    return [call for call in made if call.status == "failed" or (call.status == "attempted" and call.error)]


@function()
def tool_calls(conversation: Recording, tool: str | None = None) -> list[dict[str, Any]]:
    """All attempted calls of a tool, or of all tools: `tool_calls('refund')[0].status == 'failed'`.

    Each has `name`, `arguments`, `result`, `error` and `status`: `attempted`, `failed`, `executed` (its result is not
    shown) or `succeeded`.
    """
    return [call.model_dump(exclude={"stubbed"}) for call in _calls_of(conversation, tool)]


@function()
def tools_used(conversation: Recording, since: Literal["start", "last_user"] = "start") -> str:
    """The tool calls with their arguments as text, for `yields`."""
    return ", ".join(map(_call_text, _visible_calls(conversation, since))) or "none"


@function()
def checked_first(conversation: Recording, tool: str, *checks: str) -> bool:
    """True if tools succeeded before every attempt of a tool: `checked_first('pay', 'check')`.

    Arguments that both calls have must be equal, so that the check of one order allows nothing with another.
    """
    made = _calls_of(conversation, None)
    acts = [at for at, call in enumerate(made) if call.name == tool]
    return all(any(_allows(each, made[at], check) for each in made[:at]) for at in acts for check in checks)


@function()
def each_preceded(conversation: Recording, tool: str, by: str, same: str | None = None) -> bool:
    """True if a tool succeeded before each success of another: `each_preceded('pay', by='check')`.

    `same` is an argument that must be equal in both. `checked_first` is stricter: it also counts attempts.
    """
    made = [call for call in _calls_of(conversation, None) if call.succeeded]
    acts = [at for at, call in enumerate(made) if call.name == tool]
    return all(any(each.name == by and _agree(each, made[at], same) for each in made[:at]) for at in acts)


def _agree(one: ToolCall, other: ToolCall, same: str | None) -> bool:
    found = [call.arguments[same] for call in (one, other) if same is not None and same in call.arguments]
    return same is None or (len(found) == 2 and found[0] == found[1])


@function()
def same_turn(conversation: Recording, *tools: str) -> bool:
    """True if calls of these tools succeeded in one turn: `same_turn('cancel', 'refund')`."""
    turns = [{call.name for call in made if call.succeeded} for made in _by_turn(conversation)]
    return any({*tools} <= names for names in turns) or _require_tool_reports(conversation)


@function()
def calls_in_turn(conversation: Recording, n: int) -> list[dict[str, Any]]:
    """All calls in the n-th turn, as in `tool_calls`: `calls_in_turn(1) == []`. A greeting has turn 0."""
    turns = _by_turn(conversation)
    made = turns[n] if 0 <= n < len(turns) else []
    if not made:
        _require_tool_reports(conversation)
    return [call.model_dump(exclude={"stubbed"}) for call in made]


def _by_turn(conversation: Recording) -> list[list[ToolCall]]:
    """Return the calls by turn; those of a greeting come first."""
    turns: list[list[ToolCall]] = [[]]
    for each in conversation.messages:
        if each.role == "user":
            turns.append([])
        elif not each.injected:
            turns[-1] += each.tool_calls
    return turns


def _allows(call: ToolCall, act: ToolCall, check: str) -> bool:
    shared = call.arguments.keys() & act.arguments.keys()
    equal = all(call.arguments[name] == act.arguments[name] for name in shared)
    return call.name == check and call.succeeded and equal


@function()
def confirmed_first(conversation: Recording, tool: str) -> bool:
    """True if the user agreed before every attempt of a tool: `confirmed_first('refund')`.

    The chatbot has to ask in the reply just before, by a question for a yes or no, and the user must not deny it.
    """
    said = conversation.messages
    own = [(at, each) for at, each in enumerate(said) if not each.injected]
    acts = [at for at, each in own if any(call.name == tool for call in each.tool_calls)]
    if not acts:
        _require_tool_reports(conversation)
    return all(_is_confirmed(said, at) for at in acts)


def _is_confirmed(said: Sequence[RecordedMessage], at: int) -> bool:
    user = next((n for n in range(at - 1, -1, -1) if said[n].role == "user"), 0)
    asked = [each.text for each in sentences(said[user - 1].text) if each.asks] if user else []
    wants_yes = any(not asks_for_more(text) and not is_open_question(text) for text in asked)
    answer = said[user].text
    return wants_yes and "?" not in answer and not is_denial(answer)


@function()
def recovery(conversation: Recording, tool: str) -> str:
    """The reaction to a fault of a tool: `recovery('place_order') in ['retried', 'admitted']`.

    It is `retried` if the same call succeeded later, `other_way` if another tool gave what was stated, `lied` if the
    chatbot says that it is done or states a value that it cannot have, `admitted` if it says that it failed, `asked` if
    it asks the user, else `silent`; of several the worst. A rule does not apply where no fault broke the tool.
    """
    return worst(_recoveries(conversation, tool))


@function()
def risked_twice(conversation: Recording, tool: str) -> bool:
    """True if a write that timed out was repeated: `not risked_twice('pay')`.

    It may have been done twice. It is no risk if the arguments have a key against that, such as `idempotency_key`.
    """
    return any(each.risked_twice for each in _recoveries(conversation, tool))


def _recoveries(conversation: Recording, tool: str) -> list[Recovery]:
    found = [each for each in recoveries(conversation.messages) if each.tool == tool]
    if not found:
        _require_tool_reports(conversation)
        raise Missing(f"no call of {tool} was broken")
    return found


_COUNTED: Mapping[str, frozenset[str]] = {
    "attempted": frozenset({"attempted", "failed", "executed", "succeeded"}),
    "executed": frozenset({"failed", "executed", "succeeded"}),
    "succeeded": frozenset({"executed", "succeeded"}),
}


def _calls_of(conversation: Recording, tool: str | None) -> list[ToolCall]:
    found = [call for call in _visible_calls(conversation) if tool is None or call.name == tool]
    if not found:
        _require_tool_reports(conversation)
    return found


def _visible_calls(conversation: Recording, since: str = "start") -> list[ToolCall]:
    if since not in ("start", "last_user"):
        raise ValueError(f"since should be 'start' or 'last_user', got {since!r}")
    said = conversation.since_last_user if since == "last_user" else conversation.messages
    return [call for each in said if not each.injected for call in each.tool_calls]


def _call_text(call: ToolCall) -> str:
    note = "" if call.succeeded else f" [{'failed' if call.status == 'failed' else 'did not run'}]"
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())}){note}"


def _require_tool_reports(conversation: Recording) -> Literal[False]:
    """Return False. Raise NoTools if tool calls are not visible, because then their absence means nothing."""
    if not conversation.reports_tools:
        raise NoTools("chatbot reports no tools")
    return False


def _returned(result: Any, wanted: Any) -> bool:
    if isinstance(result, dict) and isinstance(wanted, dict):
        return all(name in result and result[name] == value for name, value in wanted.items())
    return bool(result == wanted)


def _fits(call: ToolCall, tool: str, args: Mapping[str, Any]) -> bool:
    return call.name == tool and all(
        name in call.arguments and call.arguments[name] == value for name, value in args.items()
    )
