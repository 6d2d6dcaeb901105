"""Verdicts are recorded with the conversation, findings at the end; `complete` records what is missing, once."""

import asyncio
import multiprocessing
from pathlib import Path

import pytest

from fakes import FrozenClock, Saying, Talking
from sparring.app import computed as app_computed
from sparring.app.computed import complete
from sparring.app.discrimination import NoNullBots
from sparring.app.results import findings, results, summarize
from sparring.core.audit import Blame
from sparring.core.batch import Batch, Players
from sparring.core.case import Case
from sparring.core.checks import Expectation, Rule
from sparring.core.conversation import Ending
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import NULL_BOTS, Discrimination, Outcome
from sparring.core.verdict import CheckOutcome
from sparring.extraction.pattern_extractor import PatternReader
from sparring.judges.checklist import checklist
from sparring.judges.judge import DeterministicJudge
from sparring.rules.check import Checking
from sparring.runner import verdict_selection, verdicts
from sparring.runner.batch import run
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import ResolvedPlayers
from sparring.store.redaction import Redaction
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import RecordedChecks, Store
from sparring.testing.factories import CREATED, a_batch, a_conversation, all_conversations, attempt
from sparring.testing.memory_store import MemoryStore


@pytest.fixture(autouse=True)
def without_null_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.app.computed.discriminator", lambda batch, store: None)


SHORT = Rule(name="short", then="turns() < 2")
SAME = Rule(name="same", conversations=2, then="conv[0].language == conv[1].language")
CALL = Expectation(rule=Rule(name="call me", then="'555-0199' in chatbot_phrases[0]"))


def batch(*rules: Rule, number: int = 2) -> Batch:
    cases = tuple(Case(id=f"case/{n}", seed=7, expectations=(CALL,)) for n in range(number))
    who = Players(chatbot="echo", user="saying", judge="checklist")
    return Batch(id="B1", created=CREATED, who=who, cases=cases, rules=rules)


def players() -> ResolvedPlayers:
    chatbot = Talking(lambda: lambda text: "Call 555-0199.")
    return ResolvedPlayers(
        chatbot, Saying("Hi"), PatternReader(), FrozenClock(), NamedJudge(DeterministicJudge(checklist), "checklist")
    )


async def played(store: Store, of: Batch) -> None:
    async for _ in run(of, players(), store):
        pass


async def test_a_batch_that_has_ended_lacks_nothing_and_is_only_read(monkeypatch: pytest.MonkeyPatch):
    store, of = MemoryStore(), batch(SHORT, SAME)
    await played(store, of)

    def refuse(*_: object) -> None:
        raise AssertionError("a check was evaluated again")

    monkeypatch.setattr(verdicts.ConversationChecks, "evaluate", refuse)
    monkeypatch.setattr(Checking, "enter", refuse)

    summary = await summarize(of, store)
    assert [(each.rule, each.outcome) for each in summary.findings] == [("short", "pass"), ("same", "pass")]
    assert summary.outcomes[Outcome.PASSED] == 2
    assert (await store.totals("B1")).outcomes == {Outcome.PASSED: 2}
    told = [[each.check for each in found.all] async for _, found in results(of, store)]
    assert told == [["checklist", "call me", "short"]] * 2


async def test_a_batch_that_was_killed_is_completed_once(monkeypatch: pytest.MonkeyPatch):
    store, of = MemoryStore(), batch(SHORT, SAME)
    playing = run(of, players(), store, concurrency=1)
    async for event in playing:
        if event.event == "conversation_ended":
            break
    await playing.aclose()
    recorded = [hash async for hash, _ in store.checked("B1")]
    assert (len(recorded), await store.findings("B1")) == (3, {}), "verdicts come with the conversation, findings later"

    evaluated = []
    monkeypatch.setattr(verdicts.ConversationChecks, "evaluate", lambda *_: evaluated.append(1))
    found = await findings(of, store)
    assert [(each.rule, each.total) for each in found] == [("short", 1), ("same", 0)]
    assert evaluated == []
    monkeypatch.undo()

    await played(store, of)
    assert [(each.rule, each.total) for each in await findings(of, store)] == [("short", 2), ("same", 2)]


async def test_a_batch_of_an_earlier_version_is_completed_on_first_read():
    store, of = MemoryStore(), a_batch("a", "b", repeats=2).model_copy(update={"rules": (SHORT, SAME)})
    await store.create(of)
    for conversation in all_conversations(of):
        await store.add(of.id, conversation)

    await complete(await store.head(of.id), store)

    assert [each async for each in store.unlisted(of.id)] == []
    assert (await store.totals(of.id)).failed == {"short": 4}
    assert len(await store.findings(of.id)) == 2


async def test_completing_tries_no_null_bots_on_what_they_were_tried_on():
    store, of = MemoryStore(), batch(SHORT)
    await store.create(of)
    off = Discrimination(kind="off")
    for each in all_conversations(of):
        recorded = {verdict_selection.NULL_BOTS_HASH: off.verdict(each.id)}
        await store.add(of.id, each, checks=RecordedChecks(each.id, 1, recorded))

    class Refusing(NoNullBots):
        async def __call__(self, case: Case, state: object = None) -> Discrimination:
            raise AssertionError("null bots were tried again")

    await verdicts.record_missing(of, store, Refusing())

    assert [each.judge async for _, each in store.checked("B1") if each.by == NULL_BOTS] == ["off", "off"]


async def test_a_batch_that_is_being_played_is_left_alone():
    store, of = MemoryStore(), batch(SHORT)
    await store.create(of)
    await store.add(of.id, a_conversation(of.cases[0]))

    with store.playing(of.id):
        assert (await summarize(of, store)).findings == ()

    assert len((await summarize(of, store)).findings) == 1


async def test_a_second_reader_waits_for_the_one_that_completes_the_batch(monkeypatch: pytest.MonkeyPatch):
    store, of = MemoryStore(), batch(SHORT)
    await store.create(of)
    for conversation in all_conversations(of):
        await store.add(of.id, conversation)
    monkeypatch.setattr(app_computed, "_PAUSE", 0)
    evaluated = []
    evaluate = verdicts.ConversationChecks.evaluate

    async def slowly(self: verdicts.ConversationChecks, conversation: object, *tried: object) -> object:
        evaluated.append(conversation)
        for _ in range(10):
            await asyncio.sleep(0)
        return await evaluate(self, conversation, *tried)  # type: ignore[arg-type]

    monkeypatch.setattr(verdicts.ConversationChecks, "evaluate", slowly)

    one, other = await asyncio.gather(summarize(of, store), summarize(of, store))

    assert one == other
    assert len(evaluated) == 2


def _summary(path: Path) -> str:
    async def look() -> str:
        async with SqliteStore(path) as store:
            return (await summarize(await store.batch("B1"), store)).model_dump_json()

    return asyncio.run(look())


@pytest.mark.slow
async def test_two_processes_that_complete_a_batch_at_once_say_the_same(tmp_path: Path):
    of = a_batch(*map(str, range(50)), repeats=2).model_copy(update={"rules": (SHORT, SAME)})
    async with SqliteStore(tmp_path / "a.db") as store:
        await store.create(of)
        for conversation in all_conversations(of):
            await store.add(of.id, conversation)

    with multiprocessing.get_context("spawn").Pool(2) as pool:
        one, other = await asyncio.to_thread(pool.map, _summary, [tmp_path / "a.db"] * 2)

    assert one == other
    assert '"violated":100' in one


@pytest.mark.parametrize("kinds", [(), ("phone",)])
async def test_redaction_changes_no_verdict(tmp_path: Path, kinds: tuple[str, ...]):
    of = batch(Rule(name="number", then="'555-0199' in chatbot_phrases[0]"))
    async with SqliteStore(tmp_path / "a.db", redaction=Redaction(kinds)) as store:
        await played(store, of)
        told = [(conversation, found) async for conversation, found in results(of, store)]
        rows = (await store.search("B1", ConversationQuery(), offset=0, limit=9))[1]

    assert {each.outcome for _, found in told for each in found.rules + found.expectations} == {CheckOutcome.PASS}
    assert {row.outcome for row in rows} == {Outcome.PASSED}
    assert all(("555-0199" in conversation.messages[1].text) is not bool(kinds) for conversation, _ in told)


async def test_nothing_that_is_hidden_reaches_verdicts_rows_and_words(tmp_path: Path):
    said = Rule(name="silent", then="len(chatbot_phrases[0]) < 3", yields="chatbot_phrases[0]")
    of = batch(said).model_copy(update={"cases": (Case(id="a", seed=7),)})
    async with SqliteStore(tmp_path / "a.db", redaction=Redaction(["/Call 5/", "phone"])) as store:
        await played(store, of)
        (verdict,) = [each async for _, each in store.checked("B1") if each.check == "silent"]
        found = await store.search("B1", ConversationQuery(text="555"), offset=0, limit=9)
        row = (await store.search("B1", ConversationQuery(), offset=0, limit=9))[1][0]

    assert verdict.outcome is CheckOutcome.FAIL
    assert "*" in verdict.reason
    assert found == (0, [])
    assert "*" in row.reason
    assert "555-0199" not in everything_in(tmp_path)


def test_a_rule_or_expectation_that_is_edited_is_another_check():
    edited = SHORT.model_copy(update={"then": "turns() < 3"})
    other = batch().cases[0].model_copy(update={"expectations": (Expectation(rule=edited),)})

    assert len({SHORT.hash, edited.hash, SAME.hash}) == 3
    assert verdict_selection.complete_hash(batch(SHORT)) != verdict_selection.complete_hash(batch(edited))
    conversations = a_conversation(batch().cases[0]), a_conversation(other)
    assert len({verdict_selection.expectations_hash(each) for each in conversations}) == 2


async def test_verdicts_are_those_of_the_attempt_that_counts():
    store, of = MemoryStore(), batch(Rule(name="short", then="turns() < 2"), number=1)
    first = a_conversation(of.cases[0], ending=Ending.CHATBOT_FAILED)
    await store.create(of)
    await store.add(of.id, first)
    before = await summarize(of, store)

    await store.replace(of.id, attempt(a_conversation(of.cases[0]), 2))
    after = await summarize(of, store)

    assert before.examples[0].reason.startswith("the chatbot crashed")
    assert after.examples[0].reason.startswith("short: ")
    assert after.findings[0].violated == 1
    rows = (await store.search(of.id, ConversationQuery(), offset=0, limit=9))[1]
    assert [(row.attempt, row.outcome) for row in rows] == [(2, Outcome.FAILED)]


async def test_a_rule_whose_name_no_conversation_defines_decides_nothing_until_one_does():
    of = batch(Rule(name="paid", then="price < 10"))
    cases = (Case(id="a", seed=7), Case(id="b", seed=7, variables={"price": 20}))
    of = of.model_copy(update={"cases": cases})
    store = MemoryStore()
    await store.create(of)
    await store.add(of.id, a_conversation(of.cases[0]))
    before = await summarize(of, store)
    listed = await store.totals(of.id)

    await store.add(of.id, a_conversation(of.cases[1]))
    after = await summarize(of, store)

    assert (bool(before.findings[0].invalid), bool(after.findings[0].invalid)) == (True, False)
    assert before.blames == {Blame.CASE: 1}, "nothing was checked"
    assert after.outcomes[Outcome.FAILED] == 1
    assert listed.outcomes == counted(before)
    assert (await store.totals(of.id)).outcomes == counted(after)


async def test_another_judge_is_recorded_beside_the_own_one_and_changes_no_row():
    store, of = MemoryStore(), a_batch("a")
    await store.create(of)
    await store.add(of.id, all_conversations(of)[0])
    order = of.model_copy(update={"who": of.who.model_copy(update={"judge": "order"})})

    other, own = await summarize(order, store), await summarize(of, store)

    assert [each.judge for each in own.scores] == ["checklist"]
    assert {each.judge for each in other.scores} <= {"order"}
    assert (await store.totals(of.id)).outcomes == counted(own)


def counted(summary) -> dict[Outcome, int]:  # type: ignore[no-untyped-def]
    return {outcome: count for outcome, count in summary.outcomes.items() if count}


def everything_in(folder: Path) -> str:
    return "".join(path.read_bytes().decode(errors="replace") for path in folder.iterdir())
