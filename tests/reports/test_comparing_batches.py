import pytest

from reports.summing import decided
from sparring.core.batch import Batch
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation, Ending
from sparring.core.outcome import Outcome
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.comparing_batches import ComparedBatch, compare
from sparring.reports.comparison import Change, Pair, RuleChange
from sparring.reports.comparison_text import comparison_text, headline, side_by_side
from sparring.testing.factories import a_batch, a_case, a_conversation


def test_conversations_are_paired_by_case_and_repeat():
    before = played(a_batch("kept", "lost", "mended", "broken", "gone", id="B1"), mended="fail", gone="pass")
    after = played(a_batch("kept", "lost", "mended", "broken", "new", id="B2"), broken="fail", lost="missing")

    comparison = compare(before, after)

    assert comparison.pairs == {"passed": 1, "failed": 0, "better": 1, "worse": 1, "undecided": 0}
    assert (comparison.only_before, comparison.only_after, comparison.not_run) == (1, 1, 1)
    assert comparison.changes == Change(better=1, worse=1, same=1, unpaired=3, p=1.0)
    assert comparison.worse == (
        Pair(conversation="broken", before=Outcome.PASSED, after=Outcome.FAILED, reason_after="polite: rude"),
    )


def test_what_is_not_decided_is_bounded_and_never_dropped():
    batch = a_batch("good", "bad", "open", "void", "missing")

    side = played(batch, bad="fail", open="error", void=Ending.USER_FAILED, missing="missing").side()

    assert (side.passed, side.failed, side.undecided, side.void, side.not_run) == (1, 1, 1, 1, 1)
    assert (side.rate, side.bounds) == (0.5, (0.2, 0.8))


def test_repeats_of_a_case_are_one_case():
    batch = a_batch("a", "b", repeats=10)
    after = ComparedBatch(batch)
    for conversation in all_of(batch):
        after.add(decided(conversation, [verdict(conversation, CheckOutcome.FAIL)]))

    changes = compare(played(batch), after).changes

    assert (changes.worse, changes.direction) == (2, "too few to tell")


@pytest.mark.parametrize(
    ("broken", "direction"), [(0, "unchanged"), (1, "too few to tell"), (5, "too few to tell"), (6, "worse")]
)
def test_few_differences_are_no_change_but_too_few_to_tell(broken: int, direction: str):
    cases = [f"case {n}" for n in range(50)]
    after = played(a_batch(*cases), **dict.fromkeys(cases[:broken], "fail"))

    assert compare(played(a_batch(*cases)), after).changes.direction == direction


def test_many_differences_in_both_directions_are_no_change():
    cases = [f"case {n}" for n in range(50)]
    before = played(a_batch(*cases), **dict.fromkeys(cases[:10], "fail"))
    after = played(a_batch(*cases), **dict.fromkeys(cases[10:18], "fail"))

    change = compare(before, after).changes

    assert (change.better, change.worse, change.direction) == (10, 8, "unchanged")


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


def test_what_else_differs_is_said():
    before, after = a_batch("a"), a_batch("a")
    who = after.who.model_copy(update={"judge": "openai:judge"})
    case = after.cases[0].model_copy(update={"variables": {"size": "small"}, "seed": 9})
    after = after.model_copy(update={"who": who, "seed": 9, "cases": (case,)})

    assert compare(ComparedBatch(before), ComparedBatch(after)).differences == (
        "judge: checklist before, openai:judge after",
        "seed: 7 before, 9 after",
        "cases: 1 of the same id with another content",
    )


def test_changes_are_told_by_tag_and_by_check():
    batch = a_batch("a", "b")
    tagged = batch.cases[0].model_copy(update={"tags": ("vip",)})
    batch = batch.model_copy(update={"cases": (tagged, batch.cases[1])})

    comparison = compare(played(batch), played(batch, a="fail"))

    assert comparison.tags == {"vip": Change(worse=1, p=1.0)}
    assert comparison.checks == {"polite": Change(worse=1, same=1, p=1.0)}


def test_what_one_batch_did_not_decide_is_counted_for_its_tag_and_check():
    before, after = (a_batch("a", "void", only).model_copy(update={"id": only}) for only in ("early", "late"))
    before, after = (
        batch.model_copy(
            update={"cases": tuple(case.model_copy(update={"tags": (f"in {batch.id}",)}) for case in batch.cases)}
        )
        for batch in (before, after)
    )

    comparison = compare(played(before), played(after, void=Ending.USER_FAILED))

    assert comparison.tags == {"in early": Change(same=1, unpaired=2), "in late": Change(same=1, unpaired=2)}
    assert comparison.checks == {"polite": Change(same=1, unpaired=3)}


def test_a_comparison_reads_as_text():
    cases = [f"case {n}" for n in range(8)]
    before = played(a_batch(*cases, id="B1"))
    after = played(a_batch(*cases, id="B2"), **dict.fromkeys(cases[:6], "fail"), **{"case 7": "error"})

    assert "\n".join(comparison_text(compare(before, after, examples=2))) == (
        """WORSE: 0 better, 6 worse, 1 the same of 7 cases decided in both, 1 not (p = 0.031, below 0.05)

before: B1 · seed 7 · user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist
        8 of 8 passed: 100.0% (95% interval 67.6% to 100.0%)
after : B2 · seed 7 · user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist
        1 of 7 passed: 14.3% (95% interval 2.6% to 51.3%); 1 undecided: 12.5% to 25.0% if decided

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

Checks that changed or are undecided in one batch
  - polite: 0 better, 6 worse, 1 the same, 1 not decided in both (p = 0.031, below 0.05)

Usage
  - turns: median 2 → median 2
  - seconds to reply: median 0.375 → median 0.375
  - model calls: 16 → 16
  - tokens: 7,680 → 7,680
  - cost: $0.0096 → $0.0096"""
    )


def test_a_rule_over_several_that_held_and_is_violated_is_worse_without_any_test():
    before, after = ruled(violated=0), ruled(violated=3)

    comparison = compare(before, after)

    assert comparison.rules == (
        RuleChange(
            rule="same price",
            before=CheckOutcome.PASS,
            after=CheckOutcome.FAIL,
            applicable_before=6,
            violated_after=3,
            applicable_after=6,
        ),
    )
    assert (comparison.broken, comparison.got_worse) == (("same price",), True)
    assert headline(comparison) == (
        "WORSE: 1 rule that held is violated; 0 better, 0 worse, 3 the same of 3 cases (no difference)"
    )
    assert "  - same price: holds → VIOLATED (violated 0 of 6 times → 3 of 6)" in comparison_text(comparison)


def test_a_rule_that_is_mended_is_told_and_is_not_worse():
    comparison = compare(ruled(violated=3), ruled(violated=0))

    assert (comparison.broken, comparison.got_worse) == ((), False)
    assert "  - same price: VIOLATED → holds (violated 3 of 6 times → 0 of 6)" in comparison_text(comparison)


@pytest.mark.parametrize(
    "otherwise", [{"then": "False"}, {"if_": "size"}, {"quantifier": "exists"}, {"name": "another"}]
)
def test_a_rule_that_asks_for_something_else_is_not_compared(otherwise: dict[str, str]):
    assert compare(ruled(violated=0), ruled(violated=3, **otherwise)).rules == ()


def test_a_rule_in_another_place_with_other_words_is_the_same():
    after = ruled(violated=3, file="moved.yml", line=7, description="The same costs the same.", yields="price")

    assert compare(ruled(violated=0), after).broken == ("same price",)


def test_a_rule_that_nothing_exercised_before_is_not_broken():
    before = ruled(violated=0)
    before.found([Finding(rule="same price", conversations=2)])

    comparison = compare(before, ruled(violated=3))

    assert comparison.broken == ()
    assert "  - same price: NOT EXERCISED → VIOLATED (violated 0 of 0 times → 3 of 6)" in comparison_text(comparison)


def test_a_rule_over_one_conversation_is_among_the_checks():
    assert compare(ruled(violated=0, conversations=1), ruled(violated=3, conversations=1)).rules == ()


def ruled(*, violated: int, **otherwise: str | int) -> ComparedBatch:
    """A batch in which everything passed, and a rule over pairs was violated so many times."""
    values = {"name": "same price", "conversations": 2, "then": "price == conv[1].price", **otherwise}
    rule = Rule.model_validate(values)
    side = played(a_batch("a", "b", "c").model_copy(update={"rules": (rule,)}))
    counts = {"total": 6, "applicable": 6, "violated": violated, "satisfied": 6 - violated}
    side.found([Finding(rule=rule.name, conversations=rule.conversations, **counts)])
    return side


def test_without_a_case_in_common_there_is_nothing_to_compare():
    comparison = compare(played(a_batch("a")), played(a_batch("b")))

    assert headline(comparison) == "NOTHING TO COMPARE: no case was decided in both batches"


def test_a_conversation_is_shown_as_it_went_in_both():
    one, other = a_conversation(a_case("a"), said="Hi"), a_conversation(a_case("a"), said="Hello\n::error::")

    assert list(side_by_side(one, other))[:5] == [
        "conversation a: goals_answered → goals_answered",
        "  [0] user",
        "-   | Hi",
        "+   | Hello",
        "+   | ::error::",
    ]


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


def all_of(batch: Batch) -> list[Conversation]:
    return [a_conversation(case, repeat=n) for n in range(1, batch.repeats + 1) for case in batch.cases]


def verdict(
    conversation: Conversation, outcome: CheckOutcome, *, score: float | None = None, judge: str = ""
) -> Verdict:
    reason = "rude" if outcome is CheckOutcome.FAIL else ""
    return Verdict(
        check="polite", outcome=outcome, conversation=conversation.id, reason=reason, score=score, judge=judge
    )
