"""Elements that a conversation can cover: values and combinations, goals, tools, checks, moments."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, product

from sparring.core.case import Case
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.message import UserAct
from sparring.core.prompts import ToolSchema
from sparring.core.value import Json
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import hands_over, is_trouble, refuses
from sparring.scenarios.pairwise import completes
from sparring.scenarios.personas import conjunction
from sparring.scenarios.placeholders import as_text
from sparring.scenarios.variables import MAX_CHOICES
from sparring.scenarios.written_case import goal_form

LIKE = "like "
"""The start of a tag with the scenario that a suggested one belongs to."""

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
    """Values and combinations of variables that the cases of one scenario have, and those to avoid.

    Of a variable with several values at once, each is a value.
    """

    values: dict[str, dict[str, Json]] = field(default_factory=dict)
    together: dict[tuple[str, ...], None] = field(default_factory=dict)
    never: list[dict[str, str]] = field(default_factory=list)

    @property
    def open(self) -> list[str]:
        """The variables with too many values to measure."""
        return [name for name, each in self.values.items() if len(each) > MAX_CHOICES]

    def never_by_place(self, names: Sequence[str]) -> list[dict[int, int]]:
        """Return the combinations to avoid, as numbers of variables with numbers of their values."""
        places = {name: (at, list(self.values[name])) for at, name in enumerate(names)}
        known = (each for each in self.never if all(name in places and each[name] in places[name][1] for name in each))
        return [{places[name][0]: places[name][1].index(value) for name, value in each.items()} for each in known]

    def allowed(self) -> Callable[[Assigned], bool]:
        """Return a function that tells if values can occur together."""
        apart = list(dict.fromkeys(name for each in self.never for name in each))
        sizes = [len(self.values[name]) for name in apart]
        never = self.never_by_place(apart)
        numbers = {name: {value: at for at, value in enumerate(self.values[name])} for name in apart}

        @cache
        def completable(row: tuple[tuple[int, int], ...]) -> bool:
            return completes(dict(row), sizes, never)

        return lambda some: completable(
            tuple((apart.index(name), numbers[name][value]) for name, value in some if name in numbers)
        )


def scenario_of(case: Case) -> str:
    """Return the scenario of a case: its id without the number, or the one it was suggested for."""
    like = next((each.removeprefix(LIKE) for each in case.tags if each.startswith(LIKE)), "")
    return like or re.sub(r"/\d+$", "", case.id)


def values_of(case: Case) -> dict[str, dict[str, Json]]:
    """Return the variables of a case, each with its value by its text, or with several."""
    word = conjunction(case.persona.language)
    several = {name: each if isinstance(each, list) else [each] for name, each in case.variables.items()}
    return {name: {as_text(each, conjunction=word): each for each in found} for name, found in several.items()}


def declared(cases: Iterable[Case], ways: int) -> dict[str, DeclaredValues]:
    """Return what the cases of each scenario declare: values that a case has, or that it could have had."""
    found: dict[str, DeclaredValues] = {}
    for case in cases:
        mine = found.setdefault(scenario_of(case), DeclaredValues())
        chosen = case.changed(variables={name: list(case.choices.get(name, ())) for name in case.variables})
        for values in (values_of(chosen), values_of(case)):
            for name, several in values.items():
                mine.values.setdefault(name, {}).update(several)
        for rule in case.never:
            texts = {name: as_text(value) for name, value in rule.items()}
            mine.never += [texts] if texts not in mine.never else []
        for size in range(2, ways + 1):
            mine.together.update(dict.fromkeys(combinations(sorted(case.variables), size)))
    return found


def assignments(scenario: DeclaredValues) -> Iterator[Assigned]:
    """Yield the values and combinations of a scenario that can occur; open variables are left out."""
    values = {name: each for name, each in scenario.values.items() if name not in scenario.open}
    allowed = scenario.allowed()
    for names in (*((name,) for name in values), *scenario.together):
        if all(name in values for name in names):
            every = (tuple(zip(names, some, strict=True)) for some in product(*(values[name] for name in names)))
            yield from filter(allowed, every)


def assigned(conversation: Conversation, ways: int) -> Iterator[Assigned]:
    """Yield the values and combinations that a conversation covers: every goal that has them is answered."""
    case = conversation.case
    goals = zip(case.goals, conversation.goals, strict=False)
    open_ones = {name for goal, progress in goals if progress.answered is None for name in goal.variables}
    values = {name: each for name, each in values_of(case).items() if name not in open_ones}
    for size in range(1, ways + 1):
        for names in combinations(sorted(values) if size > 1 else values, size):
            yield from (tuple(zip(names, some, strict=True)) for some in product(*(values[name] for name in names)))


Forms = Mapping[tuple[str, int], str]
"""Texts of goals before values are filled in, by scenario and place."""


def goal_forms(cases: Iterable[Case]) -> Forms:
    """Return the texts of goals as the first case of each scenario has them."""
    found: dict[tuple[str, int], str] = {}
    for case in cases:
        for at, goal in enumerate(case.goals):
            found.setdefault((scenario_of(case), at), goal_form(goal, case))
    return found


_STAGES = ("never asked", "never answered")


def goal_elements(forms: Forms) -> Iterator[Element]:
    """Yield the stages that each goal can reach."""
    return ((where, form, stage) for (where, _), form in forms.items() for stage in _STAGES)


def goals_reached(conversation: Conversation, forms: Forms) -> Iterator[Element]:
    """Yield the stages that the goals of a conversation reached."""
    where = scenario_of(conversation.case)
    for at, progress in enumerate(conversation.goals):
        reached = [progress.asked_at is not None or progress.answered is not None, progress.answered is not None]
        for stage, there in zip(_STAGES, reached, strict=True):
            if there and (where, at) in forms:
                yield where, forms[where, at], stage


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


def knows_acts(conversation: Conversation) -> bool:
    """Return True if it is known what the user meant; no model that plays it tells."""
    return any(said.meant for said in conversation.messages)


def moment_elements(cases: Iterable[Case], *, acts: bool) -> Iterator[Element]:
    """Yield the moments, also `acts` of users, and the languages, styles and personas of cases."""
    yield from ((f"no {moment}",) for moment in MOMENTS if acts or moment not in _ACTS.values())
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
            regrets = case.right == "refuse" and is_trouble(said.text) and not found["fallback"]
            found["refusal"] = regrets or refuses(said.text)
            yield from ((f"no {name}",) for name, there in found.items() if there)
    if any(goal.stage is GoalStage.REFUSED for goal in conversation.goals):
        yield ("no refusal",)
    left = any(said.role == "user" and said.ends for said in conversation.messages)
    if left and any(goal.answered is None for goal in conversation.goals):
        yield ("no early goodbye",)


def check_elements(cases: Iterable[Case], rules: Iterable[str]) -> Iterator[Element]:
    """Yield the rules, and the expectations of the cases but for answers to goals, which count as goals."""
    yield from ((name, "never applies") for name in rules)
    for case in cases:
        yield from ((each.rule.name, "never applies") for each in case.expectations if each.goal is None)
