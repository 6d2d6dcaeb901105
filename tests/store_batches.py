"""Facts about batches, conversations and events that every store must satisfy."""

import asyncio
from itertools import pairwise

from sparring.core.batch import BatchExecution
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished, BatchStarted, ConversationEnded, ConversationStarted, Event
from sparring.core.prompts import Agent, Prompts, SavedPrompts
from sparring.store.store import ConversationFilter, Store
from sparring.testing.factories import CREATED, RUBRIC, a_batch, a_conversation, a_verdict, all_conversations, attempt
from store_suite import Fact, Make, all_in, ids, refusal


async def what_is_written_reads_back_whole(make: Make) -> None:
    batch = a_batch("pizza/1", "added")
    async with make() as store:
        assert await store.create(batch.model_copy(update={"cases": batch.cases[:1]}))
        await store.append(batch.id, [a_conversation(batch.cases[1])])
        assert await store.add(batch.id, a_conversation(batch.cases[0]))
    async with make() as reopened:
        assert await reopened.batch(batch.id) == batch
        assert await reopened.head(batch.id) == batch.model_copy(update={"cases": ()})
        assert await reopened.conversation(batch.id, "pizza/1") == a_conversation(batch.cases[0])
        assert await reopened.conversation(batch.id, "added") == a_conversation(batch.cases[1])
        assert await reopened.stored(batch.id) == {("pizza/1", 1), ("added", 1)}
        assert (await reopened.progress(batch.id)).stored == 2


async def the_first_batch_with_an_id_wins(make: Make) -> None:
    batch = a_batch("a")
    async with make() as store:
        assert [await store.create(each) for each in (batch, batch.model_copy(update={"seed": 8}))] == [True, False]
        assert await store.batch(batch.id) == batch


async def a_batch_name_means_its_newest_batch(make: Make) -> None:
    first, second = (a_batch("a", id=id).model_copy(update={"name": "nightly"}) for id in ("B1", "B2"))
    async with make() as store:
        for each in (first, second, a_batch("a", id="B3").model_copy(update={"name": ""})):
            await store.create(each)
        assert (await store.head("nightly")).id == "B2"
        assert list(await store.namesakes("nightly")) == ["B2", "B1"]
        assert [await store.namesakes(name) for name in ("", "latest", "B1")] == [{}, {}, {}]


async def runs_of_a_name_keep_their_numbers_when_others_are_deleted(make: Make) -> None:
    runs = [a_batch("a", id=f"B{number}").model_copy(update={"name": "nightly"}) for number in range(1, 5)]
    async with make() as store:
        for each in runs[:3]:
            await store.create(each)
        await store.delete("B1")
        await store.delete("B3")
        await store.create(runs[3])
        assert await store.namesakes("nightly") == {"B4": 4, "B2": 2}


async def prompts_are_kept_once_and_as_long_as_a_batch_uses_them(make: Make) -> None:
    shared, own = (Prompts(name="bot", entry="a", agents={"a": Agent(prompt=text)}) for text in ("Sell.", "Sell well."))
    one = a_batch("a", id="B1").model_copy(update={"prompts": {"bot": shared.hash}})
    two = a_batch("a", id="B2").model_copy(update={"prompts": {"bot": shared.hash, "user": own.hash}})
    async with make() as store:
        await store.create(one, prompts=(shared,))
        await store.create(two, prompts=(shared, own))
        assert await store.prompts() == sorted((shared, own), key=lambda each: each.hash)
        assert await store.prompts(own.short) == [own]
        assert (await store.head("B2")).prompts == two.prompts
        await store.delete("B2")
        assert await store.prompts() == [shared]
        await store.delete("B1")
        assert await store.prompts() == []


async def prompts_that_were_saved_stay_and_the_newest_of_a_name_comes_first(make: Make) -> None:
    first, second = (
        Prompts(name="bot", entry="a", agents={"a": Agent(prompt=text)}) for text in ("Sell.", "Sell well.")
    )
    batch = a_batch("a").model_copy(update={"prompts": {"bot": first.hash}})
    async with make() as store:
        await store.create(batch, prompts=(first,))
        kept = [
            await store.save_prompts(name, prompts, CREATED)
            for name, prompts in (("bot", first), ("bot", first), ("bot", second), ("other", first), ("bot", first))
        ]
        await store.delete(batch.id)
        assert kept == [True, False, True, True, True]
        assert await store.prompts() == sorted((first, second), key=lambda each: each.hash)
        saved = [
            SavedPrompts(name=name, hash=each.hash, created=CREATED) for name, each in (("bot", second), ("bot", first))
        ]
        newest = SavedPrompts(name="bot", hash=first.hash, created=CREATED)
        assert await store.saved_prompts("bot") == [newest, *saved]
        assert [each.name for each in await store.saved_prompts()] == ["bot", "other", "bot", "bot"]
        assert await store.saved_prompts("nobody") == []


async def a_batch_is_played_once_at_a_time(make: Make) -> None:
    batch, other = a_batch("a", id="B1"), a_batch("a", id="B2/x")
    async with make() as store, make() as beside:
        for planned in (batch, other):
            await store.create(planned)
        for _ in range(2):
            with store.playing(batch.id), beside.playing(other.id):
                for each in (store, beside):
                    message, _ = await refusal(_play(each, batch.id))
                    assert "already being run" in message, message
                    assert [await each.is_played(id) for id in (batch.id, other.id)] == [True, True]
            assert [await beside.is_played(id) for id in (batch.id, other.id, "B3")] == [False, False, False]


async def _play(store: Store, batch: str) -> None:
    with store.playing(batch):
        pass


async def the_first_conversation_wins_though_many_come_at_once(make: Make) -> None:
    batch = a_batch("a")
    rivals = [a_conversation(batch.cases[0], said=f"I am number {n}") for n in range(20)]
    async with make() as one, make() as other:
        await one.create(batch)
        added = await asyncio.gather(*((one, other)[n % 2].add(batch.id, each) for n, each in enumerate(rivals)))
        assert sum(added) == 1, f"{sum(added)} of 20 were told that they were first"
        assert await other.conversation(batch.id, "a") == rivals[added.index(True)]


async def reading_follows_the_cases_and_then_the_repeats(make: Make) -> None:
    batch = a_batch("b", "a", "c", repeats=2)
    planned = all_conversations(batch)
    async with make() as store:
        await store.create(batch)
        await asyncio.gather(*(store.add(batch.id, each) for each in reversed(planned)))
        assert await all_in(store.conversations(batch.id)) == planned
        documents = [document for page in await all_in(store.documents(batch.id)) for document in page]
        assert [Conversation.model_validate_json(each) for each in documents] == planned


async def a_page_goes_on_where_the_last_one_stopped(make: Make) -> None:
    batch = a_batch("b", "a", "c", repeats=2)
    async with make() as store:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
        pages = [
            ids(await all_in(store.conversations(batch.id, after=after, limit=3))) for after in ("", "a", "c#2", "b#2")
        ]
        assert pages == [["b", "b#2", "a"], ["a#2", "c", "c#2"], [], ["a", "a#2", "c"]]


async def a_filter_leaves_what_is_wanted(make: Make) -> None:
    cases = Case(id="pizza/1", tags=("smoke",)), Case(id="pizza/2", tags=("smoke", "slow")), Case(id="Pizza/3")
    endings = Ending.GOALS_ANSWERED, Ending.TIMEOUT, Ending.GAVE_UP
    batch = a_batch().model_copy(update={"cases": cases})
    async with make() as store:
        await store.create(batch)
        for case, ending in zip(cases, endings, strict=True):
            await store.add(batch.id, a_conversation(case, ending=ending))
        expected = {
            ConversationFilter(endings=(Ending.TIMEOUT, Ending.GAVE_UP)): ["pizza/2", "Pizza/3"],
            ConversationFilter(counts=True): ["pizza/1", "Pizza/3"],
            ConversationFilter(counts=False): ["pizza/2"],
            ConversationFilter(counts=True, endings=(Ending.TIMEOUT,)): [],
            ConversationFilter(tag="slow"): ["pizza/2"],
            ConversationFilter(tag="smo"): [],
            ConversationFilter(case="pizza/"): ["pizza/1", "pizza/2"],
            ConversationFilter(case="%"): [],
            ConversationFilter(case="pizza", tag="smoke", endings=(Ending.GOALS_ANSWERED,)): ["pizza/1"],
        }
        for wanted, found in expected.items():
            assert ids(await all_in(store.conversations(batch.id, wanted=wanted))) == found, wanted


async def a_name_means_the_newest_batch_that_has_it(make: Make) -> None:
    old, new = a_batch("a", id="B1", name="nightly"), a_batch("a", id="B2", name="nightly")
    newest = a_batch("a", id="B3")
    async with make() as store:
        for batch in (new, old, newest):
            await store.create(batch)
        found = [(await store.batch(which)).id for which in ("nightly", "latest", old.id)]
        assert found == [new.id, newest.id, old.id]


async def batches_are_paged_from_the_newest_without_their_cases(make: Make) -> None:
    made = [a_batch("a", "b", id=f"B{n}") for n in range(5)]
    async with make() as store:
        for batch in made:
            await store.create(batch)
        heads = [batch.model_copy(update={"cases": ()}) for batch in reversed(made)]
        first = await store.batches(limit=2)
        assert (first, await store.batches(limit=3, before=first[-1].id)) == (heads[:2], heads[2:])


async def what_is_not_there_is_refused_with_a_suggestion(make: Make) -> None:
    async with make() as store:
        await store.create(batch := a_batch("pizza/margherita", "pizza/funghi", name="nightly-build"))
        said = [
            await refusal(store.batch("nightly-biuld")),
            await refusal(store.conversation(batch.id, "pizza/margarita")),
            await refusal(store.conversation(batch.id, "pizza")),
            await refusal(store.conversation(batch.id, "pizza/funghi")),
            await refusal(all_in(store.conversations(batch.id, after="pizza/fungi"))),
        ]
        assert said == [
            ("there is no batch 'nightly-biuld'", "did you mean 'nightly-build'?"),
            ("batch B1 has no case 'pizza/margarita'", "did you mean 'pizza/margherita'?"),
            ("batch B1 has no case 'pizza'", "did you mean 'pizza/funghi'?"),
            ("batch B1 holds no conversation 'pizza/funghi'", "it was planned but not run"),
            ("batch B1 has no case 'pizza/fungi'", "did you mean 'pizza/funghi'?"),
        ]


async def what_could_not_be_found_again_is_refused(make: Make) -> None:
    async with make() as store:
        message, _ = await refusal(store.create(a_batch("a", "b", "a", name="latest")))
        newest = "name: 'latest' always means the newest batch (choose another)"
        assert message == f"cases.a: 2 cases have this id\n{newest}"


async def what_was_not_planned_is_refused_and_spoils_nothing_beside_it(make: Make) -> None:
    batch = a_batch("a", "b")
    strangers = a_conversation(Case(id="c")), a_conversation(Case(id="a"), repeat=2)
    async with make() as store:
        await store.create(batch)
        results = await asyncio.gather(
            *(store.add(batch.id, each) for each in (*all_conversations(batch), *strangers)), return_exceptions=True
        )
        assert [results[0], results[1], type(results[2]), type(results[3])] == [True, True, InputError, InputError]
        assert ids(await all_in(store.conversations(batch.id))) == ["a", "b"]


async def a_listener_goes_on_where_it_stopped(make: Make) -> None:
    batch, other = a_batch("a", id="B1"), a_batch("a", id="B2")
    conversation = a_conversation(batch.cases[0])
    happened: list[Event] = [
        BatchStarted(batch=batch.model_copy(update={"cases": ()})),
        ConversationStarted(conversation="a"),
        ConversationEnded(conversation=conversation),
        BatchFinished(batch=batch.id, stored=1, not_run=0),
    ]
    async with make() as store:
        await store.create(batch)
        await store.create(other)
        await store.add(batch.id, conversation)
        numbers = []
        for event in happened:
            numbers.append(await store.log(batch.id, event))
            await store.log(other.id, ConversationStarted(conversation="a"))
    async with make() as reopened:
        assert all(0 < a < b for a, b in pairwise(numbers)), f"ids do not grow: {numbers}"
        assert await all_in(reopened.events(batch.id)) == list(zip(numbers, happened, strict=True))
        assert await all_in(reopened.events(batch.id, after=numbers[1])) == [
            (numbers[2], happened[2]),
            (numbers[3], happened[3]),
        ]


async def an_ending_is_reported_only_after_it_is_stored(make: Make) -> None:
    batch = a_batch("a")
    async with make() as store:
        await store.create(batch)
        await refusal(store.log(batch.id, ConversationEnded(conversation=a_conversation(batch.cases[0]))))
        assert await all_in(store.events(batch.id)) == []


async def a_later_attempt_takes_the_place_of_an_earlier_one_which_is_kept(make: Make) -> None:
    batch = a_batch("a", "b")
    first, other = all_conversations(batch)
    failed = first.model_copy(update={"ending": Ending.TIMEOUT})
    second, third = (attempt(first, number) for number in (2, 3))
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, failed)
        await store.add(batch.id, other)
        await store.judge(batch.id, a_verdict("a"), rubric=RUBRIC)
        results = [await store.replace(batch.id, each) for each in (failed, third, second)]
        strangers = [await refusal(store.replace(batch.id, a_conversation(Case(id="c"))))]
    async with make() as reopened:
        assert results == [False, True, False], "only a later attempt replaces what is there"
        assert await all_in(reopened.conversations(batch.id)) == [third, other]
        assert await reopened.attempts(batch.id, "a") == [failed, third]
        assert await reopened.attempts(batch.id, "b") == [other]
        assert await all_in(reopened.verdicts(batch.id)) == [], "what replaces a conversation is judged anew"
        assert strangers[0][0].startswith("conversation 'c' does not belong to")


async def a_batch_of_selected_conversations_plans_no_others(make: Make) -> None:
    batch = a_batch("a", "b", repeats=2).model_copy(update={"selected": ("a#2", "b")})
    async with make() as store:
        await store.create(batch)
        assert (await store.progress(batch.id)).planned == 2
        assert (await store.batch(batch.id)).selected == ("a#2", "b")


async def planned_conversations_can_be_replaced(make: Make) -> None:
    batch = a_batch("a", "b", repeats=3)
    async with make() as store:
        await store.create(batch)
        await store.select(batch.id, ("a", "b", "a#2"))
        assert await store.batch(batch.id) == batch.changed(selected=("a", "b", "a#2"))
        assert (await store.progress(batch.id)).planned == 3


async def a_cancelled_write_is_kept_whole_or_not_at_all(make: Make) -> None:
    batch = a_batch("a", repeats=40)
    async with make() as store:
        await store.create(batch)
        writes = [asyncio.create_task(store.add(batch.id, each)) for each in all_conversations(batch)]
        await asyncio.sleep(0)
        for write in writes[::2]:
            write.cancel()
        results = await asyncio.gather(*writes, return_exceptions=True)
        kept = await all_in(store.conversations(batch.id))
        assert [each for each in all_conversations(batch) if each in kept] == kept
        assert all(each in kept for each, added in zip(all_conversations(batch), results, strict=True) if added is True)
        assert await store.create(a_batch("a", id="B2")), "it takes nothing more"


async def a_server_finds_what_it_has_to_go_on_with(make: Make) -> None:
    async with make() as store:
        for id in ("B1", "B2", "B3", "B4"):
            await store.create(a_batch("a", id=id))
        job = BatchExecution(batch="B1", served=True, started=CREATED)
        others = (
            job.model_copy(update={"batch": "B2", "cancelled": True}),
            job.model_copy(update={"batch": "B3", "served": False}),
            job.model_copy(update={"batch": "B4", "ended": CREATED}),
        )
        for each in (job, *others):
            await store.keep_job(each)
    async with make() as reopened:
        assert await reopened.waiting() == [job]
        await reopened.keep_job(job.model_copy(update={"ended": CREATED}))
        assert (await reopened.waiting(), await reopened.job("B2"), await reopened.job("B5")) == ([], others[0], None)
        assert (await refusal(reopened.keep_job(job.model_copy(update={"batch": "B5"}))))[0].startswith("there is no")


async def a_deleted_batch_is_gone_and_others_stay(make: Make) -> None:
    one, other = a_batch("a", "b", id="B1"), a_batch("a", id="B2", name="kept")
    async with make() as store:
        for batch in (one, other):
            await store.create(batch)
            await store.add(batch.id, a_conversation(batch.cases[0]))
            await store.judge(batch.id, a_verdict("a"), rubric=RUBRIC)
            await store.log(batch.id, ConversationEnded(conversation=a_conversation(batch.cases[0])))
            await store.keep_job(BatchExecution(batch=batch.id))
        assert [await store.delete(one.id), await store.delete(one.id)] == [True, False]
        assert (await refusal(store.batch(one.id)))[0] == "there is no batch 'B1'"
        assert (await store.job(one.id), await store.count()) == (None, 1)
    async with make() as reopened:
        assert await reopened.batch(other.id) == other
        assert await reopened.conversation(other.id, "a") == a_conversation(other.cases[0])
        assert len(await all_in(reopened.events(other.id))) == 1
        assert await all_in(reopened.verdicts(other.id)) == [a_verdict("a")]
        assert await reopened.rubric(RUBRIC.hash) == RUBRIC
        assert await reopened.create(one), "its id is free again"
        assert (await reopened.stored(one.id), await all_in(reopened.verdicts(one.id))) == (set(), [])


FACTS: tuple[Fact, ...] = (
    what_is_written_reads_back_whole,
    the_first_batch_with_an_id_wins,
    a_batch_name_means_its_newest_batch,
    runs_of_a_name_keep_their_numbers_when_others_are_deleted,
    prompts_are_kept_once_and_as_long_as_a_batch_uses_them,
    prompts_that_were_saved_stay_and_the_newest_of_a_name_comes_first,
    a_batch_is_played_once_at_a_time,
    the_first_conversation_wins_though_many_come_at_once,
    reading_follows_the_cases_and_then_the_repeats,
    a_page_goes_on_where_the_last_one_stopped,
    a_filter_leaves_what_is_wanted,
    a_name_means_the_newest_batch_that_has_it,
    batches_are_paged_from_the_newest_without_their_cases,
    what_is_not_there_is_refused_with_a_suggestion,
    what_could_not_be_found_again_is_refused,
    what_was_not_planned_is_refused_and_spoils_nothing_beside_it,
    a_listener_goes_on_where_it_stopped,
    an_ending_is_reported_only_after_it_is_stored,
    a_later_attempt_takes_the_place_of_an_earlier_one_which_is_kept,
    a_batch_of_selected_conversations_plans_no_others,
    planned_conversations_can_be_replaced,
    a_cancelled_write_is_kept_whole_or_not_at_all,
    a_server_finds_what_it_has_to_go_on_with,
    a_deleted_batch_is_gone_and_others_stay,
)
