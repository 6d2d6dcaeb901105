"""Sparring's own scenario files.

A file holds one scenario, or several under `scenarios`; keys beside these apply to all of them. A key of a scenario
replaces a common one, but variables, outputs, tags, expectations and rubrics are merged.

A variable is a value, a list from which every conversation takes one value, or a definition as in a profile:
`{function: ..., type: ..., data: ...}`. Without a `number`, every combination is run once.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sparring.core.case import Case, Persona, Step
from sparring.scenarios.changes_of_mind import with_changes
from sparring.scenarios.conversation_settings import (
    FAULTS,
    LIMITS,
    NUMBER,
    check_number,
    fault_phrases,
    filled_faults,
    limits,
    number,
    tool_faults,
)
from sparring.scenarios.effects import EFFECTS, SETUP, Effect, effect_phrases, effects, filled_actions, setup
from sparring.scenarios.expansion import Expansion, LoadOptions, Row, Share, expand
from sparring.scenarios.expectations import EXPECTATIONS, expectations, rubrics
from sparring.scenarios.field_reader import MAX_CASES, FieldReader, ProblemList, bounded
from sparring.scenarios.field_types import (
    RIGHT,
    SEED,
    TAGS,
    TEXT,
    TEXTS,
    AnyOf,
    EntriesOf,
    Key,
    ListOf,
    OneOf,
    Record,
    Shared,
    schema_of_file,
)
from sparring.scenarios.file_names import slug, stem
from sparring.scenarios.goal_keys import GOALS, GoalSpec, goals, with_goal_expectations
from sparring.scenarios.goals import OUTPUTS, asking_goals, hints, outputs
from sparring.scenarios.kinds import ScenarioKind, SourceDocument, has_key
from sparring.scenarios.personas import PERSON, Person, conjunction, person
from sparring.scenarios.placeholders import check_placeholders, fill, fill_json
from sparring.scenarios.role_facts import ROLE_FACTS, RoleFacts, role_facts
from sparring.scenarios.script_steps import HISTORY, SCRIPT, Script, fill_step, history, script
from sparring.scenarios.variable_data import NEVER, VARIABLES, VariableSpec, definitions, fill_goal, never
from sparring.scenarios.variables import Variable, choices

Fields = Mapping[str, tuple[FieldReader, ...]]
"""The values of each key: the common one, then that of the scenario."""

_STARTS = OneOf(("user", "chatbot", "either"))
_OWN = Record(
    {
        "name": Key(TEXT, "what the scenario is called"),
        "user": Key(PERSON, "who the user is: a phrase, the name of a personality, or more about both"),
        "goals": Key(GOALS, "what the user wants; {{variables}} are filled in"),
        "variables": VARIABLES,
        "number": NUMBER,
        "never": NEVER,
        "answers": Key(EntriesOf(TEXT), "for the user without a model: what the chatbot may ask, and what to answer"),
        "script": Key(SCRIPT, "what the user says, line by line, and what is put into the chatbot's mouth"),
        "history": Key(HISTORY, "what was said before"),
        "starts": Key(_STARTS, "who speaks first"),
        "outputs": Key(AnyOf(OUTPUTS), "values to read out of what the chatbot says"),
        "fallbacks": Key(TEXTS, "what the chatbot says when it does not understand"),
        "right": Key(RIGHT, "what a right chatbot does with the goals"),
        "expect": Key(EXPECTATIONS, "what must hold in its conversations"),
        "judge": Key(TEXTS, "files with what a judge is asked about it"),
        "tags": TAGS,
        "limits": Key(LIMITS),
        "seed": Key(SEED),
    }
)
KEYS = _OWN | ROLE_FACTS | EFFECTS | FAULTS | SETUP
_FILE = KEYS | Record({"scenarios": Key(ListOf(Shared("scenario", lambda: KEYS), least=1))})


@dataclass(frozen=True, slots=True)
class _Scenario:
    """A scenario with open placeholders; `numbered` if it may expand to several conversations."""

    shared: Case
    person: Person
    goals: tuple[GoalSpec, ...]
    steps: tuple[Step, ...]
    variables: tuple[Variable, ...]
    number: int | Share
    size: int
    never: tuple[Row, ...]
    effects: tuple[Effect, ...]
    facts: RoleFacts
    numbered: bool


_OWN_KEYS = frozenset({"goals", "script", "scenarios"})


def cases(document: SourceDocument, options: LoadOptions) -> Expansion:
    """Return the conversations of a scenario file; raise an `InputError` with all problems."""
    root = FieldReader(document.data, document, ProblemList())
    scenarios = list(_scenarios(root, Path(document.file), options))
    bounded(root, range(sum(scenario.size for scenario in scenarios)), MAX_CASES, "conversations")
    root.problems.require_none()
    return Expansion(tuple(case for scenario in scenarios for case in _expanded(scenario, options)))


def _scenarios(root: FieldReader, file: Path, options: LoadOptions) -> Iterator[_Scenario]:
    common = root.fields(_FILE)
    several = common.pop("scenarios", None)
    if several is None:
        yield _scenario(stem(file), _merged(common, {}), root, file, options, numbered=True)
        return
    if not several.data:
        several.report("there is no scenario")
    common.pop("name", None)
    for index, part in enumerate(several.items(), 1):
        own = part.fields(KEYS)
        name = slug(own["name"].text()) if "name" in own else ""
        fields = _merged(common, own)
        numbered = "variables" in fields or "number" in fields
        yield _scenario(f"{stem(file)}/{name or index}", fields, part, file, options, numbered=numbered)


def _merged(common: Mapping[str, FieldReader], own: Mapping[str, FieldReader]) -> Fields:
    return {
        name: tuple(fields[name] for fields in (common, own) if name in fields)
        for name in KEYS.keys
        if name in common or name in own
    }


def _scenario(
    id: str, fields: Fields, whole: FieldReader, file: Path, options: LoadOptions, *, numbered: bool
) -> _Scenario:
    last = {name: parts[-1] for name, parts in fields.items()}
    variables = definitions(
        fields.get("variables", ()), VariableSpec(f"{options.seed}/{id}", options.today, file, options.outside)
    )
    wishes = goals(last["goals"]) if "goals" in last else []
    spoken = script(last["script"]) if "script" in last else Script()
    who = person(last["user"], file) if "user" in last else Person(Persona())
    if not wishes and not spoken.steps and isinstance(last["goals"].data if "goals" in last else [], list):
        whole.report("there are neither goals nor a script", "add goals or a script")
    apart = never(last["never"], variables) if "never" in last else ()
    wanted = number(last["number"]) if "number" in last else Share()
    size = check_number(wanted, variables, last.get("number", whole), never=apart)
    answers = hints(last["answers"]) if "answers" in last else {}
    names = [each.name for each in variables]
    known = role_facts(fields, names)
    filled = [
        *known.phrases,
        *(phrase for wish in wishes for phrase in wish.phrases),
        *spoken.phrases,
        *who.phrases,
        *effect_phrases(last),
        *fault_phrases(last),
    ]
    check_placeholders([*filled, *answers.values()], names)
    return _Scenario(
        shared=_shared(id, fields, last, spoken, answers, options),
        person=who,
        goals=tuple(wishes),
        steps=spoken.steps,
        variables=variables,
        number=wanted,
        size=size,
        never=apart,
        effects=tuple(effects(last)),
        facts=known,
        numbered=numbered,
    )


def _shared(
    id: str,
    fields: Fields,
    last: Mapping[str, FieldReader],
    spoken: Script,
    answers: Mapping[str, tuple[FieldReader, str]],
    options: LoadOptions,
) -> Case:
    """Return the part of a case that all conversations of a scenario share."""
    named = [each for part in fields.get("judge", ()) for each in rubrics(part)]
    expected = [each for part in fields.get("expect", ()) for each in expectations(part, steps=spoken.written)]
    wanted = {each.name: each for part in fields.get("outputs", ()) for each in outputs(part)}
    starts = last["starts"].one_of(_STARTS) if "starts" in last else ""
    right = last["right"].one_of(RIGHT) if "right" in last else ""
    return Case(
        id=id,
        answers={pattern: text for pattern, (_, text) in answers.items()},
        history=history(last["history"]) if "history" in last else (),
        outputs=tuple(wanted.values()),
        fallbacks=last["fallbacks"].texts() if "fallbacks" in last else (),
        starts=starts or "either",
        right=right or "act",
        faults=tool_faults(last),
        setup=setup(last),
        expectations=(*spoken.expectations, *expected),
        rubrics=tuple(dict.fromkeys(named)),
        tags=tuple(dict.fromkeys(tag for part in fields.get("tags", ()) for tag in part.texts())),
        seed=last["seed"].integer(SEED) if "seed" in last else options.seed,
        limits=limits(last["limits"], options.limits) if "limits" in last else options.limits,
    )


def _expanded(scenario: _Scenario, options: LoadOptions) -> Iterator[Case]:
    id = scenario.shared.id
    rows = expand(scenario.variables, scenario.number, seed=f"{options.seed}/{id}", never=scenario.never)
    for index, row in enumerate(rows, 1):
        styles = scenario.person.styles.pick(Random(f"{options.seed}/{id}/styles/{index}"))
        case = _filled(scenario, row)
        persona = case.persona.changed(styles=styles)
        case = case.changed(persona=persona, id=f"{id}/{index}" if scenario.numbered else id)
        yield with_changes(scenario.facts.added(case), scenario.variables, scenario.never)


def _filled(scenario: _Scenario, row: Row) -> Case:
    """Return the case with values in place of its placeholders."""
    persona, shared = scenario.person.persona, scenario.shared
    word = conjunction(persona.language)

    def said(phrase: str) -> str:
        return fill(phrase, row, conjunction=word)

    goals = tuple(
        goal.filled(fill_goal(goal.asks, row, scenario.variables, conjunction=word), row, conjunction=word)
        for goal in scenario.goals
    )
    filled = shared.changed(
        persona=persona.changed(role=said(persona.role), traits=tuple(map(said, persona.traits))),
        goals=goals,
        script=tuple(fill_step(step, row, said) for step in scenario.steps),
        answers={pattern: said(answer) for pattern, answer in shared.answers.items()},
        expectations=(
            *shared.expectations,
            *(effect.expectation(lambda value: fill_json(value, row, said)) for effect in scenario.effects),
        ),
        variables=row,
        choices=choices(scenario.variables),
        never=scenario.never,
        faults=filled_faults(shared.faults, row),
        setup=filled_actions(shared.setup, lambda value: fill_json(value, row, said)),
    )
    checked = with_goal_expectations(filled, scenario.goals)
    return checked.changed(goals=(*goals, *asking_goals(shared.outputs)))


KIND = ScenarioKind(
    label="scenario",
    schema=lambda: schema_of_file("A scenario, or several that share what stands beside them", _FILE),
    signature="goals or a script at its top",
    precedence=20,
    keys=_OWN_KEYS,
    recognises=has_key(_OWN_KEYS),
    cases=cases,
)
"""The plug-in `scenario`."""
