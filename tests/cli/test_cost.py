import asyncio
import json
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.usage import Usage
from sparring.store.sqlite import SqliteStore
from sparring.testing.recordings import a_batch, a_conversation


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A store with two conversations, one of which cost what nobody knows, and with an attempt that is not kept."""
    path = tmp_path / "store.db"

    async def fill() -> None:
        batch = a_batch("a", "b")
        first, second = (a_conversation(case) for case in batch.cases)
        unknown = {"user": Usage(calls=1, input_tokens=100, output_tokens=10, unknown_costs=1)}
        async with SqliteStore(path) as store:
            await store.create(batch)
            await store.add(batch.id, first)
            await store.add(batch.id, second.model_copy(update={"usage": unknown}))
            await store.drop(batch.id, Usage(calls=1, input_tokens=7, cost=0.5))

    asyncio.run(fill())
    return path


def test_what_a_batch_cost_is_told_by_role_model_and_conversation(inside: Sparring, stored: Path):
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
    )


def test_json_has_null_where_nobody_knows(inside: Sparring, stored: Path):
    told = json.loads(inside("cost", "B1", "--store", stored, "--json").stdout)

    assert (told["roles"]["user"]["cost"], told["roles"]["user"]["unknown_costs"]) == (None, 1)
    assert (told["total"]["cost"], told["unkept"]["cost"]) == (pytest.approx(0.5012), 0.5)


def test_prices_may_be_ones_own_by_option_and_by_setting(inside: Sparring, stored: Path, tmp_path: Path):
    (tmp_path / "prices.yaml").write_text("prices:\n  grammar: {input: 1, output: 10}\n")

    by_option = inside("cost", "B1", "--store", stored, "--json", "--prices", "prices.yaml")
    (tmp_path / "sparring.yaml").write_text((tmp_path / "prices.yaml").read_text())
    by_setting = inside("cost", "B1", "--store", stored, "--json")

    assert json.loads(by_option.stdout)["models"]["grammar"]["cost"] == pytest.approx(0.0015)
    assert by_setting.stdout == by_option.stdout


def test_a_batch_that_called_nobody_cost_nothing(inside: Sparring, profile: Path):
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline")

    assert inside("cost", "latest").stdout.endswith(": no calls\n")
    assert inside("cost", "nothing").returncode == 2
