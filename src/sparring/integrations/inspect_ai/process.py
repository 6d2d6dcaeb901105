"""The process of an experiment: checks that precede calls of a tool, and their violations."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from sparring.core.conversation import Conversation
from sparring.core.message import ToolCall
from sparring.core.value import Json, Value


class ProcessCheck(Value):
    """A tool that checks something.

    The check passed if its result has the values of `passes`, as far as it has these fields.
    """

    tool: str
    passes: dict[str, Json] = {}


class ProcessRule(Value):
    """Checks that precede every call of `tool`, with the same value of the argument `same`."""

    tool: str
    after: tuple[ProcessCheck, ...]
    same: str = ""

    def __str__(self) -> str:
        return f"{self.tool} after {', '.join(check.tool for check in self.after)}"


class _Made(Value):
    """A tool call with its turn, counted from 1."""

    turn: int
    call: ToolCall


def find_violations(conversation: Conversation, rules: Iterable[ProcessRule]) -> list[str] | None:
    """Return a sentence for each skipped, late or ignored check.

    Return None if the chatbot does not report its tools.
    """
    if not conversation.reports_tools:
        return None
    made = [each for each in _made(conversation) if each.call.status != "attempted"]
    found = chain.from_iterable(_violations(rule, made) for rule in rules)
    return list(dict.fromkeys(found))


def _made(conversation: Conversation) -> Iterator[_Made]:
    turn = 0
    for at, message in enumerate(conversation.messages):
        turn += message.role == "user" and at >= len(conversation.case.history)
        if at >= len(conversation.case.history) and not message.injected:
            yield from (_Made(turn=turn, call=call) for call in message.tool_calls)


def _violations(rule: ProcessRule, made: Sequence[_Made]) -> Iterator[str]:
    for at, step in enumerate(made):
        if step.call.name != rule.tool:
            continue
        value = step.call.arguments.get(rule.same)
        about = f"called {rule.tool}{f' for {value}' if rule.same else ''} in turn {step.turn}"
        for check in rule.after:
            places = [place for place, other in enumerate(made) if _is_check(other.call, check, rule.same, value)]
            before = [place for place in places if place < at]
            if before:
                last = made[before[-1]]
                if not _passed(last.call.result, check.passes):
                    yield f"{about} although {check.tool} refused it in turn {last.turn}"
            elif places:
                yield f"{about} before {check.tool}"
            else:
                yield f"{about} without {check.tool}"


def _is_check(call: ToolCall, check: ProcessCheck, same: str, value: Json) -> bool:
    return call.name == check.tool and call.succeeded and (not same or call.arguments.get(same) == value)


def _passed(result: Json, passes: Mapping[str, Json]) -> bool:
    fields = result if isinstance(result, dict) else {}
    return all(fields[name] == value for name, value in passes.items() if name in fields)
