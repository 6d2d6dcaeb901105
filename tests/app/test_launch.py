import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.app.launch import BatchPlan, launch, rerun, resume
from sparring.app.notices import Notice
from sparring.core.batch import PlayerNames
from sparring.core.case import Case, Goal, Say
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, ConversationEnded
from sparring.core.usage import Budget
from sparring.settings import Settings, load_config
from sparring.testing.memory_store import MemoryStore

pytestmark = pytest.mark.slow  # its tests play batches

CONFIG = Settings(chatbot="pizzeria", model="offline", concurrency=2).app_config()


def plan(cases: int = 3, *, chatbot: str = "pizzeria", name: str = "") -> BatchPlan:
    made = tuple(Case(id=f"order/{n}", goals=(Goal(text="a large pizza with ham"),), seed=n) for n in range(cases))
    return BatchPlan(cases=made, choice=PlayerNames(chatbot, "offline", "agenda"), name=name)


async def test_a_batch_is_stored_played_and_ended():
    store = MemoryStore()

    events = [event async for event in launch(plan(), store, CONFIG)]

    started, finished = events[0], events[-1]
    assert isinstance(started, BatchStarted)
    assert isinstance(finished, BatchFinished)
    assert sum(isinstance(event, ConversationEnded) for event in events) == 3
    job = await store.job(started.batch.id)
    assert job is not None
    assert (job.started is not None, job.ended is not None, job.cancelled) == (True, True, False)


@pytest.mark.parametrize(("setting", "crash"), [({}, "failed"), ({"crash": "undecided"}, "undecided")])
async def test_a_batch_keeps_the_outcome_of_crashes_that_the_settings_ask_for(setting: dict[str, str], crash: str):
    store = MemoryStore()
    config = load_config({"chatbot": "pizzeria", "model": "offline", **setting}, directory=Path("nowhere"), environ={})

    [event async for event in launch(plan(1), store, config)]

    assert (await store.batch("latest")).crash == crash


async def test_a_limit_of_cost_of_the_scenarios_or_a_request_needs_a_price():
    store, choice = MemoryStore(), PlayerNames("pizzeria", "offline", "http://127.0.0.1:9/v1#mine")

    with pytest.raises(InputError, match=r"cannot enforce max_cost: no price for model http://127\.0\.0\.1:9/v1#mine"):
        [event async for event in launch(replace(plan(), choice=choice, budget=Budget(cost=1)), store, CONFIG)]

    assert await store.batches() == []


async def test_what_a_chatbot_cannot_do_is_found_once_and_before_anything_is_stored():
    store, refused = MemoryStore(), replace(plan(), cases=(Case(id="a", script=(Say(text="x"),)),))

    with pytest.raises(InputError):
        [event async for event in launch(replace(refused, choice=PlayerNames("no-such", "", "agenda")), store, CONFIG)]

    assert await store.batches() == []


async def test_a_name_that_other_batches_have_is_a_notice():
    store = MemoryStore()
    [event async for event in launch(plan(1, name="nightly"), store, CONFIG)]

    notice = await anext(launch(plan(1, name="nightly"), store, CONFIG))

    assert isinstance(notice, Notice)
    assert notice.message.startswith("'nightly' is the name of ")


async def test_what_a_budget_left_over_is_resumed():
    store = MemoryStore()
    limited = replace(CONFIG, budget=Budget(conversations=1))
    events = [event async for event in launch(plan(), store, limited)]
    assert isinstance(events[0], BatchStarted)
    id = events[0].batch.id

    resumed = [event async for event in resume(id, store, CONFIG)]

    assert isinstance(resumed[-1], BatchFinished)
    assert (resumed[-1].stored, resumed[-1].not_run) == (3, 0)


async def test_a_launch_that_is_closed_drops_its_conversations_and_is_cancelled():
    store = MemoryStore()

    async with aclosing(launch(plan(50), store, CONFIG)) as events:
        started = await anext(events)
    assert isinstance(started, BatchStarted)

    job = await store.job(started.batch.id)
    assert job is not None
    assert (job.cancelled, job.ended is not None) == (True, True)


async def test_stopping_lets_conversations_under_way_finish():
    store, stop = MemoryStore(), asyncio.Event()
    ended = 0
    async for event in launch(plan(50), store, CONFIG, stop=stop):
        ended += isinstance(event, ConversationEnded)
        if ended:
            stop.set()
        finished = event

    assert isinstance(finished, BatchFinished)
    assert (0 < finished.stored < 50, finished.cancelled) == (True, 0)


async def test_named_cases_are_played_again_as_a_batch_of_their_own():
    store = MemoryStore()
    events = [event async for event in launch(plan(), store, CONFIG)]
    assert isinstance(events[0], BatchStarted)

    again = [event async for event in rerun(events[0].batch.id, store, CONFIG, conversations=["order/1"])]

    assert isinstance(again[0], BatchStarted)
    assert again[0].batch.id != events[0].batch.id
    assert [case.id for case in again[0].batch.cases] == ["order/1"]


async def test_a_name_that_reads_like_a_run_is_refused():
    with pytest.raises(InputError, match="'nightly@3' reads like a run of 'nightly'"):
        [event async for event in launch(plan(name="nightly@3"), MemoryStore(), CONFIG)]
