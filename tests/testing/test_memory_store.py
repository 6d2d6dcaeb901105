from collections import defaultdict

import pytest

from sparring.testing.conformance.store import FACTS, check_store
from sparring.testing.memory_store import MemoryStore
from store_facts import EVERY


@pytest.mark.slow
@pytest.mark.parametrize("fact", EVERY, ids=lambda fact: fact.__name__)
async def test_a_memory_store_does_what_every_store_must(fact):
    store = MemoryStore()

    await fact(lambda: store)


async def test_the_suite_holds_a_store_against_every_fact():
    places = defaultdict(MemoryStore)

    await check_store(places.__getitem__)

    assert list(places) == [fact.__name__ for fact in FACTS]
