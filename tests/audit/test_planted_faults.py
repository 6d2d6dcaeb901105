"""Planted faults of users: the audit finds them, and blames users for nothing else."""

import json

import pytest

from benchmarking import benchmark

pytestmark = pytest.mark.slow  # a benchmark plays conversations

FOUND = (
    "role_flip",
    "model_refusal",
    "meta",
    "prompt_leak",
    "foreign_value",
    "wrong_value",
    "wrong_verb",
    "hidden_value",
    "contradiction_stands",
    "consent_to_wrong",
    "goal_never_asked",
    "left_before_confirm",
    "left_on_consent",
    "repeated_opening",
    "goodbye_loop",
    "empty",
    "wrong_language",
    "speaks_for_bot",
    "coaching",
    "jailbreak",
    "obeyed_chatbot",
)
"""Kinds of which every planted fault is found."""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    file = tmp_path_factory.mktemp("audit") / "counts.json"
    arguments = ["--conversations", "3", "--clean", "0", "--json", str(file)]
    benchmark("audit.py", *arguments)
    return json.loads(file.read_text(encoding="utf-8"))["planted"]


def test_each_kind_of_fault_is_planted(measured: dict[str, dict[str, int]]):
    assert {kind: counts["planted"] for kind, counts in measured.items() if counts["planted"] != 3} == {}


@pytest.mark.parametrize("kind", FOUND)
def test_a_planted_fault_is_found(measured: dict[str, dict[str, int]], kind: str):
    assert measured[kind]["found"] == measured[kind]["planted"]


def test_no_certain_fault_is_found_where_none_was_planted(measured: dict[str, dict[str, int]]):
    """A user that denies what is right may leave on the same question when it comes again."""
    assert {kind: counts["false"] for kind, counts in measured.items() if counts["wrong"]}.keys() <= {"denies_right"}
