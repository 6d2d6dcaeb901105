"""Gaps of values in generated scenario files: those of a count in another way, and none that `never` excludes."""

from datetime import date
from itertools import combinations, product
from random import Random
from typing import Any

import pytest
import yaml

from sparring import parsing
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.message import Meant, message
from sparring.coverage.elements import CountedConversation
from sparring.coverage.tables import Suite, coverage
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.scenario_files import cases

QUOTE = Evidence(at=1, start=0, end=2, text="ok")
WORDS = ("red", "blue", "green", "amber", "1", "12", "2.5", "A-7", "in two days")


def drawn(random: Random) -> dict[str, Any]:
    """Return a scenario file with combinations that never occur, often several that exclude another one together."""
    sizes = [random.randint(2, 4) for _ in range(random.randint(2, 4))]
    lists = {f"v{n}": random.sample(WORDS, size) for n, size in enumerate(sizes)}
    names = list(lists)
    never = [
        {name: random.choice(lists[name]) for name in random.sample(names, random.randint(2, min(3, len(names))))}
        for _ in range(random.randint(0, 3))
    ]
    if random.random() < 1 / 2 and len(names) > 2:
        one, other, last = names[:3]
        pair = {one: lists[one][0], other: lists[other][0]}
        never += [pair | {last: each} for each in lists[last]]
    variables = {name: {"function": "pairwise()", "data": data} for name, data in lists.items()}
    some = {"function": "random(2)", "data": ["ham", "corn", "figs"]}
    goals = [f"number {n} is {{{{{name}}}}}" for n, name in enumerate(names)]
    return {
        "goals": [*goals, "with {{some}}"],
        "variables": {**variables, "some": some, "fixed": 7},
        "never": never,
    }


def played(case: Case, *, answered: bool) -> CountedConversation:
    stage = GoalStage.DONE if answered else GoalStage.ASKED
    evidence = QUOTE if answered else None
    goals = tuple(GoalProgress(text=each.text, asked_at=0, stage=stage, evidence=evidence) for each in case.goals)
    said = (message("user", "this", meant=(Meant(act="wish"),)), message("chatbot", "ok"))
    return CountedConversation(Conversation(case=case, messages=said, goals=goals, ending=Ending.GOALS_ANSWERED))


def possible(file: dict[str, Any]) -> list[dict[str, str]]:
    """Return all rows of values that the file allows."""
    lists = {name: each["data"] for name, each in file["variables"].items() if name.startswith("v")}
    rows = [dict(zip(lists, values, strict=True)) for values in product(*lists.values())]
    return [row for row in rows if not any(rule.items() <= row.items() for rule in file["never"])]


def pairs(rows: list[dict[str, str]]) -> set[str]:
    return {
        ", ".join(f"{name} = {value}" for name, value in some)
        for row in rows
        for some in combinations(sorted(row.items()), 2)
    }


def gaps(suite: Suite, conversations: list[CountedConversation]) -> dict[str, list[str]]:
    return {each.name: [gap.what for gap in each.gaps] for each in coverage(suite, conversations)}


@pytest.mark.parametrize("seed", range(60))
def test_gaps_of_pairs_are_those_that_can_be_closed(seed: int):
    random = Random(seed)
    file = drawn(random)
    rows = possible(file)
    if not rows:
        pytest.skip("it excludes every row")
    made = cases(parsing.parse(yaml.safe_dump(file), "shop.yml"), LoadOptions(seed, date(2026, 1, 1))).cases
    whole = gaps(Suite(made), [played(each, answered=True) for each in made])
    done = [each for each in made if random.random() < 0.6]
    some = gaps(Suite(made), [played(each, answered=each in done) for each in made])

    assert [each for each in whole["values"] if "v" in each.split(": ")[1][0]] == []
    assert [each for each in whole["pairs"] if "some" not in each] == []
    covered = pairs([{name: each.variables[name] for name in rows[0]} for each in done])
    values = [row.items() for row in rows]
    lost = {item for row in values for item in row} - {
        (name, each.variables[name]) for each in done for name in rows[0]
    }
    told = {
        each
        for each in pairs(rows) - covered
        if not any(f"{name} = {value}" in each.split(", ") for name, value in lost)
    }
    assert {each for each in some["values"] if each.startswith("shop: v")} == {
        f"shop: {name} = {value}" for name, value in lost
    }
    assert {each for each in some["pairs"] if "some" not in each and "fixed" not in each} == {
        f"shop: {each}" for each in told
    }


def test_of_several_values_at_once_each_is_a_value():
    file = 'goals: ["a pizza with {{some}}"]\nvariables: {some: {function: random(2), data: [ham, corn, figs, nuts]}}\n'
    made = cases(parsing.parse(file, "shop.yml"), LoadOptions(3, date(2026, 1, 1))).cases
    chosen = made[0].variables["some"]
    assert isinstance(chosen, list)

    missing = [each for each in ("ham", "corn", "figs", "nuts") if each not in chosen]
    assert gaps(Suite(made), [played(made[0], answered=True)])["values"] == [f"shop: some = {each}" for each in missing]


def test_a_user_who_does_not_tell_what_it_means_makes_no_gap():
    case = Case(id="shop/1")
    silent = Conversation(case=case, messages=(message("user", "no, blue"),), ending=Ending.USER_DONE)
    table = next(
        each for each in coverage(Suite((case,)), [CountedConversation(silent)]) if each.name == "conversations"
    )

    assert not {"no correction", "no change of mind"} & {each.what for each in table.gaps}
    assert table.unmeasured
