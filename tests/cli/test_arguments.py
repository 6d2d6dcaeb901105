import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow  # its tests play batches

OFFLINE = ("--chatbot", "pizzeria", "--model", "offline")
COMMANDS = [
    ("show", "same"),
    ("show", "same", "order/order"),
    ("report", "same"),
    ("cost", "same"),
    ("status", "same"),
    ("gate", "same"),
    ("compare", "same", "latest"),
    ("judge", "same"),
    ("fetch", "same"),
    ("check", "--rule", "turns() < 9", "--conversations", "same"),
    ("run", "--resume", "same"),
]


@pytest.fixture
def ids(inside: Sparring, tmp_path: Path) -> list[str]:
    """Two batches called `same`, of a case that is called `order/order`; the newest first."""
    (tmp_path / "sparring.yaml").write_text("gate: {pass_rate: 0}\n", encoding="utf-8")
    goals = [{"name": "order", "variables": {"ORDER_GOAL": ["a small custom pizza with ham"]}}]
    (tmp_path / "order.json").write_text(json.dumps(goals), encoding="utf-8")
    for _ in range(2):
        inside("run", "order.json", *OFFLINE, "--name", "same")
    return [each["id"] for each in json.loads(inside("show", "--json").stdout)["batches"]]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_name_means_its_newest_batch(inside: Sparring, ids: list[str], command: tuple[str, ...]):
    done, newest = inside(*command), inside(*(ids[0] if each == "same" else each for each in command))

    assert (done.returncode, done.stderr) == (0, newest.stderr)
    assert done.stdout.replace("same", ids[0]) == newest.stdout.replace("same", ids[0])


def test_an_id_and_latest_mean_one_batch(inside: Sparring, ids: list[str]):
    assert [inside("show", which).stderr for which in (*ids, "latest")] == ["", "", ""]


def test_a_name_in_use_is_a_warning_when_it_is_given_again(inside: Sparring, ids: list[str], tmp_path: Path):
    (tmp_path / "log.csv").write_text("id,role,text\n1,user,Hi\n1,assistant,Hello\n", encoding="utf-8")

    run, imported = (
        inside("run", "order.json", *OFFLINE, "--name", "same"),
        inside("import", "log.csv", "--name", "same"),
    )
    other = inside("run", "order.json", *OFFLINE, "--name", "other")

    told = "warning: 'same' is the name of"
    assert f"{told} {ids[0]}, {ids[1]} too: commands use the newest, which is now this one\n" in run.stderr
    assert f"{told} " in imported.stderr
    assert told not in other.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "rest", "told"),
    [
        ("8f2a", "", True),
        ("{{bot}}", "values: {bot: tea}\n", True),
        ("{{new_session}}", "", False),
        ("{{messages}}", "", False),
        ("{{customer}}", "", False),
        ("8f2a", "one_at_a_time: true\n", False),
        ("{{id}}", "start: {url: URL, keep: {id: reply}}\n", False),
        ("{{id}}", "values: {id: ''}\nkeep: {id: reply}\n", False),
    ],
)
def test_a_chatbot_that_cannot_isolate_conversations_is_a_warning(
    inside: Sparring, tmp_path: Path, bot: Any, sent: str, rest: str, told: bool
):
    rest = rest.replace("URL", bot.url)
    preset = f'url: {bot.url}\nbody: {{to: "{sent}", say: "{{{{message}}}}"}}\nreply: reply\n{rest}'
    (tmp_path / "bot.yaml").write_text(preset, encoding="utf-8")
    (tmp_path / "tea.yml").write_text("script: [Tea?]\nvariables: {customer: [Ann, Bo]}\n", encoding="utf-8")

    both = inside("run", "tea.yml", "--chatbot", "http:bot.yaml")
    one = inside("run", "tea.yml", "--chatbot", "http:bot.yaml", "--single", "0", "--no-stream")

    warning = "warning: nothing tells http:bot.yaml one conversation from another"
    assert [warning in done.stderr for done in (both, one)] == [told, False], both.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "rest", "told"),
    [
        ("{{session}}", "", True),
        ("{{session_uuid}}", "", True),
        ("{{new_session}}", "", False),
        ("{{session}}", "reset: {url: URL}\n", False),
        ("{{session}}", "start: {url: URL, keep: {session: reply}}\n", False),
    ],
)
def test_a_chatbot_that_may_remember_an_earlier_run_is_a_warning(
    inside: Sparring, tmp_path: Path, bot: Any, sent: str, rest: str, told: bool
):
    rest = rest.replace("URL", bot.url)
    preset = f'url: {bot.url}\nbody: {{to: "{sent}", say: "{{{{message}}}}"}}\nreply: reply\n{rest}'
    (tmp_path / "bot.yaml").write_text(preset, encoding="utf-8")
    (tmp_path / "tea.yml").write_text("script: [Do you have tea?]\nexpect: [chatbot_says('tea')]\n", encoding="utf-8")
    (tmp_path / "milk.yml").write_text("script: [Milk?]\nexpect: [chatbot_says('tea')]\n", encoding="utf-8")
    run = ("--chatbot", "http:bot.yaml")

    first = inside("run", "tea.yml", *run, "--name", "first")
    other = inside("run", "milk.yml", *run), inside("run", "tea.yml", *run, "--seed", "2")
    again = (
        inside("run", "tea.yml", *run),
        inside("run", "--resume", "first"),
        inside("rerun", "first", "--case", "tea/1"),
    )

    warning = "warning: http:bot.yaml was sent the same {{session}} before, in batch"
    assert [warning in done.stderr for done in (first, *other, *again)] == [False] * 3 + [told] * 3
    names = [json.loads(body)["to"] for *_, body in bot.asked if body]
    assert sent != "{{new_session}}" or len(names) == len(set(names)) == 5
