"""Gaps of values in generated scenario files: those of a count in another way, and none that `never` excludes."""

from datetime import date
from random import Random

import pytest
import yaml

from generated_scenarios import drawn, pairs, played, possible
from sparring import parsing
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import message
from sparring.coverage.elements import CountedConversation
from sparring.coverage.tables import Suite, coverage
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.scenario_files import cases

pytestmark = pytest.mark.slow


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


def test_a_user_without_recorded_acts_makes_no_gap():
    case = Case(id="shop/1")
    silent = Conversation(case=case, messages=(message("user", "no, blue"),), ending=Ending.USER_DONE)
    table = next(
        each for each in coverage(Suite((case,)), [CountedConversation(silent)]) if each.name == "conversations"
    )

    assert not {"no correction", "no change of mind"} & {each.what for each in table.gaps}
    assert table.unmeasured
