"""Suggested scenarios are valid, close the gaps that they name, and cover most with few."""

from datetime import date
from random import Random

import pytest
import yaml

from generated_scenarios import drawn, pairs, played, possible
from sparring import parsing
from sparring.core.case import Case
from sparring.core.message import ToolCall, message
from sparring.coverage.elements import CountedConversation
from sparring.coverage.suggestions import SuggestedScenario, file_of, suggestions
from sparring.coverage.tables import Suite
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.scenario_files import cases


def loaded(text: str, file: str = "shop.yml") -> tuple[Case, ...]:
    return cases(parsing.parse(text, file), LoadOptions(1, date(2026, 1, 1))).cases


def suggested(made: tuple[Case, ...], done: int, *, most: int = 10) -> list[SuggestedScenario]:
    return suggestions(Suite(made), [played(each, answered=True) for each in made[:done]], most=most)


@pytest.mark.parametrize("seed", [*range(5), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(5, 30))])
def test_suggestions_close_all_pairs_that_can_occur(seed: int):
    file = drawn(Random(seed))
    rows = possible(file)
    made = loaded(yaml.safe_dump(file))
    found = suggested(made, 1, most=100)
    again = loaded(file_of(found), "more.yml") if found else ()

    chosen = [{name: each.variables[name] for name in rows[0]} for each in (made[0], *again)]
    assert pairs(chosen) == pairs(rows)
    assert all(each in rows for each in chosen)


def test_few_scenarios_have_all_values_and_most_pairs():
    variables = {"size": ["small", "medium", "big"], "drink": ["coke", "water", "tea"], "kind": list("ABCDEF")}
    file = {"goals": ["a {{size}} {{kind}} and {{drink}}"], "variables": variables}
    found = suggested(loaded(yaml.safe_dump(file)), 1)

    rows = [each.variables for each in loaded(file_of(found))]
    kept = {(name, value) for row in rows for name, value in row.items() if isinstance(value, str)}
    assert len(rows) == 10
    assert len(kept) >= 10
    assert len(pairs([{name: str(value) for name, value in row.items()} for row in rows])) >= 25


def test_values_are_replaced_wherever_they_stand():
    text = """
user: {role: "you live in {{city}}"}
goals: ["deliver 2 boxes to {{city}}", {asks: "how long does {{n}} take?", answer: 2 days}]
variables: {city: [Ulm, Bonn], n: [1, 2]}
answers: {"which city": "{{city}}, please"}
expect: ["not chatbot_says(city)"]
"""
    made = loaded(text)
    (first, *_) = suggested(made, 1, most=1)
    (case,) = loaded(file_of([first]))

    city, n = case.variables["city"], case.variables["n"]
    assert [each.text for each in case.goals] == [f"deliver 2 boxes to {city}", f"how long does {n} take?"]
    assert case.persona.role == f"you live in {city}"
    assert case.answers == {"which city": f"{city}, please"}
    assert [each.rule.then for each in case.expectations if each.goal is None] == ["not chatbot_says(city)"]


def test_suggestions_have_the_other_values_by_which_checks_know_what_is_wrong():
    made = loaded('goals: ["a {{size}} box"]\nvariables: {size: [small, medium, big]}\n')
    again = loaded(file_of(suggested(made, 1)))

    assert [(each.variables["size"], {*each.choices["size"]}) for each in again] == [
        ("medium", {"small", "medium", "big"}),
        ("big", {"small", "medium", "big"}),
    ]


def test_a_tool_that_never_failed_fails_and_a_user_changes_its_mind():
    made = loaded('goals: ["a {{size}} box"]\nvariables: {size: [small, big]}\nexpect: [turns() < 9]\n')
    one = played(made[0], answered=True).conversation
    said = (*one.messages[:1], message("chatbot", "ok", tool_calls=(ToolCall(name="order", arguments={}, result=1),)))
    found = suggestions(Suite(made), [CountedConversation(one.changed(messages=said))], most=10, breaks_tools=True)
    cases = loaded(file_of(found))

    closes = [gap for each in found for gap in each.closes]
    assert {"order: never failed", "no change of mind", "shop: size = big"} <= {*closes}
    assert [fault.tool for each in cases for fault in each.faults] == ["order"]
    assert [each.variables["size"] for each in cases if each.changes] == ["big"]


def test_nothing_is_suggested_where_all_is_tried():
    made = loaded('goals: ["a {{size}} box"]\nvariables: {size: [small, big]}\n')

    assert suggested(made, 2) == []
