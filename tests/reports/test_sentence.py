import pytest

from sparring.core.audit import Blame
from sparring.core.outcome import NULL_BOTS, Decision, Outcome
from sparring.core.verdict import Finding
from sparring.reports.batch_statistics import BatchStatistics, batch_statistics
from sparring.reports.case_rows import CaseRows
from sparring.reports.causes import CauseExample, CauseSummary
from sparring.reports.gate import Gated
from sparring.reports.gate_levels import GateLine
from sparring.reports.sentence import running_sentence, sentence, verdict_sentence
from sparring.reports.summary import ConversationExample, Summary
from sparring.testing.factories import a_batch

FACTS = Summary(batch="B", who=a_batch("a").who, planned=10, stored=10, not_run=0, endings={}, outcomes={})
CAUSE = CauseSummary(
    id="c-1", title="The price is wrong", outcome=Outcome.FAILED, blame=Blame.CHATBOT, kind="rule", subject="price",
    relation="lower", role="other", count=2, cases=2, share=1, example=CauseExample(conversation="a"),
)  # fmt: skip
UNDECIDED = CAUSE.changed(id="c-2", outcome=Outcome.UNDECIDED, title="polite could not be decided", count=3)
WEAK = UNDECIDED.changed(id="c-3", subject=NULL_BOTS, cases=2)
VIOLATED = Finding(rule="same price", conversations=2, violated=1, applicable=1)
HELD = tuple(Finding(rule=f"rule {n}", applicable=1, satisfied=1) for n in range(4))
IDLE = Finding(rule="refunds")
LINE = GateLine(asks="pass rate", wanted="at least 85 %", measured="92 % [89–95]", came="passed")
SPENT = "the budget of $2.00 was spent"
REFUSED = "connection refused at localhost:8000"


def rates(passed: int, failed: int) -> BatchStatistics:
    """Return the statistics of cases that are played once."""
    rows = CaseRows(a_batch(*(f"case {n}" for n in range(passed + failed))))
    for n in range(passed + failed):
        decision = Decision(outcome=Outcome.PASSED if n < passed else Outcome.FAILED)
        rows.count(f"case {n}", decision, decision)
    return batch_statistics(rows)


def facts(
    planned: int,
    *,
    causes: tuple[CauseSummary, ...] = (),
    weak: int = 0,
    findings: tuple[Finding, ...] = (),
    **outcomes: int,
) -> Summary:
    """Return a summary of this many planned conversations, of which some came to an outcome."""
    counts = {Outcome(name): count for name, count in outcomes.items()}
    ran, passed, failed = sum(counts.values()), outcomes.get("passed", 0), outcomes.get("failed", 0)
    return FACTS.changed(
        planned=planned,
        stored=ran,
        not_run=planned - ran,
        outcomes=counts,
        causes=causes,
        weak=weak,
        findings=findings,
        statistics=rates(passed, failed) if passed + failed else None,
    )


ROWS = [
    (facts(20, passed=15, failed=5, causes=(CAUSE,)), "",
     "FAILED: 5 of 20 failed, 75 % [50–92] of cases like these pass; 1 cause", 1),
    (facts(20, passed=15, failed=5, causes=(CAUSE.changed(status="new"),)), "",
     "FAILED: 5 of 20 failed, 75 % [50–92] of cases like these pass; 1 cause, 1 new", 1),
    (facts(40, passed=15, failed=5, causes=(CAUSE,)), SPENT,
     f"FAILED: 5 of 20 failed, 75 % [50–92] of cases like these pass; 1 cause; 20 of 40 not run, {SPENT}", 1),
    (facts(4, passed=4, findings=(VIOLATED,)), "", "FAILED: all 4 decided passed; 1 rule violated", 1),
    (facts(800, passed=212), SPENT, f"STOPPED: {SPENT} after 212 of 800; none of the 212 failed", 3),
    (facts(20), REFUSED, f"STOPPED: {REFUSED}", 3),
    (facts(20, undecided=20, causes=(UNDECIDED,)), "",
     "UNDECIDED: none of 20 could be decided: polite could not be decided (3)", 3),
    (facts(120, undecided=120, weak=120, causes=(WEAK,)), "",
     "UNDECIDED: 120 answered, but nothing checked whether the answers were right", 3),
    (facts(20, passed=17, undecided=3, causes=(UNDECIDED,)), "",
     "UNDECIDED: nothing failed, but 3 of 20 could not be decided: polite could not be decided (3)", 3),
    (facts(20, passed=14, undecided=6, weak=6, causes=(WEAK,)), "",
     "UNDECIDED: nothing failed, but 6 of 20 could not be decided: 2 cases are weak", 3),
    (facts(10, passed=9, void=1), "", "UNDECIDED: nothing failed, but 1 of 10 could not be decided: 1 is void", 3),
    (facts(2, passed=2, findings=(IDLE,)), "",
     "UNDECIDED: all 2 passed, but 1 rule could not be decided or exercised", 3),
    (facts(120, passed=120, findings=HELD), "",
     "PASSED: all 120 passed, so at least 96 % of cases like these pass; all 4 rules were exercised", 0),
]  # fmt: skip


def test_void_conversations_have_their_most_frequent_reason():
    reasons = ["HTTP 429", "HTTP 400: context too long", "HTTP 400: context too long"]
    examples = tuple(
        ConversationExample(conversation=f"a#{n}", outcome=Outcome.VOID, reason=each) for n, each in enumerate(reasons)
    )

    said = verdict_sentence(facts(3, void=3).changed(examples=examples))

    assert said.text == "none of 3 could be decided: 3 are void (2 x HTTP 400: context too long)"


@pytest.mark.parametrize(("found", "stopped", "said", "code"), ROWS, ids=[row[2][:40] for row in ROWS])
def test_a_batch_is_one_word_with_its_facts(found: Summary, stopped: str, said: str, code: int):
    told = verdict_sentence(found, stopped)

    assert (str(told), told.exit) == (said, code)


@pytest.mark.parametrize(
    ("found", "came", "said", "code"),
    [
        (facts(20, passed=15, failed=5, causes=(CAUSE,)), "passed",
         "PASSED: 15 of 20 passed, 75 % [50–92] of cases like these; "
         "the gate asks for pass rate at least 85 %; 1 cause", 0),
        (facts(2, passed=2), "failed",
         "FAILED: all 2 passed, so at least 15 % of cases like these pass; "
         "the gate asks for pass rate at least 85 %, measured 92 % [89–95]", 1),
        (facts(2, passed=2), "inconclusive",
         "TOO FEW TO TELL: all 2 passed, so at least 15 % of cases like these pass; "
         "the gate asks for pass rate at least 85 %", 4),
        (facts(120, passed=120, findings=HELD), "passed",
         "PASSED: all 120 passed, so at least 96 % of cases like these pass; all 4 rules were exercised", 0),
    ],
)  # fmt: skip
def test_a_gate_decides_on_what_failed(found: Summary, came: str, said: str, code: int):
    told = verdict_sentence(found, gated=Gated(lines=(LINE.model_copy(update={"came": came}),)))

    assert (str(told), told.exit) == (said, code)


def test_no_gate_decides_on_nothing():
    told = verdict_sentence(facts(20), REFUSED, Gated(lines=(LINE.model_copy(update={"came": "inconclusive"}),)))

    assert (told.word, told.exit) == ("STOPPED", 3)


def test_a_summary_says_itself_that_it_was_stopped_or_runs():
    found = facts(4, passed=2)

    assert str(sentence(found.changed(stopped="cancelled"))).startswith("STOPPED: cancelled after 2 of 4")
    assert sentence(found.changed(running=True)) == running_sentence(found)
    assert sentence(found.changed(running=True)).exit is None


def test_a_batch_that_runs_has_no_verdict():
    facts = FACTS.model_copy(update={"not_run": 4, "outcomes": {Outcome.FAILED: 2}, "causes": (CAUSE,)})

    assert str(running_sentence(facts, "2 s")) == "RUNNING: 6 of 10 done, about 2 s left; 2 failed so far, 1 cause"
