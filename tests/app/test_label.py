"""The queue of conversations to label: its strata, weights and order."""

from collections import Counter

import pytest

from sparring.app.label import label_queue
from sparring.core.batch import Batch
from sparring.core.conversation import Ending
from sparring.core.verdict import CheckOutcome
from sparring.store.store import Store
from sparring.testing.factories import RUBRIC, a_batch, a_conversation, a_verdict
from sparring.testing.memory_store import MemoryStore

FAILED = 8


async def played(store: Store) -> Batch:
    """A batch of 40 conversations that a judge scored: 8 failed with 1, 8 passed with 2 and 24 with 3; 2 are void."""
    batch = a_batch(*(f"a/{n}" for n in range(42)))
    who = batch.who.model_copy(update={"judge": "openai:x"})
    batch = batch.model_copy(update={"who": who, "rubrics": (RUBRIC,)})
    await store.create(batch)
    for number, case in enumerate(batch.cases):
        ending = Ending.USER_FAILED if number >= 40 else Ending.USER_DONE
        await store.add(batch.id, a_conversation(case, ending=ending))
        if number < 40:
            score = 1 if number < FAILED else 2 if number < 2 * FAILED else 3
            outcome = CheckOutcome.FAIL if score == 1 else CheckOutcome.PASS
            given = a_verdict(case.id, judge="openai:x", outcome=outcome)
            await store.judge(batch.id, given.model_copy(update={"score": score}), rubric=RUBRIC)
    return batch


@pytest.mark.slow
async def test_what_is_rare_has_more_than_its_share_and_weights_add_up_to_all():
    async with MemoryStore() as store:
        batch = await played(store)

        queue = await label_queue(batch, store, sample=12)

        places = {id: int(id.partition("/")[2]) for id in queue}
        strata = Counter("1" if n < FAILED else "2" if n < 2 * FAILED else "3" for n in places.values())
        assert strata == {"1": 4, "2": 3, "3": 5}
        assert sum(queue.values()) == pytest.approx(40), "void conversations say nothing"
        assert {round(queue[id], 2) for id, n in places.items() if n >= 2 * FAILED} == {4.8}
        assert list(queue) != sorted(queue), "the order says nothing"
        assert queue == await label_queue(batch, store, sample=12)
        assert queue.keys() != (await label_queue(batch, store, sample=12, seed=2)).keys()
        assert set((await label_queue(batch, store, sample=500)).values()) == {1}
