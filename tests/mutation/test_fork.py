"""`sparring fork`: replays from a turn, with a change or to find the turn that decides."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import called
from json_schema import errors
from sparring.reports.documents import json_schema

BOT = """\
import random

SURE = 1.0

def reply(messages, variables):
    lost = any("(lost)" in each.text for each in messages if each.role == "chatbot")
    said = messages[-1].text.lower()
    if "attic" in said and random.random() < SURE:
        return "To the attic (lost)."
    return f"It costs {99 if lost else 10} dollars." if "price" in said else "Noted."

class Bot:
    lost = False

    def reply(self, message):
        said = message.text.lower()
        self.lost = self.lost or ("attic" in said and random.random() < SURE)
        return f"It costs {99 if self.lost else 10} dollars." if "price" in said else "Noted."
"""
LINES = ["hello", "a red one", "to the attic", "thanks", "the price", "bye"]
CHECK = "not chatbot_says('99')"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A folder with chatbots that lose an order that goes to the attic, and a script in which one does."""
    (tmp_path / "bot.py").write_text(BOT)
    script = "".join(f"  - {line}\n" for line in LINES)
    (tmp_path / "shop.yml").write_text(f'script:\n{script}expect: ["{CHECK}"]\n')
    return tmp_path


def run(folder: Path, bot: str = "reply", file: str = "shop.yml") -> int:
    return called(
        "run", file, "--chatbot", f"python:bot.py:{bot}", "--model", "offline", folder=folder, env={}
    ).returncode


def forked(folder: Path, *arguments: str) -> Any:
    done = called("fork", "latest", "shop/1", *arguments, "--json", folder=folder, env={})
    told = json.loads(done.stdout)
    schemas = {each["title"]: each for each in json_schema()["oneOf"]}
    assert not errors(schemas[told["kind"]], told, json_schema())
    return told


@pytest.mark.parametrize("bot", ["reply", "Bot"])
def test_another_line_at_the_turn_that_decides_makes_the_conversation_pass(shop: Path, bot: str):
    run(shop, bot)
    found = forked(shop, "--at", "3", "--say", "to the cellar", "--runs", "4")

    assert (found["recorded"]["failed"], found["changed"]["failed"], found["changed"]["of"]) == (4, 0, 4)
    assert found["restored"] is (bot == "reply")
    assert found["difference"]["high"] < 0
    assert found["difference"]["p"] == pytest.approx(2 / 70)
    assert forked(shop, "--at", "4", "--say", "to the cellar", "--runs", "2")["changed"]["failed"] == 2
    assert forked(shop, "--at", "3", "--skip", "--runs", "2")["changed"]["failed"] == 0


def test_what_is_changed_is_quoted(shop: Path):
    run(shop, "reply")

    done = called(
        "fork", "latest", "shop/1", "--at", "3", "--say", "to\nthe cellar", "--runs", "1", folder=shop, env={}
    )

    assert done.stdout.splitlines()[0] == 'shop/1, turn 3: the user says "to\\nthe cellar"'


def test_a_chatbot_that_takes_a_history_has_said_the_other_reply(shop: Path):
    run(shop)
    kept = forked(shop, "--at", "3", "--reply", "To the cellar.", "--runs", "2")
    lost = forked(shop, "--at", "1", "--reply", "Hello (lost).", "--check", CHECK, "--runs", "2")

    assert (kept["recorded"]["failed"], kept["changed"]["failed"], lost["changed"]["failed"]) == (2, 0, 2)


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["reply", "Bot"])
def test_the_turn_that_decides_is_found(shop: Path, bot: str):
    run(shop, bot)
    found = forked(shop, "--find")

    assert (found["turn"], found["among"], found["deterministic"], found["evidence"]) == (3, [3], True, 9)
    assert found["runs"] <= 40
    done = called("fork", "latest", "shop/1", "--find", folder=shop, env={})
    assert "turn 3 decides" in done.stdout
    assert "to the attic" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("bot", ["reply", "Bot"])
def test_the_turn_of_a_random_chatbot_is_found(shop: Path, bot: str):
    for seed in range(20):
        random = f"import random as r\nrandom = r.Random({seed})\n"
        (shop / "bot.py").write_text(random + BOT.replace("import random\n", "").replace("SURE = 1.0", "SURE = 0.6"))
        if run(shop, bot) == 1:
            break
    found = forked(shop, "--find")

    assert not found["deterministic"]
    assert 3 in found["among"]
    assert found["runs"] <= 40


@pytest.mark.slow
def test_the_turn_of_a_user_that_words_its_goals_is_found(shop: Path):
    (shop / "bot.py").write_text(
        "def reply(messages, variables):\n"
        "    said = [each.text.lower() for each in messages if each.role == 'user']\n"
        "    forgot = [line for line in said[:1] if 'red' in line and 'blue' not in line]\n"
        "    return 'A red balloon, 99 dollars.' if forgot and len(said) > 1 else 'A balloon, what else?'\n"
    )
    (shop / "shop.yml").write_text(f'goals: [a red balloon, a blue balloon, the hours]\nexpect: ["{CHECK}"]\n')
    run(shop)
    found = forked(shop, "--find", "--check", CHECK)

    assert (found["turn"], found["by"]) == (1, "wordings")


def test_lines_that_are_left_out_are_no_fault_of_the_user(shop: Path):
    lines = ["a red balloon", "a blue balloon", "a balloon in the attic", "a gold balloon", "the price"]
    (shop / "shop.yml").write_text(f'goals: {lines}\nexpect: ["{CHECK}"]\n')
    run(shop, "Bot")
    found = forked(shop, "--find", "--check", CHECK)

    assert (found["turn"], found["by"], found["deterministic"]) == (3, "lines", True)


def test_a_failure_that_does_not_come_back_is_said_to(shop: Path):
    run(shop)
    (shop / "bot.py").write_text(BOT.replace("99", "10"))
    done = called("fork", "latest", "shop/1", "--find", folder=shop, env={})

    assert (done.returncode, "not reproduced" in done.stdout) == (3, True)


def test_a_tool_returns_another_result(tmp_path: Path):
    (tmp_path / "shop.yml").write_text(
        "script: [a large margherita pizza and two cokes, 'yes', 'yes']\nexpect: [\"not chatbot_says('777')\"]\n"
    )
    called("run", "shop.yml", "--chatbot", "pizzeria", "--model", "offline", folder=tmp_path, env={})
    shown = json.loads(called("show", "latest", "shop/1", "--json", folder=tmp_path, env={}).stdout)
    calls = [call for each in shown["messages"] for call in each.get("tool_calls", ())]
    result = next(each["result"] for each in calls if each["name"] == "place_order") | {"order_id": "777"}
    told = forked(tmp_path, "--at", "2", "--tool-result", f"place_order={json.dumps(result)}", "--runs", "1")
    refused = called("fork", "latest", "shop/1", "--at", "1", "--tool-result", "prize=1", folder=tmp_path, env={})

    assert told["tool"] == {"name": "place_order", "result": result}
    assert told["changed"]["failed"] > told["recorded"]["failed"]
    assert (refused.returncode, "there is no tool 'prize'" in refused.stderr) == (2, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--at", "2"), "one change is needed"),
        (("--at", "2", "--say", "a", "--skip"), "one change is needed"),
        (("--say", "a"), "the turn to change is missing"),
        (("--at", "9", "--say", "a"), "the conversation has turns 1 to 6"),
        (("--at", "1", "--tool-result", "price"), "expected TOOL=JSON"),
        (("--at", "1", "--tool-result", "price=1"), "takes no results for its tools"),
        (("--find", "--at", "1"), "leave --at out"),
        (("--at", "1", "--skip", "--check", "nothing"), "there is no such check"),
    ],
)
def test_what_cannot_be_changed_is_refused(shop: Path, arguments: tuple[str, ...], said: str):
    run(shop)
    done = called("fork", "latest", "shop/1", *arguments, folder=shop, env={})

    assert (done.returncode, said in done.stderr) == (2, True)
