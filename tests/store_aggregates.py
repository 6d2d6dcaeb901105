"""Requirements on the figures that a store counts as it writes, and on computed results."""

from collections.abc import Awaitable, Callable
from random import Random
from typing import Any

from sparring.core.audit import Blame
from sparring.core.batch import BatchExecution
from sparring.core.conversation import Ending
from sparring.core.errors import Problem
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import Finding
from sparring.store.store import RecordedChecks, Store
from sparring.testing.factories import a_batch, a_conversation, a_verdict, all_conversations, attempt
from store_listing import a_row, checked
from store_suite import Fact, Make

_BATCH = a_batch("a", "b", "c", id="B1", repeats=2)
_PLANNED = all_conversations(_BATCH)
_CHANGES = 60
_QUERIES = (
    ConversationQuery(),
    *(ConversationQuery(outcomes=(each,)) for each in Outcome),
    *(ConversationQuery(endings=(each,), order="seconds") for each in Ending),
    ConversationQuery(scores=(1,)),
    ConversationQuery(blame=Blame.CHATBOT),
    ConversationQuery(blame=Blame.CHATBOT, scores=(1,)),
)


async def figures_are_those_of_a_full_count(make: Make) -> None:
    for seed in range(3):
        random = Random(seed)
        async with make() as store:
            assert await store.create(_BATCH)
            for _ in range(_CHANGES):
                await _change(store, random)
            figures = await _figures(store)
            results = figures, await store.rebuild(_BATCH.id), await _figures(store)
            assert results == (figures, 0, figures), f"seed {seed}"
            for query in _QUERIES:
                total, found = await store.search(_BATCH.id, query, offset=0, limit=99)
                assert total == len(found), query
            assert figures[0].conversations + figures[1].stored + figures[2].calls > 0
            assert await store.delete(_BATCH.id)


async def what_is_stored_has_another_state_after_every_change(make: Make) -> None:
    conversation, first = _PLANNED[0], a_batch("a", id="A1", name="nightly")
    later, other = (batch.model_copy(update={"id": "C1"}) for batch in (first, a_batch("a")))
    invalid = Finding(rule="r", invalid=(Problem(message="no such name"),))
    changes: list[Callable[[Store], Awaitable[Any]]] = [
        lambda store: store.add(first.id, a_conversation(first.cases[0])),
        lambda store: store.record_checks(first.id, [checked(conversation, 1)]),
        lambda store: store.judge(first.id, a_verdict("a")),
        lambda store: store.replace(first.id, attempt(a_conversation(first.cases[0]), 2)),
        lambda store: store.record_findings(first.id, "x", {"r": invalid}),
        lambda store: store.drop(first.id, Usage(calls=1), run="run 1"),
        lambda store: store.drop(first.id, Usage(), run="run 1"),
        lambda store: store.appoint(first),
        lambda store: store.select(first.id, ("a",)),
        lambda store: store.keep_job(BatchExecution(batch=first.id, accepted=True)),
    ]
    async with make() as store:
        await store.create(first)
        await store.create(later)
        states = [(await store.state(first.id), await store.state(later.id))]
        for change in changes:
            await change(store)
            states.append((await store.state(first.id), await store.state(later.id)))
        assert len(set(states)) == len(states)
        assert len({before for before, _ in states}) == len({after for _, after in states}) == len(states)
        await store.add(later.id, a_conversation(later.cases[0]))
        assert (await store.state(first.id), await store.state(later.id) == states[-1][1]) == (states[-1][0], False)
        await store.delete(later.id)
        await store.create(other)
        assert await store.state(other.id) != states[0][1]


async def what_is_computed_is_kept_by_what_it_follows_from(make: Make) -> None:
    async with make() as store:
        await store.create(_BATCH)
        await store.keep_computed(_BATCH.id, "summary", "1", b"{}")
        await store.keep_computed(_BATCH.id, "summary", "2", b"[]")
        await store.keep_computed("unheard of", "summary", "1", b"{}")
    async with make() as reopened:
        found = [await reopened.computed(_BATCH.id, *each) for each in (("summary", "1"), ("summary", "2"), ("x", "2"))]
        assert found == [None, b"[]", None]
        await reopened.rebuild(_BATCH.id)
        assert await reopened.computed(_BATCH.id, "summary", "2") is None


async def _figures(store: Store) -> tuple[Any, ...]:
    return await store.totals(_BATCH.id), await store.progress(_BATCH.id), (await store.consumed(_BATCH.id))[0]


async def _change(store: Store, random: Random) -> None:
    """Change something at random: conversations end, are tried again, judged, checked, or lose their rows."""
    id, planned = _BATCH.id, random.choice(_PLANNED)
    ended = {"ending": random.choice([None, *Ending]), "usage": {"user": _usage(random), "chatbot": _usage(random)}}
    conversation = attempt(planned.model_copy(update=ended), random.randint(1, 3))
    number = random.randint(1, 4)
    found = random.choice([None, checked(conversation, number)])
    stored = {(case, repeat) for case, repeat in await store.stored(id)}
    if (planned.case.id, planned.repeat) not in stored:
        await store.add(id, conversation, checks=found)
        return
    changes: list[Callable[[], Awaitable[Any]]] = [
        lambda: store.replace(id, conversation, checks=found),
        lambda: store.judge(id, a_verdict(planned.id), rejudge=True),
        lambda: store.judge(id, a_verdict(planned.id), rejudge=True, row=a_row(planned, number)),
        lambda: store.record_checks(id, [checked(conversation, number)]),
        lambda: store.record_checks(id, [RecordedChecks(planned.id, 1, {"x": None})]),
        lambda: store.drop(id, _usage(random), run=random.choice(["", "run 1"])),
    ]
    rare: list[Callable[[], Awaitable[Any]]] = [
        lambda: store.appoint(_BATCH),
        lambda: store.record_findings(id, "x", {"r": Finding(rule="r", invalid=_invalid(random))}),
    ]
    await random.choice(changes * 5 + rare)()


def _usage(random: Random) -> Usage:
    return Usage(calls=random.randint(1, 3), input_tokens=random.randint(0, 900), cost=random.choice([0, 0.1, 1e-7]))


def _invalid(random: Random) -> tuple[Problem, ...]:
    return random.choice([(), (Problem(message="no such name"),)])


FACTS: tuple[Fact, ...] = (
    figures_are_those_of_a_full_count,
    what_is_stored_has_another_state_after_every_change,
    what_is_computed_is_kept_by_what_it_follows_from,
)
