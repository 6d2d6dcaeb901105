"""Whatever is written in a file, the answer is cases or complaints."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparring import parsing
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios import profiles, scenario_files
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring_bots.phone_orders import scenarios_json

TERMS = LoadOptions(seed=7, today=date(2025, 3, 14))

PROFILE = {
    "test_name": "orders",
    "llm": {"model": "m", "temperature": 0.5, "format": {"type": "text"}},
    "user": {
        "language": "Spanish",
        "role": "r",
        "context": ["you are in a hurry"],
        "goals": [
            "{{a}} {{b}} {{c}} {{d}} {{e}}",
            {"a": {"function": "forward(b)", "type": "string", "data": ["x", "y"]}},
            {"b": {"function": "forward()", "type": "int", "data": {"min": 1, "max": 3, "step": 1}}},
            {"c": {"function": "another(2)", "type": "float", "data": {"min": 0, "max": 1, "linspace": 3}}},
            {"d": {"function": "random(rand)", "type": "string", "data": {"date": {"set": ">today(2)", "fake": 2}}}},
            {"e": {"function": "random()", "type": "date", "data": {"min": "1/1/2025", "max": "1/2/2025"}}},
        ],
    },
    "chatbot": {"is_starter": True, "fallback": "Sorry?", "output": [{"price": {"type": "money", "description": "p"}}]},
    "conversation": {
        "number": "sample(0.5)",
        "goal_style": {"all_answered": {"limit": 5}},
        "interaction_style": [{"random": ["long phrases", {"change language": ["spanish"]}]}],
    },
}
ORDER = [{"name": "milk", "qty": 2, "from_history": True}, "bread", ["eggs", 317]]
SCENARIOS = [
    {"name": "a", "variables": {"ORDER_GOAL": ORDER, "PATIENCE": 1, "AMB_LEVEL": 2, "SEED": 3, "LANGUAGE": "French"}},
    {"name": "b", "variables": {"order_goal": '[{"name": "milk"}]', "LOCATIONS": ["here", {"city": "there"}], "x": 1}},
]
SCENARIO_FILE = {
    "user": {
        "role": "{{a}}",
        "personality": "rude-user",
        "traits": ["{{b}}"],
        "language": "French",
        "styles": ["default"],
    },
    "variables": {
        "a": ["x", "y"],
        "b": 3,
        "c": {"function": "pairwise()", "data": [1, 2, 3]},
        "d": {"function": "pairwise()", "type": "string", "data": ["x", "y"]},
        "e": {"function": "covering(1)", "type": "float", "data": {"min": 0, "max": 1, "step": 0.5}},
    },
    "never": [{"c": 1, "d": "x"}],
    "answers": {"why": "{{a}}"},
    "history": [{"user": "hello"}],
    "limits": {"turns": 3, "steps": 4, "cost": 0.5},
    "tags": ["smoke"],
    "scenarios": [
        {"name": "n", "goals": ["{{c}}"], "number": "sample(0.3)", "outputs": {"price": "money"}, "seed": 3},
        {"script": ["{{d}}", {"say": "bye", "expect": ["x"]}], "starts": "user", "expect": [{"then": "x", "after": 1}]},
    ],
}
WORDS = [
    *("", "x", "{{a}}", "any(x)", "default", "random", "steps", "random steps", "sample(0.5)", "change language", "["),
    *("forward(a)", "forward(e)", "another(2)", "linspace(3)", "day(2)", "1/1/2025", ">today(1)", "string", "date"),
]

numbers = st.integers(-3, 5) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | st.sampled_from(WORDS)
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=3)
)


def paths(data: Any) -> Iterator[tuple[Any, ...]]:
    """The way to everything in it."""
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for step, value in inside:
        yield (step,)
        yield from ((step, *rest) for rest in paths(value))


def spoiled(data: Any) -> st.SearchStrategy[Any]:
    """The data with something else in one or two places."""

    def with_changes(changes: list[tuple[tuple[Any, ...], object]]) -> Any:
        new = deepcopy(data)
        for (*way, last), value in changes:
            place = new
            with suppress(KeyError, IndexError, TypeError):
                for step in way:
                    place = place[step]
                place[last] = value
        return new

    return st.lists(st.tuples(st.sampled_from(list(paths(data))), anything), max_size=2).map(with_changes)


def answered(read: Callable[[], Expansion]) -> None:
    """Reads, and lets no other error through than the one that lists complaints; cases can be written down."""
    with suppress(InputError):
        cases = read().cases
        assert cases == tuple(Case.model_validate_json(case.model_dump_json()) for case in cases)


@pytest.mark.slow
@settings(max_examples=150)
@given(spoiled(PROFILE) | anything)
def test_any_profile_is_cases_or_complaints(data: object):
    answered(lambda: profiles.cases(parsing.parse(json.dumps(data)), TERMS))


@pytest.mark.slow
@settings(max_examples=150)
@given(spoiled(SCENARIO_FILE) | anything)
def test_any_scenario_file_is_cases_or_complaints(data: object):
    answered(lambda: scenario_files.cases(parsing.parse(json.dumps(data)), TERMS))


@pytest.mark.slow
@settings(max_examples=150)
@given(spoiled(SCENARIOS) | anything)
def test_any_list_of_scenarios_is_cases_or_complaints(data: object):
    answered(lambda: scenarios_json.cases(JsonDocument(json.dumps(data)), TERMS))


def test_what_is_spoiled_here_is_sound_before():
    expansion = profiles.cases(parsing.parse(json.dumps(PROFILE)), TERMS)

    assert len(expansion.cases) == 3
    assert len(scenario_files.cases(parsing.parse(json.dumps(SCENARIO_FILE)), TERMS).cases) == 39
    assert len(scenarios_json.cases(JsonDocument(json.dumps(SCENARIOS)), TERMS).cases) == 2
