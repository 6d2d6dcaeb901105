"""`sparring show`: a batch as a sentence, causes and the next command; a transcript with marks."""

import json
import socket
from pathlib import Path

import pytest

from command_line import Sparring

BOT = """\
def reply(messages, variables):
    if variables["drink"] == "gin":
        raise RuntimeError("no")
    return f"One {variables['drink']} costs $3." if variables["drink"] != "rum" else "One rum costs $5."
"""
CASES = """\
name: bar
goals: [{asks: "the price of {{drink}}", answer: "$3"}]
variables: {drink: [tea, rum, gin, milk]}
"""


@pytest.fixture
def bar(inside: Sparring, tmp_path: Path) -> Sparring:
    """A folder with two runs of one name, in which two of four conversations fail."""
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "bar.yml").write_text(CASES, encoding="utf-8")
    for _ in range(2):
        inside("run", "bar.yml", "--chatbot", "python:bot.py:reply", "--model", "offline", "--name", "bar")
    return inside


def test_a_batch_is_a_sentence_causes_and_the_next_command(bar: Sparring):
    lines = bar("show", "bar").stdout.splitlines()

    assert lines[1].startswith("✗ FAILED: 2 of 4 failed, 50 % [")
    assert lines[1].endswith("of cases like these pass; 2 causes")
    assert [line for line in lines if "The chatbot crashed (RuntimeError)" in line]
    assert lines[-1].startswith("  next      sparring show bar c-")
    assert lines[-1].endswith("sparring rerun bar --failed")
    assert "Conversations" not in lines


def test_conversations_are_listed_by_outcome_or_all(bar: Sparring):
    listed = {
        option: bar("show", "bar", option).stdout.count("\n  bar/") for option in ("--failed", "--undecided", "--all")
    }

    assert listed == {"--failed": 2, "--undecided": 0, "--all": 4}


def test_without_a_batch_the_newest_run_of_each_name_is_shown(bar: Sparring):
    rows = [line.split() for line in bar("show").stdout.splitlines() if "bar@" in line]
    listed = json.loads(bar("show", "--json").stdout)["batches"]

    assert [row[:3] for row in rows] == [["✗", "failed", "bar@2"]]
    assert "2 causes" in " ".join(rows[0])
    assert [each["sentence"] and each["sentence"]["word"] for each in listed] == ["FAILED", None]


def test_messages_that_show_a_failure_are_marked(bar: Sparring):
    lines = bar("show", "bar", "bar/2").stdout.splitlines()

    marked = [line for line in lines if line.startswith("✗ ")]
    assert "✗ | One rum costs $5." in marked
    assert not [line for line in bar("show", "bar", "bar/1").stdout.splitlines() if line.startswith("✗")]


def test_a_page_is_opened_only_on_a_server_that_listens(bar: Sparring, monkeypatch: pytest.MonkeyPatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        env = {"SPARRING_PORT": str(port)}
        done = [bar("show", "bar@2", *words, "--open", env=env) for words in ((), ("c-12",), ("bar/1",))]
    refused = bar("show", "bar@2", "--open", env=env)

    batch = done[0].stderr.split()[-1]
    assert opened == [batch, f"{batch}/conversations?cause=c-12", f"{batch}/conversation?id=bar%2F1"]
    assert batch.startswith(f"http://127.0.0.1:{port}/batches/")
    assert (refused.returncode, refused.stderr.splitlines()[0]) == (2, f"error: no server listens at port {port}")
