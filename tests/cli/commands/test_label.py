"""`sparring label`, and what `sparring audit` makes of labels."""

import io
import json
from functools import partial
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, Ending, Evidence, GoalProgress, GoalStage
from sparring.core.message import message
from sparring.core.value import to_json

GOAL = Goal(text="a small pizza", variables=("size",), others={"size": ("big",)})
REPLY = "Done, your pizza is on its way."


@pytest.fixture
def project(tmp_path: Path, inside: Sparring) -> Sparring:
    """A batch `logs` of twelve conversations; the user asks for a wrong size in the odd ones."""
    done = GoalProgress(
        text=GOAL.text, asked_at=0, stage=GoalStage.DONE, evidence=Evidence(at=1, start=0, end=len(REPLY), text=REPLY)
    )
    held = [
        Conversation(
            case=Case(id=f"pizza/{n}", goals=(GOAL,), variables={"size": "small"}),
            messages=(
                message("user", f"I'd like a {('small', 'big')[n % 2]} pizza, please."),
                message("chatbot", REPLY),
            ),
            goals=(done,),
            ending=Ending.USER_DONE,
        )
        for n in range(12)
    ]
    (tmp_path / "logs.jsonl").write_bytes(b"".join(to_json(each) + b"\n" for each in held))
    inside("import", "logs.jsonl", "--name", "logs")
    return inside


def labelled(project: Sparring, tmp_path: Path, *rows: str) -> None:
    (tmp_path / "labels.csv").write_text("\n".join(("conversation,outcome,blame,turn,who,blind", *rows)))
    done = project("label", "logs", "--file", "labels.csv")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_label_with_blame_and_turn_is_kept_and_read_again(project: Sparring, tmp_path: Path):
    said = ("--outcome", "failed", "--blame", "user", "--turn", "1", "--who", "Ann", "--reason", "big, not small")
    before = project("audit", "logs").stdout

    assert project("label", "logs", "--conversation", "pizza/1", *said).returncode == 0

    (kept,) = json.loads(project("label", "logs", "--json").stdout)["labels"]
    assert kept.pop("when")
    assert kept == {
        "conversation": "pizza/1",
        "outcome": "failed",
        "blame": "user",
        "turn": 1,
        "score": None,
        "reason": "big, not small",
        "who": "Ann",
        "blind": True,
    }
    assert project("audit", "logs").stdout.startswith(before)  # a label changes no outcome
    printed = project("label", "logs").stdout
    (tmp_path / "again.csv").write_text(printed)
    assert project("label", "logs", "--file", "again.csv").returncode == 0
    assert project("label", "logs").stdout == printed


def test_from_ten_labels_on_the_agreement_on_blame_has_a_kappa(project: Sparring, tmp_path: Path):
    rows = [f"pizza/{n},failed,user,1,Ann,true" if n % 2 else f"pizza/{n},passed,,,Ann,true" for n in range(11)]
    labelled(project, tmp_path, *rows[:9])
    assert "kappa" not in project("audit", "logs").stdout

    labelled(project, tmp_path, *rows, "pizza/11,failed,chatbot,1,Ann,true")

    lines = project("audit", "logs").stdout.splitlines()
    assert "Agreement with people on blame, 12 labelled:" in lines
    (user,) = (line for line in lines if line.startswith("  user: "))
    assert "11 of 12 (5 by people, 6 by the audit), kappa 0.83 (cases like these " in user
    (chatbot,) = (line for line in lines if line.startswith("  chatbot: "))
    assert "11 of 12 (1 by people, 0 by the audit)" in chatbot


def test_labels_of_people_who_saw_the_outcome_count_for_no_agreement(project: Sparring, tmp_path: Path):
    labelled(project, tmp_path, "pizza/1,failed,user,1,Ann,false", "pizza/3,failed,,,Ann,true")

    assert json.loads(project("audit", "logs", "--json").stdout)["agreement"] == []


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ("pizza/0,passed,user,,,", "pizza/0: a conversation that passed has no party to blame, such as the user"),
        ("pizza/0,failed,user,7,,", "pizza/0: there is no turn 7, only 1 to 1"),
        ("pizza/0,good,,,,", "labels.csv:2: outcome: "),
        ("pizza/0,failed,usr,,,", "labels.csv:2: blame: "),
        ("pizza/99,failed,user,,,", "pizza/99"),
    ],
)
def test_a_label_that_makes_no_sense_is_not_kept(project: Sparring, tmp_path: Path, row: str, complaint: str):
    (tmp_path / "labels.csv").write_text(
        f"conversation,outcome,blame,turn,who,blind\n{row}\npizza/1,failed,user,1,Ann,true\n"
    )

    done = project("label", "logs", "--file", "labels.csv")

    assert done.returncode == 2
    assert complaint in done.stderr
    assert json.loads(project("label", "logs", "--json").stdout)["labels"] == []
    assert project("label", "logs", "--blame", "user").returncode == 2


def test_a_queue_of_drawn_conversations_is_labelled_key_by_key(
    project: Sparring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def pressed(who: str, keys: str) -> str:
        monkeypatch.setattr("sparring.cli.commands.label._key", partial(io.StringIO(keys).read, 1))
        done = project("label", "logs", "--sample", "4", "--who", who)
        assert done.returncode == 0, done.stderr
        return done.stderr

    first, rest, other = pressed("Ann", "13\n2\n\nq"), pressed("Ann", "1\n1\n"), pressed("Ben", "1\n")
    printed = project("label", "logs").stdout.splitlines()

    assert "--- 1 of 4" in first
    assert "--- 1 of 2" in rest
    assert "--- 1 of 4" in other
    assert printed[0] == "conversation,outcome,score,blame,turn,reason,who,when,blind"
    assert sorted(row.split(",")[6] for row in printed[1:]) == ["Ann"] * 4 + ["Ben"]
