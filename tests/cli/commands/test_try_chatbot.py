"""`sparring try` over a real socket: from an address to a failing scenario."""

import json
from pathlib import Path

import pytest

from command_line import Sparring
from probed_bots import Pizza, served


@pytest.mark.slow
def test_an_address_becomes_scenarios_that_fail_until_the_bugs_are_mended(inside: Sparring, tmp_path: Path):
    faults = ["emoji", "charge"]
    with served(lambda: Pizza(*faults)) as address:
        done = inside("try", address)
        found = sorted(path.name for path in (tmp_path / "sparring" / "found").iterdir())
        failing = inside("run", "sparring/found", "--chatbot", "http:sparring/chatbot.yaml", "--model", "offline")
        faults.clear()
        mended = inside("run", "sparring/found", "--chatbot", "http:sparring/chatbot.yaml", "--model", "offline")

    assert done.returncode == 1
    assert "2 found" in done.stdout
    assert "The chatbot crashes after “🙂👍”" in done.stdout
    assert "The charge differs from the price stated" in done.stdout
    assert 'user: "Yes, please."' in done.stdout
    assert found == ["emoji-crash.yaml", "walk-price.yaml"]
    assert (failing.returncode, mended.returncode) == (1, 0)
    assert "2 failed" in failing.stdout


@pytest.mark.slow
def test_a_correct_chatbot_has_nothing_found(inside: Sparring, tmp_path: Path):
    with served(Pizza) as address:
        told = json.loads(inside("try", address, "--json").stdout)

    assert (told["found"], told["look_at"]) == ([], [])
    assert not (tmp_path / "sparring" / "found").exists()


@pytest.mark.slow
@pytest.mark.parametrize("chatbot", ["pizzeria", "service", "phone_orders"])
def test_nothing_certain_is_found_in_the_bundled_chatbots(inside: Sparring, chatbot: str):
    done = inside("try", chatbot, "--model", "offline", "--json")

    assert json.loads(done.stdout)["found"] == []


@pytest.mark.slow
@pytest.mark.parametrize("target", ["bot.yaml", "http:bot.yaml", "./bot.yaml", "http:./bot.yaml"])
def test_a_preset_is_tried_with_and_without_its_kind(inside: Sparring, tmp_path: Path, target: str):
    with served(Pizza) as address:
        body = "{session_id: '{{session}}', message: '{{message}}'}"
        (tmp_path / "bot.yaml").write_text(f"url: {address}\nbody: {body}\nreply: reply\n")
        done = inside("try", target, "--json")

    assert json.loads(done.stdout)["unreachable"] == "", done.stderr


@pytest.mark.slow
def test_braces_in_a_scenario_are_no_variables_and_earlier_files_are_not_run(inside: Sparring, tmp_path: Path):
    found = tmp_path / "sparring" / "found"
    found.mkdir(parents=True)
    (found / "earlier.yaml").write_text("cases: []\n")
    faults = ["angle"]
    with served(lambda: Pizza(*faults)) as address:
        done = inside("try", address)
        last = next(line for line in done.stdout.splitlines() if line.startswith("Next: "))
        files = [word for word in last.split() if word.endswith(".yaml") and "/found/" in word]
        again = inside("run", *files, "--chatbot", "http:sparring/chatbot.yaml", "--model", "offline")
        faults.clear()
        mended = inside("run", *files, "--chatbot", "http:sparring/chatbot.yaml", "--model", "offline")

    assert "found/earlier.yaml" not in last
    assert any("{{name}}" in (tmp_path / file).read_text() for file in files)
    assert (again.returncode, mended.returncode) == (1, 0), again.stderr


@pytest.mark.slow
def test_conversations_can_be_kept_and_read(inside: Sparring):
    with served(lambda: Pizza("charge")) as address:
        tried = inside("try", address, "--keep")

    assert "All conversations: " in tried.stdout
    conversation = tried.stdout.split()[-1]
    assert "Yes, please." in inside("show", "try", conversation).stdout


def test_a_class_that_takes_the_message_for_its_text_gets_a_hint(inside: Sparring, tmp_path: Path):
    (tmp_path / "shop.py").write_text("class Bot:\n    def reply(self, message):\n        return message.lower()\n")

    done = inside("try", "python:shop.py:Bot")

    assert (
        "STOPPED: the chatbot does not reply: AttributeError: 'Message' object has no attribute 'lower'" in done.stdout
    )
    assert "its text is message.text" in done.stdout


@pytest.mark.slow
def test_a_bug_that_takes_two_conversations_is_no_scenario_to_run(inside: Sparring):
    with served(lambda: Pizza("shared", "apart from those of other tests")) as address:
        done = inside("try", address)

    assert "not written, as it takes two conversations" in done.stdout
    assert ("Next:" in done.stdout) == (" written: sparring/found/" in done.stdout)


def test_a_preset_that_is_there_is_not_overwritten(inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring").mkdir()
    (tmp_path / "sparring" / "chatbot.yaml").write_text("mine", encoding="utf-8")
    with served(Pizza) as address:
        done = inside("try", address)

    assert done.returncode == 2
    assert (tmp_path / "sparring" / "chatbot.yaml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("target", ["https://bot.example.com/chat", "http://192.0.2.7/chat"])
def test_nothing_is_sent_to_a_server_elsewhere_unless_that_is_asked_for(inside: Sparring, target: str):
    done = inside("try", target)

    assert done.returncode == 2
    assert "it may take orders for real" in done.stderr
    assert "--yes" in done.stderr


def test_a_server_that_is_not_there_is_not_reachable(inside: Sparring):
    done = inside("try", "http://127.0.0.1:9/chat")

    assert done.returncode == 3
    assert "STOPPED: the chatbot does not reply: cannot connect to 127.0.0.1:9" in done.stdout


def test_the_goals_of_a_scenario_say_what_the_chatbot_does(inside: Sparring, tmp_path: Path):
    (tmp_path / "order.yml").write_text("goals: [a pizza, a pizza, order a drink]\n", encoding="utf-8")
    heard: list[str] = []
    with served(lambda: RecordingPizza(heard)) as address:
        done = inside("try", address, "--scenario", "order.yml", "--max-messages", "20")

    assert done.returncode == 3, "most probes had no messages left"
    assert {"I would like a pizza, please.", "I would like to order a drink, please."} <= set(heard)


class RecordingPizza(Pizza):
    """The pizzeria, which writes down what it hears."""

    def __init__(self, heard: list[str]) -> None:
        super().__init__()
        self._heard = heard

    def reply(self, text: str) -> str:
        self._heard.append(text)
        return super().reply(text)
