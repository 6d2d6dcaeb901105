import pytest

from sparring.core.audit import Blame
from sparring.core.checks import Gate, Rule
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import Finding
from sparring.reports.comparing_batches import ComparedBatch, compare
from sparring.reports.gate import gate_text, gated
from sparring.reports.summary import Summary
from sparring.testing.factories import a_batch


def summary(
    passed: int = 0,
    failed: int = 0,
    undecided: int = 0,
    *,
    crashes: int = 0,
    last_passed: int = 0,
    not_run: int = 0,
    findings: tuple[Finding, ...] = (),
    usage: Usage | None = None,
) -> Summary:
    stored = passed + failed + undecided
    return Summary(
        batch="B1",
        who=a_batch().who,
        planned=stored + not_run,
        stored=stored,
        not_run=not_run,
        endings={},
        outcomes={Outcome.PASSED: passed, Outcome.FAILED: failed, Outcome.UNDECIDED: undecided, Outcome.VOID: 0},
        last_outcomes={Outcome.PASSED: last_passed, Outcome.FAILED: 0, Outcome.UNDECIDED: 0, Outcome.VOID: 0},
        crashes=crashes,
        findings=findings,
        usage={"chatbot": usage or Usage()},
    )


@pytest.mark.parametrize(
    ("gate", "counts", "came"),
    [
        (Gate(), (10, 0, 0), "passed"),
        (Gate(), (9, 1, 0), "failed"),
        (Gate(pass_rate=0.9), (9, 1, 0), "passed"),
        (Gate(pass_rate=0.9), (8, 2, 0), "failed"),
        (Gate(pass_rate=0.9, errors=5), (9, 0, 1), "passed"),
        (Gate(pass_rate=0.9, errors=5), (8, 1, 1), "inconclusive"),
        (Gate(pass_rate=0.9, errors=0.1), (9, 0, 1), "passed"),
        (Gate(pass_rate=0.9, errors=0.05), (9, 0, 1), "inconclusive"),
        (Gate(), (9, 0, 1), "inconclusive"),
        (Gate(), (8, 1, 1), "failed"),
        (Gate(pass_rate=0.9, confidence=0.95), (20, 0, 0), "inconclusive"),
        (Gate(pass_rate=0.9, confidence=0.95), (30, 0, 0), "passed"),
        (Gate(pass_rate=0.9, confidence=0.95), (50, 50, 0), "failed"),
        (Gate(), (0, 0, 0), "inconclusive"),
    ],
)
def test_a_gate_passes_only_what_cannot_be_otherwise(gate: Gate, counts: tuple[int, int, int], came: str):
    assert gated(gate, summary(*counts)).came == came


def test_first_attempts_count_unless_the_gate_asks_for_the_last_ones():
    retried = summary(2, 8, last_passed=10)
    line = gated(Gate(attempts="last"), retried).lines[0]

    assert gated(Gate(), retried).came == "failed"
    assert (line.came, line.measured) == ("passed", "10 passed and 0 failed of 10 at the last attempt: 100.0%")


def test_a_gate_may_leave_crashes_undecided():
    crashed = summary(8, 2, crashes=2)

    assert gated(Gate(pass_rate=0.9), crashed).came == "failed"
    assert gated(Gate(pass_rate=0.9, crash="undecided", errors=2), crashed).came == "inconclusive"
    assert gated(Gate(pass_rate=0.8, crash="undecided", errors=2), crashed).came == "passed"


def test_what_was_not_run_fails_a_gate_that_does_not_allow_it():
    assert gated(Gate(pass_rate=0.5), summary(10, not_run=1)).came == "failed"
    assert gated(Gate(pass_rate=0.5, not_run=1), summary(10, not_run=1)).came == "passed"


@pytest.mark.parametrize(
    ("finding", "came"),
    [
        (Finding(rule="r", conversations=2, satisfied=1, applicable=1), "passed"),
        (Finding(rule="r", conversations=2, violated=1, applicable=1), "failed"),
        (Finding(rule="r", conversations=1, violated=1, applicable=1), "passed"),
        (Finding(rule="r"), "failed"),
        (Finding(rule="r", errors={"when": 0, "if": 0, "then": 1}, applicable=1), "inconclusive"),
    ],
)
def test_rules_are_held_to_the_gate(finding: Finding, came: str):
    assert gated(Gate(), summary(10, findings=(finding,))).came == came


@pytest.mark.parametrize(
    ("usage", "came"),
    [
        (Usage(calls=2, cost=0.5), "passed"),
        (Usage(calls=2, cost=1.5), "failed"),
        (Usage(calls=2, cost=0.5, unknown_costs=1), "inconclusive"),
        (Usage(calls=2, cost=1.5, unknown_costs=1), "failed"),
    ],
)
def test_an_unknown_price_is_not_nothing(usage: Usage, came: str):
    assert gated(Gate(max_cost=1), summary(10, usage=usage)).came == came


def test_a_baseline_that_there_is_not_says_nothing():
    assert gated(Gate(baseline="main"), summary(10)).came == "inconclusive"


def test_a_batch_without_a_decided_case_in_common_with_its_baseline_is_inconclusive():
    nothing = compare(ComparedBatch(a_batch("a")), ComparedBatch(a_batch("b")))

    assert gated(Gate(baseline="main"), summary(10), nothing).came == "inconclusive"


def test_a_batch_that_breaks_a_rule_which_held_in_its_baseline_does_not_get_through():
    rule = Rule(name="same price", conversations=2, then="price == conv[1].price")
    batch = a_batch("a").model_copy(update={"rules": (rule,)})
    before, after = ComparedBatch(batch), ComparedBatch(batch)
    before.found([Finding(rule=rule.name, conversations=2, applicable=6, satisfied=6)])
    after.found([Finding(rule=rule.name, conversations=2, applicable=6, violated=1, satisfied=5)])

    *_, line = gated(Gate(baseline="main"), summary(10), compare(before, after)).lines

    assert (line.asks, line.came) == ("baseline", "failed")
    assert line.measured == "WORSE: 1 rule that held is violated; no case was decided in both batches"


def test_a_gate_reads_as_text():
    result = gated(Gate(pass_rate=0.9, errors=0.1, max_cost=1), summary(7, 2, 1, usage=Usage(calls=1, cost=0.25)))

    assert list(gate_text(result)) == [
        "Gate: FAILED",
        "  - FAILED: pass_rate: 7 passed and 2 failed of 10, 1 not decided: 70.0% to 80.0%; wanted: at least 90.0%",
        "  - ok: errors: 1 of 10; wanted: at most 10.0%",
        "  - ok: void: 0 of 10; wanted: at most 10.0%",
        "  - ok: not_run: 0 of 10; wanted: at most 0",
        "  - ok: not_exercised: 0 of 0; wanted: at most 0",
        "  - ok: violated: 0 of 0; wanted: at most 0",
        "  - ok: max_cost: $0.2500; wanted: at most $1.00",
    ]


def test_void_conversations_leave_a_gate_inconclusive():
    counted = summary(9).model_copy(update={"blames": {Blame.USER: 1}})
    counted = counted.model_copy(update={"outcomes": {**counted.outcomes, Outcome.VOID: 1}})

    def came(**limits: float) -> dict[str, str]:
        return {line.asks: line.came for line in gated(Gate(pass_rate=0.9, errors=1, **limits), counted).lines}

    assert came(void=0, blamed_on_user=0)["void"] == "inconclusive"
    assert came(void=0, blamed_on_user=0)["blamed_on_user"] == "inconclusive"
    assert came(void=1, blamed_on_user=0.2)["void"] == "passed"
    assert came()["void"] == "inconclusive"  # more than a tenth
