"""Tables of what conversations cover, and the gaps: elements that no conversation touches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import yaml

from sparring.core.case import Case
from sparring.core.prompts import ToolSchema
from sparring.coverage.elements import (
    MOST_VALUES,
    Assigned,
    CountedConversation,
    Element,
    assigned,
    assignments,
    check_elements,
    declared,
    goal_elements,
    goals_reached,
    moment_elements,
    moments,
    output_elements,
    outputs_stated,
    scenario_of,
    tool_elements,
    tools_used,
)
from sparring.scenarios.written_case import scenario


@dataclass(frozen=True, slots=True)
class Gap:
    """An element that no conversation touches; `close` is a scenario that does, if one can be written."""

    what: str
    close: str = ""


@dataclass(frozen=True, slots=True)
class CoverageTable:
    """What there is of one kind, how much of it is covered, and what cannot be measured."""

    name: str
    of: int
    gaps: tuple[Gap, ...]
    unmeasured: tuple[str, ...] = ()

    @property
    def covered(self) -> int:
        """Number of elements that a conversation covers."""
        return self.of - len(self.gaps)


@dataclass(frozen=True, slots=True)
class Suite:
    """What is planned: cases, names of rules, tools, and cases that a null bot passes."""

    cases: Sequence[Case]
    rules: Sequence[str] = ()
    tools: Sequence[ToolSchema] = ()
    weak: Mapping[str, str] = field(default_factory=dict)


def coverage(suite: Suite, played: Sequence[CountedConversation], *, ways: int = 2) -> list[CoverageTable]:
    """Return one table for each kind of element. `played` are the conversations that count."""
    conversations = [each.conversation for each in played]
    goals = (each for case in suite.cases for each in goal_elements(case))
    reached = (each for one in conversations for each in goals_reached(one))
    outputs = (each for case in suite.cases for each in output_elements(case))
    stated = (each for one in conversations for each in outputs_stated(one))
    checks = {(name, "never applies") for each in played for name in each.exercised}
    return [
        _cases(suite, played),
        _table("goals", goals, reached),
        *_values(suite.cases, played, ways),
        _tools(suite, played),
        _table("outputs", outputs, stated),
        _table("checks", check_elements(suite.cases, suite.rules), checks, _NOT_VIOLATED),
        _table("conversations", moment_elements(suite.cases), (each for one in conversations for each in moments(one))),
    ]


_FIRST = ("never asked", "never called")
"""Gaps that explain all others of the same goal or tool."""

_NOT_VIOLATED = ("if a check notices a fault: `sparring mutate` tells",)


def _table(
    name: str, there: Iterable[Element], covered: Iterable[Element], unmeasured: tuple[str, ...] = ()
) -> CoverageTable:
    elements, touched = dict.fromkeys(there), set(covered)
    missing = [each for each in elements if each not in touched]
    first = {each[:-1] for each in missing if each[-1] in _FIRST}
    told = [each for each in missing if each[-1] in _FIRST or each[:-1] not in first]
    gaps = tuple(Gap(": ".join(each)) for each in told)
    return CoverageTable(name, len(elements) - len(missing) + len(told), gaps, unmeasured)


def _cases(suite: Suite, played: Sequence[CountedConversation]) -> CoverageTable:
    counted = {each.conversation.case.id for each in played}
    ids = {case.id for case in suite.cases}
    unplayed = [Gap(f"{id}: no conversation that counts") for id in sorted(ids - counted)]
    weak = [Gap(f"{id}: passed by {bots}") for id, bots in suite.weak.items() if id in counted]
    return CoverageTable("cases", len(ids), (*unplayed, *weak))


def _values(cases: Sequence[Case], played: Sequence[CountedConversation], ways: int) -> list[CoverageTable]:
    there = declared(cases, ways)
    covered: dict[str, set[Assigned]] = {}
    for each in played:
        covered.setdefault(scenario_of(each.conversation.case), set()).update(assigned(each.conversation, ways))
    counts = dict.fromkeys(range(1, ways + 1), 0)
    gaps: dict[int, list[Gap]] = {size: [] for size in counts}
    unmeasured = []
    for name, values in there.items():
        touched = covered.get(name, set())
        alone: set[tuple[str, str]] = set()
        unmeasured += [f"{name}: {each}" for each, found in values.values.items() if len(found) > MOST_VALUES]
        for some in assignments(values):
            if len(some) > 1 and any(part in alone for part in some):
                continue  # told as a value
            counts[len(some)] += 1
            if some not in touched:
                alone.update(some if len(some) == 1 else ())
                what = ", ".join(f"{variable} = {value}" for variable, value in some)
                gaps[len(some)].append(Gap(f"{name}: {what}", _written(name, cases, dict(some))))
    names = {1: "values", 2: "pairs"}
    open_ones = tuple(f"{each} has more than {MOST_VALUES} values" for each in unmeasured)
    return [
        CoverageTable(names.get(size, f"{size}-way"), counts[size], tuple(gaps[size]), open_ones if size == 1 else ())
        for size in counts
    ]


def _written(name: str, cases: Sequence[Case], values: Mapping[str, str]) -> str:
    """Return a scenario like a case with some other values; empty if they are not plain ones."""
    like = next((each for each in cases if scenario_of(each) == name and values.keys() <= each.variables.keys()), None)
    if like is None or any(isinstance(like.variables[each], list) for each in values):
        return ""
    written = scenario(like, None)
    written["variables"] = {**written["variables"], **values}
    written["expect"] = [each.rule.then for each in like.expectations if each.goal is None and each.after is None]
    return yaml.safe_dump(
        {key: value for key, value in written.items() if value}, sort_keys=False, allow_unicode=True, width=10_000
    )


def _tools(suite: Suite, played: Sequence[CountedConversation]) -> CoverageTable:
    if not suite.tools and not any(each.conversation.reports_tools for each in played):
        return CoverageTable("tools", 0, (), ("the chatbot does not report its tools",))
    seen = {call.name for each in played for message in each.conversation.messages for call in message.tool_calls}
    described = {name for each in played for name in each.conversation.tools}
    known = {each.name: each for each in suite.tools}
    tools = [known.get(name) or ToolSchema(name=name) for name in sorted({*known} or seen | described)]
    used = (each for one in played for each in tools_used(one.conversation))
    unmeasured = () if known else ("values of arguments: --tools FILE.json lists them",)
    return _table("tools", tool_elements(tools), used, unmeasured)
