"""Elements that a conversation can cover: values and combinations, goals, tools, checks, moments."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, product

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.message import UserAct
from sparring.core.prompts import ToolSchema
from sparring.core.value import Json
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.reply_acts import hands_over, refuses
from sparring.scenarios.personas import conjunction
from sparring.scenarios.placeholders import as_text

MOST_VALUES = 30
"""Values of a variable above which it is open, and not measured."""

Element = tuple[str, ...]
"""A scenario, if it is about one, and words that say what is covered."""

Assigned = tuple[tuple[str, str], ...]
"""Variables with their values."""


@dataclass(frozen=True, slots=True)
class CountedConversation:
    """A conversation that counts, and the checks that applied to it."""

    conversation: Conversation
    exercised: frozenset[str] = frozenset()


@dataclass(slots=True)
class DeclaredValues:
    """Values that the cases of one scenario declare, and combinations of variables that a case has."""

    values: dict[str, dict[str, None]] = field(default_factory=dict)
    together: dict[tuple[str, ...], None] = field(default_factory=dict)


def scenario_of(case: Case) -> str:
    """Return the scenario of a case, which is its id without the number."""
    return case.id.rpartition("/")[0] or case.id


def values_of(case: Case) -> dict[str, str]:
    """Return the variables of a case with their values as texts."""
    word = conjunction(case.persona.language)
    return {name: as_text(value, conjunction=word) for name, value in case.variables.items()}


def declared(cases: Iterable[Case], ways: int) -> dict[str, DeclaredValues]:
    """Return what the cases of each scenario declare: values that a case has, or that it could have had."""
    found: dict[str, DeclaredValues] = {}
    for case in cases:
        mine = found.setdefault(scenario_of(case), DeclaredValues())
        for name, value in values_of(case).items():
            mine.values.setdefault(name, {})[value] = None
        for goal in case.goals:
            for name, others in goal.others.items():
                mine.values.setdefault(name, {}).update(dict.fromkeys(others))
        for size in range(2, ways + 1):
            mine.together.update(dict.fromkeys(combinations(sorted(case.variables), size)))
    return found


def assignments(scenario: DeclaredValues) -> Iterator[Assigned]:
    """Yield the values and combinations of a scenario; open variables are left out."""
    values = {name: each for name, each in scenario.values.items() if len(each) <= MOST_VALUES}
    for names in (*((name,) for name in values), *scenario.together):
        if all(name in values for name in names):
            for chosen in product(*(values[name] for name in names)):
                yield tuple(zip(names, chosen, strict=True))


def assigned(conversation: Conversation, ways: int) -> Iterator[Assigned]:
    """Yield the values and combinations that a conversation covers: every goal that has them is answered."""
    case = conversation.case
    goals = zip(case.goals, conversation.goals, strict=False)
    open_ones = {name for goal, progress in goals if progress.answered is None for name in goal.variables}
    values = {name: value for name, value in values_of(case).items() if name not in open_ones}
    for size in range(1, ways + 1):
        for names in combinations(sorted(values) if size > 1 else values, size):
            yield tuple((name, values[name]) for name in names)


def goal_form(goal: Goal, case: Case) -> str:
    """Return the text of a goal before values are filled in."""
    text, values = goal.text, values_of(case)
    for name in sorted(goal.variables, key=lambda name: -len(values.get(name, ""))):
        if values.get(name):
            text = text.replace(values[name], f"{{{{{name}}}}}", 1)
    return text


_STAGES = ("never asked", "never answered")


def goal_elements(case: Case) -> Iterator[Element]:
    """Yield the stages that each goal of a case can reach."""
    for goal in case.goals:
        for stage in _STAGES:
            yield scenario_of(case), goal_form(goal, case), stage


def goals_reached(conversation: Conversation) -> Iterator[Element]:
    """Yield the stages that the goals of a conversation reached."""
    case = conversation.case
    for goal, progress in zip(case.goals, conversation.goals, strict=False):
        reached = [progress.asked_at is not None or progress.answered is not None, progress.answered is not None]
        for stage, there in zip(_STAGES, reached, strict=True):
            if there:
                yield scenario_of(case), goal_form(goal, case), stage


def tool_elements(schemas: Iterable[ToolSchema]) -> Iterator[Element]:
    """Yield outcomes of tools, and the values of arguments that their schemas list."""
    for tool in schemas:
        yield from ((tool.name, "never called"), (tool.name, "never failed"))
        yield from ((tool.name, f"never called with {name} = {value}") for name, value in _listed(tool.parameters))


def _listed(parameters: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    properties = parameters.get("properties")
    for name, schema in properties.items() if isinstance(properties, Mapping) else ():
        if not isinstance(schema, Mapping):
            continue
        values = schema.get("enum") or ([True, False] if schema.get("type") == "boolean" else [])
        yield from ((name, str(value)) for value in (values if isinstance(values, list) else ()))


def tools_used(conversation: Conversation) -> Iterator[Element]:
    """Yield the outcomes of tools and the values of arguments in a conversation."""
    for call in (call for message in conversation.messages for call in message.tool_calls):
        yield call.name, "never called"
        if call.status == "failed":
            yield call.name, "never failed"
        yield from ((call.name, f"never called with {name} = {value}") for name, value in call.arguments.items())


def output_elements(case: Case) -> Iterator[Element]:
    """Yield the outputs of a case."""
    return ((scenario_of(case), each.name, "never stated") for each in case.outputs)


def outputs_stated(conversation: Conversation) -> Iterator[Element]:
    """Yield the outputs that the chatbot stated."""
    where = scenario_of(conversation.case)
    return ((where, each.name, "never stated") for each in conversation.outputs if each.evidence is not None)


MOMENTS = ("fallback", "refusal", "correction", "change of mind", "handoff", "early goodbye")
"""Moments of a conversation that any suite should have."""

_ACTS: Mapping[UserAct, str] = {"correction": "correction", "change": "change of mind"}


def moment_elements(cases: Iterable[Case]) -> Iterator[Element]:
    """Yield the moments, and the languages, styles and personas of the cases."""
    yield from ((f"no {moment}",) for moment in MOMENTS)
    for case in cases:
        yield from _manner(case)


def _manner(case: Case) -> Iterator[Element]:
    persona = case.persona
    yield (f"no user speaks {persona.language}",)
    yield from ((f"no user has the style {style.name!r}",) for style in persona.styles)
    if persona.name != "default":
        yield (f"no user is {persona.name!r}",)


def moments(conversation: Conversation) -> Iterator[Element]:
    """Yield the moments of a conversation, and the language, styles and persona of its user."""
    case = conversation.case
    yield from _manner(case)
    for said in conversation.messages[len(case.history) :]:
        if said.role == "user":
            yield from ((f"no {_ACTS[each.act]}",) for each in said.meant if each.act in _ACTS)
        elif not said.injected:
            found = {"fallback": is_fallback(said.text, case.fallbacks), "handoff": hands_over(said.text)}
            found["refusal"] = refuses(said.text)
            yield from ((f"no {name}",) for name, there in found.items() if there)
    if any(goal.stage is GoalStage.REFUSED for goal in conversation.goals):
        yield ("no refusal",)
    left = any(said.role == "user" and said.ends for said in conversation.messages)
    if left and any(goal.answered is None for goal in conversation.goals):
        yield ("no early goodbye",)


def check_elements(cases: Iterable[Case], rules: Iterable[str]) -> Iterator[Element]:
    """Yield the rules, and the expectations of the cases."""
    yield from ((name, "never applies") for name in rules)
    for case in cases:
        yield from ((each.rule.name, "never applies") for each in case.expectations)
