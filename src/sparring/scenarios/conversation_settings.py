"""Settings of the conversations of a file: goal styles, limits, their number, and faults of tools."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import get_args

from sparring.core.case import FaultKind, Limits, ToolFault
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.scenarios.expansion import Row, Share, combinations
from sparring.scenarios.field_reader import MAX_CASES, FieldReader
from sparring.scenarios.field_types import (
    AMOUNT,
    ANYTHING,
    COUNT,
    MAPPING,
    NOTHING,
    TEXT,
    AnyOf,
    Key,
    ListOf,
    OneOf,
    Plain,
    Record,
    Shared,
    WholeNumber,
)
from sparring.scenarios.placeholders import fill, fill_json, texts, to_json
from sparring.scenarios.variables import Variable

_ALL_ANSWERED = Record({"export": Key(Plain(("boolean", "string"))), "limit": Key(COUNT)})
_STYLES = Record(
    {
        "steps": Key(COUNT),
        "random steps": Key(COUNT, also=("random_steps",)),
        "all_answered": Key(AnyOf((NOTHING, _ALL_ANSWERED, ListOf(_ALL_ANSWERED))), also=("all answered",)),
        "default": Key(ANYTHING),
    }
)
_COST = Record({"max_cost": Key(AMOUNT)})
_BY_NAME = OneOf(("all_answered", "default"), also={"all answered": "all_answered"})
_GOAL_STYLE = Shared("goal_style", lambda: _STYLES | _COST)
GOAL_STYLE = Shared("goal_styles", lambda: AnyOf((_BY_NAME, _GOAL_STYLE, ListOf(_GOAL_STYLE))))


@dataclass(frozen=True, slots=True)
class GoalStyle:
    """Limits shared by all conversations, and the maximum number of steps if it is drawn for each."""

    limits: Limits
    random_steps: int = 0

    def pick(self, random: Random) -> Limits:
        """Return the limits of one conversation."""
        return _stepping(self.limits, random.randint(1, self.random_steps)) if self.random_steps else self.limits


def goal_style(part: FieldReader, limits: Limits) -> GoalStyle:
    """Parse `goal_style`: a name, or a mapping with one name and optionally `max_cost`."""
    if isinstance(part.data, str):
        part.one_of(_BY_NAME)
        return GoalStyle(limits)
    entries = {_STYLES.spellings.get(name, name): item for name, item in part.entries()}
    if "max_cost" in entries:
        limits = limits.model_copy(update={"cost": entries.pop("max_cost").positive()})
    for name, item in entries.items():
        if name not in _STYLES.keys:
            item.report("unknown goal style", suggest(name, (*_STYLES.keys, "max_cost")), key=True)
    known = [name for name in entries if name in _STYLES.keys]
    if len(known) > 1:
        part.report(f"there can be only one goal style, not {' and '.join(known)}")
    return next(iter([_of(name, entries[name], limits) for name in known]), GoalStyle(limits))


def _of(name: str, part: FieldReader, limits: Limits) -> GoalStyle:
    if name == "steps":
        return GoalStyle(_stepping(limits, part.integer()))
    if name == "random steps":
        return GoalStyle(limits, part.integer())
    if part.data is None:
        return GoalStyle(limits)
    fields = part.fields(_ALL_ANSWERED)
    if "export" in fields:
        fields["export"].boolean()  # the progress of goals is always kept, so this only has to be understood
    turns = fields["limit"].integer(default=limits.turns) if "limit" in fields else limits.turns
    return GoalStyle(limits.model_copy(update={"turns": turns}))


def _stepping(limits: Limits, steps: int) -> Limits:
    return limits.model_copy(update={"steps": steps, "turns": max(limits.turns, steps)})


_COUNTS = Record(
    {
        "turns": Key(COUNT, "user messages"),
        "steps": Key(COUNT, "turns the user means to take"),
        "fallbacks": Key(COUNT, "fallbacks in a row before the user gives up"),
    }
)
_AMOUNTS = Record({"reply_seconds": Key(AMOUNT), "seconds": Key(AMOUNT), "cost": Key(AMOUNT, "US dollars")})
LIMITS = _COUNTS | _AMOUNTS


def limits(part: FieldReader, common: Limits) -> Limits:
    """Return the common limits with those that `part` sets."""
    fields = part.fields(LIMITS)
    counts = {name: fields[name].integer() for name in _COUNTS.keys if name in fields}
    amounts = {
        name: amount for name in _AMOUNTS.keys if name in fields and (amount := fields[name].positive()) is not None
    }
    set_here = common.model_copy(update={**counts, **amounts})
    return set_here.model_copy(update={"turns": max(set_here.turns, set_here.steps or 1)})


_CONVERSATIONS = WholeNumber(most=MAX_CASES)
NUMBER = Key(
    AnyOf((_CONVERSATIONS, TEXT)),
    "how many conversations: a number, all_combinations, sample(0.5), combinations(0.5, pairwise)",
)
_SHARE = re.compile(
    r"(?P<name>all_combinations|combinations|sample) ?(?:\( ?(?P<share>[\d.]*) ?,? ?(?P<over>forward|pairwise)? ?\))?"
)


def number(part: FieldReader) -> int | Share:
    """Parse the number of conversations: a number, or a share of combinations."""
    if not isinstance(part.data, str):
        return part.integer(_CONVERSATIONS)
    match = _SHARE.fullmatch(" ".join(part.text().lower().split()))
    share = _fraction(match["share"] or "1") if match else None
    if match is None or share is None or (match["name"] == "sample" and not match["share"]):
        part.report(
            f"{part.text()!r} is not a number of conversations",
            "use a number, all_combinations, or sample(0.5) for half",
        )
        return 1
    return Share(share, match["over"] or "")


def check_number(
    number: int | Share, variables: Sequence[Variable], part: FieldReader, *, never: Sequence[Row] = ()
) -> int:
    """Return the number of conversations; report a problem and return 0 if there are too many or none."""
    try:
        total = combinations(variables, number if isinstance(number, Share) else Share(), never=never)
    except ValueError as error:
        part.report(str(error))
        return 0
    if never and not total:
        part.report("`never` excludes every combination")
    if not isinstance(number, Share):
        return number
    if total * number.of > MAX_CASES:
        share = 10.0 ** -len(str(total // MAX_CASES))
        part.report(f"{total:,} combinations are too many", f"take a share of them, as in sample({share:g})")
        return 0
    return max(1, round(total * number.of))


def _fraction(written: str) -> float | None:
    try:
        share = float(written)
    except ValueError:
        return None
    return share if 0 < share <= 1 else None


_KINDS = OneOf(get_args(FaultKind))
_OFTEN = OneOf(("first", "always"))
_SOME = Record(
    {
        "nth": Key(COUNT, "the number of the call, from 1"),
        "share": Key(AMOUNT, "share of the calls, from 0 to 1, drawn by the seed"),
    },
    least=1,
    most=1,
)
_FAULT = Record(
    {
        "tool": Key(TEXT, "the tool that is broken", required=True),
        "fails": Key(_KINDS, "how it fails", required=True),
        "when": Key(AnyOf((_OFTEN, _SOME)), "calls that fail: the first, unless it says otherwise"),
        "args": Key(MAPPING, "arguments that such a call has, among others"),
    }
)
FAULTS = Record({"faults": Key(ListOf(Shared("fault", lambda: _FAULT)), "tools of the chatbot that fail, and how")})


def tool_faults(fields: Mapping[str, FieldReader]) -> tuple[ToolFault, ...]:
    """Parse the faults under the key of `FAULTS`; report problems with them."""
    return tuple(found for item in fields["faults"].items() if (found := _fault(item))) if "faults" in fields else ()


def fault_phrases(fields: Mapping[str, FieldReader]) -> list[tuple[FieldReader, str]]:
    """Return all texts of faults, which may have placeholders, with their places."""
    return list(texts(fields["faults"])) if "faults" in fields else []


def filled_faults(faults: tuple[ToolFault, ...], values: Mapping[str, Json]) -> tuple[ToolFault, ...]:
    """Return the faults with values in place of the placeholders of their arguments."""
    return tuple(
        each.changed(arguments=fill_json(each.arguments, values, lambda text: fill(text, values))) for each in faults
    )


def _fault(part: FieldReader) -> ToolFault | None:
    fields = part.fields(_FAULT)
    tool = fields["tool"].text() if "tool" in fields else ""
    fails = fields["fails"].one_of(_KINDS) if "fails" in fields else ""
    found: dict[str, Json] = {"tool": tool, "fails": fails, **(_when(fields["when"]) if "when" in fields else {})}
    if "args" in fields:
        found["arguments"] = {name: to_json(value.data) for name, value in fields["args"].entries()}
    return ToolFault.model_validate(found) if tool and fails else None


def _when(part: FieldReader) -> dict[str, Json]:
    if isinstance(part.data, str):
        return {"when": part.one_of(_OFTEN) or "first"}
    fields = part.fields(_SOME)
    if len(fields) != 1:
        part.report("should be first, always, {nth: 2} or {share: 0.3}")
        return {}
    if "nth" in fields:
        return {"nth": fields["nth"].integer()}
    share = fields["share"].number()
    if share is None or not 0 < share <= 1:
        fields["share"].report("should be a share, more than 0 and at most 1")
        return {}
    return {"share": share}
