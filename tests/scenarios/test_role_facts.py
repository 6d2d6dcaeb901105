"""Facts of the user in files of all kinds."""

from pathlib import Path

import pytest

from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.extraction.role_sheet import role_sheet
from sparring.scenarios.loading import load


def loaded(folder: Path, text: str, *, seed: int = 1) -> list[Case]:
    file = folder / "file.yaml"
    file.write_text(text, encoding="utf-8")
    return list(load([file], seed=seed).cases)


SCENARIO = """
goals: ['a {{size}} pizza']
variables: {size: small, total: 40}
facts: {name: Ann Lee, age: 34, dog: ['{{size}} Rex', Tom]}
"""
PROFILE = """
user:
  role: a customer
  goals: ["a {{size}} pizza", size: {function: default(), type: string, data: [small]}]
  facts: {name: Ann Lee, age: 34, dog: ['{{size}} Rex', Tom]}
chatbot: {is_starter: false}
"""
PLAYBOOK = """
variables: {size: small}
facts: {name: Ann Lee}
cases:
  - facts: {age: 34, dog: ['{{size}} Rex', Tom]}
    steps: [user: Hello]
"""


@pytest.mark.parametrize("text", [SCENARIO, PROFILE, PLAYBOOK])
def test_facts_are_declared_by_slot(tmp_path: Path, text: str) -> None:
    (case,) = loaded(tmp_path, text)
    assert {fact.slot: fact.values for fact in case.facts} == {
        "name": ("Ann Lee",),
        "age": ("34",),
        "dog": ("small Rex", "Tom"),
    }


def test_a_scenario_replaces_common_facts_slot_by_slot(tmp_path: Path) -> None:
    text = "goals: [x]\nfacts: {name: Ann, age: 34}\nscenarios:\n  - facts: {name: Bob}\n"
    (case,) = loaded(tmp_path, text)
    assert [(fact.slot, fact.values) for fact in case.facts] == [("name", ("Bob",)), ("age", ("34",))]


def test_a_made_up_identity_is_reserved_and_seeded(tmp_path: Path) -> None:
    text = "goals: [x]\nuser: You are Ann Lee.\nidentity: reserved\n"
    (case,), (again,), (other,) = (loaded(tmp_path, text, seed=seed) for seed in (1, 1, 2))
    facts = {fact.slot: fact.values[0] for fact in case.facts}
    assert list(facts) == ["phone", "email", "address"]
    assert "555-0100" <= facts["phone"] <= "555-0199"
    assert facts["email"].endswith("@example.com")
    assert {fact.source for fact in case.facts} == {"sparring"}
    assert again.facts == case.facts != other.facts


def test_hidden_variables_are_never_said(tmp_path: Path) -> None:
    (case,) = loaded(tmp_path, SCENARIO + "hidden: [total]\n")
    assert case.unspoken == ("total",)
    assert role_sheet(case).hidden == ("total",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hidden: [totl]", "'totl' is not a variable: did you mean 'total'?"),
        ("identity: mine", "unknown value 'mine'"),
        ("facts: {name: '{{siz}}'}", "{{siz}} is not a variable: did you mean 'size'?"),
        ("facts: {name: {first: Ann}}", "should be a text, a number, or a list of these"),
        ("facts: {name: []}", "there is no value"),
    ],
)
def test_mistakes_are_problems_with_their_place(tmp_path: Path, text: str, problem: str) -> None:
    base = "goals: ['a {{size}} pizza']\nvariables: {size: small, total: 40}\n"
    with pytest.raises(InputError) as error:
        loaded(tmp_path, base + text + "\n")
    (found,) = error.value.problems
    assert (found.line, problem.split(":")[0] in str(found)) == (3, True)


def test_an_answer_may_name_a_fact(tmp_path: Path) -> None:
    text = "goals: [x]\nfacts: {home: 12 Elm Street}\nanswers: {deliver: home, floor: the second}\n"
    (case,) = loaded(tmp_path, text)
    assert case.answers == {"deliver": "12 Elm Street", "floor": "the second"}
