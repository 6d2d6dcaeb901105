"""The page of a batch, REST and the command line state the same usage, which adds up."""

import html
import json
import re
from pathlib import Path

import pytest

from command_line import Sparring, sparring
from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_case, a_conversation, a_verdict
from web.conftest import Client, Open

__all__ = ["sparring"]  # a fixture

BATCH = "01J0000000000000000000000A"

pytestmark = pytest.mark.slow


def used(attempt: int, **roles: Usage) -> Conversation:
    conversation = a_conversation(a_case("order"))
    assert conversation.timing is not None
    timing = conversation.timing.model_copy(update={"attempt": attempt})
    return conversation.model_copy(update={"usage": roles, "timing": timing})


async def test_usage_is_the_same_on_the_page_over_rest_and_in_the_terminal(
    client: Client, sparring: Sparring, tmp_path: Path
):
    one, two = Usage(calls=2, input_tokens=100, output_tokens=20, cost=0.25), Usage(calls=1, input_tokens=7, cost=0.5)
    batch = a_batch("order", id=BATCH)
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        await store.add(BATCH, used(1, chatbot=one, user=two))
        await store.replace(BATCH, used(2, chatbot=one))
        judged = a_verdict("order").model_copy(update={"usage": two})
        await store.judge(BATCH, judged, rejudge=True)

    stated = client.get(f"/api/batches/{BATCH}/cost").json()
    page = client.get(f"/batches/{BATCH}", headers={"accept": "text/html"}).text
    shown = " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())
    told = json.loads(sparring("cost", BATCH, "--store", "sparring.db", "--json").stdout)

    parts = {name: (each["calls"], each["cost"]) for name, each in stated["by_role"].items()}
    assert parts == {"chatbot": (2, 0.25), "judge": (1, 0.5), "dropped": (3, 0.75)}
    assert (stated["total_requests"], stated["total_cost_usd"], stated["total_tokens"]) == (6, 1.5, 254)
    assert (told["total"]["calls"], told["total"]["cost"], told["unkept"]["calls"]) == (6, 1.5, 3)
    assert (
        "judge $0.5000 1 call, 7 tokens not kept $0.7500 3 calls, 127 tokens total $1.50 6 calls, 254 tokens" in shown
    )


async def test_the_page_and_rest_count_at_the_configured_prices(opened: Open, tmp_path: Path):
    client = opened(prices={"judge:m": {"input": 3, "output": 0}})
    used_up = Usage(calls=1, input_tokens=1_000_000, unknown_costs=1)
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(a_batch("order", id=BATCH))
        await store.add(BATCH, used(1))
        await store.judge(BATCH, a_verdict("order").model_copy(update={"usage": used_up, "judge": "judge:m"}))

    stated = client.get(f"/api/batches/{BATCH}/cost").json()
    page = client.get(f"/batches/{BATCH}", headers={"accept": "text/html"}).text

    assert stated["total_cost_usd"] == 3
    assert "$3.00" in page
