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
from web.conftest import Client

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
