"""A server submits what workers play, and shows what they log."""

import pytest

pytest.importorskip("procrastinate", reason="the extra `cluster` is not installed")

from app.cluster.test_cluster import CONFIG, plan, working
from sparring.app.cluster.runner import RemoteRunner
from sparring.app.stores import worker_problems
from sparring.store.postgres.store import PostgresStore
from store_suite import all_in

pytestmark = pytest.mark.slow


async def test_two_servers_show_what_workers_play(postgres_url: str):
    async with (
        PostgresStore(postgres_url) as store,
        RemoteRunner(store, CONFIG) as one,
        RemoteRunner(store, CONFIG) as other,
    ):
        batch = await one.launch(plan(), CONFIG)
        async with working(postgres_url):
            with other.listening(batch.id) as heard:
                while one.plays(batch.id) or other.plays(batch.id) or not await store.stored(batch.id):
                    await heard.get()

        events = [type(event).__name__ for _, event in await all_in(store.events(batch.id))]
        assert (len(await store.stored(batch.id)), events.count("ConversationEnded")) == (24, 24)
        assert events[-1] == "BatchFinished"


async def test_a_server_cancels_and_resumes(postgres_url: str):
    async with PostgresStore(postgres_url) as store, RemoteRunner(store, CONFIG) as server:
        batch = await server.launch(plan(3), CONFIG)
        await server.cancel(batch.id)
        assert (server.plays(batch.id), (await store.job(batch.id)).cancelled) == (False, True)
        await server.resume(batch.id)
        async with working(postgres_url):
            with server.listening(batch.id) as heard:
                while server.plays(batch.id):
                    await heard.get()
        assert len(await store.stored(batch.id)) == 6


async def test_health_says_that_shards_wait_and_no_worker_is_there(postgres_url: str):
    async with PostgresStore(postgres_url) as store, RemoteRunner(store, CONFIG) as server:
        idle = await worker_problems(store, postgres_url)
        batch = await server.launch(plan(3), CONFIG)
        waiting = await worker_problems(store, postgres_url)
        async with working(postgres_url):
            with server.listening(batch.id) as heard:
                while server.plays(batch.id):
                    await heard.get()
        done = await worker_problems(store, postgres_url)

    assert (idle, done) == ([], [])
    assert "no worker was heard for 90 s" in waiting[0]
