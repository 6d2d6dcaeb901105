"""Foreign published profiles, run as they are."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import corpus
from command_line import Sparring, sparring

pytestmark = [pytest.mark.extended, pytest.mark.process]

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


def test_over_http_it_says_the_same_as_in_process(sparring: Sparring, published: Path, tmp_path: Path):
    with pizzeria() as url:
        for name, chatbot in (("process", "pizzeria"), ("http", f"rasa:{url}")):
            options = ("--chatbot", chatbot, "--model", "offline", "--seed", "7", "--output-dir", tmp_path / name)
            assert sparring("run", published, *options).returncode == 0

    in_process, over_http = (seen(tmp_path / name) for name in ("process", "http"))
    assert in_process == over_http


def test_every_published_profile_is_played_against_any_chatbot_to_an_end_of_its_own(sparring: Sparring, tmp_path: Path):
    (tmp_path / "clerk.py").write_text(CLERK, encoding="utf-8")
    options = ("--chatbot", "python:clerk:reply", "--model", "offline", "--seed", "7", "--output-dir", tmp_path / "a")

    result = sparring("run", corpus.folder() / "profiles", *options)

    assert result.returncode == 1, result.stderr  # this clerk satisfies few
    conversations = [json.loads(line) for line in lines(tmp_path / "a")]
    assert len(conversations) == 188
    assert len({conversation["case"]["id"].rpartition("/")[0] for conversation in conversations}) == 65
    assert {conversation["ending"] for conversation in conversations} <= {"goals_answered", "user_done", "turn_limit"}
    by_the_user = [
        "".join(part["text"] for part in said["parts"])
        for conversation in conversations
        for said in conversation["messages"]
        if said["role"] == "user"
    ]
    assert all(words.strip() and "{{" not in words for words in by_the_user)


CLERK = """\
def reply(messages, variables):
    return f"Fine, {len(messages)}. It costs 10 euros, and we are open from 9:00 to 18:00. What else?"
"""


def seen(folder: Path) -> list[object]:
    """What both ways must agree on; tool calls, which show a goal done before the words do, are not seen over HTTP."""
    return [
        (
            [(said["role"], said["parts"]) for said in conversation["messages"]],
            conversation["ending"],
            [(goal["text"], goal["asked_at"], goal["stage"]) for goal in conversation["goals"]],
            conversation["outputs"],
        )
        for conversation in map(json.loads, lines(folder))
    ]


@contextmanager
def pizzeria() -> Iterator[str]:
    """The pizzeria as a server of its own; the address."""
    command = [sys.executable, "-u", "-m", "sparring_bots.pizzeria", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as server:
        try:
            assert server.stdout is not None
            ready = server.stdout.readline()
            yield ready.split()[-1]
        finally:
            server.terminate()
