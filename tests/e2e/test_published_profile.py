"""A published profile that nobody here wrote, run as it is."""

import json
from pathlib import Path

import pytest

import corpus
from command_line import Sparring, sparring

__all__ = ["sparring"]

NAME = "pizza-order-evaluation__eval__custom_pizza"


@pytest.fixture
def published() -> Path:
    return corpus.folder() / "profiles" / f"{NAME}.yml"


def lines(folder: Path) -> list[str]:
    read = [json.loads(line) for line in (folder / "conversations.ndjson").read_text(encoding="utf-8").splitlines()]
    assert all(conversation.pop("timing") for conversation in read)
    return [json.dumps(conversation) for conversation in read]


def test_it_holds_six_conversations_that_end_with_goals_answered_and_outputs_filled(
    sparring: Sparring, published: Path, tmp_path: Path
):
    for name, seed in (("a", "7"), ("b", "7"), ("c", "8")):
        options = ("--chatbot", "pizzeria", "--model", "offline", "--seed", seed, "--output-dir", tmp_path / name)
        assert sparring("run", published, *options).returncode == 0

    one, again, other = (lines(tmp_path / name) for name in "abc")
    conversations = [json.loads(line) for line in one]
    assert [conversation["case"]["id"] for conversation in conversations] == [f"{NAME}/{n}" for n in range(1, 7)]
    assert {conversation["ending"] for conversation in conversations} == {"goals_answered"}
    assert all(output["evidence"] for conversation in conversations for output in conversation["outputs"])
    assert one == again
    assert one != other
