"""Offline conversations per second on one core: the agenda user and a reference bot, read and stored.

Event loop and garbage collection are those of `sparring run`.

The reference in the same run is the bare cost of the same turns: the grammar and the tools alone, called with the same
words, without a user, a reader or a store.

    python benchmarks/offline.py [CONVERSATIONS] [pizzeria|phone_orders]
"""

import argparse
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import orjson
from arguments import positive

from sparring.app.event_loop import run_in_loop
from sparring.app.wiring import PlayerNames, players
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Goal, Limits, OutputSpec
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.message import message
from sparring.core.value import Json
from sparring.runner.batch import reduced_gc, run
from sparring.runner.players import ResolvedPlayers
from sparring.scenarios import loading
from sparring.settings import Settings
from sparring.store.sqlite.store import SqliteStore
from sparring_bots.phone_orders.catalogue import shipped_catalogue
from sparring_bots.phone_orders.packaging import packed

BUDGET = 500
CONCURRENCY = 8
SIZES = ("small", "medium", "big")
TOPPINGS = ("cheese", "mushrooms", "ham", "bacon", "olives", "corn", "pepper", "chicken")
DRINKS = ("sprite", "coke", "water")


def cases(number: int, chatbot: str) -> tuple[Case, ...]:
    """Orders that all differ, so that nothing is measured that was only remembered."""
    return calls(number) if chatbot == "phone_orders" else pizzas(number)


def calls(number: int) -> tuple[Case, ...]:
    """Calls to the wholesaler in Russian, for one to four things of its catalogue."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls.json"
        path.write_bytes(orjson.dumps([{"name": f"call {n}", "variables": call(n)} for n in range(number)]))
        return loading.load([path], seed=1).cases


def call(n: int) -> dict[str, Json]:
    products = shipped_catalogue().products
    wanted = [products[(7 * n + 13 * place) % len(products)] for place in range(1 + n % 4)]
    goal: list[Json] = [
        {
            "name": each.ru,
            "qty": 1 + (n + place) % 5,
            "packaging": packed([*each.packs][n % len(each.packs)], "Russian"),
        }
        for place, each in enumerate(wanted)
    ]
    return {
        "AMB_LEVEL": n % 2,
        "PATIENCE": n % 4,
        "ORDER_GOAL": goal,
        "CURRENT_DATE": "2026-02-03 Tuesday",
        "DELIVERY_DAYS": "понедельник, четверг",
        "DELIVERY_DATE": "четверг",
        "LOCATIONS": ["ул. Садовая, 1", "пр. Мирный, 20"],
        "LOCATION": "пр. Мирный, 20",
        "SEED": n,
    }


def pizzas(number: int) -> tuple[Case, ...]:
    made = []
    for n in range(number):
        size, drink = SIZES[n % 3], DRINKS[n // 3 % 3]
        toppings = [TOPPINGS[n // 9 % 8], TOPPINGS[(n // 72 + n // 9 + 1) % 8]]
        made.append(
            Case(
                id=f"order/{n}",
                goals=(
                    Goal(text=f"a {size} custom pizza with {' and '.join(toppings)}", variables=("size", "toppings")),
                    Goal(text=f"the following drink: {drink}", variables=("drink",)),
                ),
                variables={"size": size, "toppings": toppings, "drink": drink},
                outputs=(
                    OutputSpec(name="price", type="money", description="the price of the whole order"),
                    OutputSpec(name="order_id", description="the order ID"),
                ),
                limits=Limits(turns=10),
                seed=n,
            )
        )
    return tuple(made)


async def ours(batch: Batch, resolved: ResolvedPlayers, store: SqliteStore) -> float:
    """Seconds of CPU for the batch."""
    begun = time.process_time()
    with reduced_gc(CONCURRENCY):
        async for _ in run(batch, resolved, store, concurrency=CONCURRENCY):
            pass
    return time.process_time() - begun


async def bare(conversations: list[Conversation], resolved: ResolvedPlayers) -> float:
    """Seconds of CPU for the chatbot alone, told the same words."""
    begun = time.process_time()
    with reduced_gc(CONCURRENCY):
        for conversation in conversations:
            async with resolved.chatbot.connect(conversation.case) as session:
                for said in conversation.messages:
                    if said.role == "user":
                        await session.reply(message("user", said.text))
    return time.process_time() - begun


async def main(number: int, chatbot: str) -> None:
    async with players(
        PlayerNames(chatbot, "offline", "agenda"), Settings().app_config(environment={}), clock=SystemClock()
    ) as (resolved, _):
        with tempfile.TemporaryDirectory() as folder:
            async with SqliteStore(Path(folder) / "benchmark.db") as store:
                who = Players(chatbot=chatbot, user="agenda")
                batch = Batch(id="benchmark", created=datetime.now(UTC), who=who, cases=cases(number, chatbot))
                seconds = await ours(batch, resolved, store)
                conversations = [conversation async for conversation in store.conversations(batch.id)]
    alone = await bare(conversations, resolved)
    turns = sum(conversation.turns for conversation in conversations)
    answered = sum(conversation.ending == "goals_answered" for conversation in conversations)
    print(f"{number} conversations, {turns} turns, {answered} with their goals answered")
    print(f"sparring  {number / seconds:8.0f} conversations/s of CPU  {seconds / turns * 1e6:6.0f} us a turn")
    print(
        f"bare      {number / alone:8.0f} conversations/s of CPU  {alone / turns * 1e6:6.0f} us a turn, chatbot alone"
    )
    print(f"ratio     {seconds / alone:8.1f} x the chatbot alone; budget: at least {BUDGET} conversations/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("conversations", type=positive, nargs="?", default=2000)
    parser.add_argument("chatbot", choices=("pizzeria", "phone_orders"), nargs="?", default="pizzeria")
    asked = parser.parse_args()
    run_in_loop(main(asked.conversations, asked.chatbot))
