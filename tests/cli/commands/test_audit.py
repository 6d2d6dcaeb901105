"""`sparring audit` over stored conversations."""

import json
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.value import to_json

GOAL = Goal(text="a small pizza", variables=("size",), others={"size": ("big",)})


def conversation(id: str, *said: str, stage: GoalStage = GoalStage.DONE) -> Conversation:
    roles = ("user", "chatbot")
    messages = tuple(message(roles[number % 2], text) for number, text in enumerate(said))
    quote = Evidence(at=1, start=0, end=len(said[1]), text=said[1])
    return Conversation(
        case=Case(id=id, goals=(GOAL,), variables={"size": "small"}),
        messages=messages,
        goals=(GoalProgress(text=GOAL.text, asked_at=0, stage=stage, evidence=quote),),
        ending=Ending.USER_DONE,
    )


@pytest.fixture
def imported(tmp_path: Path, inside: Sparring) -> None:
    """A batch `logs` of a good conversation, one with a wrong value, and one in which the user serves."""
    right = conversation("right", "I'd like a small pizza, please.", "Done, a small pizza is on its way.")
    wrong = conversation(
        "wrong", "I'd like a big pizza, please.", "Done, a big pizza is on its way.", stage=GoalStage.CONTRADICTED
    )
    flipped = conversation(
        "flipped",
        "I'd like a small pizza, please.",
        "Which drink?",
        "Welcome! How can I help you today?",
        "Pardon?",
        stage=GoalStage.ASKED,
    )
    lines = b"".join(to_json(each) + b"\n" for each in (right, wrong, flipped))
    (tmp_path / "logs.jsonl").write_bytes(lines)
    done = inside("import", "logs.jsonl", "--name", "logs")
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr


@pytest.mark.usefixtures("imported")
def test_faults_are_listed_with_their_words(inside: Sparring):
    done = inside("audit", "logs")

    assert done.returncode == 0
    assert "wrong: void (undecided as played), to blame: user" in done.stdout
    assert 'turn 1: "big"' in done.stdout
    assert "role_flip (certain, user)" in done.stdout
    assert "right:" not in done.stdout
    assert "2 conversations with faults, 2 void" in done.stdout


@pytest.mark.usefixtures("imported")
def test_strict_fails_if_a_conversation_is_void(inside: Sparring):
    assert inside("audit", "logs", "--strict").returncode == 1
    assert inside("audit", "logs", "--strict", "--conversation", "right").returncode == 0


@pytest.mark.usefixtures("imported")
def test_conversations_are_selected(inside: Sparring):
    assert "wrong: void" not in inside("audit", "logs", "--kind", "role_flip").stdout
    assert "no faults" in inside("audit", "logs", "--conversation", "right").stdout
    assert "0 conversations with faults" in inside("audit", "logs", "--blame", "chatbot").stdout
    assert inside("audit", "logs", "--conversation", "none").returncode == 2


@pytest.mark.usefixtures("imported")
def test_json_has_faults_and_outcomes(inside: Sparring):
    told = json.loads(inside("audit", "logs", "--json", "--cohort").stdout)

    by_id = {each["conversation"]: each for each in told["conversations"]}
    assert told["void"] == 2
    assert by_id["wrong"]["as_played"] == "undecided"
    assert by_id["wrong"]["faults"][0]["kind"] == "wrong_value"
    assert by_id["wrong"]["faults"][0]["touches"] == ["size", "goal:1"]
    assert told["cohort"] == {**told["cohort"], "conversations": 3, "distinct_openings": None}


@pytest.mark.usefixtures("imported")
def test_every_look_at_the_batch_has_the_same_outcomes(inside: Sparring):
    shown = json.loads(inside("show", "logs", "--json").stdout)
    assert shown["outcomes"] == {"passed": 0, "failed": 0, "undecided": 1, "void": 2}
    assert shown["faults"] == {"role_flip": 1, "wrong_value": 1}
    assert shown["statistics"]["as_played"]["these"]["value"] is None
    assert "audit" in inside("show", "logs", "wrong").stdout


@pytest.mark.usefixtures("imported")
def test_an_unknown_kind_of_fault_is_refused_with_the_nearest_one(inside: Sparring):
    done = inside("audit", "logs", "--kind", "wrong_valeu")

    assert done.returncode == 2
    assert "unknown kind of fault" in done.stderr
    assert "did you mean 'wrong_value'?" in done.stderr
    assert inside("audit", "logs", "--kind", "case.ambiguous").returncode == 0


def test_a_void_conversation_without_faults_is_listed_with_its_reason(tmp_path: Path, inside: Sparring):
    good = conversation("stuck", "I'd like a small pizza, please.", "Which drink?", stage=GoalStage.ASKED)
    stuck = good.changed(ending=Ending.USER_STUCK, error="it made up a value")
    (tmp_path / "logs.jsonl").write_bytes(to_json(stuck) + b"\n")
    inside("import", "logs.jsonl", "--name", "logs")

    done = inside("audit", "logs", "--strict")

    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "stuck: void, to blame: user",
        "  the simulated user did not understand the chatbot: it made up a value",
        "0 conversations with faults, 1 void",
    ]
