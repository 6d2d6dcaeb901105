"""`sparring coverage` on a batch of a real chatbot."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from command_line import called
from json_schema import errors
from sparring.app.coverage import suggested as suggested_of
from sparring.core.batch import BatchInputs, PlayerNames
from sparring.core.errors import InputError
from sparring.reports.documents import json_schema
from sparring.settings import Settings
from sparring.testing.factories import a_batch, a_conversation
from sparring.testing.memory_store import MemoryStore

BOT = """\
def reply(messages, variables):
    return "Noted." if "blue" in messages[-1].text else "A red hat costs 10 dollars."
"""
ECHO = """\
def reply(messages, variables):
    return f"A {variables['color']} {variables['what']} costs 10 dollars."
"""
SHOP = """\
goals: ["a {{color}} {{what}}"]
variables:
  color: {function: pairwise(), data: [red, blue]}
  what: {function: pairwise(), data: [hat, coat]}
answers: {}
outputs: {price: money}
"""


def tables(folder: Path, *arguments: str) -> dict[str, Any]:
    done = called("coverage", *arguments, "--json", folder=folder, env={})
    assert done.returncode == 0, done.stderr
    return {each["name"]: each for each in json.loads(done.stdout)["tables"]}


def test_values_that_were_planned_but_never_answered_are_gaps(tmp_path: Path):
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "shop.yml").write_text(SHOP)
    (tmp_path / "more.yml").write_text("goals: [the opening hours]\n")
    (tmp_path / "tools.json").write_text('[{"function": {"name": "order", "parameters": {}}}]')
    called("run", "shop.yml", "--chatbot", "python:bot.py:reply", "--model", "offline", folder=tmp_path, env={})
    found = tables(tmp_path, "latest", "--sources", "more.yml", "--tools", "tools.json")

    assert "shop: color = blue" in [each["what"] for each in found["values"]["gaps"]]
    assert "more: the opening hours: never asked" in [each["what"] for each in found["goals"]["gaps"]]
    assert [each["what"] for each in found["tools"]["gaps"]] == ["order: never called"]
    closing = next(each["close"] for each in found["values"]["gaps"])
    (tmp_path / "close.yml").write_text(closing)
    assert called("validate", "close.yml", folder=tmp_path, env={}).returncode == 0
    printed = called("coverage", folder=tmp_path, env={}).stdout
    assert "  - shop: color = blue" in printed


def test_steps_of_a_playbook_apply_if_they_were_reached(tmp_path: Path):
    (tmp_path / "bot.py").write_text(BOT)
    steps = ['{user: "a red hat"}', "{expect_bot_regex: red hat}", '{user: "a blue hat"}', "{expect_bot_regex: Noted}"]
    (tmp_path / "play.yaml").write_text("steps:\n" + "".join(f"  - {each}\n" for each in steps))
    called("run", "play.yaml", "--chatbot", "python:bot.py:reply", "--model", "offline", folder=tmp_path, env={})

    found = tables(tmp_path, "latest")

    assert (found["checks"]["covered"], found["checks"]["gaps"]) == (2, [])


def test_a_file_that_holds_no_tools_is_refused(tmp_path: Path):
    (tmp_path / "tools.json").write_text('{"name": "order"}')
    called("demo", folder=tmp_path, env={})
    done = called("coverage", "latest", "--tools", "tools.json", folder=tmp_path, env={})

    assert (done.returncode, "expected tools" in done.stderr) == (2, True)


def suggested(folder: Path, *arguments: str) -> dict[str, Any]:
    done = called("suggest", "latest", *arguments, "--json", folder=folder, env={})
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.slow
def test_suggested_scenarios_close_gaps(tmp_path: Path):
    (tmp_path / "bot.py").write_text(ECHO)
    asked = SHOP.replace('"a {{color}} {{what}}"', '{asks: "a {{color}} {{what}}", answer: "10"}')
    (tmp_path / "shop.yml").write_text(f"{asked}number: 1\nexpect: [turns() < 9]\n")
    run = ("--chatbot", "python:bot.py:reply", "--model", "offline")
    called("run", "shop.yml", *run, "--name", "first", folder=tmp_path, env={})
    told = suggested(tmp_path, "--write", "more.yml")
    again = called("suggest", "latest", "--write", "more.yml", folder=tmp_path, env={})

    assert again.returncode == 2
    assert not errors({each["title"]: each for each in json_schema()["oneOf"]}["suggestions"], told, json_schema())
    called("run", "more.yml", *run, "--name", "more", folder=tmp_path, env={})
    gaps = tables(tmp_path, "first", "more")
    assert gaps["values"]["gaps"] == gaps["pairs"]["gaps"] == []
    assert "shop: color = blue" in [gap for each in told["suggestions"] for gap in each["closes"]]


def test_suggestions_are_for_the_prompts_that_the_batch_was_played_with():
    """A batch with pinned prompts opens its chatbot with these, and says if they are gone."""
    shop = a_batch("a")
    origin = BatchInputs(choice=PlayerNames("pizzeria", "offline", "agenda", prompts="0" * 64))

    async def suggest() -> None:
        async with MemoryStore() as store:
            batch = shop.changed(origin=origin)
            await store.create(batch)
            await store.add(batch.id, a_conversation(batch.cases[0]))
            await suggested_of(batch, store, Settings().app_config(), most=3)

    with pytest.raises(InputError, match="prompts 00000000"):
        asyncio.run(suggest())
