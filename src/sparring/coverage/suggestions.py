"""Scenarios that try what no conversation touches, those that close most gaps first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations

from sparring.core.case import CHANGE_YOUR_MIND, Case
from sparring.core.conversation import Conversation
from sparring.coverage.elements import (
    LIKE,
    Assigned,
    CountedConversation,
    DeclaredValues,
    assigned,
    declared,
    goal_forms,
    goals_reached,
    knows_acts,
    moments,
    scenario_of,
)
from sparring.coverage.tables import ScenarioTemplate, Suite, template
from sparring.scenarios.pairwise import covering
from sparring.scenarios.written_case import Written, loaded, text_of

_WEIGHTS = {1: 4.0, 2: 1.0, 3: 0.05}
"""Weights of gaps: values, pairs, and combinations of three."""

_GOAL = 4.0
"""Weight of a goal that was never asked."""

_FAILURE = 6.0
"""Weight of a failure of a tool."""

_MOST_CHOICES = 50
"""Values of a variable that are written, at most."""

_NO_CHANGE = "no change of mind"

_REACTIONS = ("retried", "other_way", "admitted", "asked")
"""Good reactions to a tool that fails."""


@dataclass(frozen=True, slots=True)
class SuggestedScenario:
    """A scenario as it stands in a file, and the gaps that it closes."""

    closes: tuple[str, ...]
    scenario: Written
    weight: float
    like: str
    """The scenario that it belongs to."""


def suggestions(
    suite: Suite, played: Sequence[CountedConversation], *, most: int, breaks_tools: bool = False
) -> list[SuggestedScenario]:
    """Return at most so many scenarios that close most gaps; with `breaks_tools`, tools may fail."""
    conversations = [each.conversation for each in played]
    there = declared(suite.cases, 1)
    sources = [_of_scenario(name, suite.cases, values, conversations, most) for name, values in there.items()]
    sources += [_broken(*each) for each in _never_failed(conversations)] if breaks_tools else []
    heads = [(next(each, None), each) for each in sources]
    found: list[SuggestedScenario] = []
    while len(found) < most:
        best = max(heads, key=lambda head: head[0].weight if head[0] else 0, default=(None, iter(())))
        if best[0] is None:
            break
        found.append(best[0])
        heads[heads.index(best)] = (next(best[1], None), best[1])
    if any(map(knows_acts, conversations)) and all((_NO_CHANGE,) not in moments(each) for each in conversations):
        found = _with_one_change(found)
    return [replace(each, scenario=_named(each, at)) for at, each in enumerate(found, 1)]


def file_of(found: Sequence[SuggestedScenario]) -> str:
    """Return the text of a scenario file; what all scenarios share stands beside them."""
    first, *others = (each.scenario for each in found)
    own = ("name", "variables", "faults", "number")
    shared = {key: value for key, value in first.items() if all(each.get(key) == value for each in others)}
    shared = {key: value for key, value in shared.items() if key not in own}
    scenarios = [{key: value for key, value in each.scenario.items() if key not in shared} for each in found]
    return text_of({**shared, "scenarios": scenarios})


def _named(found: SuggestedScenario, number: int) -> Written:
    tags = [*found.scenario.get("tags", []), f"{LIKE}{found.like}"]
    return {"name": f"suggested {number}", **found.scenario, "tags": list(dict.fromkeys(tags))}


def _runs(written: Written) -> Case | None:
    return loaded(text_of(written), "suggested.yml", date.min)


def _of_scenario(
    name: str, cases: Sequence[Case], values: DeclaredValues, played: Sequence[Conversation], most: int
) -> Iterator[SuggestedScenario]:
    """Yield a scenario with other values again and again, as long as that closes gaps."""
    mine = [each for each in cases if scenario_of(each) == name]
    held = [each for each in played if scenario_of(each.case) == name]
    touched = {some for each in held for some in assigned(each, max(_WEIGHTS))}
    forms = goal_forms(mine)
    asked = {(form, stage) for each in held for _, form, stage in goals_reached(each, forms)}
    goals = [form for form in dict.fromkeys(forms.values()) if (form, "never asked") not in asked]
    written: ScenarioTemplate | None = None
    for row in _rows(values, mine, touched, most):
        some = {each: weight for each, weight in _within(row) if each not in touched}
        touched |= some.keys()
        written = written or template(mine)
        if written is None:
            return
        made = _with_choices(written.with_values({each: values.values[each][text] for each, text in row}), written.like)
        shown = [", ".join(f"{each} = {text}" for each, text in one) for one in some if len(one) < max(_WEIGHTS)]
        closes = [f"{name}: {each}" for each in (*(f"{form}: never asked" for form in goals), *shown)]
        if closes and _runs(made):
            yield SuggestedScenario(tuple(closes), made, _GOAL * len(goals) + sum(some.values()), name)
        goals = []


def _rows(values: DeclaredValues, cases: Sequence[Case], touched: set[Assigned], most: int) -> Iterator[Assigned]:
    """Yield rows of values that cover pairs first, and then combinations of three."""
    lists = {name for each in cases for name, value in each.variables.items() if isinstance(value, list)}
    names = sorted(name for name in values.values if name not in {*lists, *values.open})
    texts = [list(values.values[name]) for name in names]
    never = values.never_by_place(names)
    if not names:
        yield ()
        return
    done = set(touched)
    for strength in (2, 3):
        have = [
            tuple((names.index(name), texts[names.index(name)].index(text)) for name, text in each)
            for each in done
            if {name for name, _ in each} <= {*names}
        ]
        try:
            rows = covering([len(each) for each in texts], strength, never, have=have, most=most)
        except ValueError:  # too many combinations
            return
        for numbers in rows:
            row = tuple((name, texts[at][number]) for at, (name, number) in enumerate(zip(names, numbers, strict=True)))
            done.update(each for each, _ in _within(row))
            yield row


def _within(row: Assigned) -> Iterator[tuple[Assigned, float]]:
    return ((some, weight) for size, weight in _WEIGHTS.items() for some in combinations(row, size))


def _with_choices(written: Written, like: Case) -> Written:
    """Return a scenario with the other values of its variables: by them, checks know what is wrong."""
    values = written.get("variables", {})
    lists = {
        name: [value, *(each for each in like.choices[name] if each != value)]
        for name, value in values.items()
        if 1 < len(like.choices.get(name, ())) <= _MOST_CHOICES and not isinstance(value, list | dict)
    }
    changed = {**written, "variables": values | lists, "number": 1}
    case = _runs(changed) if lists else None
    same = case is not None and all(case.variables[name] == values[name] for name in lists)
    return changed if same else written


def _with_one_change(found: Sequence[SuggestedScenario]) -> list[SuggestedScenario]:
    """Return the suggestions, the last of which that can has a user who changes its mind."""
    for at, each in reversed([*enumerate(found)]):
        changed = None if "faults" in each.scenario else _with_change_of_mind(each)
        if changed:
            return [*found[:at], changed, *found[at + 1 :]]
    return list(found)


def _with_change_of_mind(found: SuggestedScenario) -> SuggestedScenario | None:
    """Return a suggestion whose user says another value first; None if there is none to say."""
    user = found.scenario.get("user", {})
    changed = found.scenario | {"user": user | {"styles": [*user.get("styles", []), CHANGE_YOUR_MIND]}}
    case = _runs(changed)
    if case is None or not case.changes:
        return None
    return SuggestedScenario((*found.closes, _NO_CHANGE), changed, found.weight, found.like)


def _never_failed(played: Iterable[Conversation]) -> Iterator[tuple[Conversation, list[str]]]:
    """Yield conversations with the tools that they called, each tool once, if none of its calls failed."""
    calls = [call for each in played for said in each.messages for call in said.tool_calls]
    left = {call.name for call in calls} - {call.name for call in calls if call.status == "failed"}
    for each in played:
        mine = dict.fromkeys(call.name for said in each.messages for call in said.tool_calls if call.name in left)
        if mine and not each.case.faults and all(goal.answered is not None for goal in each.goals):
            yield each, list(mine)
            left -= mine.keys()


def _broken(conversation: Conversation, tools: Sequence[str]) -> Iterator[SuggestedScenario]:
    """Yield the scenario of a conversation in which each of these tools fails once."""
    written = template([conversation.case])
    if written is None:
        return
    goals = [each["asks"] if isinstance(each, Mapping) else each for each in written.written.get("goals", ())]
    made = written.with_values(
        conversation.case.variables,
        goals=goals,
        faults=[{"tool": each, "fails": "error"} for each in tools],
        expect=[f"recovery({each!r}) in {list(_REACTIONS)!r}" for each in tools],
    )
    if _runs(made):
        closes = tuple(f"{each}: never failed" for each in tools)
        yield SuggestedScenario(closes, made, _FAILURE * len(tools), scenario_of(conversation.case))
