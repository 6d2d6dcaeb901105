"""Coverage names every gap that a generator plants into a full suite, and no other."""

from dataclasses import dataclass, field
from datetime import date
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

import sparring
from sparring import parsing
from sparring.core.case import Case, Goal, OutputSpec, Persona, Style
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage, Output
from sparring.core.message import Meant, Message, ToolCall, message
from sparring.core.prompts import ToolSchema
from sparring.coverage.elements import MOMENTS, CountedConversation
from sparring.coverage.elements import moments as moments_of
from sparring.coverage.tables import Suite, coverage
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.scenario_files import cases as cases_of

QUOTE = Evidence(at=1, start=0, end=2, text="ok")
REPLIES = {
    "fallback": "Sorry, I did not understand that.",
    "refusal": "I'm sorry, I cannot help with that.",
    "handoff": "I will connect you to a human agent.",
}


@dataclass
class Drawn:
    """A suite in which everything is covered, whose conversations a test then changes."""

    random: Random
    values: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    cases: list[Case] = field(default_factory=list)
    gaps: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for at in range(self.random.randint(2, 4)):
            names = [f"v{n}" for n in range(self.random.randint(2, 4))]
            self.values[f"scenario{at}"] = {
                name: [f"{name}{letter}x{at}" for letter in "abcd"[: self.random.randint(2, 4)]] for name in names
            }
        for scenario, variables in self.values.items():
            self.cases += [self.case(scenario, n, row) for n, row in enumerate(self.rows(variables), 1)]

    def rows(self, variables: dict[str, list[str]]) -> list[dict[str, str]]:
        """Return one row for each pair of values."""
        found = []
        for left, right in combinations(variables, 2):
            for one in variables[left]:
                for other in variables[right]:
                    row = {name: self.random.choice(values) for name, values in variables.items()}
                    found.append(row | {left: one, right: other})
        return found

    def case(self, scenario: str, number: int, row: dict[str, str]) -> Case:
        goals = tuple(Goal(text=f"the {name} {value} please", variables=(name,)) for name, value in row.items())
        expectation = Expectation(rule=Rule(name=f"{scenario} ends", then="turns() > 0"))
        return Case(
            id=f"{scenario}/{number}",
            goals=(*goals, Goal(text=f"the hours of {scenario}")),
            variables=row,
            persona=Persona(language=self.random.choice(["English", "Spanish"]), styles=(Style(name="long phrases"),)),
            outputs=(OutputSpec(name="price"),),
            expectations=(expectation,),
        )


def talk(case: Case, calls: list[ToolCall], moments: set[str]) -> Conversation:
    said: list[Message] = []
    for moment in sorted(moments & REPLIES.keys()):
        said += [message("user", "and?"), message("chatbot", REPLIES[moment])]
    acts = [Meant(act="wish")] + [
        Meant(act=act) for act, name in (("correction", "correction"), ("change", "change of mind")) if name in moments
    ]
    said += [message("user", "this", meant=tuple(acts)), message("chatbot", "Ok.", tool_calls=tuple(calls))]
    goals = tuple(GoalProgress(text=each.text, asked_at=0, stage=GoalStage.DONE, evidence=QUOTE) for each in case.goals)
    outputs = tuple(Output(name=each.name, evidence=QUOTE) for each in case.outputs)
    return Conversation(
        case=case, messages=tuple(said), goals=goals, outputs=outputs, ending=Ending.GOALS_ANSWERED, reports_tools=True
    )


def left_early(conversation: Conversation) -> Conversation:
    """Return a further conversation of the same case in which the user leaves before anything is done."""
    goals = tuple(GoalProgress(text=each.text, asked_at=0, stage=GoalStage.ASKED) for each in conversation.goals)
    bye = message("user", "bye", ends=True)
    return conversation.changed(repeat=2, messages=(bye,), goals=goals, outputs=(), ending=Ending.USER_DONE)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_planted_gaps_are_named_and_no_others(seed: int):
    random = Random(seed)
    drawn = Drawn(random)
    tools = {f"tool{n}": ["red", "blue", "green"] for n in range(6)}
    gaps: set[str] = set()

    # tools: never called, never failed, or never called with a value
    calls = []
    for name, colors in tools.items():
        fate = random.choice(["", "never called", "never failed", "never called with color = red"])
        gaps |= {f"{name}: {fate}"} if fate else set()
        if fate != "never called":
            used = [each for each in colors if not fate.endswith(each)]
            calls += [ToolCall(name=name, arguments={"color": each}, result=1) for each in used]
            calls += [] if fate == "never failed" else [ToolCall(name=name, arguments={}, error="no")]
    missing = set(random.sample(MOMENTS, 3))
    gaps |= {f"no {each}" for each in missing}
    cases = [each.changed(persona=Persona(styles=each.persona.styles)) for each in drawn.cases]
    played = [talk(each, calls, {*MOMENTS} - missing) for each in cases]
    if "early goodbye" not in missing:
        played.append(left_early(played[0]))

    # values and pairs of one scenario: the goal of every conversation that has them stays open
    where, variables = random.choice(sorted(drawn.values.items()))
    name, values = random.choice(sorted(variables.items()))
    value = random.choice(values)
    left, right = random.sample(sorted(set(variables) - {name}), 2) if len(variables) > 2 else (None, None)
    pair = {left: random.choice(variables[left]), right: random.choice(variables[right])} if left and right else None

    def opened(conversation: Conversation, names: set[str]) -> Conversation:
        goals = [
            progress.changed(stage=GoalStage.ASKED, evidence=None) if names & {*goal.variables} else progress
            for goal, progress in zip(conversation.case.goals, conversation.goals, strict=True)
        ]
        return conversation.changed(goals=tuple(goals))

    gaps.add(f"{where}: {name} = {value}")
    if pair:
        gaps.add(f"{where}: " + ", ".join(f"{key} = {each}" for key, each in sorted(pair.items())))
    hours = random.choice(sorted(drawn.values))
    stage = random.choice([GoalStage.NOT_ASKED, GoalStage.ASKED])
    told = "never asked" if stage is GoalStage.NOT_ASKED else "never answered"
    gaps.add(f"{hours}: the hours of {hours}: {told}")
    unstated = random.choice(sorted(drawn.values))
    gaps.add(f"{unstated}: price: never stated")
    for at, each in enumerate(played):
        scenario, row = each.case.id.split("/")[0], each.case.variables
        if scenario == where and row[name] == value:
            each = opened(each, {name})
        if pair and scenario == where and all(row[key] == wanted for key, wanted in pair.items()):
            each = opened(each, set(pair))
        if scenario == hours:
            last = GoalProgress(text=each.goals[-1].text, stage=stage, asked_at=None if told == "never asked" else 0)
            each = each.changed(goals=(*each.goals[:-1], last))
        played[at] = each.changed(outputs=()) if scenario == unstated else each

    # checks that never apply, a case that never ran, and a weak one
    applied = {"rule0", "rule1", *(f"{each} ends" for each in drawn.values)}
    idle = random.choice(sorted(applied))
    gaps.add(f"{idle}: never applies")
    extra = cases[0].changed(id=f"{drawn.cases[0].id.split('/')[0]}/999")
    weak = cases[-1].id
    gaps |= {f"{extra.id}: no conversation that counts", f"{weak}: passed by ok"}
    schemas = [
        ToolSchema(name=each, parameters={"properties": {"color": {"enum": colors}}}) for each, colors in tools.items()
    ]
    suite = Suite((*cases, extra), ("rule0", "rule1"), schemas, {weak: "ok"})
    tables = coverage(suite, [CountedConversation(each, frozenset(applied - {idle})) for each in played])

    found = {gap.what for table in tables for gap in table.gaps}
    expected = gaps | _also_missing(played, where, variables)
    assert found == expected
    assert gaps <= found
    assert all(table.covered + len(table.gaps) == table.of for table in tables)


def _also_missing(played: list[Conversation], where: str, variables: dict[str, list[str]]) -> set[str]:
    """Return values and pairs that are lost with the planted ones, counted in another way."""
    done: set[frozenset[tuple[str, str]]] = set()
    for each in played:
        if each.case.id.startswith(f"{where}/"):
            stages = {
                goal.variables[0]: one.stage
                for goal, one in zip(each.case.goals, each.goals, strict=True)
                if goal.variables
            }
            row = [(key, str(value)) for key, value in each.case.variables.items() if stages[key] is GoalStage.DONE]
            done |= {frozenset(some) for size in (1, 2) for some in combinations(row, size)}
    every = [(key, value) for key, values in variables.items() for value in values]
    lost = {one for one in every if frozenset([one]) not in done}
    pairs = [
        pair for pair in combinations(sorted(every), 2) if pair[0][0] != pair[1][0] and frozenset(pair) not in done
    ]
    told = [(one,) for one in lost] + [pair for pair in pairs if not lost & {*pair}]
    return {f"{where}: " + ", ".join(f"{key} = {value}" for key, value in some) for some in told}


def test_the_scenario_that_closes_a_gap_runs_with_the_missing_values():
    case = Case(
        id="shop/1",
        goals=(Goal(text="a red hat", variables=("color",)),),
        variables={"color": "red"},
        choices={"color": ("red", "blue")},
    )
    values = next(
        each for each in coverage(Suite((case,)), [CountedConversation(talk(case, [], set()))]) if each.name == "values"
    )

    (gap,) = values.gaps
    (closed,) = cases_of(parsing.parse(gap.close, "a.yml"), LoadOptions(0, date(2026, 1, 1))).cases
    assert gap.what == "shop: color = blue"
    assert (closed.variables, closed.goals[0].text) == ({"color": "blue"}, "a blue hat")


def test_what_cannot_be_measured_is_said():
    case = Case(id="shop/1", goals=(Goal(text="a hat"),))
    conversation = talk(case, [], set()).changed(reports_tools=False)

    tables = {each.name: each for each in coverage(Suite((case,)), [CountedConversation(conversation)])}
    assert tables["tools"].unmeasured == ("the chatbot does not report its tools",)
    assert tables["tools"].gaps == ()


def test_a_reply_that_regrets_is_a_refusal_where_refusing_is_right():
    case = Case(id="visit", goals=(Goal(text="a visit on Sunday"),), right="refuse")
    said = (message("user", "A visit on Sunday, please."), message("chatbot", "Sorry, we do not visit on Sunday."))
    held = Conversation(case=case, messages=said, ending=Ending.USER_DONE)

    assert ("no refusal",) in {*moments_of(held)}
    assert ("no refusal",) not in {*moments_of(held.changed(case=case.changed(right="act")))}


def test_scenarios_of_one_file_with_one_case_each_have_goals_of_their_own(tmp_path: Path):
    file = tmp_path / "faq.yml"
    file.write_text(
        "scenarios:\n"
        "  - {name: hours, goals: [{asks: the hours, answer: 9 am}]}\n"
        "  - {name: fee, goals: [{asks: the fee, answer: $2}]}\n"
    )

    tables = {table.name: table for table in coverage(Suite(sparring.load(file)), [])}

    assert [gap.what for gap in tables["goals"].gaps] == [
        "faq/hours: the hours: never asked",
        "faq/fee: the fee: never asked",
    ]
    assert tables["checks"].gaps == ()  # an answer is a stage of its goal
