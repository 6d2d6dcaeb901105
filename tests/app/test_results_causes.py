from sparring.app.compare import accept
from sparring.app.results import summarize
from sparring.core.batch import Batch, BatchExecution
from sparring.core.checks import Rule
from sparring.reports.summary import Summary
from sparring.reports.text import summary_text
from sparring.testing.factories import CREATED, a_batch, all_conversations
from sparring.testing.memory_store import MemoryStore

PRICE = Rule(name="priced", then="chatbot_says('price')")
POLITE = Rule(name="polite", then="chatbot_says('please')")
FINE = Rule(name="fine", then="chatbot_says('Goodbye')")


async def run(store: MemoryStore, id: str, rule: Rule, name: str = "nightly") -> Batch:
    """Store a run of three cases, each of which violates the rule or holds it."""
    batch = a_batch("a", "b", "c", id=id, name=name).model_copy(update={"rules": (rule,)})
    await store.create(batch)
    for conversation in all_conversations(batch):
        await store.add(batch.id, conversation)
    await summarize(batch, store)
    return batch


def causes_by_status(summary: Summary) -> dict[str, str | None]:
    return {each.title.split("“")[1].strip("”"): each.status for each in (*summary.causes, *summary.gone)}


async def test_causes_are_held_against_the_previous_run_of_the_name():
    store = MemoryStore()
    await run(store, "B1", PRICE)
    await run(store, "B0", POLITE, name="another")

    again = await summarize(await run(store, "B2", PRICE), store)
    other = await summarize(await run(store, "B3", POLITE), store)
    back = await summarize(await run(store, "B4", PRICE), store)

    assert causes_by_status(again) == {"price": "known"}
    assert (again.causes[0].since, again.causes[0].since_run, again.causes[0].before) == ("B1", 1, 3)
    assert causes_by_status(other) == {"please": "new", "price": "fixed"}
    assert causes_by_status(back) == {"price": "back", "please": "fixed"}
    assert back.baseline is not None
    assert (back.baseline.batch, back.baseline.run, back.baseline.pinned) == ("B3", 3, False)


async def test_a_first_run_and_one_without_a_name_have_no_statuses():
    store = MemoryStore()

    first = await summarize(await run(store, "B1", PRICE), store)
    await run(store, "B2", PRICE, name="")
    unnamed = await summarize(await run(store, "B3", PRICE, name=""), store)

    assert [causes_by_status(first), causes_by_status(unnamed), first.baseline] == [{"price": None}] * 2 + [None]


async def test_causes_are_held_against_the_accepted_run_and_the_previous_one():
    store = MemoryStore()
    pinned = await run(store, "B1", FINE)
    await accept(pinned, store)
    await run(store, "B2", PRICE)

    found = await summarize(await run(store, "B3", PRICE), store)

    assert found.baseline is not None
    assert (found.baseline.batch, found.baseline.pinned, found.baseline.previous) == ("B1", True, "B2")
    (price,) = found.causes
    assert (price.status, price.previous, price.since) == ("back", "known", "B2")


async def test_a_run_that_was_cancelled_is_no_baseline():
    store = MemoryStore()
    await run(store, "B1", PRICE)
    await run(store, "B2", FINE)
    await store.keep_job(BatchExecution(batch="B2", started=CREATED, cancelled=True))

    found = await summarize(await run(store, "B3", PRICE), store)

    assert found.baseline is not None
    assert (found.baseline.batch, causes_by_status(found)) == ("B1", {"price": "known"})


async def test_the_text_of_a_run_names_the_statuses():
    store = MemoryStore()
    await run(store, "B1", PRICE)

    text = "\n".join(summary_text(await summarize(await run(store, "B2", POLITE), store)))

    assert "  3  100 %  new  The chatbot does not say “please”" in text
    assert "fixed: The chatbot does not say “price” (was 3)" in text
