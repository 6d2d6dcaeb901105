"""`run` and `check` accept the same rules, and say the same of what they reject."""

from pathlib import Path

import pytest

import sparring
from sparring import Case, Goal
from sparring.core.errors import InputError
from sparring.core.verdict import CheckOutcome

pytestmark = pytest.mark.slow  # its tests play batches

CASES = [
    Case(id="orders/1", goals=(Goal(text="the price"),), variables={"size": "small", "toppings": ["ham"]}),
    Case(id="hours/1", goals=(Goal(text="the hours"),), variables={"day": "Monday"}),
]
ACCEPTED = [
    "turns() < 20",
    "size == 'small'",
    "toppings[0] == 'ham'",
    "conv[0].size == conv[1].size or True",
    "exists(day == 'Monday')",
    "not chatbot_says(r'\\brefund\\b')",
    "language(last_reply()) in ['en', 'unknown']",
    "hasattr(conv[0], 'size') or ending == 'user_done'",
    "in_scenario(['orders']) or turns() < 20",
    "len(interaction) > 0 and data_output == []",
    "conversation_persona == 'default' and steps is None",
]
REJECTED = [
    "sise == 'small'",
    "size[0] == 's'",
    "language(last_reply()) == 'spanish'",
    "ending == 'user_dun'",
    "not chatbot_says('\\brefund')",
    "'hello' in chatbot_phrases",
    "turns( < 3",
    "unknown_function(3)",
    "conv[7].size == 'small'",
    "__import__('os')",
]


def answer(messages: list[object], variables: dict[str, object]) -> str:
    return "The price of everything is $9, and the hours are 9 to 5."


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> sparring.Results:
    return sparring.run(CASES, answer, model="offline", store=tmp_path_factory.mktemp("a") / "a.db")


@pytest.mark.parametrize("rule", ACCEPTED)
def test_what_check_accepts_run_accepts_with_the_same_outcome(recorded: sparring.Results, tmp_path: Path, rule: str):
    (checked,) = sparring.check(rule, recorded).findings

    (ran,) = sparring.run(CASES, answer, model="offline", rules=rule, store=tmp_path / "a.db").findings.findings

    assert checked.invalid == ran.invalid == ()
    assert (ran.outcome, ran.satisfied, ran.not_applicable) == (
        checked.outcome,
        checked.satisfied,
        checked.not_applicable,
    )
    assert checked.outcome is not CheckOutcome.ERROR or "language" in rule  # which may lack its package


@pytest.mark.parametrize("rule", REJECTED)
def test_what_check_rejects_run_rejects_at_the_same_place(recorded: sparring.Results, tmp_path: Path, rule: str):
    (checked,) = sparring.check(rule, recorded).findings

    with pytest.raises(InputError) as caught:
        sparring.run(CASES, answer, model="offline", rules=rule, store=tmp_path / "a.db")

    assert [(each.line, each.column) for each in checked.invalid] == [
        (each.line, each.column) for each in caught.value.problems
    ]
