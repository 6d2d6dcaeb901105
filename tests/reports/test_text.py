import pytest

from reports.summing import summarise
from sparring.core.batch import Batch
from sparring.core.conversation import Ending
from sparring.core.outcome import NOTHING_CHECKED
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Example, Finding, Verdict
from sparring.reports.summary import Summary
from sparring.reports.text import summary_text
from sparring.testing.factories import a_batch, a_conversation, all_conversations


def text(summary: Summary) -> str:
    return "\n".join(summary_text(summary))


def test_a_batch_in_which_all_is_well_is_short():
    batch = a_batch("pizza/1", "pizza/2", name="nightly")

    assert (
        text(
            summarise(
                batch,
                all_conversations(batch),
                [verdict("pizza/1", CheckOutcome.PASS), verdict("pizza/2", CheckOutcome.PASS)],
            )
        )
        == """\
user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist

passed 100 % (2 of 2 cases): 15–100 % for these cases and cases like these
Endings: 2 goals answered
Goals: 2 of 2 answered
Outputs: 2 of 2 stated
Turns: median 2 (2 to 2)
Seconds to reply: median 0.375 (0.25 to 0.5)
Models: 4 calls, 1,800 tokens in, 120 out, $0.0024

✓ PASSED: all 2 passed, so at least 15 % of cases like these pass
  these cases: 100 % [15–100]

  look at   no human labels yet
  next      sparring show nightly --all"""
    )


def test_retries_are_listed_with_their_share_of_the_calls():
    batch = a_batch("pizza/1")
    played = [
        each.model_copy(update={"timing": each.timing and each.timing.model_copy(update={"retries": 3})})
        for each in all_conversations(batch)
    ]

    models = next(line for line in summary_text(summarise(batch, played)) if line.startswith("Models: "))

    again = "3 retries (attempts that may be charged are among the calls)"
    assert models == f"Models: 2 calls, 900 tokens in, 60 out, $0.0012; {again}"


def test_a_conversation_that_nothing_was_checked_of_has_not_passed():
    batch = a_batch("pizza/1", "pizza/2")

    lines = text(summarise(batch, all_conversations(batch), [verdict("pizza/1", CheckOutcome.PASS)])).splitlines()

    assert "  these cases: 100 % [2–100] · 1 of 2 not in the rate: 1 undecided" in lines
    assert f"pizza/2: {NOTHING_CHECKED}" in [line.strip() for line in lines]


def test_figures_stand_above_the_result_and_its_causes():
    batch, played, verdicts, findings = a_bad_day()

    assert (
        text(summarise(batch, played, verdicts, findings))
        == """\
user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist

Void: excluded from all rates, because the user, the case or Sparring failed
  - pizza/3 [user]: the simulated user failed

Rules
  - same price for all: violated 2 of 4 times; pizza 1, pizza/3: 10 is not 12
  - no refunds: nothing exercised it
  - sums: 3 errors

passed 25 % (1 of 3 decided; 3 cases × 2; every case weighs the same): \
these cases 0–90 %, cases like these 0–94 % (worth 2 independent conversations)
3 not decided, as failed or as passed: these cases 0–96 %, cases like these 0–100 %
crashed 25 % (1 of 4; 2 unknown, as yes or as no): these cases 0–89 %, cases like these 0–97 %
1 of 1 case came out both ways (intraclass correlation 0.00): pizza 1 (1 of 2)
Endings: 3 goals answered, 1 timeout, 1 user failed
Blame: chatbot 2, user 1, judge 1
Goals: 3 of 3 answered
Outputs: 3 of 3 stated
Rules that hold: greets (1 of 1)
Turns: median 2 (2 to 2)
Seconds to reply: median 0.375 (0.25 to 0.5)
Models: 12 calls, 3,600 tokens in, 240 out (1 call without a count), $0.0048 and 4 calls of unknown price
Warning, 1 x: too long

✗ FAILED: 2 of 3 failed, 25 % [0–94] of cases like these pass; 2 causes; 1 of 6 not run
  these cases: 25 % [0–90] · 3 of 6 not in the rate: 1 undecided, 1 void, 1 not run

  1   50 %  polite is violated  c-aa27e4
            pizza 1#2: polite: it said "no"
  1   50 %  The chatbot did not reply in time after a correction  c-d39433
            pizza/2, turn 2: the chatbot did not reply in time: no reply within 60 s
  1      ?  polite could not be decided: the judge's model was not reachable [judge]  c-4a7338
            pizza/2#2: polite: the judge's model was not reachable

  worst     pizza 0 of 3 · pizza 1 1 of 2
  look at   no human labels yet
  next      sparring show B1 c-aa27e4   sparring rerun B1 --failed"""
    )


def test_a_batch_of_which_nothing_was_run_says_so():
    assert (
        text(summarise(a_batch("a"), []))
        == """\
user: agenda (no model) · chatbot: pizzeria (grammar) · judge: checklist

Endings: none
Models: none called

? STOPPED: none of 1 was run
  1 of 1 not in the rate: 1 not run

  next      sparring show B1 --all"""
    )


@pytest.mark.slow
def test_failures_are_listed_by_cause_with_an_example():
    batch = a_batch("a", repeats=1_234)
    failed = [verdict(each.id, CheckOutcome.FAIL, "too dear") for each in all_conversations(batch)]

    lines = text(summarise(batch, all_conversations(batch), failed)).splitlines()

    assert lines[-8].startswith("✗ FAILED: 1,234 of 1,234 failed, 0 % [")
    assert lines[-5:-3] == ["  1,234  100 %  polite is violated  c-aa27e4", "                a: polite: too dear"]


def test_only_the_largest_causes_are_listed():
    batch = a_batch("a", "b", repeats=20)
    failed = [
        verdict(each.id, CheckOutcome.FAIL).model_copy(update={"check": f"check {number % 19}"})
        for number, each in enumerate(all_conversations(batch))
    ]

    lines = text(summarise(batch, all_conversations(batch), failed)).splitlines()

    assert "  and 7 smaller causes of 14 conversations" in lines


def test_nothing_said_can_forge_a_line():
    batch = a_batch("a")
    said = [verdict("a", CheckOutcome.FAIL, "x\n::error::forged\x1b[2J")]

    assert (
        r"            a: polite: x\n::error::forged\x1b[2J"
        in text(summarise(batch, all_conversations(batch), said)).splitlines()
    )


def a_bad_day() -> tuple[Batch, list, list[Verdict], list[Finding]]:
    batch = a_batch("pizza 1", "pizza/2", "pizza/3", repeats=2)
    one, two, three = batch.cases
    played = [
        a_conversation(one),
        a_conversation(one, repeat=2).model_copy(update={"warnings": ("too long",)}),
        a_conversation(two, ending=Ending.TIMEOUT).model_copy(update={"error": "no reply within 60 s"}),
        a_conversation(two, repeat=2),
        a_conversation(three, ending=Ending.USER_FAILED).model_copy(
            update={"usage": {"user": Usage(calls=4, unknown_tokens=1, unknown_costs=4)}}
        ),
    ]
    verdicts = [
        verdict("pizza 1", CheckOutcome.PASS),
        verdict("pizza 1#2", CheckOutcome.FAIL, 'it said "no"'),
        verdict("pizza/2#2", CheckOutcome.ERROR, "the judge's model was not reachable"),
    ]
    pair = Example(conversations=("pizza 1", "pizza/3"), outcome=CheckOutcome.FAIL, reason="10 is not 12")
    findings = [
        Finding(rule="same price for all", total=4, applicable=4, satisfied=2, violated=2, examples=(pair,)),
        Finding(rule="no refunds", total=4, not_applicable=4),
        Finding(rule="sums", total=3, errors={"when": 0, "if": 0, "then": 3}),
        Finding(rule="greets", total=1, applicable=1, satisfied=1),
    ]
    return batch, played, verdicts, findings


def verdict(conversation: str, outcome: CheckOutcome, reason: str = "") -> Verdict:
    return Verdict(check="polite", outcome=outcome, conversation=conversation, reason=reason)
