"""Workers play what is submitted, on a real PostgreSQL. Without one these tests are skipped, and say so."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from sparring.app.cluster.submit import follow, launch_remotely, remote, resume_remotely, submit
from sparring.app.cluster.worker import ClusterWorker
from sparring.app.config import AppConfig
from sparring.app.execution import Surroundings
from sparring.app.launch import BatchPlan, launch
from sparring.app.notices import Notice
from sparring.core.batch import Batch, PlayerNames
from sparring.core.case import Case, Goal
from sparring.core.checks import Rubric
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem, StoreError
from sparring.core.events import BatchFinished, ConversationEnded
from sparring.core.listing import ConversationQuery
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import BaseJudge
from sparring.settings import Settings
from sparring.store.postgres.jobs import WorkerTerms, run_worker
from sparring.store.postgres.store import PostgresStore
from sparring.store.remote import Control, Drained
from sparring.testing.memory_store import MemoryStore
from store_suite import all_in

pytestmark = pytest.mark.slow

CONFIG = Settings(chatbot="pizzeria", model="offline", concurrency=4).app_config()


def plan(cases: int = 12, repeats: int = 2) -> BatchPlan:
    goal = Goal(text="a large custom pizza with ham")
    made = tuple(Case(id=f"order/{n}", goals=(goal,), seed=n) for n in range(cases))
    return BatchPlan(cases=made, choice=PlayerNames("pizzeria", "offline", "agenda"), repeats=repeats)


@asynccontextmanager
async def working(url: str, config: AppConfig = CONFIG) -> AsyncIterator[asyncio.Event]:
    """Run a worker inside this block; it drains at its end."""
    stop = asyncio.Event()
    async with PostgresStore(url) as store:
        worker = ClusterWorker(store, config, stop)
        watching = asyncio.create_task(worker.watch())
        task = asyncio.create_task(run_worker(store, worker.play, stop, WorkerTerms(2, 30, 30)))
        try:
            yield stop
        finally:
            stop.set()
            await asyncio.gather(task, watching)


async def submitted(store: PostgresStore, plan: BatchPlan, config: AppConfig = CONFIG) -> Batch:
    return await submit(plan, Surroundings(store=store, config=config, clock=SystemClock()))


async def outcomes(store, batch: str) -> dict[str, tuple[object, ...]]:
    _, rows = await store.search(batch, ConversationQuery(), offset=0, limit=999)
    return {each.conversation: (each.outcome, each.turns, each.score) for each in rows}


async def test_workers_play_what_is_submitted_as_one_process_would(postgres_url: str):
    local = MemoryStore()
    (alone, *_) = [each.batch async for each in launch(plan(), local, CONFIG) if hasattr(each, "batch")]
    async with PostgresStore(postgres_url) as store, working(postgres_url), working(postgres_url):
        events = [each async for each in launch_remotely(plan(), store, CONFIG)]

        finished = events[-1]
        ended = [each.conversation.id for each in events if isinstance(each, ConversationEnded)]
        assert isinstance(finished, BatchFinished)
        assert (finished.stored, finished.not_run, finished.failed) == (24, 0, False)
        assert len(ended) == len(set(ended)) == 24
        assert await outcomes(store, finished.batch) == await outcomes(local, alone.id)


async def test_parts_of_scenario_files_that_are_left_out_are_reported(postgres_url: str):
    plan_ = replace(plan(1, 1), left_out=(Problem(message="its user has tools"),))
    async with PostgresStore(postgres_url) as store, working(postgres_url):
        told = [each.message async for each in launch_remotely(plan_, store, CONFIG) if isinstance(each, Notice)]

    assert told == ["1 scenario: its user has tools; `sparring validate` lists each"]


async def test_a_batch_is_submitted_once(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan())
        options = await store.remote_options(batch.id)

        again = await store.submit(batch, (), await store.job(batch.id), options)

        assert not again
        assert await store.controls() != {}


async def test_a_cancelled_batch_is_dropped_and_can_be_resumed(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan())
        await store.cancel_batch(batch.id)
        async with working(postgres_url):
            assert [each async for each in follow(batch, store, asyncio.Event())][-1].not_run == 24

            resumed = [each async for each in resume_remotely(batch, store, CONFIG)]

        assert (resumed[-1].stored, resumed[-1].not_run) == (24, 0)


async def test_a_complete_batch_that_is_resumed_ends_again(postgres_url: str):
    async with PostgresStore(postgres_url) as store, working(postgres_url):
        (begun, *_) = [each async for each in launch_remotely(plan(), store, CONFIG)]

        resumed = [each async for each in resume_remotely(begun.batch, store, CONFIG)]

        assert (resumed[-1].stored, resumed[-1].not_run) == (24, 0)


async def test_a_resumed_batch_counts_each_conversation_once(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan())
        async with working(postgres_url) as stop:
            await anext(each async for each in follow(batch, store, stop) if isinstance(each, ConversationEnded))
            stop.set()
        await store.cancel_batch(batch.id)
        async with working(postgres_url):
            begun, *events, _ = [each async for each in resume_remotely(batch, store, CONFIG)]

        ended = [each for each in events if isinstance(each, ConversationEnded)]
        assert (begun.stored > 0, begun.stored + len(ended)) == (True, 24)


async def test_a_worker_looks_again_if_another_one_is_ending_the_batch(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan(1, 1))
        worker = ClusterWorker(store, CONFIG, asyncio.Event())
        with store.playing(batch.id), pytest.raises(StoreError, match="is already being run"):
            await worker.play(batch.id, 0)
        between = await store.job(batch.id)
        await worker.play(batch.id, 0)

        after = await store.job(batch.id)
        assert (between.is_running, after.is_running) == (True, False)


async def test_the_end_of_a_batch_is_logged_and_recorded_in_one_transaction(postgres_url: str):
    query = """
        SELECT jobs.xmin, (SELECT events.xmin FROM events
                           WHERE strpos(convert_from(document, 'UTF8'), 'batch_finished') > 0) FROM jobs
    """
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan(1, 1))
        worker = ClusterWorker(store, CONFIG, asyncio.Event())
        for _ in range(2):  # the second one as after a kill before the job was done
            await worker.play(batch.id, 0)

        recorded, logged = await store._read(lambda connection: connection.execute(query).fetchone())

    assert recorded == logged


class ResumingStore(PostgresStore):
    """Cancels running batches, and resumes them before the worker that reads this acts on it."""

    async def controls(self) -> dict[str, Control]:
        running = await super().controls()
        for batch in running:
            await self.cancel_batch(batch)
        read = await super().controls()
        for batch in running:
            await self.resume_batch(batch)
        return read


async def test_a_batch_that_is_resumed_while_it_is_dropped_goes_on(postgres_url: str, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("sparring.app.cluster.worker._LOOK", 0.01)
    (tmp_path / "silent.py").write_text(
        "import asyncio\n\nasync def reply(messages, variables):\n    await asyncio.Event().wait()\n"
    )
    silent = replace(plan(1, 1), choice=PlayerNames(f"python:{tmp_path / 'silent.py'}:reply", "offline", "agenda"))
    async with ResumingStore(postgres_url) as store:
        batch = await submitted(store, silent)
        worker = ClusterWorker(store, CONFIG, stop := asyncio.Event())
        watching = asyncio.create_task(worker.watch())
        with pytest.raises(Drained):  # its job is given back
            await worker.play(batch.id, 0)
        stop.set()
        await watching


async def test_stored_conversations_are_not_run_again(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan())
        async with working(postgres_url) as stop:
            await anext(each async for each in follow(batch, store, stop) if isinstance(each, ConversationEnded))
            stop.set()
        before = {each.id: each async for each in store.conversations(batch.id)}
        async with working(postgres_url):
            await all_in(follow(batch, store, asyncio.Event()))

        after = {each.id: each async for each in store.conversations(batch.id)}
        assert len(after) == 24
        assert before.items() <= after.items()


async def test_a_batch_that_cannot_be_played_says_why_and_stops_no_other(postgres_url: str, monkeypatch):
    monkeypatch.setattr("sparring.app.cluster.worker._FAILURES", 1)
    broken = replace(plan(), choice=PlayerNames("python:no_such_module:bot", "offline", "agenda"))
    async with PostgresStore(postgres_url) as store:
        with pytest.raises(InputError):
            await submitted(store, broken)
        batch = await submitted(store, plan())
        await break_chatbot(store, batch)
        good = await submitted(store, plan(3))
        async with working(postgres_url):
            *_, lost = await all_in(follow(batch, store, asyncio.Event()))
            *_, won = await all_in(follow(good, store, asyncio.Event()))

        assert (lost.failed, "no_such_module" in lost.reason, won.failed, won.stored) == (True, True, False, 6)


async def test_only_failures_of_the_players_count_until_a_shard_is_given_up(postgres_url: str):
    async with PostgresStore(postgres_url) as store:
        batch = await submitted(store, plan(1, 1))
        stopped = asyncio.Event()
        stopped.set()
        for _ in range(6):  # deployments in a row
            with pytest.raises(Drained):
                await ClusterWorker(store, CONFIG, stopped).play(batch.id, 0)
        await break_chatbot(store, batch)
        worker = ClusterWorker(store, CONFIG, asyncio.Event())
        for _ in range(4):
            with pytest.raises(InputError):
                await worker.play(batch.id, 0)
        between = await store.job(batch.id)
        await worker.play(batch.id, 0)

        after = await store.job(batch.id)
        assert (between.ended, "no_such_module" in after.error) == (None, True)


async def test_a_resumed_batch_gets_missing_verdicts_of_all_its_conversations(postgres_url: str):
    config = replace(CONFIG, objects={"passing": PassingJudge()})
    judged = replace(plan(), choice=PlayerNames("pizzeria", "offline", "agenda", judge="passing"))
    async with PostgresStore(postgres_url) as store, working(postgres_url, config):
        (begun, *_) = [each async for each in launch_remotely(judged, store, config)]
        await store._write(lambda connection: connection.execute("DELETE FROM verdicts"))

        await all_in(resume_remotely(begun.batch, store, config))

        assert len({each.conversation async for each in store.verdicts(begun.batch.id)}) == 24


class PassingJudge(BaseJudge):
    """Passes every conversation. Nothing says that it asks no model."""

    async def judge(self, conversation: Conversation, rubric: Rubric) -> Verdict:
        return Verdict(check=rubric.name, outcome=CheckOutcome.PASS, conversation=conversation.id, rubric=rubric.hash)


async def break_chatbot(store: PostgresStore, batch: Batch) -> None:
    replaced = "convert_to(replace(convert_from(document, 'UTF8'), ?, ?), 'UTF8')"
    query = f"UPDATE batches SET document = {replaced} WHERE id = ?"
    change = ('"chatbot":"pizzeria"', '"chatbot":"python:no_such_module:bot"', batch.id)
    await store._write(lambda connection: connection.execute(query, change))


@pytest.mark.parametrize("limit", [{"max_seconds": 60}, {"max_conversations": 5}])
async def test_a_limit_that_workers_do_not_share_is_refused(postgres_url: str, limit: dict[str, int]):
    config = Settings(chatbot="pizzeria", model="offline", **limit).app_config()
    async with PostgresStore(postgres_url) as store:
        with pytest.raises(InputError, match="--max-seconds and --max-conversations"):
            await submitted(store, plan(), config)
        assert await store.batches() == []


async def test_workers_need_a_store_with_jobs():
    with pytest.raises(InputError, match="PostgreSQL"):
        remote(MemoryStore())
