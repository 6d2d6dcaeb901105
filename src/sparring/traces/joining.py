"""What traces show of a conversation, joined to its turns: tool calls, usage, and their completeness."""

from collections import Counter
from collections.abc import Iterator, Mapping

from sparring.core.conversation import Conversation
from sparring.core.message import Message, ToolCall
from sparring.core.usage import Usage
from sparring.traces.book import TurnTrace
from sparring.traces.dialects import Reading
from sparring.traces.turns import CHATBOT, TracedCall, model_calls, readings, tool_calls


def joined(conversation: Conversation, turns: Mapping[int, TurnTrace]) -> Conversation:
    """Return a conversation with the data of its turns' traces (turns count from 1).

    Calls that the chatbot reports itself stay; traces add their results, and unreported calls. Missing calls mean
    nothing unless the trace of every turn is complete and contains the requests of its models.
    """
    messages = list(conversation.messages)
    warnings: list[str] = []
    whole = True
    used: list[TracedCall] = []
    for turn, reply in _replies(conversation).items():
        trace = turns.get(turn)
        found = readings(trace.described_spans) if trace else []
        if trace is None or not trace.complete:
            warnings.append(f"turn {turn}: {'its trace is not complete' if found else 'no trace'}")
        whole = whole and trace is not None and trace.complete and _shows_calls(found)
        calls, added = _united(messages[reply], tool_calls(found))
        if added and messages[reply].tool_calls:
            warnings.append(f"turn {turn}: only its trace shows {', '.join(sorted(added))}")
        messages[reply] = messages[reply].changed(tool_calls=calls)
        used += model_calls(found, turn)
    changed = conversation.changed(
        messages=tuple(messages),
        reports_tools=conversation.reports_tools or (whole and bool(turns)),
        warnings=(*conversation.warnings, *warnings),
    )
    known = conversation.usage.get(CHATBOT)
    return changed if known and known.calls else _with_usage(changed, used)


def _with_usage(conversation: Conversation, used: list[TracedCall]) -> Conversation:
    """Return a conversation with calls of the chatbot's models, after other calls of their turns."""
    if not used:
        return conversation
    timing = conversation.timing
    timed = (
        timing.calls if timing and len(timing.calls) == len(conversation.calls) else (None,) * len(conversation.calls)
    )
    both = [*zip(conversation.calls, timed, strict=True), *((each.call, each.seconds) for each in used)]
    both.sort(key=lambda each: each[0].turn)
    return conversation.changed(
        usage={**conversation.usage, CHATBOT: sum((each.usage for each in used), Usage())},
        calls=tuple(call for call, _ in both),
        timing=timing and timing.changed(calls=tuple(seconds for _, seconds in both)),
    )


def _replies(conversation: Conversation) -> dict[int, int]:
    """Return the index of the first reply in each turn that has one."""
    found: dict[int, int] = {}
    turn = 0
    for at in range(len(conversation.case.history), len(conversation.messages)):
        each = conversation.messages[at]
        turn += each.role == "user"
        if each.role == "chatbot" and turn and not each.injected:
            found.setdefault(turn, at)
    return found


def _shows_calls(found: list[Reading]) -> bool:
    """Return True if calls would be seen: by spans of tools, or in the answers of every model."""
    asked = [each for each in found if each.kind == "model"]
    return any(each.kind == "tool" for each in found) or bool(asked and all(each.messages("output") for each in asked))


def _united(reply: Message, traced: tuple[ToolCall, ...]) -> tuple[tuple[ToolCall, ...], Counter[str]]:
    """Return the calls of a reply and its trace in order, and the names of those that only the trace has."""
    left = list(traced)
    own = tuple(_completed(call, left) for call in reply.tool_calls)
    return (*own, *left), Counter(call.name for call in left)


def _completed(call: ToolCall, left: list[ToolCall]) -> ToolCall:
    """Return a call with the outcome that its trace shows, and take that out of those that are left."""
    same = next(_same(call, left), None)
    if same is None:
        return call
    left.remove(same)
    return same if call.status in ("executed", "attempted") else call


def _same(call: ToolCall, others: list[ToolCall]) -> Iterator[ToolCall]:
    return (each for each in others if each.name == call.name and each.arguments in (call.arguments, {}))
