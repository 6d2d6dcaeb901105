"""Tables of what conversations cover, and the gaps: elements that no conversation touches."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.prompts import ToolSchema
from sparring.core.value import Json, map_texts
from sparring.coverage.elements import (
    Assigned,
    CountedConversation,
    DeclaredValues,
    Element,
    assigned,
    assignments,
    check_elements,
    declared,
    goal_elements,
    goal_forms,
    goals_reached,
    knows_acts,
    moment_elements,
    moments,
    output_elements,
    outputs_stated,
    scenario_of,
    tool_elements,
    tools_used,
)
from sparring.scenarios.variables import MAX_CHOICES
from sparring.scenarios.written_case import Written, expecting, loaded, open_form, scenario, text_of, variable

_TEXTS = ("user", "goals", "script", "answers", "facts", "faults")
"""Keys whose texts may have placeholders."""


@dataclass(frozen=True, slots=True)
class ScenarioTemplate:
    """A scenario like a case, with placeholders where its values stand."""

    like: Case
    written: Written

    def with_values(self, values: Mapping[str, Json], **keys: Json) -> Written:
        """Return the scenario with other values and keys."""
        written = {name: variable(name, value, self.like) for name, value in values.items()}
        found = self.written | {"variables": self.written.get("variables", {}) | written} | keys
        return {key: value for key, value in found.items() if value}


def template(cases: Sequence[Case]) -> ScenarioTemplate | None:
    """Return a scenario that gives each of these cases again from its values; None if none does."""
    like = cases[0]
    plain = _expecting(scenario(like, None), like)
    varied = {name: value for name, value in like.variables.items() if len(like.choices.get(name, ())) > 1}
    filled = {key: map_texts(plain[key], lambda text: open_form(text, varied, like)) for key in _TEXTS if key in plain}
    others = [each for each in cases if each.variables != like.variables]
    checked = (like, *others[:1], *others[1:][-1:])
    for written in (plain | filled, plain):
        found = ScenarioTemplate(like, written)
        if all(_gives(found, each) for each in checked):
            return found
    return None


def _expecting(written: Written, case: Case) -> Written:
    """Add the expectations that hold with any values: those that use a variable where they have its value."""
    several = {name: value for name, value in case.variables.items() if len(case.choices.get(name, ())) > 1}
    for each in case.expectations:
        fixed = (repr(value) in each.rule.then and name not in each.rule.then for name, value in several.items())
        if each.goal is None and each.after is None and not any(fixed):
            written = expecting(written, case, each.rule)
    return written


def _gives(found: ScenarioTemplate, case: Case) -> bool:
    written = found.with_values(case.variables)
    made = loaded(text_of(written), "suggested.yml", date.min)
    return made is not None and [*_said(made)] == [*_said(case)]


def _said(case: Case) -> Iterable[object]:
    """Yield what stands in a case that depends on its values."""
    yield from ([each.text for each in case.goals], case.persona.role, case.persona.traits, case.script, case.answers)


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
    forms = goal_forms(suite.cases)
    reached = (each for one in conversations for each in goals_reached(one, forms))
    outputs = (each for case in suite.cases for each in output_elements(case))
    stated = (each for one in conversations for each in outputs_stated(one))
    checks = {(name, "never applies") for each in played for name in each.exercised}
    return [
        _cases(suite, played),
        _table("goals", goal_elements(forms), reached),
        *_values(suite.cases, played, ways),
        _tools(suite, played),
        _table("outputs", outputs, stated),
        _table("checks", check_elements(suite.cases, suite.rules), checks, _NOT_VIOLATED),
        _moments(suite, conversations),
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
    shown = [each for each in missing if each[-1] in _FIRST or each[:-1] not in first]
    gaps = tuple(Gap(": ".join(each)) for each in shown)
    return CoverageTable(name, len(elements) - len(missing) + len(shown), gaps, unmeasured)


def _moments(suite: Suite, conversations: Sequence[Conversation]) -> CoverageTable:
    acts = any(map(knows_acts, conversations))
    unmeasured = () if acts else ("corrections and changes of mind: the user does not tell what it means",)
    seen = (each for one in conversations for each in moments(one))
    return _table("conversations", moment_elements(suite.cases, acts=acts), seen, unmeasured)


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
        written: ScenarioTemplate | None = None
        mine = [each for each in cases if scenario_of(each) == name]
        alone: set[tuple[str, str]] = set()
        unmeasured += [f"{name}: {each}" for each in values.open]
        for some in assignments(values):
            if len(some) > 1 and any(part in alone for part in some):
                continue  # told as a value
            counts[len(some)] += 1
            if some not in touched:
                written = written or template(mine)
                alone.update(some if len(some) == 1 else ())
                what = ", ".join(f"{variable} = {value}" for variable, value in some)
                gaps[len(some)].append(Gap(f"{name}: {what}", _closing(written, values, some)))
    names = {1: "values", 2: "pairs"}
    open_ones = tuple(f"{each} has more than {MAX_CHOICES} values" for each in unmeasured)
    return [
        CoverageTable(names.get(size, f"{size}-way"), counts[size], tuple(gaps[size]), open_ones if size == 1 else ())
        for size in counts
    ]


def _closing(written: ScenarioTemplate | None, scenario: DeclaredValues, some: Assigned) -> str:
    """Return the text of a scenario with some values; empty if none can be written."""
    if written is None or any(isinstance(written.like.variables.get(name, []), list) for name, _ in some):
        return ""
    return text_of(written.with_values({name: scenario.values[name][value] for name, value in some}))


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
