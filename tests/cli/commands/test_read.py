import json
from pathlib import Path

import pytest

from command_line import Sparring

LINE = {
    "id": "a",
    "language": "English",
    "variables": {"size": "large"},
    "messages": [
        {"role": "user", "text": "How much is a large pizza? And where are you?"},
        {"role": "chatbot", "text": "The price of a large pizza is $12.50."},
    ],
    "goals": [
        {"text": "the price of a large pizza", "variables": ["size"], "label": "answered", "evidence": "$12.50"},
        {"text": "the parking lot", "variables": []},
    ],
    "outputs": [{"name": "price", "type": "money", "description": "the price of the pizza", "value": "$12.50"}],
}


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    (tmp_path / "talks.jsonl").write_text(json.dumps(LINE) + "\nnonsense\n")
    return tmp_path


def test_goals_and_outputs_of_a_plain_conversation_are_printed_as_json(inside: Sparring, talks: Path):
    done = inside("read", "talks.jsonl", "--json")

    (read,) = json.loads(done.stdout)["conversations"]
    assert done.returncode == 0
    assert [(goal["status"], goal["stage"]) for goal in read["goals"]] == [
        ("answered", "done"),
        ("unanswered", "not_asked"),
    ]
    assert read["outputs"] == [
        {"name": "price", "value": "$12.50", "evidence": {"at": 1, "start": 30, "end": 36, "text": "$12.50"}}
    ]
    assert "talks.jsonl:2: is not JSON" in done.stderr


def test_without_json_the_reading_is_text(inside: Sparring, talks: Path):
    done = inside("read", "talks.jsonl")

    assert done.stdout == (
        "a\n"
        "  answered    the price of a large pizza\n"
        "    message 2: 'The price of a large pizza is $12.50.'\n"
        "  unanswered  the parking lot (not asked)\n"
        "  price: $12.50\n"
        "    message 2: '$12.50'\n"
    )


def test_a_file_of_sensei_has_its_goals_and_outputs(inside: Sparring, tmp_path: Path):
    (tmp_path / "a.yml").write_text(
        "language: English\n"
        "ask_about:\n- 'the price of a {{size}} pizza'\n- size: [large]\n"
        "data_output:\n- total_price: $12.50\n---\n"
        "interaction:\n- User: The price of a large pizza?\n- Assistant: The total price is $12.50.\n"
    )

    (read,) = json.loads(inside("read", "a.yml", "--json").stdout)["conversations"]

    assert (read["goals"][0]["text"], read["outputs"][0]["value"]) == ("the price of a large pizza", "$12.50")


def test_conversations_of_a_run_are_read_again(inside: Sparring, tmp_path: Path):
    (tmp_path / "one.yml").write_text("goals: [a small custom pizza with corn]\n", encoding="utf-8")
    inside("run", "one.yml", "--chatbot", "pizzeria", "--model", "offline", "--output-dir", "out")

    done = inside("read", "out", "--json")

    (read,) = json.loads(done.stdout)["conversations"]
    assert [goal["stage"] for goal in read["goals"]] == ["done"]


def test_files_without_conversations_are_bad_input(inside: Sparring, tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("{}\n")

    done = inside("read", "a.jsonl")

    assert (done.returncode, "error: a.jsonl: no conversations found" in done.stderr) == (2, True)
