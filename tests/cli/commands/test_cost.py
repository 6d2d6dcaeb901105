import asyncio
import json
from pathlib import Path

import pytest

from command_line import Sparring
from fakes import with_model_calls
from sparring.core.usage import UnstoredUsage, Usage
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import RUBRIC, a_batch, a_conversation, a_verdict


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A store with two conversations, one of them with an unknown cost, and with an attempt that is not kept."""
    path = tmp_path / "store.db"

    async def fill() -> None:
        batch = a_batch("a", "b")
        first, second = (a_conversation(case) for case in batch.cases)
        unknown = {"user": Usage(calls=1, input_tokens=100, output_tokens=10, unknown_costs=1)}
        async with SqliteStore(path) as store:
            await store.create(batch)
            await store.add(batch.id, first)
            await store.add(batch.id, second.model_copy(update={"usage": unknown}))
            await store.drop(batch.id, UnstoredUsage(calls=1, input_tokens=7, cost=0.5, unconfirmed=1), run="killed")

    asyncio.run(fill())
    return path


def test_the_cost_of_a_batch_is_listed_by_role_model_and_conversation(inside: Sparring, stored: Path):
    done = inside("cost", "latest", "--store", stored)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "batch B1: $0.5012 and 1 of unknown price, 4 calls, 1,007 tokens in and 70 out\n"
        "by role\n"
        "  chatbot: $0.0012, 2 calls, 900 tokens in and 60 out\n"
        "  user: cost unknown, 1 call, 100 tokens in and 10 out\n"
        "by model\n"
        "  agenda (no model): cost unknown, 1 call, 100 tokens in and 10 out\n"
        "  grammar: $0.0012, 2 calls, 900 tokens in and 60 out\n"
        "by conversation, the dearest first\n"
        "  a: $0.0012, 2 calls, 900 tokens in and 60 out\n"
        "  b: cost unknown, 1 call, 100 tokens in and 10 out\n"
        "attempts that are not kept: $0.5000, 1 call, 7 tokens in and 0 out\n"
        "1 call of these may have been made: under way now, or when a process was killed\n"
    )


def test_an_unknown_cost_is_null_in_json(inside: Sparring, stored: Path):
    told = json.loads(inside("cost", "B1", "--store", stored, "--json").stdout)

    assert (told["roles"]["user"]["cost"], told["roles"]["user"]["unknown_costs"]) == (None, 1)
    assert (told["total"]["cost"], told["unkept"]["cost"]) == (pytest.approx(0.5012), 0.5)
    assert told["unconfirmed_calls"] == 1


def test_prices_may_be_ones_own_by_option_and_by_setting(inside: Sparring, stored: Path, tmp_path: Path):
    (tmp_path / "prices.yaml").write_text("prices:\n  grammar: {input: 1, output: 10}\n")

    by_option = inside("cost", "B1", "--store", stored, "--json", "--prices", "prices.yaml")
    (tmp_path / "sparring.yaml").write_text((tmp_path / "prices.yaml").read_text())
    by_setting = inside("cost", "B1", "--store", stored, "--json")

    assert json.loads(by_option.stdout)["models"]["grammar"]["cost"] == pytest.approx(0.0015)
    assert by_setting.stdout == by_option.stdout


def test_a_batch_without_model_calls_costs_nothing(inside: Sparring, profile: Path):
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline")

    assert inside("cost", "latest").stdout.endswith(": no calls\n")
    assert inside("cost", "nothing").returncode == 2


@pytest.fixture
def called(tmp_path: Path) -> Path:
    """A store with a conversation whose calls were noted, and what a judge took; and one from before they were."""
    path = tmp_path / "store.db"

    async def fill() -> None:
        batch = a_batch("a", "b")
        async with SqliteStore(path) as store:
            await store.create(batch)
            await store.add(batch.id, with_model_calls(a_conversation(batch.cases[0])))
            await store.add(batch.id, a_conversation(batch.cases[1]))
            await store.judge(batch.id, a_verdict("a"), rubric=RUBRIC)

    asyncio.run(fill())
    return path


def test_every_call_of_a_conversation_is_listed(inside: Sparring, called: Path):
    assert inside("cost", "B1", "a", "--store", called).stdout == (
        "conversation a: $0.0009 and 2 of unknown price, 5 calls, 1,200 tokens in and 75 out, 2 without a count\n"
        "  turn 1, user, agenda (no model): 0.25 s, 50 tokens in and 5 out, $0.0001\n"
        "  turn 1, chatbot, grammar: 0 tokens in and 0 out, 2 without a count, cost unknown, 2 attempts\n"
        "  turn 2, chatbot, grammar: 0.5 s, 450 tokens in and 30 out, $0.0006\n"
        "  judge, openai:judge, about polite: $0.0002, 1 call, 700 tokens in and 40 out\n"
    )
    assert inside("cost", "B1", "b", "--store", called).stdout == (
        "conversation b: $0.0012, 2 calls, 900 tokens in and 60 out\n  its calls were not noted one by one\n"
    )
    assert inside("cost", "B1", "c", "--store", called).returncode == 2


def test_calls_are_json_too_at_prices_of_ones_own(inside: Sparring, called: Path, tmp_path: Path):
    (tmp_path / "prices.yaml").write_text("prices:\n  grammar: {input: 1, output: 10, cached: 0}\n")

    told = json.loads(inside("cost", "B1", "a", "--store", called, "--json", "--prices", "prices.yaml").stdout)

    assert [(each["role"], each["model"], each["turn"], each["attempts"]) for each in told["calls"]] == [
        ("user", "agenda (no model)", 1, 1),
        ("chatbot", "grammar", 1, 2),
        ("chatbot", "grammar", 2, 1),
    ]
    assert [each["cost"] for each in told["calls"]] == [0.0001, None, pytest.approx(0.00065)]
    assert [(each["judge"], each["calls"]) for each in told["judges"]] == [("openai:judge", 1)]


def test_a_conversation_shows_what_each_turn_took(inside: Sparring, called: Path):
    assert inside("show", "B1", "a", "--store", called).stdout.endswith(
        "\ncalls of models\n"
        "  - turn 1: user 1 call, chatbot 1 call: "
        "50 tokens in and 5 out, 2 without a count, $0.0001 and 2 of unknown price\n"
        "  - turn 2: chatbot 1 call: 0.5 s, 450 tokens in and 30 out, $0.0006\n"
    )
