from dataclasses import replace
from pathlib import Path

import pytest

from sparring.app.background import BackgroundRunner
from sparring.app.launch import BatchPlan
from sparring.core.batch import Batch, BatchExecution, BatchInputs, PlayerNames, Players
from sparring.core.case import Case, Goal
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, StoreError
from sparring.core.events import BatchFinished
from sparring.core.usage import Budget
from sparring.reports.service_results import batch_status
from sparring.settings import Settings
from sparring.testing.memory_store import MemoryStore

pytestmark = pytest.mark.slow  # its tests play batches

CONFIG = Settings(chatbot="pizzeria", model="offline", concurrency=3).app_config()


def plan(cases: int = 5) -> BatchPlan:
    goal = Goal(text="a large custom pizza with ham")
    made = tuple(Case(id=f"order/{n}", goals=(goal,), seed=n) for n in range(cases))
    return BatchPlan(cases=made, choice=PlayerNames("pizzeria", "offline", "agenda"))


async def at_its_end(background: BackgroundRunner, id: str) -> None:
    with background.listening(id) as heard:
        while background.plays(id):
            await heard.get()


async def test_a_batch_is_kept_before_its_launch_is_answered():
    store = MemoryStore()
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(plan(), CONFIG)

        assert await store.batch(batch.id) == batch
        assert [job.batch for job in await store.waiting()] == [batch.id]


async def test_a_stopped_batch_is_resumed():
    store = MemoryStore()
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(plan(40), CONFIG)
    left = (await store.progress(batch.id)).left

    async with BackgroundRunner(store, CONFIG) as background:
        await at_its_end(background, batch.id)

    job = await store.job(batch.id)
    assert left > 0
    assert (await store.progress(batch.id)).left == 0
    assert (job.ended is not None, job.error, await store.waiting()) == (True, "", [])


async def test_a_batch_stopped_by_a_limit_says_so_and_is_resumed():
    store, limited = MemoryStore(), replace(CONFIG, budget=Budget(conversations=3))
    async with BackgroundRunner(store, limited) as background:
        batch = await background.launch(plan(5), limited)
        await at_its_end(background, batch.id)
        first = batch_status(batch, await store.job(batch.id), await store.progress(batch.id))

        await background.resume(batch.id)
        await at_its_end(background, batch.id)

    whole = batch_status(batch, await store.job(batch.id), await store.progress(batch.id))
    assert (first.status, first.completed_scenarios, first.error_message) == (
        "cancelled",
        3,
        "limit of 3 conversations reached",
    )
    assert (whole.status, whole.completed_scenarios, whole.error_message) == ("completed", 5, None)


async def test_a_batch_whose_chatbot_answers_no_more_has_failed(tmp_path: Path):
    (tmp_path / "shop.yaml").write_text('url: http://127.0.0.1:9/\nbody: {text: "{{message}}"}\nreply: message\n')
    store, choice = MemoryStore(), PlayerNames(f"http:{tmp_path / 'shop.yaml'}", "offline", "agenda")
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(replace(plan(5), choice=choice), CONFIG)
        await at_its_end(background, batch.id)

    status = batch_status(batch, await store.job(batch.id), await store.progress(batch.id))
    assert (status.status, "is it running?" in (status.error_message or "")) == ("failed", True)


async def test_a_store_that_takes_nothing_fails_a_batch_and_no_other():
    class Full(MemoryStore):
        async def add(self, batch, conversation, **more):
            if conversation.case.id == "order/3":
                raise StoreError("the disk is full")
            return await super().add(batch, conversation)

    store = Full()
    async with BackgroundRunner(store, CONFIG) as background:
        ids = [(await background.launch(plan(cases), CONFIG)).id for cases in (5, 3)]
        for id in ids:
            await at_its_end(background, id)

    assert [(await store.job(id)).error for id in ids] == ["the disk is full", ""]


async def test_a_choice_that_is_not_permitted_any_more_is_not_played():
    def refuse(choice: PlayerNames) -> None:
        raise InputError(f"{choice.chatbot} is not offered")

    store = MemoryStore()
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(plan(40), CONFIG)
    stored = await store.stored(batch.id)

    async with BackgroundRunner(store, CONFIG, permit=refuse) as background:
        playing = background.plays(batch.id)
        with pytest.raises(InputError):
            await background.resume(batch.id)

    assert (playing, (await store.job(batch.id)).error) == (False, "pizzeria is not offered")
    assert await store.stored(batch.id) == stored


async def test_the_log_says_what_happened_once_and_in_order():
    store = MemoryStore()
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(plan(6), CONFIG)
        await at_its_end(background, batch.id)

    told = [event async for _, event in store.events(batch.id)]
    assert [event.event for event in told].count("conversation_ended") == 6
    assert told[-1] == BatchFinished(batch=batch.id, stored=6, not_run=0)


async def test_a_slow_subscriber_does_not_block_the_batch(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sparring.app.background.UNHEARD", 10)
    store = MemoryStore()
    async with BackgroundRunner(store, CONFIG) as background:
        batch = await background.launch(plan(5), CONFIG)
        with background.listening(batch.id) as heard:
            await at_its_end(background, batch.id)

    assert heard.full()
    assert (await store.progress(batch.id)).left == 0


async def test_a_stored_batch_with_a_goal_too_long_to_read_fails_and_stops_no_other():
    store, long = MemoryStore(), Goal(text="x" * 200_000)
    batch = Batch(
        id="01M8JHBZ85AFTP231DEMSJYGJM",
        created=SystemClock().now(),
        cases=(Case(id="order/1", goals=(long,)),),
        who=Players(chatbot="pizzeria", user="agenda"),
        origin=BatchInputs(choice=plan().choice),
    )
    await store.create(batch)
    await store.keep_job(BatchExecution(batch=batch.id, served=True))

    async with BackgroundRunner(store, CONFIG) as background:
        assert not background.plays(batch.id)

    job = await store.job(batch.id)
    assert job.error.startswith("order/1: goal 1: expected at most 4,000 characters, got 200,000")
