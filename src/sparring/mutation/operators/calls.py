"""Operators that change the tool calls of a reply as recorded; the words stay, no tool is called."""

from collections.abc import Iterable

from sparring.core.message import Message, ToolCall
from sparring.extraction.acts import looks_up
from sparring.mutation.operator import EditContext, MutationOperator, changed_call, with_calls


def _one(reply: Message, place: EditContext) -> ToolCall | None:
    done = [call for call in reply.tool_calls if call.succeeded]
    return place.random.choice(done) if done else None


def _replaced(reply: Message, call: ToolCall, by: Iterable[ToolCall]) -> Message | None:
    at = next(at for at, each in enumerate(reply.tool_calls) if each is call)
    return with_calls(reply, (*reply.tool_calls[:at], *by, *reply.tool_calls[at + 1 :]))


def _hidden(reply: Message, place: EditContext) -> Message | None:
    call = _one(reply, place)
    return with_calls(reply, [each for each in reply.tool_calls if each.name != call.name]) if call else None


def _twice(reply: Message, place: EditContext) -> Message | None:
    """Repeat a call of a tool that acts: looking up twice changes nothing."""
    acts = [call for call in reply.tool_calls if call.succeeded and not looks_up(call.name)]
    if not acts:
        return None
    call = place.random.choice(acts)
    return _replaced(reply, call, (call, call))


def _extra(reply: Message, place: EditContext) -> Message | None:
    called = {call.name for said in (*place.before, reply) for call in said.tool_calls}
    others = [calls for name, calls in place.seen.calls.items() if name not in called and not looks_up(name)]
    if not reply.tool_calls or not others:
        return None
    return with_calls(reply, (*reply.tool_calls, place.random.choice(place.random.choice(others))))


def _argument(reply: Message, place: EditContext) -> Message | None:
    """Replace one argument of a call by another value that the baseline has of it."""
    found = [
        (call, name, [each for each in place.seen.arguments.get(name, ()) if each != value])
        for call in reply.tool_calls
        if call.succeeded
        for name, value in call.arguments.items()
    ]
    found = [each for each in found if each[2]]
    if not found:
        return None
    call, name, others = place.random.choice(found)
    return _replaced(reply, call, [changed_call(call, arguments={**call.arguments, name: place.random.choice(others)})])


def _drop_argument(reply: Message, place: EditContext) -> Message | None:
    calls = [call for call in reply.tool_calls if call.succeeded and call.arguments]
    if not calls:
        return None
    call = place.random.choice(calls)
    gone = place.random.choice(sorted(call.arguments))
    return _replaced(
        reply,
        call,
        [changed_call(call, arguments={name: each for name, each in call.arguments.items() if name != gone})],
    )


def _other(reply: Message, place: EditContext) -> Message | None:
    """Call a sibling: another tool that the baseline calls with arguments of the same names."""
    for call in reply.tool_calls:
        siblings = [
            name
            for name, calls in place.seen.calls.items()
            if name != call.name and any(each.arguments.keys() == call.arguments.keys() for each in calls)
        ]
        if call.succeeded and siblings:
            return _replaced(reply, call, [changed_call(call, name=place.random.choice(siblings))])
    return None


def _order(reply: Message, place: EditContext) -> Message | None:
    return with_calls(reply, reversed(reply.tool_calls)) if len({each.name for each in reply.tool_calls}) > 1 else None


def _error_unsaid(reply: Message, place: EditContext) -> Message | None:
    call = _one(reply, place)
    failed = {"result": None, "error": "the service is unavailable", "status": "failed"}
    return _replaced(reply, call, [changed_call(call, **failed)]) if call else None


OPERATORS = (
    MutationOperator("tool.hidden", "says that it is done, and calls no tool", _hidden),
    MutationOperator("tool.twice", "calls a tool that acts twice", _twice),
    MutationOperator("tool.extra", "calls another tool besides", _extra),
    MutationOperator("tool.argument", "calls a tool with another argument", _argument),
    MutationOperator("tool.drop_argument", "leaves out an argument of a call", _drop_argument),
    MutationOperator("tool.other", "calls another tool with the same arguments", _other),
    MutationOperator("tool.order", "calls its tools in another order", _order),
    MutationOperator("tool.error_unsaid", "hides that a call failed", _error_unsaid),
)
