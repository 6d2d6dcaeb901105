from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from reports.summing import decided
from sparring.core.batch import Batch, Replays
from sparring.core.causes import Symptom
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.outcome import Outcome
from sparring.core.verdict import CaseTuples, CheckOutcome, Finding, Verdict
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Change, Pair
from sparring.reports.comparison_text import comparison_text, headline, headline_notes, side_by_side
from sparring.statistics import Tuples, tuple_rate
from sparring.testing.factories import a_batch, a_case, a_conversation


def test_conversations_are_paired_by_case_and_repeat():
    before = played(a_batch("kept", "lost", "mended", "broken", "gone", id="B1"), mended="fail", gone="pass")
    after = played(a_batch("kept", "lost", "mended", "broken", "new", id="B2"), broken="fail", lost="missing")

    comparison = compare(before, after)

    assert comparison.pairs == {"passed": 1, "failed": 0, "better": 1, "worse": 1, "undecided": 0}
    assert (comparison.only_before, comparison.only_after, comparison.not_run) == (1, 1, 1)
    assert counts(comparison.changes) == (1, 1, 1, 3)
    (broken,) = comparison.worse
    assert broken.changed(cause="") == Pair(
        conversation="broken", before=Outcome.PASSED, after=Outcome.FAILED, reason_after="polite: rude"
    )


def test_cases_are_paired_if_only_their_file_has_another_name():
    now = a_batch("scenarios/kept", "scenarios/broken", id="B2", repeats=2)
    was = a_batch("calls/kept", "calls/broken", id="B1", repeats=2)
    other = was.model_copy(update={"cases": tuple(each.model_copy(update={"goals": ()}) for each in was.cases)})
    twice = a_batch("calls/kept", "calls/broken", "more/kept", "more/broken", repeats=2)
    same = now.model_copy(update={"id": "B1"})

    found, told = (compare(scored(each, 3), scored(now, 2)) for each in (was, same))
    (worse, *_) = compare(played(was), played(now, **{"scenarios/broken": "fail"})).worse

    assert (found.pairs, found.scores, found.checks) == (told.pairs, told.scores, told.checks)
    assert (found.only_before, found.only_after, found.differences) == (0, 0, ())
    assert (worse.earlier, worse.conversation) == ("calls/broken", "scenarios/broken")
    assert [compare(played(each), played(now)).changes.compared for each in (was, other, twice)] == [2, 0, 0]


def test_undecided_conversations_widen_bounds_and_are_never_dropped():
    batch = a_batch("good", "bad", "open", "void", "missing")

    side = played(batch, bad="fail", open="error", void=Ending.USER_FAILED, missing="missing").side()

    assert (side.passed, side.failed, side.undecided, side.void, side.not_run) == (1, 1, 1, 1, 1)
    assert (side.rate, side.bounds) == (0.5, (0.2, 0.8))
    assert side.intervals
    assert side.intervals.these.cases == 2


def test_repeats_of_a_case_are_one_case():
    batch = a_batch("a", "b", repeats=10)
    after = ComparedBatch(batch)
    for conversation in all_of(batch):
        after.add(decided(conversation, [verdict(conversation, CheckOutcome.FAIL)]))

    changes = compare(played(batch), after).changes

    assert (changes.worse, changes.direction) == (2, "worse")
    assert changes.like_these
    assert changes.like_these.direction == "not told"


@pytest.mark.parametrize(("broken", "direction"), [(0, "not told"), (5, "not told"), (6, "worse")])
def test_single_repeats_are_compared_by_mcnemars_test(broken: int, direction: str):
    cases = [f"case {n}" for n in range(50)]
    after = played(a_batch(*cases), **dict.fromkeys(cases[:broken], "fail"))

    assert compare(played(a_batch(*cases)), after).changes.direction == direction


def test_five_cases_of_forty_repeats_are_evidence_about_themselves_only():
    comparison = compare(flaky(5, 40, 0.95), flaky(5, 40, 0.38))

    assert comparison.got_worse
    assert str(comparison) == headline(comparison)
    assert headline(comparison) == "WORSE on these 5 cases: 56 points fewer pass [44–68], 94 % → 38 %"
    assert [*headline_notes(comparison)] == ["p < 1e-12", "5 cases cannot tell about cases like these (at least 6)"]


def test_scores_that_fall_without_a_failure_are_worse():
    cases = [f"case {n}" for n in range(40)]
    before, after = (scored(a_batch(*cases), score) for score in (3, 2))

    comparison = compare(before, after)

    assert (comparison.changes.direction, comparison.got_worse) == ("not told", True)
    assert headline(comparison) == "WORSE on these cases: mean score of polite −1.00 [−1.15, −0.83], 3.00 → 2.00"
    assert [*headline_notes(comparison)] == ["p < .001", "cases like these −1.00 [−1.15, −0.83], p < .001"]


def test_scores_with_decimals_and_beyond_their_scale_are_tested_too():
    cases = [f"case {n}" for n in range(10)]

    (scores,) = compare(scored(a_batch(*cases), 8.25), scored(a_batch(*cases), 7.5)).scores

    assert (scores.change.direction, scores.change.these and round(scores.change.these.value or 0, 9)) == (
        "worse",
        -0.75,
    )


def test_crashes_are_listed_where_they_count_as_undecided():
    cases = [f"case {n}" for n in range(20)]
    batch = a_batch(*cases).model_copy(update={"crash": "undecided"})
    crashed = ComparedBatch(batch)
    for conversation in all_of(batch):
        broken = int(conversation.case.id[5:]) % 5
        ending = {"ending": Ending.CHATBOT_FAILED} if broken else {}
        found = () if broken else [verdict(conversation, CheckOutcome.PASS)]
        reported = decided(conversation.model_copy(update=ending), found)
        if broken:
            undecided = reported.decision.model_copy(update={"outcome": Outcome.UNDECIDED})
            reported = replace(reported, decision=undecided)
        crashed.add(reported)

    comparison = compare(played(batch), crashed)

    assert headline(comparison).startswith("WORSE on these cases: crashes +80 points [+38, +97], 0 % → 80 %")
    assert any(
        line.startswith("  - crashes 0 % → 80 %: these cases +80 points") for line in comparison_text(comparison)
    )


def test_retries_are_shown_beside_the_first_attempts():
    batch = a_batch("a", "b")
    retried = ComparedBatch(batch)
    for conversation in all_of(batch):
        retried.add(replace(decided(conversation, [verdict(conversation, CheckOutcome.PASS)]), first=Outcome.FAILED))

    comparison = compare(retried, retried)

    assert "  - after: after retries 2 of 2 passed; on the first attempt 0 of 2" in comparison_text(comparison)


def test_unknown_values_limit_a_significant_change_to_what_was_decided():
    cases = [f"case {n}" for n in range(12)]
    after = played(
        a_batch(*cases),
        **dict.fromkeys(cases[:6], "fail"),
        **dict.fromkeys(cases[6:], "error"),
    )
    before = played(a_batch(*cases), **dict.fromkeys(cases[6:], "error"))

    said = headline(compare(before, after))
    assert said.startswith("WORSE on these cases, among what was decided: pass rate −100 points [")


def test_the_detectable_change_and_the_sample_for_it_are_stated():
    comparison = compare(flaky(40, 5, 0.83), flaky(40, 5, 0.81))

    assert headline(comparison).endswith("a fall of 12 points would be noticed in about 4 of 5 such comparisons")
    assert (comparison.detectable and comparison.detectable.conversations) == 20720
    assert any("about 20,720 more conversations in both" in line for line in comparison_text(comparison))


@pytest.mark.slow
def test_many_repeats_of_one_batch_do_not_make_up_for_few_of_the_other():
    falls = [compare(flaky(40, before, 0.8), flaky(40, 3, 0.8)).detectable for before in (3, 30)]

    assert [round(100 * each.fall) for each in falls if each] == [8, 5]


@pytest.mark.slow
def test_repeats_of_a_deterministic_chatbot_do_not_lower_the_detectable_fall():
    comparison = compare(flaky(40, 5, 0.8), flaky(40, 5, 0.8))

    assert comparison.detectable is not None
    assert comparison.detectable.fall == pytest.approx(0.047, abs=0.001)


def test_one_innocent_tag_of_twenty_is_not_named():
    cases = [f"case {n}" for n in range(120)]
    batch = a_batch(*cases)
    tagged = tuple(case.model_copy(update={"tags": (f"tag {n % 20}",)}) for n, case in enumerate(batch.cases))
    batch = batch.model_copy(update={"cases": tagged})
    after = played(batch, **{f"case {20 * n}": "fail" for n in range(6)})

    comparison = compare(played(batch), after)

    assert (comparison.tags["tag 0"].p, comparison.tags["tag 0"].direction) == (0.03125, "worse")
    assert not [tag for tag, change in comparison.tags.items() if change.direction != "not told" and tag != "tag 0"]

    both = played(batch, **{f"case {20 * n + tag}": "fail" for n in range(6) for tag in (0, 1)})
    assert {change.direction for change in compare(played(batch), both).tags.values()} == {"not told"}
    assert any(
        line.startswith("  - no significant change among 20 tags, these cases by themselves: tag 0 −100")
        for line in comparison_text(compare(played(batch), both))
    )


@pytest.mark.slow
def test_a_margin_is_excluded_or_not():
    same, few = flaky(40, 5, 0.9), flaky(4, 2, 0.9)

    assert compare(same, same).excludes(0.2)
    assert not compare(few, few).excludes(0.2)


def test_many_differences_in_both_directions_are_no_change():
    cases = [f"case {n}" for n in range(50)]
    before = played(a_batch(*cases), **dict.fromkeys(cases[:10], "fail"))
    after = played(a_batch(*cases), **dict.fromkeys(cases[10:18], "fail"))

    change = compare(before, after).changes

    assert (change.better, change.worse, change.direction) == (10, 8, "not told")


def test_scores_are_compared_only_where_the_same_judge_gave_both():
    batch = a_batch("a", "b", "c")
    before, after = ComparedBatch(batch), ComparedBatch(batch)
    for conversation in all_of(batch):
        before.add(decided(conversation, [verdict(conversation, CheckOutcome.PASS, score=3, judge="openai:one")]))
        judge = "openai:other" if conversation.id == "c" else "openai:one"
        after.add(decided(conversation, [verdict(conversation, CheckOutcome.PASS, score=2, judge=judge)]))

    (scores,) = compare(before, after).scores

    assert (scores.judge, scores.before.mean, scores.after.mean) == ("openai:one", 3, 2)
    assert (scores.counts_before, scores.counts_after) == ({"3": 2}, {"2": 2})


def test_other_differences_between_the_batches_are_listed():
    before, after = a_batch("a"), a_batch("a")
    who = after.who.model_copy(update={"judge": "openai:judge"})
    case = after.cases[0].model_copy(update={"variables": {"size": "small"}, "seed": 9})
    after = after.model_copy(update={"who": who, "seed": 9, "cases": (case,)})

    assert compare(ComparedBatch(before), ComparedBatch(after)).differences == (
        "judge: checklist before, openai:judge after",
        "seed: 7 before, 9 after",
        "cases: 1 of the same id with another content",
    )


def test_changes_are_listed_by_tag_and_by_check():
    batch = a_batch("a", "b")
    tagged = batch.cases[0].model_copy(update={"tags": ("a", "vip")})
    batch = batch.model_copy(update={"cases": (tagged, batch.cases[1])})

    comparison = compare(played(batch), played(batch, a="fail"))

    assert {tag: counts(change) for tag, change in comparison.tags.items()} == {"vip": (0, 1, 0, 0)}
    assert {check: counts(change) for check, change in comparison.checks.items()} == {"polite": (0, 1, 1, 0)}


def test_what_one_batch_did_not_decide_is_counted_for_its_tag_and_check():
    before, after = (a_batch("a", "void", only).model_copy(update={"id": only}) for only in ("early", "late"))
    before, after = (
        batch.model_copy(
            update={"cases": tuple(case.model_copy(update={"tags": (f"in {batch.id}",)}) for case in batch.cases)}
        )
        for batch in (before, after)
    )

    comparison = compare(played(before), played(after, void=Ending.USER_FAILED))

    assert {tag: counts(change) for tag, change in comparison.tags.items()} == {
        "in early": (0, 0, 1, 2),
        "in late": (0, 0, 1, 2),
    }
    assert counts(comparison.checks["polite"]) == (0, 0, 1, 3)


def test_a_comparison_reads_as_text():
    cases = [f"case {n}" for n in range(8)]
    before = played(a_batch(*cases, id="B1"))
    after = played(a_batch(*cases, id="B2"), **dict.fromkeys(cases[:6], "fail"), **{"case 7": "error"})

    assert "\n".join(comparison_text(compare(before, after, examples=2))) == (
        """WORSE on these cases, among what was decided: pass rate −86 points [−100, +5], 100 % → 14 %; 1 cause is new
  p = .031 · LIKE

before: B1 · seed 7 · user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist
        passed 100 % (8 of 8): 63–100 % for these cases and cases like these
after : B2 · seed 7 · user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist
        passed 14 % (1 of 7): 0–58 % for these cases and cases like these; UNDECIDED

Changes
  - pass rate 100 % → 14 %: these cases −86 points [−100, +5], p = .031: WORSE, among what was decided; LIKE

Causes
  - 0 → 6 new: polite is violated (c-aa27e4); case 0

Conversations
  - 1 passed in both
  - 6 got worse
  - 1 undecided in one batch

Got worse
  - case 0: passed → failed: polite: rude
  - case 1: passed → failed: polite: rude
  - and 4 more

Undecided in one batch
  - case 7: passed → undecided: polite

Checks
  - polite: WORSE on these cases: −86 points [−100, +5] by itself, p = .031 among 1 check
  - not decided in both batches: polite (1 case)

Usage
  - turns: median 2 → median 2
  - seconds to reply: median 0.375 → median 0.375
  - model calls: 16 → 16
  - tokens: 7,680 → 7,680
  - cost: $0.0096 → $0.0096""".replace("LIKE", "cases like these −86 [−100, +5], p = .031").replace(
            "UNDECIDED", "1 undecided: as counted 12 % to 25 % if decided"
        )
    )


def test_a_rule_that_held_and_is_violated_may_be_chance():
    comparison = compare(ruled(violated=0), ruled(violated=3))

    assert (comparison.broken, comparison.got_worse) == ((), False)
    said = "held, now violated in 3 of 6 pairs (50 %; cases like these 0–100 %); no significant change"
    assert f"  - same price: {said}; confirm with --confirm 4" in comparison_text(comparison)


def test_a_rule_that_replays_show_to_be_broken_is_worse():
    comparison = compare(ruled(violated=0), ruled(violated=3), replayed={"same price"})

    assert (comparison.broken, comparison.got_worse) == (("same price",), True)
    assert headline(comparison) == (
        "WORSE: 1 rule that held is violated; 0 points [−92, +92], p = 1; "
        "too few cases: even a fall to 0 % could go unnoticed"
    )
    assert any("same price: BROKEN: held, now violated in 3 of 6" in line for line in comparison_text(comparison))


@pytest.mark.parametrize(("held", "equal", "broken"), [(10, 10, True), (9, 9, False), (10, 9, False)])
def test_chatbots_that_are_shown_to_repeat_themselves_break_rules(held: int, equal: int, broken: bool):
    before, after = ruled(violated=0), ruled(violated=3)
    before.replays = after.replays = Replays(held=held, equal=equal)

    assert bool(compare(before, after).broken) is broken


def test_violations_in_many_cases_are_significant():
    names = [f"case {n}" for n in range(60)]
    before, after = ruled(violated=0, cases=names), ruled(violated=708, cases=names, odd=6)

    comparison = compare(before, after)
    (change,) = comparison.rules

    assert (change.direction, comparison.got_worse) == ("worse", False)
    assert any(
        line.startswith(
            "  - same price: WORSE: violated in 0 of 3,540 → 708 of 3,540 pairs"
            " (20 %; cases like these 7–39 %), p = .0072"
        )
        for line in comparison_text(comparison)
    )


@pytest.mark.parametrize(("repeats", "direction"), [(3, "not told"), (4, "worse")])
def test_a_rule_over_all_is_tested_by_its_repeats(repeats: int, direction: str):
    before, after = (ruled(violated=0, conversations="all") for _ in range(2))
    for side, violated in ((before, False), (after, True)):
        outcome = CheckOutcome.FAIL if violated else CheckOutcome.PASS
        counts = {"total": 1, "applicable": 1, "violated": int(violated), "satisfied": int(not violated)}
        finding = Finding(rule="same price", conversations="all", judged=outcome, **counts)
        side.found([finding.model_copy(update={"by_repeat": (violated,) * repeats})])

    (change,) = compare(before, after).rules

    assert change.direction == direction


def test_a_repaired_rule_is_listed_and_is_not_worse():
    comparison = compare(ruled(violated=3), ruled(violated=0))

    assert (comparison.broken, comparison.got_worse) == ((), False)
    assert any(
        "same price: VIOLATED → holds, violated in 3 of 6 → 0 of 6 pairs" in line
        for line in comparison_text(comparison)
    )


@pytest.mark.parametrize(
    "otherwise", [{"then": "False"}, {"if_": "size"}, {"quantifier": "exists"}, {"name": "another"}]
)
def test_a_rule_that_asks_for_something_else_is_not_compared(otherwise: dict[str, str]):
    assert compare(ruled(violated=0), ruled(violated=3, **otherwise)).rules == ()


def test_a_rule_in_another_place_with_other_words_is_the_same():
    after = ruled(violated=3, file="moved.yml", line=7, description="The same costs the same.", yields="price")

    assert compare(ruled(violated=0), after, replayed={"same price"}).broken == ("same price",)


def test_a_rule_that_nothing_exercised_before_is_not_broken():
    before = ruled(violated=0)
    before.found([Finding(rule="same price", conversations=2)])

    comparison = compare(before, ruled(violated=3))

    assert comparison.broken == ()
    assert any("same price: NOT EXERCISED → VIOLATED" in line for line in comparison_text(comparison))


def test_a_rule_over_one_conversation_is_among_the_checks():
    assert compare(ruled(violated=0, conversations=1), ruled(violated=3, conversations=1)).rules == ()


def ruled(
    *, violated: int, cases: Sequence[str] = ("a", "b", "c"), odd: int = 3, **otherwise: str | int
) -> ComparedBatch:
    """A batch in which everything passed, and `odd` cases violated a rule over pairs so many times."""
    values = {"name": "same price", "conversations": 2, "then": "price == conv[1].price", **otherwise}
    rule = Rule.model_validate(values)
    side = played(a_batch(*cases).model_copy(update={"rules": (rule,)}))
    total, touching = len(cases) * (len(cases) - 1), 2 * (len(cases) - 1)
    counts = {"total": total, "applicable": total, "violated": violated, "satisfied": total - violated}
    by_case = CaseTuples(others=(min(2 * odd, violated), touching))
    if violated:
        by_case = by_case.model_copy(update={"counts": dict.fromkeys(cases[:odd], (min(touching, violated), touching))})
    rate = tuple_rate(Tuples(violated, total, [by_case.of(case) for case in cases]))
    side.found([Finding(rule=rule.name, conversations=rule.conversations, by_case=by_case, rate=rate, **counts)])
    return side


def test_without_a_case_in_common_there_is_nothing_to_compare():
    comparison = compare(played(a_batch("a")), played(a_batch("b")))

    assert headline(comparison) == "NOTHING TO COMPARE: no case was decided in both batches"


def test_a_conversation_is_shown_as_it_went_in_both():
    one, other = a_conversation(a_case("a"), said="Hi"), a_conversation(a_case("a"), said="Hello\n::error::")

    assert list(side_by_side(one, other))[:5] == [
        "conversation a: goals answered → goals answered",
        "  [0] user",
        "-   | Hi",
        "+   | Hello",
        "+   | ::error::",
    ]


def test_causes_are_compared():
    names = [f"case-{n}" for n in range(12)]
    before = a_batch(*names, id="B1")
    grown = dict.fromkeys(names[:11], "price")

    def held(batch: Batch, went: Mapping[str, str]) -> ComparedBatch:
        side = ComparedBatch(batch)
        for conversation in all_of(batch):
            outcome = CheckOutcome.FAIL if conversation.id in went else CheckOutcome.PASS
            subject = went.get(conversation.id, "")
            symptoms = (Symptom(kind="value", subject=subject),) if subject else ()
            side.add(decided(conversation, [verdict(conversation, outcome).model_copy(update={"symptoms": symptoms})]))
        return side

    after = held(before.model_copy(update={"id": "B2"}), grown | {"case-11": "size"})
    comparison = compare(held(before, {"case-0": "price", "case-11": "order_id"}), after)

    found = [(each.subject, each.status, each.before, each.count) for each in comparison.causes]
    assert found == [("size", "new", 0, 1), ("price", "grew", 1, 11), ("order_id", "fixed", 1, 0)]
    assert headline(comparison).endswith("; 1 cause is new, 1 grew, 1 is fixed")
    assert "- 1 → 11 grew: Price is not as expected (" in "\n".join(comparison_text(comparison))
    assert [pair.cause for pair in comparison.worse] == [comparison.causes[1].id] * 10


def test_pairs_name_the_first_of_each_cause_first():
    names = [f"case-{n}" for n in range(9)]
    before, after = ComparedBatch(a_batch(*names, id="B1")), ComparedBatch(a_batch(*names, id="B2"))
    for n, conversation in enumerate(all_of(before.batch)):
        symptoms = (Symptom(kind="value", subject="size" if n == 7 else "price"),)
        before.add(decided(conversation, [verdict(conversation, CheckOutcome.PASS)]))
        failed = verdict(conversation, CheckOutcome.FAIL).model_copy(update={"symptoms": symptoms})
        after.add(decided(conversation, [failed]))

    named = [pair.conversation for pair in compare(before, after, examples=3).worse]

    assert named == ["case-0", "case-7", "case-1"]


def played(batch: Batch, **otherwise: str | Ending) -> ComparedBatch:
    """The batch as it was played, everything passed but what is said to have gone otherwise."""
    side = ComparedBatch(batch)
    for conversation in all_of(batch):
        went = otherwise.get(conversation.id, "pass")
        if isinstance(went, Ending):
            side.add(decided(conversation.model_copy(update={"ending": went})))
        elif went != "missing":
            side.add(decided(conversation, [verdict(conversation, CheckOutcome(went))]))
    return side


def counts(change: Change) -> tuple[int, int, int, int]:
    return change.better, change.worse, change.same, change.unpaired


def flaky(cases: int, repeats: int, rate: float) -> ComparedBatch:
    """A batch in which this share of the repeats of each case passed, spread over the cases."""
    batch = a_batch(*[f"case {n}" for n in range(cases)], repeats=repeats)
    side, due = ComparedBatch(batch), 0.0
    for conversation in all_of(batch):
        due += rate
        passed, due = due >= 1, due % 1
        side.add(decided(conversation, [verdict(conversation, CheckOutcome.PASS if passed else CheckOutcome.FAIL)]))
    return side


def scored(batch: Batch, score: float) -> ComparedBatch:
    """A batch in which everything passed with this score."""
    side = ComparedBatch(batch)
    for conversation in all_of(batch):
        side.add(decided(conversation, [verdict(conversation, CheckOutcome.PASS, score=score, judge="openai:judge")]))
    return side


def all_of(batch: Batch) -> list[Conversation]:
    return [a_conversation(case, repeat=n) for n in range(1, batch.repeats + 1) for case in batch.cases]


def verdict(
    conversation: Conversation, outcome: CheckOutcome, *, score: float | None = None, judge: str = ""
) -> Verdict:
    reason = "rude" if outcome is CheckOutcome.FAIL else ""
    return Verdict(
        check="polite", outcome=outcome, conversation=conversation.id, reason=reason, score=score, judge=judge
    )
