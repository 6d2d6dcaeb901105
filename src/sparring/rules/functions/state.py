"""Rule functions over the state of a chatbot, at the start and at the end of a conversation."""

from collections.abc import Mapping
from typing import Any

from sparring.core.state import (
    GoldenAction,
    StateChange,
    covers,
    differences,
    parse_path,
    values_at,
    without,
)
from sparring.rules.functions.function import function
from sparring.rules.recording import Recording, state_at_end
from sparring.rules.undecided import GoldenActionFailed, NoState


@function()
def state(conversation: Recording, path: str = "") -> Any:
    """The value at a path in the state at the end, or None; without a path, the whole state.

    Such as `state('orders.ORD-001.status') == 'cancelled'`.
    """
    record = conversation.state_record("end")
    if not record.stored and (known := _changed_to(record.changes, path)):
        return known[0]
    return _first(values_at(state_at_end(conversation), parse_path(path)))


@function()
def state_before(conversation: Recording, path: str = "") -> Any:
    """The value at a path in the state at the start, or None; without a path, the whole state."""
    record = conversation.state_record("start")
    if not record.stored:
        raise NoState("the state is too large: only its changes are stored")
    return _first(values_at(record.start, parse_path(path)))


@function()
def changed(conversation: Recording, path: str) -> bool:
    """True if anything at or below a path changed: `changed('orders.*.status')`.

    `*` stands for any name, `**` for any number of names.
    """
    pattern = parse_path(path)
    return any(covers(pattern, parse_path(change.path)) for change in _changes(conversation))


@function()
def changes(conversation: Recording, *beside: str) -> list[dict[str, Any]]:
    """All changes of the state, without those at or below some paths: `changes('orders.ORD-001') == []`.

    Each has `path`, `kind` (`added`, `removed` or `changed`), `before` and `after`.
    """
    return [change.model_dump() for change in without(_changes(conversation), beside)]


@function()
def state_differences(
    conversation: Recording, actions: list[Mapping[str, Any]] | None = None, ignore: list[str] | None = None
) -> list[str]:
    """Sentences on what differs from the changes that golden actions make on a fresh copy of the state.

    The actions are those of an `expect_state` of the case, by default of its first. Changes at or below the paths in
    `ignore` do not count.
    """
    wanted = None if actions is None else tuple(GoldenAction.model_validate(action) for action in actions)
    record = conversation.state_record("start", "end")
    run = next((each for each in record.golden if wanted in (None, each.actions)), None)
    if run is None:
        raise NoState("the golden actions were not run")
    if run.error:
        raise (NoState if run.late else GoldenActionFailed)(run.error)
    beside = tuple(ignore or ())
    return differences(without(run.changes, beside), without(record.changes, beside))


@function()
def tool_answer(conversation: Recording, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """The result of a tool that Sparring called at the end: `tool_answer('is_paid', {'order': 7})`.

    The chatbot knows nothing of these calls, which are those of `ask` in an `expect_state` of the case.
    """
    wanted = dict(arguments or {})
    answers = conversation.state_record().answers
    found = next((each for each in answers if (each.action.tool, each.action.arguments) == (tool, wanted)), None)
    if found is None:
        raise NoState(f"{tool} was not called at the end")
    if found.error:
        raise NoState(f"{tool} gave no answer: {found.error}")
    return found.result


def _changes(conversation: Recording) -> tuple[StateChange, ...]:
    return conversation.state_record("start", "end").changes


def _changed_to(made: tuple[StateChange, ...], path: str) -> list[Any]:
    """Return the value at a path of which a change is known, in a list."""
    steps = parse_path(path)
    for change in made:
        at = parse_path(change.path)
        if steps[: len(at)] == at:
            return values_at(change.after, steps[len(at) :]) or [None]
    return []


def _first(found: list[Any]) -> Any:
    return found[0] if found else None
