"""Faults of all kinds in 500 calls of three models and more: a batch states what the provider counted, to the last."""

from collections import Counter
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

from model_faults import InjectedFault, completion
from model_server import LoopbackModelServer
from sparring.app.launch import conversations_to_retry
from sparring.app.results import costs_of, summarize
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.batch import Batch, Players
from sparring.core.case import Case, Goal, Limits
from sparring.core.clock import SystemClock
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Pricing, Usage
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.model import ModelJudge
from sparring.llm import template
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.client.openai_compatible import OpenAICompatible
from sparring.llm.client.retry import Retries
from sparring.llm.client.transport import Response
from sparring.llm.model import MeteredModel
from sparring.reports.service_results import cost
from sparring.runner.batch import run
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import ResolvedPlayers
from sparring.testing.factories import CREATED
from sparring.testing.memory_store import MemoryStore
from sparring.users.simulated import Simulated

CASES, TURNS = 48, 6
PRICE = Pricing(input=3.0, output=7.0)
FREE = (InjectedFault.status(429), InjectedFault.status(500), InjectedFault.html(502))
BILLED = (
    InjectedFault.cut_off(),
    InjectedFault.invalid_json(),
    InjectedFault.disconnect(),
    InjectedFault.reset(),
    InjectedFault.response(completion({"role": "assistant", "content": "Too late."}), headers=(("x-late", "yes"),)),
)
VERDICT = "{}"


def without_choices(used: dict[str, int]) -> InjectedFault:
    return InjectedFault.response(completion({}, choices=[], usage=used))


class Impatient(HttpTransport):
    """A transport that times out where the provider says so, after it has answered."""

    async def send(self, *asked: Any, **more: Any) -> Response:
        response = await super().send(*asked, **more)
        if "x-late" in response.headers:
            raise TimeoutError
        return response


class CountingProvider:
    """Counts what it answers, refuses, breaks, filters, and bills although it is of no use, by model."""

    def __init__(self) -> None:
        self.random = Random(11)
        self.made, self.refused, self.broken, self.filtered, self.useless = (Counter[str]() for _ in range(5))
        self.tokens = Counter[str]()

    def __call__(self, body: dict[str, Any]) -> InjectedFault:
        model = body["model"]
        drawn = self.random.random()
        if drawn < 0.06:
            self.refused[model] += 1
            return self.random.choice(FREE)
        self.made[model] += 1
        if drawn < 0.12:
            self.broken[model] += 1
            return self.random.choice(BILLED)
        used = {"prompt_tokens": self.random.randrange(90, 900), "completion_tokens": self.random.randrange(9, 90)}
        self.tokens[model] += sum(used.values())
        if drawn < 0.13:
            self.filtered[model] += 1
            return InjectedFault.filtered(usage=used)
        if drawn < 0.15:
            self.useless[model] += 1
            return without_choices(used)
        said = VERDICT if model == "judge" else f"This is message {len(body['messages'])}."
        return InjectedFault.response(completion({"role": "assistant", "content": said}, usage=used))


async def played(batch: Batch, store: MemoryStore, provider: CountingProvider, *, runs: int = 1, most: int = 20) -> int:
    """Play a batch by three models of one server, then retry what is void; return the number of requests."""
    async with LoopbackModelServer(otherwise=provider, keep=False) as server, Impatient() as transport:

        def model(name: str) -> MeteredModel:
            retries = Retries(SystemClock(), Random(7), sleep=no_time, most=most)
            client = OpenAICompatible(name, url=server.url, transport=transport, retries=retries, price=PRICE)
            return MeteredModel(client, name)

        judge = NamedJudge(ModelJudge(model("judge")), "judge")
        chatbot = Prompted(model("chatbot"), template.read("You count."))
        players = ResolvedPlayers(chatbot, Simulated(model("user")), PatternReader(), SystemClock(), judge)
        for run_number in range(runs):
            async for _ in run(batch, players, store, concurrency=8, retry_failed=run_number > 0):
                pass
    return server.calls


def a_batch(number: int, *goals: Goal) -> Batch:
    limits = Limits(turns=TURNS, steps=TURNS, reply_seconds=60)
    who = Players(chatbot="prompted", chatbot_model="chatbot", user="simulated (user)", judge="judge")
    cases = tuple(Case(id=f"case/{n}", seed=n, limits=limits, goals=goals) for n in range(number))
    return Batch(id="B1", created=CREATED, who=who, cases=cases)


@pytest.mark.slow
async def test_calls_tokens_and_cost_by_role_and_model_are_what_the_provider_counted():
    provider, store, batch = CountingProvider(), MemoryStore(), a_batch(CASES)
    calls = await played(batch, store, provider)
    summary = await summarize(batch, store)

    assert calls >= 500
    await require_the_counts_of(provider, batch, store)
    faults = (provider.refused, provider.broken, provider.useless)
    assert [len(each) for each in (*faults, provider.filtered)] == [3] * 4, "each model has all faults"
    assert summary.retries == sum(each.total() for each in faults)


@pytest.mark.slow
async def test_calls_that_are_refused_at_every_attempt_are_no_calls():
    provider, store, batch = CountingProvider(), MemoryStore(), a_batch(CASES)
    await played(batch, store, provider, most=2)
    summary = await summarize(batch, store)

    assert summary.retries < (provider.refused + provider.broken + provider.useless).total(), "some calls were given up"
    await require_the_counts_of(provider, batch, store)


async def require_the_counts_of(provider: CountingProvider, batch: Batch, store: MemoryStore) -> None:
    stated = cost(await costs_of(batch, store, {}), datetime(2026, 1, 1, tzinfo=UTC))
    for by in (stated.by_role, stated.by_model):
        assert {name: usage.calls for name, usage in by.items()} == dict(provider.made)
        assert {name: usage.unknown_tokens for name, usage in by.items()} == dict(provider.broken)
        assert {name: usage.tokens for name, usage in by.items()} == dict(provider.tokens)
        assert added(by) == (stated.total_requests, stated.total_tokens, round(stated.total_cost_usd or 0, 9))


@pytest.mark.slow
async def test_what_void_and_retried_conversations_used_is_counted_to_the_last_call():
    provider, store, batch = CountingProvider(), MemoryStore(), a_batch(10, Goal(text="a large pizza with ham"))
    await played(batch, store, provider, runs=2)
    costs = await costs_of(batch, store, {})

    _, rows = await store.search("B1", ConversationQuery(), offset=0, limit=100)
    void = [each.attempt for each in rows if each.first_outcome is Outcome.VOID]
    assert (len(void) > 5, {*void}) == (True, {2}), "the user talks about nothing"
    assert await conversations_to_retry("B1", store) == len(void)
    assert costs.total.calls == sum(provider.made.values())
    assert costs.total.unknown_tokens == sum(provider.broken.values())
    assert costs.total.tokens == sum(provider.tokens.values())
    for by in (costs.by_role, costs.by_model, costs.conversations | {"dropped": costs.unkept}):
        assert added(by) == added({"total": costs.total})
    assert {each.conversation: (each.tokens, each.cost) for each in rows} == {
        name: (usage.tokens, usage.known_cost) for name, usage in costs.conversations.items()
    }


def added(by: dict[str, Usage]) -> tuple[int, int, float]:
    usages = tuple(by.values())
    return (
        sum(each.calls for each in usages),
        sum(each.tokens for each in usages),
        round(sum(each.cost for each in usages), 9),
    )


async def no_time(seconds: float) -> None:
    """Wait for nothing."""
