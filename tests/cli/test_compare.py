import json
from pathlib import Path

from command_line import Sparring


def test_a_batch_is_compared_with_itself(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: ['a small custom pizza with ham']\n")
    for name in ("before", "after"):
        inside("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", name)

    done = inside("compare", "before", "after")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NO CHANGE THAT CAN BE TOLD FROM CHANCE: 0 better, 0 worse, 1 the same of 1 case")


def test_a_chatbot_that_got_worse_is_told_and_shown(inside: Sparring, tmp_path: Path):
    for number in range(6):
        (tmp_path / f"order{number}.yml").write_text(
            "user: a hungry customer\ngoals: ['a small custom pizza with ham']\n"
        )
    files = [f"order{number}.yml" for number in range(6)]
    inside("run", *files, "--chatbot", "pizzeria", "--model", "offline", "--name", "before")
    (tmp_path / "mute.py").write_text("def reply(messages, variables):\n    return 'Well.'\n")
    inside("run", *files, "--chatbot", "python:mute:reply", "--model", "offline", "--name", "after")

    done = inside("compare", "before", "after", "--show", "1")

    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("WORSE: 0 better, 6 worse, 0 the same of 6 cases (p = 0.031, below 0.05)")
    assert "chatbot: pizzeria before, python:mute:reply after" in done.stdout
    assert "+   | Well." in done.stdout


def test_a_comparison_is_json(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("user: a hungry customer\ngoals: ['a small custom pizza with ham']\n")
    inside("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", "before")

    compared = json.loads(inside("compare", "before", "latest", "--json").stdout)

    assert compared["pairs"] == {"passed": 1, "failed": 0, "better": 0, "worse": 0, "undecided": 0}


def test_batches_without_a_case_in_common_cannot_be_compared(inside: Sparring, tmp_path: Path):
    for name in ("one", "other"):
        (tmp_path / f"{name}.yml").write_text("user: a hungry customer\ngoals: ['a small custom pizza with ham']\n")
        inside("run", f"{name}.yml", "--chatbot", "pizzeria", "--model", "offline", "--name", name)

    done = inside("compare", "one", "other")

    assert (done.returncode, done.stdout.splitlines()[0]) == (
        3,
        "NOTHING TO COMPARE: no case was decided in both batches",
    )
