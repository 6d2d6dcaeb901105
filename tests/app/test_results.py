from collections.abc import Callable

import pytest

from sparring.app.results import results, summarize
from sparring.core.batch import Batch, Players
from sparring.core.checks import Rubric
from sparring.core.conversation import Ending
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.json_report import run_json
from sparring.reports.scores import Agreement
from sparring.reports.summary import Summary
from sparring.reports.text import summary_text
from sparring.testing.factories import RUBRIC, a_batch, a_conversation, a_verdict, all_conversations
from sparring.testing.memory_store import MemoryStore


@pytest.fixture(autouse=True)
def without_null_bots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.app.computed.discriminator", lambda batch, store: None)


JUDGE = "openai:judge"


def batch(*cases: str, judge: str = JUDGE, rubrics: tuple[Rubric, ...] = (RUBRIC,), repeats: int = 1) -> Batch:
    made = a_batch(*cases, repeats=repeats)
    return made.model_copy(
        update={"who": Players(chatbot="pizzeria", user="agenda", judge=judge), "rubrics": rubrics, "rules": ()}
    )


async def store_of(batch: Batch, *verdicts: Verdict) -> MemoryStore:
    store = MemoryStore()
    await store.create(batch)
    for conversation in all_conversations(batch):
        await store.add(batch.id, conversation)
    for verdict in verdicts:
        await store.judge(batch.id, verdict)
    return store


async def concluded(batch: Batch, *verdicts: Verdict) -> Summary:
    return await summarize(batch, await store_of(batch, *verdicts))


def by_a_human(conversation: str, outcome: CheckOutcome) -> Verdict:
    return Verdict(check="human", outcome=outcome, conversation=conversation, by="human", judge="human")


async def test_the_kept_verdicts_of_the_judge_decide():
    summary = await concluded(batch("a", "b"), a_verdict("a"), a_verdict("b", outcome=CheckOutcome.FAIL))

    assert (summary.outcomes[Outcome.PASSED], summary.outcomes[Outcome.FAILED]) == (1, 1)
    assert summary.examples[0].reason == "polite: Вежливо."
    assert summary.usage["judge"] == Usage(calls=2, input_tokens=1400, output_tokens=80, cost=0.0004)


async def test_an_unjudged_conversation_is_undecided_and_no_judge_is_called():
    summary = await concluded(batch("a", "b"), a_verdict("a"))

    assert (summary.outcome, summary.outcomes[Outcome.UNDECIDED]) == (Outcome.UNDECIDED, 1)
    assert summary.examples[0].reason.startswith("polite: not judged yet")
    assert [(each.check, each.passed, each.errors) for each in summary.scores] == [("polite", 1, 1)]


async def test_a_failed_judge_is_an_error_and_counted_apart_from_scores():
    summary = await concluded(batch("a", "b"), a_verdict("a"), a_verdict("b", outcome=CheckOutcome.ERROR))

    (scores,) = summary.scores
    assert (scores.spread.n, scores.spread.mean, scores.errors, scores.passed) == (1, 3, 1, 1)
    assert summary.outcome is Outcome.UNDECIDED


async def test_another_judge_is_counted_apart_and_decides_nothing():
    other = a_verdict("a", judge="openai:other", outcome=CheckOutcome.FAIL)

    summary = await concluded(batch("a"), a_verdict("a"), other)

    assert summary.outcome is Outcome.PASSED
    assert [(each.judge, each.spread.mean) for each in summary.scores] == [(JUDGE, 3), ("openai:other", 1)]
    assert summary.usage["judge"].calls == 2, "whoever decides, both were paid"


async def test_verdicts_to_another_rubric_decide_nothing():
    short = RUBRIC.model_copy(update={"text": "Is it short?"})

    summary = await concluded(batch("a", rubrics=(short,)), a_verdict("a"))

    assert summary.outcome is Outcome.UNDECIDED


async def test_a_case_may_be_asked_more_than_others():
    own = RUBRIC.model_copy(update={"name": "short", "text": "Is it short?"})
    both = batch("a", "b")
    cases = (both.cases[0].model_copy(update={"rubrics": (own.hash,)}), both.cases[1])
    both = both.model_copy(update={"cases": cases, "case_rubrics": (own,)})

    summary = await concluded(both, a_verdict("a"), a_verdict("b"))

    assert [(each.conversation, each.reason[:21]) for each in summary.examples] == [("a", "short: not judged yet")]


async def test_a_rubric_of_a_case_stays_undecided_without_a_judge():
    checked = batch("a", judge="checklist", rubrics=())
    case = checked.cases[0].model_copy(update={"rubrics": (RUBRIC.hash,)})

    summary = await concluded(checked.model_copy(update={"cases": (case,), "case_rubrics": (RUBRIC,)}))

    assert (summary.outcome, summary.examples[0].reason) == (
        Outcome.UNDECIDED,
        "polite: a rubric is read by a model: --judge MODEL",
    )


async def test_a_human_is_counted_apart_and_decides():
    verdicts = a_verdict("a"), a_verdict("b"), by_a_human("a", CheckOutcome.FAIL)

    summary = await concluded(batch("a", "b"), *verdicts)

    assert (summary.outcome, summary.examples[0].reason) == (Outcome.FAILED, "human")
    assert summary.agreements == (Agreement(judge=JUDGE, n=1, agreed=0),)


async def test_agreement_with_the_checklist_is_measured_too():
    summary = await concluded(batch("a", "b", judge="checklist", rubrics=()), by_a_human("b", CheckOutcome.PASS))

    assert summary.agreements == (Agreement(judge="checklist", n=1, agreed=1),)


async def test_a_void_conversation_needs_no_verdict():
    both = batch("a")
    store = MemoryStore()
    await store.create(both)
    await store.add(both.id, a_conversation(both.cases[0], ending=Ending.TIMEOUT))

    summary = await summarize(both, store)

    assert summary.examples[0].reason == "the chatbot did not reply in time"


async def test_verdicts_find_their_conversations_when_some_of_these_are_missing_or_unreadable():
    class Losing(MemoryStore):
        async def with_results(self, batch: str, *, unreadable: Callable[[str], None] = print, **options):  # type: ignore[no-untyped-def, override]
            async for each in super().with_results(batch, **options):
                if each[0].id == "b":
                    unreadable("b")
                else:
                    yield each

    many = batch("c", "b", "a", repeats=2)
    store = Losing()
    await store.create(many)
    for conversation in all_conversations(many):
        await store.add(many.id, conversation)
        if conversation.id != "b#2":
            await store.judge(many.id, a_verdict(conversation.id))
    lost: list[str] = []

    found = [
        (each.id, [v.conversation for v in found.asked])
        async for each, found in results(many, store, unreadable=lost.append)
    ]

    assert found == [("c", ["c"]), ("c#2", ["c#2"]), ("b#2", []), ("a", ["a"]), ("a#2", ["a#2"])]
    assert lost == ["b"]


async def test_others_are_given_the_judge_the_human_and_the_rules_about_each():
    both = batch("a", "b")
    store = await store_of(
        both, a_verdict("a"), a_verdict("b", judge="openai:other"), by_a_human("b", CheckOutcome.PASS)
    )

    given = {each.id: [verdict.judge for verdict in said.all] async for each, said in results(both, store)}

    assert given == {"a": [JUDGE], "b": [JUDGE, "human"]}, "what is lacking is an error of the judge"


async def test_usage_of_broken_off_conversations_is_reported_apart_from_the_sums():
    store, dropped = await store_of(batch("a"), a_verdict("a")), Usage(calls=3, unknown_tokens=3, unknown_costs=3)
    kept = await summarize(batch("a"), store)
    await store.drop("B1", dropped)

    summary = await summarize(batch("a"), store)

    assert (summary.consumed, summary.unkept) == (kept.consumed, dropped)
    took = "3 calls, 0 tokens in, 0 out (3 calls without a count), cost unknown"
    assert f"Also used by interrupted, retried and rejudged conversations: {took}" in list(summary_text(summary))
    assert run_json(summary)["unkept"] == {
        "calls": 3,
        "from_cache": 0,
        "tokens": {"input": 0, "output": 0, "unknown": 3},
        "cost": None,
        "unknown_costs": 3,
    }
