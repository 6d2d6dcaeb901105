"""Facts about verdicts, findings and the rows of lists that every store must satisfy."""

import asyncio
from math import isclose

from sparring.core.audit import Blame
from sparring.core.batch import Progress
from sparring.core.causes import FailureCause
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, Problem
from sparring.core.events import ConversationEnded
from sparring.core.judgements import Calibration
from sparring.core.listing import ConversationQuery, ConversationRow, ResultFields
from sparring.core.mutation import MutantPlay, MutationRun
from sparring.core.outcome import Decision, Discrimination, Outcome, Reason
from sparring.core.usage import UnstoredUsage, Usage
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.store.store import PendingUsage, RecordedChecks
from sparring.testing.factories import (
    CREATED,
    RUBRIC,
    a_batch,
    a_conversation,
    a_verdict,
    all_conversations,
    attempt,
)
from store_suite import Fact, Make, all_in, ids, refusal


async def what_null_bots_found_is_kept_across_batches(make: Make) -> None:
    weak = Discrimination(kind="weak", passed_by=("echo",), reason="an echo passes", remedy="say more")
    async with make() as store:
        assert await store.tried("k") is None
        await store.record_tried("k", Discrimination(kind="guard"))
        await store.record_tried("k", weak)
    async with make() as reopened:
        assert await reopened.tried("k") == weak
        assert await reopened.tried("other") is None


async def runs_over_mutants_are_kept_until_their_batch_goes(make: Make) -> None:
    batch = a_batch("a")
    run, other = (MutationRun(id=f"01J{n}", batch=batch.id, budget=n) for n in (1, 2))
    play = MutantPlay(conversation=a_conversation(batch.cases[0]))
    async with make() as store:
        await store.create(batch)
        for each in (run, other, run):
            await store.record_mutation(each)
        await store.record_play(run.id, "k", play)
    async with make() as reopened:
        assert (await reopened.mutation(run.id), await reopened.mutation("latest")) == (run, other)
        assert (await reopened.play(run.id, "k"), await reopened.play(other.id, "k")) == (play, None)
        await reopened.delete(batch.id)
        assert "no run over mutants" in (await refusal(reopened.mutation(run.id)))[0]


_QUERIES: tuple[tuple[ConversationQuery, list[int]], ...] = (
    (ConversationQuery(), [0, 1, 2, 3, 4, 5]),
    (ConversationQuery(descending=True), [5, 4, 3, 2, 1, 0]),
    (ConversationQuery(order="score"), [1, 3, 5, 0, 2, 4]),
    (ConversationQuery(order="turns", descending=True), [5, 4, 3, 2, 1, 0]),
    (ConversationQuery(order="outcome"), [1, 3, 5, 0, 2, 4]),
    (ConversationQuery(outcomes=(Outcome.FAILED,)), [1, 3, 5]),
    (ConversationQuery(scores=(1.0,)), [1, 3, 5]),
    (ConversationQuery(endings=(Ending.TIMEOUT,)), []),
    (ConversationQuery(check='say "please"'), [1, 3, 5]),
    (ConversationQuery(cause="c-none"), []),
    (ConversationQuery(blame=Blame.CHATBOT), [1, 3, 5]),
    (ConversationQuery(text="ПРИВЕТ 4"), [4]),
    (ConversationQuery(case="b"), [2, 3]),
    (ConversationQuery(tag="vip"), []),
)
"""Queries, and the numbers of the rows they find."""


async def rows_are_found_by_what_is_in_them(make: Make) -> None:
    batch = a_batch("a", "b", "ещё", repeats=2)
    made = [a_row(each, n) for n, each in enumerate(all_conversations(batch))]
    first, second = made[:2]
    async with make() as store:
        await store.create(batch)
        for each in all_conversations(batch):
            await store.add(batch.id, each)
        assert ids(await all_in(store.unlisted(batch.id))) == [each.conversation for each in made]
        await store.record_checks(batch.id, [listed(each) for each in made[:3]])
        assert ids(await all_in(store.unlisted(batch.id))) == [each.conversation for each in made[3:]]
        await store.record_checks(batch.id, [listed(each) for each in made[3:]])
        for wanted, expected in _QUERIES:
            total, found = await store.search(batch.id, wanted, offset=0, limit=10)
            names = [each.conversation for each in found]
            assert (total, names) == (len(expected), [made[n].conversation for n in expected]), wanted
        newest = [without_words(each) for each in reversed(made[-2:])]
        assert await store.newest(batch.id, limit=2) == newest
        assert await store.search(batch.id, ConversationQuery(), offset=1, limit=1) == (6, [without_words(second)])
        totals = await store.totals(batch.id)
        assert totals.outcomes == {Outcome.PASSED: 3, Outcome.FAILED: 3}
        assert (totals.conversations, totals.scores, totals.failed) == (6, {1.0: 3}, {'say "please"': 3})
        assert (totals.tokens, totals.unpriced, round(totals.cost, 3)) == (60, 3, 0.03)
        await store.judge(batch.id, a_verdict(first.conversation))
        await store.replace(batch.id, attempt(all_conversations(batch)[1], 2))
        assert ids(await all_in(store.unlisted(batch.id))) == [first.conversation, second.conversation]
        await store.record_checks(batch.id, [listed(each) for each in [first, second]])
        assert ids(await all_in(store.unlisted(batch.id))) == [second.conversation], "a row of another attempt"


async def what_does_not_count_fails_no_check_where_rows_are_added_up(make: Make) -> None:
    batch = a_batch("a", "b")
    async with make() as store:
        await store.create(batch)
        for each in all_conversations(batch):
            await store.add(batch.id, each)
        failed, late = (a_row(each, 1) for each in all_conversations(batch)[:2])
        undecided = Decision(outcome=Outcome.UNDECIDED, blame=Blame.CHATBOT)
        late = late.model_copy(update={"decision": undecided, "ending": Ending.TIMEOUT})
        await store.record_checks(batch.id, [listed(each) for each in [failed, late]])
        assert (await store.totals(batch.id)).failed == {'say "please"': 1}
        assert (await store.search(batch.id, ConversationQuery(check='say "please"'), offset=0, limit=10))[0] == 2


async def causes_are_found_with_the_first_batch_that_has_them(make: Make) -> None:
    price = FailureCause(id="c-0123456789ab", kind="value", subject="price", blame=Blame.CHATBOT)
    late = price.model_copy(update={"id": "c-ba9876543210", "subject": "time"})
    async with make() as store:
        for id, cause in (("B1", price), ("B2", price), ("B3", late), ("B4", None)):
            batch = a_batch("a", "b", id=id)
            await store.create(batch)
            for conversation in all_conversations(batch):
                await store.add(batch.id, conversation)
            failed = a_row(all_conversations(batch)[1], 1)
            decision = failed.decision.model_copy(update={"cause": cause})
            rows = [a_row(all_conversations(batch)[0], 0), failed.model_copy(update={"decision": decision})]
            await store.record_checks(id, [listed(each) for each in rows])
        assert await store.first_causes(["B1", "B2", "B3", "B4"]) == {price.id: "B1", late.id: "B3"}
        assert await store.first_causes(["B2"]) == {price.id: "B2"}
        assert await store.first_causes([]) == {}


async def rows_are_found_by_the_outcome_of_the_first_attempt(make: Make) -> None:
    batch = a_batch("a", "b")
    first, other = all_conversations(batch)
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, first, checks=checked(first, 1))
        await store.add(batch.id, other, checks=checked(other, 0))
        assert await store.replace(batch.id, attempt(first, 2), checks=checked(attempt(first, 2), 2))
        for outcome, expected in ((Outcome.FAILED, ["a"]), (Outcome.PASSED, ["b"])):
            wanted = ConversationQuery(outcomes=(outcome,))
            _, found = await store.search(batch.id, wanted, offset=0, limit=9)
            assert [row.conversation for row in found] == expected, wanted
        by_outcome = ConversationQuery(order="outcome", descending=True)
        _, found = await store.search(batch.id, by_outcome, offset=0, limit=9)
        assert [row.conversation for row in found] == ["b", "a"]


async def results_are_read_from_rows_that_have_them(make: Make) -> None:
    batch = a_batch("b", "a", repeats=2)
    b, b2, a, a2 = all_conversations(batch)
    result = ResultFields(session="", seed=7, comment="«да»", start_time=CREATED)
    async with make() as store:
        await store.create(batch)
        for number, each in enumerate((a2, b, a, b2)):
            row = a_row(each, number).model_copy(update={"result": result})
            await store.add(batch.id, each, checks=RecordedChecks(each.id, row=row))
        complete = await store.lacks_results(batch.id)
        found = await all_in(store.stored_results(batch.id))
        await store.judge(batch.id, a_verdict("a"))
        assert (complete, await store.lacks_results(batch.id)) == (False, True)
        assert [(each.position, each.case, each.repeat) for each in found] == [
            (0, "b", 1),
            (0, "b", 2),
            (1, "a", 1),
            (1, "a", 2),
        ]
        assert [each.turns for each in found] == [1, 3, 2, 0]
        assert [each.decision.outcome for each in found][:1] == [Outcome.FAILED]
        assert {each.result["comment"] for each in found} == {"«да»"}


async def checks_are_recorded_with_their_conversation(make: Make) -> None:
    batch = a_batch("b", "a", repeats=2)
    found = {each.id: checked(each, n) for n, each in enumerate(all_conversations(batch)[:3])}
    async with make() as store:
        await store.create(batch)
        for each in all_conversations(batch):
            assert await store.add(batch.id, each, checks=found.get(each.id))
    async with make() as reopened:
        results = [(hash, each.conversation, each.score) async for hash, each in reopened.checked(batch.id)]
        assert results == [("x", "b", 0), ("y", "b", 0), ("x", "b#2", 1), ("y", "b#2", 1), ("x", "a", 2), ("y", "a", 2)]
        assert [each.score async for _, each in reopened.checked(batch.id, conversation="b#2")] == [1, 1]
        both = await reopened.recorded(batch.id, ["a", "b#2"])
        assert [(each.position, [v.score for v in each.checked.values()]) for each in both] == [
            (1, [2, 2]),
            (0, [1, 1]),
        ]
        assert ids(await all_in(reopened.unchecked(batch.id, ["x", "all"]))) == ["a#2"]
        assert ids(await all_in(reopened.unchecked(batch.id, ["x", "other"]))) == ["b", "b#2", "a", "a#2"]
        assert ids(await all_in(reopened.unchecked(batch.id, ["x", "all"], conversation="b"))) == []
        assert ids(await all_in(reopened.unchecked(batch.id, ["x", "other"], conversation="b"))) == ["b"]
        assert ids(await all_in(reopened.unlisted(batch.id))) == ["a#2"]
        _, rows = await reopened.search(batch.id, ConversationQuery(text="привет"), offset=0, limit=9)
        assert [row.conversation for row in rows] == ["b", "b#2", "a"], "the words are those of the conversation"
        await reopened.record_checks(
            batch.id, [checked(all_conversations(batch)[3], 3), checked(all_conversations(batch)[0], 4)]
        )
        assert [each.score async for _, each in reopened.checked(batch.id)] == [4, 4, 1, 1, 2, 2, 3, 3]


async def checks_are_those_of_the_attempt_that_counts(make: Make) -> None:
    batch = a_batch("a")
    (first,) = all_conversations(batch)
    again = attempt(first, 2)
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, first, checks=checked(first, 1))
        assert await store.replace(batch.id, again, checks=checked(again, 2))
        assert [each.score async for _, each in store.checked(batch.id)] == [2, 2]
        await store.record_checks(batch.id, [checked(first, 3)])
        assert [each.score async for _, each in store.checked(batch.id)] == [2, 2]
        assert [each.attempt for each in (await store.search(batch.id, ConversationQuery(), offset=0, limit=9))[1]] == [
            2
        ]
        assert await store.replace(batch.id, attempt(first, 3))
        assert ids(await all_in(store.unchecked(batch.id, ["all"]))) == ["a"]
        assert ids(await all_in(store.unlisted(batch.id))) == ["a"]
        assert await all_in(store.checked(batch.id)) == []


async def a_verdict_comes_with_a_new_row_or_takes_the_old_one_away(make: Make) -> None:
    batch = a_batch("a")
    (conversation,) = all_conversations(batch)
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, conversation, checks=checked(conversation, 0))
        await store.judge(batch.id, a_verdict("a"), row=a_row(conversation, 3))
        total, rows = await store.search(batch.id, ConversationQuery(text="привет"), offset=0, limit=9)
        assert (total, [row.turns for row in rows]) == (1, [3])
        await store.judge(batch.id, a_verdict("a", judge="openai:other"))
        assert ids(await all_in(store.unlisted(batch.id))) == ["a"]


async def findings_hold_for_the_recordings_they_were_found_over(make: Make) -> None:
    batch, other = a_batch("a", "b"), a_batch("a", id="B2")
    a, b = all_conversations(batch)
    found = {"r1": Finding(rule="short", total=1), "r2": Finding(rule="long", invalid=(Problem(message="no 'x'"),))}
    async with make() as store:
        await store.create(batch)
        await store.create(other)
        await store.add(batch.id, a, checks=checked(a, 0))
        assert await store.findings(batch.id) == {}
        await store.record_findings(batch.id, await store.recordings(batch.id), found)
        assert ids(await all_in(store.unlisted(batch.id))) == ["a"], "verdicts of an invalid rule decide nothing"
    async with make() as reopened:
        assert (await reopened.findings(batch.id), await reopened.findings(other.id)) == (found, {})
        await reopened.record_checks(batch.id, [listed(a_row(a, 0))])
        await reopened.record_findings(batch.id, await reopened.recordings(batch.id), found)
        assert await all_in(reopened.unlisted(batch.id)) == []
        await reopened.add(batch.id, b)
        assert await reopened.findings(batch.id) == {}
        await reopened.delete(batch.id)
        assert await reopened.create(batch)
        assert await reopened.findings(batch.id) == {}


async def verdicts_read_back_in_the_order_of_their_conversations(make: Make) -> None:
    batch = a_batch("b", "a", repeats=2)
    given = [a_verdict(id, judge=judge) for id in ("b", "b#2", "a", "a#2") for judge in ("human", "openai:x")]
    async with make() as store:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
        for verdict in reversed(given):
            assert await store.judge(batch.id, verdict, rubric=RUBRIC)
    async with make() as reopened:
        assert await all_in(reopened.verdicts(batch.id)) == given
        assert await all_in(reopened.verdicts("latest", conversation="b#2")) == given[2:4]
        assert await all_in(reopened.verdicts(batch.id, judge="human")) == given[::2]
        assert (await reopened.rubric(RUBRIC.hash), await reopened.rubric("unheard of")) == (RUBRIC, None)
        assert await reopened.judged(batch.id, "human") == {(case, n, RUBRIC.hash): 1 for case in "ab" for n in (1, 2)}


async def a_decided_verdict_is_followed_by_another_only_on_rejudging(make: Make) -> None:
    batch = a_batch("a", "b")
    failed, first, second = (a_verdict("a", outcome=CheckOutcome(each)) for each in ("error", "fail", "pass"))

    def attempt_of(verdict: Verdict, number: int) -> Verdict:
        return verdict.model_copy(update={"attempt": number})

    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]))
        assert await store.judge(batch.id, failed)
        assert await store.judged(batch.id, failed.judge) == {}
        results = [await store.judge(batch.id, first), await store.judge(batch.id, second)]
        kept = [failed, attempt_of(first, 2)]
        assert (results, await all_in(store.verdicts(batch.id))) == ([True, False], kept)
        assert await store.judge(batch.id, second, rejudge=True)
        assert await store.judge(batch.id, failed, rejudge=True)
        assert await store.judged(batch.id, failed.judge) == {("a", 1, failed.rubric): 2}
    async with make() as reopened:
        assert await all_in(reopened.verdicts(batch.id)) == [*kept, attempt_of(second, 3), attempt_of(failed, 4)]


async def another_judge_invalidates_rows(make: Make) -> None:
    batch = a_batch("a", "b")
    who = batch.who.model_copy(update={"judge": "openai:x + openai:y", "decides": "median"})
    async with make() as store:
        await store.create(batch)
        conversation = a_conversation(batch.cases[0])
        await store.add(batch.id, conversation)
        await store.judge(batch.id, a_verdict("a"), row=a_row(conversation, 3))
        await store.appoint(batch.model_copy(update={"who": who, "rubrics": (RUBRIC,)}))
    async with make() as reopened:
        found = await reopened.batch(batch.id)
        assert (found.who, found.rubrics, found.cases) == (who, (RUBRIC,), batch.cases)
        assert [each.id async for each in reopened.unlisted(batch.id)] == ["a"]


async def a_calibration_takes_the_place_of_the_earlier_one_of_its_population(make: Make) -> None:
    async with make() as store:
        for given in (a_calibration(), a_calibration(labels=60), a_calibration(population="other")):
            await store.keep_calibration(given)
    async with make() as reopened:
        kept = [a_calibration(population="other"), a_calibration(labels=60)]
        assert sorted(await reopened.calibrations("openai:x"), key=lambda each: each.labels) == kept
        assert await reopened.calibrations("openai:y") == []


async def what_is_not_stored_is_not_judged(make: Make) -> None:
    batch = a_batch("a", "b")
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]))
        results = await asyncio.gather(
            *(store.judge(batch.id, a_verdict(id)) for id in ("a", "b", "c")), return_exceptions=True
        )
        assert [results[0], type(results[1]), type(results[2])] == [True, InputError, InputError]
        assert [verdict.conversation async for verdict in store.verdicts(batch.id)] == ["a"]


async def progress_is_counted_by_ending(make: Make) -> None:
    batch = a_batch("a", "b", repeats=2)
    conversations = all_conversations(batch)
    async with make() as store:
        await store.create(batch)
        empty = await store.progress(batch.id)
        for conversation, ending in zip(conversations, (Ending.GAVE_UP, Ending.TIMEOUT, Ending.GAVE_UP), strict=False):
            await store.add(batch.id, conversation.model_copy(update={"ending": ending}))
        assert (empty, await store.progress(batch.id), await store.count()) == (
            Progress(planned=4),
            Progress(planned=4, endings={Ending.GAVE_UP: 2, Ending.TIMEOUT: 1}),
            1,
        )


async def endings_are_logged_once(make: Make) -> None:
    batch = a_batch("a", "b", "c")
    a, b, _ = all_conversations(batch)
    async with make() as store:
        await store.create(batch)
        await store.add(batch.id, a)
        await store.log(batch.id, ConversationEnded(conversation=a))
        await store.add(batch.id, b)
        assert [await store.log_endings(batch.id), await store.log_endings(batch.id)] == [1, 0]
        again = await store.log(batch.id, ConversationEnded(conversation=b))
        results = dict(await all_in(store.events(batch.id)))
        assert list(results.values()) == [ConversationEnded(conversation=a), ConversationEnded(conversation=b)]
        assert results[again] == ConversationEnded(conversation=b)


async def what_a_batch_consumed_counts_what_came_to_nothing(make: Make) -> None:
    batch, other = a_batch("a", "b", id="B1"), a_batch("a", id="B2")
    conversation = a_conversation(batch.cases[0])
    usage, judging = conversation.usage["chatbot"], a_verdict("a").usage
    async with make() as store:
        for each in (batch, other):
            await store.create(each)
            await store.add(each.id, conversation)
        for outcome in (CheckOutcome.ERROR, CheckOutcome.ERROR, CheckOutcome.FAIL, CheckOutcome.PASS):
            await store.judge(batch.id, a_verdict("a", outcome=outcome), rubric=RUBRIC, rejudge=True)
        await store.judge(batch.id, a_verdict("a"), rubric=RUBRIC)
        await store.replace(batch.id, attempt(conversation, 2))
        await store.drop(batch.id, usage)
        await store.drop("a batch that was deleted", usage)
        found, kept = await store.consumed(batch.id)
        wanted = sum([usage] * 3 + [judging] * 4, Usage())
        assert found.model_copy(update={"cost": 0}) == wanted.model_copy(update={"cost": 0})
        assert (isclose(found.cost, wanted.cost), kept) == (True, 1)
        assert await store.consumed(other.id) == (usage, 1)


async def what_a_run_has_not_stored_yet_is_counted_once(make: Make) -> None:
    batch, other, one = a_batch("a", "b", id="B1"), a_batch("a", id="B2"), Usage(calls=1, input_tokens=10)
    first, second = (a_conversation(case).model_copy(update={"usage": {"user": one}}) for case in batch.cases)
    given = a_verdict("a").model_copy(update={"usage": one})

    def left(calls: int, run: str = "killed") -> PendingUsage:
        return PendingUsage(run=run, usage=UnstoredUsage(calls=calls, input_tokens=10 * calls, unconfirmed=calls))

    async with make() as store:
        for each in (batch, other):
            await store.create(each)
        results = []

        async def note() -> None:
            results.append([(await store.consumed(each.id))[0].calls for each in (batch, other)])

        for run, calls in (("killed", 2), ("killed", 4), ("next", 1)):
            await store.drop(batch.id, left(calls).usage, run=run)
            await note()
        await store.drop(other.id, one, run="of another batch")
        await store.add(batch.id, first, unkept=left(3))
        await store.judge(batch.id, given, rubric=RUBRIC, unkept=left(2))
        await store.replace(batch.id, attempt(first, 2), unkept=left(1))
        await note()
        assert not await store.add(batch.id, first, unkept=left(9)), "and what comes with it is not noted"
        await store.add(batch.id, second, unkept=left(0, "next"))
        await note()
        assert results == [[2, 0], [4, 0], [5, 0], [5, 1], [5, 1]], results
        assert [await store.unconfirmed(each.id) for each in (batch, other)] == [1, 0]
    async with make() as reopened:
        await reopened.drop(batch.id, Usage(), run="killed")
        await reopened.drop(batch.id, Usage(), run="it noted nothing")
        assert (await reopened.consumed(batch.id))[0].calls == 4
        await reopened.delete(other.id)
        await reopened.drop(other.id, one, run="of another batch")
        assert (await reopened.consumed(batch.id))[0].calls == 4


FACTS: tuple[Fact, ...] = (
    checks_are_recorded_with_their_conversation,
    checks_are_those_of_the_attempt_that_counts,
    a_verdict_comes_with_a_new_row_or_takes_the_old_one_away,
    findings_hold_for_the_recordings_they_were_found_over,
    what_null_bots_found_is_kept_across_batches,
    runs_over_mutants_are_kept_until_their_batch_goes,
    rows_are_found_by_what_is_in_them,
    causes_are_found_with_the_first_batch_that_has_them,
    rows_are_found_by_the_outcome_of_the_first_attempt,
    what_does_not_count_fails_no_check_where_rows_are_added_up,
    verdicts_read_back_in_the_order_of_their_conversations,
    a_decided_verdict_is_followed_by_another_only_on_rejudging,
    another_judge_invalidates_rows,
    a_calibration_takes_the_place_of_the_earlier_one_of_its_population,
    what_is_not_stored_is_not_judged,
    what_a_run_has_not_stored_yet_is_counted_once,
    what_a_batch_consumed_counts_what_came_to_nothing,
    progress_is_counted_by_ending,
    results_are_read_from_rows_that_have_them,
    endings_are_logged_once,
)


_PASSED = Decision(outcome=Outcome.PASSED)
_RUDE = Reason(check='say "please"', text="it never said please", blame=Blame.CHATBOT)


def a_row(conversation: Conversation, number: int) -> ConversationRow:
    """Return a row; every second one is a failure."""
    failed = number % 2 == 1
    return ConversationRow(
        conversation=conversation.id,
        ending=conversation.ending,
        decision=Decision(outcome=Outcome.FAILED, blame=Blame.CHATBOT, reasons=(_RUDE,)) if failed else _PASSED,
        score=1.0 if failed else None,
        turns=number,
        seconds=1.5,
        tokens=10,
        cost=None if failed else 0.01,
        failed=('say "please"',) if failed else (),
        words=f"привет {number}",
    )


def checked(conversation: Conversation, number: int) -> RecordedChecks:
    """Return two verdicts with this score, a check without a verdict, and a row."""
    about = {"outcome": CheckOutcome.PASS, "conversation": conversation.id, "score": number}
    found = {hash: Verdict(check=hash, **about) for hash in ("x", "y")}
    number_of_attempt = conversation.timing.attempt if conversation.timing else 1
    row = a_row(conversation, number).model_copy(update={"attempt": number_of_attempt})
    return RecordedChecks(conversation.id, number_of_attempt, {**found, "all": None}, row)


def listed(row: ConversationRow) -> RecordedChecks:
    """Return the recorded results that lack only a row."""
    return RecordedChecks(row.conversation, row.attempt, row=row)


def without_words(row: ConversationRow) -> ConversationRow:
    return row.model_copy(update={"words": ""})


def a_calibration(*, labels: int = 50, population: str = "pizzeria") -> Calibration:
    """Return a calibration of a judge that never errs."""
    return Calibration(
        judge="openai:x",
        rubric=RUBRIC.hash,
        check=RUBRIC.name,
        criteria="c",
        prompt="p",
        population=population,
        batch="B1",
        created=CREATED,
        conversations=100,
        labels=labels,
        confusion={"passed/passed": labels},
    )
