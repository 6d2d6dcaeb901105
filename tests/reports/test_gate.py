import pytest

from sparring.core.batch import Until
from sparring.core.checks import Gate, Rubric, Rule, require_possible
from sparring.core.conversation import Ending
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome, decide
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Comparison
from sparring.reports.gate import Gated, GateLine, GateTally, gate_text, gated
from sparring.reports.gate_levels import unreachable
from sparring.reports.reported import ReportedConversation
from sparring.reports.summary import Tally
from sparring.testing.factories import a_batch, a_conversation
from tables import table

POLITE = Rubric(name="polite", text="Is the chatbot polite?")
_ENDINGS = {"!": Ending.CHATBOT_FAILED, "v": Ending.USER_FAILED}
_CHECKED = {"-": CheckOutcome.FAIL, "?": CheckOutcome.ERROR}
_FREE = Usage()


def held(
    gate: Gate,
    outcomes: str | dict[str, str],
    *,
    comparison: Comparison | None = None,
    findings: tuple[Finding, ...] = (),
    usage: Usage = _FREE,
    retried: int = 0,
    until: Until | None = None,
) -> Gated:
    """Hold a batch against a gate.

    `+` passed, `-` failed, `!` crashed, `v` void, `?` undecided, `.` not run, a digit passed with this score. One
    string is one case for each mark. The first `retried` conversations failed at first. With `until`, the batch was
    held until it was decided.
    """
    if isinstance(outcomes, str):
        outcomes = {f"c{n}": mark for n, mark in enumerate(outcomes)}
    batch = a_batch(*outcomes, repeats=max(map(len, outcomes.values()), default=1)).changed(rubrics=(POLITE,))
    if until is not None:
        batch = batch.changed(until=until, selected=tuple(batch.ids()))
    side, rest = ComparedBatch(batch, gate.attempts), Tally(batch)
    for case, marks in zip(batch.cases, outcomes.values(), strict=True):
        for repeat, mark in enumerate(marks, 1):
            if mark == ".":
                continue
            said = a_conversation(case, repeat=repeat, ending=_ENDINGS.get(mark, Ending.GOALS_ANSWERED))
            said = said.changed(usage={"chatbot": usage})
            given = Verdict(
                check="polite",
                outcome=_CHECKED.get(mark, CheckOutcome.PASS),
                conversation=said.id,
                judge="openai:judge",
                rubric=POLITE.hash,
                score=float(mark) if mark.isdecimal() else None,
            )
            first = Outcome.FAILED if retried > 0 else None
            retried -= 1
            reported = ReportedConversation(said, decide(said, [given]), (given,), first)
            side.add(reported)
            rest.add(reported)
    return gated(GateTally(gate, side), rest.summary(findings), comparison)


def line(gate: Gate, outcomes: str | dict[str, str], asks: str = "pass_rate", **about: object) -> GateLine:
    return next(each for each in held(gate, outcomes, **about).lines if each.asks == asks)  # type: ignore[arg-type]


@table(
    ("gate", "outcomes", "came"),
    [
        (Gate(), "+" * 10, "passed"),
        (Gate(), "+" * 9 + "-", "failed"),
        (Gate(pass_rate=0.9), "+" * 9 + "-", "passed"),
        (Gate(pass_rate=0.9), "+" * 8 + "--", "failed"),
        (Gate(pass_rate=0.9, errors=5), "+" * 9 + "?", "passed"),
        (Gate(pass_rate=0.9, errors=5), "+" * 8 + "-?", "inconclusive"),
        (Gate(pass_rate=0.9, errors=0.1), "+" * 9 + "?", "passed"),
        (Gate(pass_rate=0.9, errors=0.05), "+" * 9 + "?", "inconclusive"),
        (Gate(), "+" * 9 + "?", "inconclusive"),
        (Gate(), "+" * 8 + "-?", "failed"),
        (Gate(pass_rate=0.9, confidence=0.95), "+" * 28, "inconclusive"),
        (Gate(pass_rate=0.9, confidence=0.95), "+" * 29, "passed"),
        (Gate(pass_rate=0.9, confidence=0.95), "+" * 50 + "-" * 50, "failed"),
        (Gate(), "", "inconclusive"),
    ],
)
def test_a_gate_passes_only_what_cannot_be_otherwise(gate: Gate, outcomes: str, came: str):
    assert held(gate, outcomes).came == came


def test_repeats_of_few_cases_do_not_count_as_cases():
    """Four deterministic cases of which two pass, 50 times each."""
    few = {"a": "+" * 50, "b": "+" * 50, "c": "-" * 50, "d": "-" * 50}

    like = line(Gate(pass_rate=0.42, confidence=0.95), few)
    these = line(Gate(pass_rate=0.42, confidence=0.95, claim="these"), few)

    assert (like.came, these.came) == ("inconclusive", "passed")
    assert like.interval is not None
    assert (like.interval.claim, like.interval.effective) == ("like these", 4)


def test_an_inconclusive_rate_names_the_conversations_needed_and_their_price():
    found = line(Gate(pass_rate=0.8, confidence=0.95), "+" * 36 + "-" * 4, usage=Usage(calls=1, cost=0.02))

    assert found.came == "inconclusive"
    assert found.measured.startswith("cases like these: 90 % [≥ 78 %]; about ")
    assert found.needed
    assert found.cost == pytest.approx(0.02 * found.needed)
    assert f"about {found.needed} more conversations of new cases ≈ $" in found.measured


def test_an_unknown_price_gives_no_amount_of_money():
    free, unknown = (
        line(Gate(pass_rate=0.8, confidence=0.95), "+" * 36 + "-" * 4, usage=usage)
        for usage in (Usage(), Usage(calls=1, unknown_costs=1))
    )

    assert free.needed
    assert unknown.needed
    assert (free.cost, unknown.cost) == (None, None)
    assert "$" not in free.measured + unknown.measured


def test_a_rate_close_to_its_threshold_needs_too_many_conversations():
    assert line(Gate(pass_rate=0.8, confidence=0.95), "+" * 80 + "-" * 20).measured.endswith(
        "; too close to the threshold to tell"
    )


def test_without_confidence_the_chance_of_the_opposite_is_stated():
    found, sure = line(Gate(pass_rate=0.9), "+" * 18 + "--"), line(Gate(pass_rate=0.5), "+" * 50)

    assert found.measured == (
        "as counted 18 of 20 (90 %); about 40 % of repeats with other seeds would decide the opposite"
    )
    assert sure.reversal == pytest.approx(0, abs=1e-6)


def test_first_attempts_count_unless_the_gate_asks_for_the_last_ones():
    first, last = (line(Gate(attempts=attempts), "+" * 10, retried=8) for attempts in ("first", "last"))  # type: ignore[arg-type]

    assert (first.came, last.came) == ("failed", "passed")
    assert first.measured.endswith("; after retries 10 of 10")
    assert last.measured.startswith("as counted 10 of 10 (100 %) at the last attempt")


def test_crashes_fail_unless_the_gate_leaves_them_undecided():
    crashed = "+" * 8 + "!!"

    assert held(Gate(pass_rate=0.9), crashed).came == "failed"
    assert held(Gate(pass_rate=0.9, crash="undecided", errors=2), crashed).came == "inconclusive"
    assert held(Gate(pass_rate=0.8, crash="undecided", errors=2), crashed).came == "passed"


@table(
    ("limit", "confidence", "came"),
    [
        (1, None, "failed"),
        (2, None, "passed"),
        (2, 0.95, "passed"),
        (0.1, None, "failed"),
        (0.2, None, "passed"),
        (0.2, 0.95, "inconclusive"),
        (0.6, 0.95, "passed"),
        (0.01, 0.95, "failed"),
    ],
)
def test_crashes_have_a_limit_of_their_own(limit: float, confidence: float | None, came: str):
    gate = Gate(pass_rate=0, crashes=limit, confidence=confidence)

    assert line(gate, "+" * 8 + "!!", "crashes").came == came


def test_crashes_with_a_limit_of_their_own_are_no_errors():
    assert line(Gate(crash="undecided", crashes=2), "+" * 8 + "!!", "errors").measured == "0 of 10"
    assert line(Gate(crash="undecided"), "+" * 8 + "!!", "errors").measured == "2 of 10"


def test_scores_of_the_judge_have_thresholds():
    scores = "3" * 30 + "2" * 9 + "1"

    assert line(Gate(mean_score=2.7), scores, "mean_score").came == "passed"
    assert line(Gate(mean_score=2.8), scores, "mean_score").came == "failed"
    assert line(Gate(mean_score=2.7, confidence=0.95), scores, "mean_score").came == "inconclusive"
    assert line(Gate(mean_score=2.4, confidence=0.95), scores, "mean_score").measured.startswith(
        "cases like these: 2.73 [≥ 2."
    )
    assert line(Gate(share_of={2: 0.95}), scores, "share_of 2").came == "passed"
    assert line(Gate(share_of={3: 0.95}), scores, "share_of 3").came == "failed"
    assert line(Gate(share_of={2: 0.95}, confidence=0.95), scores, "share_of 2").came == "inconclusive"


def test_scores_that_are_not_there_are_inconclusive():
    assert line(Gate(mean_score=2), "+" * 10, "scores").came == "inconclusive"


def test_repeats_that_all_pass_have_a_threshold():
    mixed = {"a": "++++", "b": "++--", "c": "++++"}
    gate = Gate.model_validate({"pass_rate": 0.5, "pass_hat_k": {"k": 2, "rate": 0.7}})

    assert line(gate, mixed, "pass_hat_k 2").measured.startswith("as counted 72 %; ")
    assert line(gate, {**mixed, "c": "+++?"}, "pass_hat_k 2").came == "inconclusive"
    assert line(gate.changed(confidence=0.95), mixed, "pass_hat_k 2").came == "inconclusive"


def test_more_repeats_that_all_pass_than_planned_are_bad_input():
    gate = Gate.model_validate({"pass_hat_k": {"k": 5, "rate": 0.6}})

    with pytest.raises(InputError, match="takes 5 repeats of each case, and 3 are planned"):
        require_possible(gate, 3)


def test_a_score_outside_of_the_scale_is_bad_input():
    require_possible(Gate(mean_score=2.5, share_of={2: 0.9}), rubrics=(POLITE,))

    with pytest.raises(InputError, match="expected a score on the scale 1-3, got 4"):
        require_possible(Gate(mean_score=4), rubrics=(POLITE,))
    with pytest.raises(InputError, match=r"gate\.share_of\.0"):
        require_possible(Gate(share_of={0: 0.9}), rubrics=(POLITE,))


def test_a_margin_without_a_baseline_is_bad_input():
    with pytest.raises(InputError, match=r"gate\.margin"):
        require_possible(Gate(margin=0.1), until_decided=False)


@table(
    ("gate", "cases", "repeats", "said"),
    [
        (Gate(pass_rate=0.9, confidence=0.95), 28, 50, "takes at least 29 cases that all pass; there are 28"),
        (Gate(pass_rate=0.9, confidence=0.95), 29, 1, ""),
        (Gate(pass_rate=0.9, confidence=0.95, claim="these"), 5, 5, "takes at least 29 conversations that all pass"),
        (Gate(pass_rate=0.9, confidence=0.95, claim="these"), 5, 6, ""),
        (Gate(pass_rate=1, confidence=0.95), 1000, 1, "cannot pass"),
        (Gate(pass_rate=0, crashes=0.01, confidence=0.95), 100, 1, "takes at least 299 cases"),
        (Gate(pass_rate=0, share_of={2: 0.95}, confidence=0.95), 58, 1, "takes at least 59 cases"),
        (Gate(), 1, 1, ""),
    ],
)
def test_a_gate_that_no_batch_of_this_size_passes_is_reported(gate: Gate, cases: int, repeats: int, said: str):
    found = list(unreachable(gate, cases, repeats))

    assert said in "".join(found)
    assert bool(found) is bool(said)


def test_cases_like_these_mean_the_combinations_of_few_scenarios():
    combined = {f"orders/{n}": "+" for n in range(40)}

    (note,) = held(Gate(pass_rate=0.8, confidence=0.95), combined).notes

    assert note == "40 cases from 1 scenario: cases like these are other combinations of the same variables"
    assert held(Gate(pass_rate=0.8, confidence=0.95, claim="these"), combined).notes == ()


def test_a_scenario_can_be_the_unit():
    combined = {f"orders/{n}": "+" for n in range(40)}

    assert held(Gate(pass_rate=0.8, confidence=0.95), combined).came == "passed"
    assert held(Gate(pass_rate=0.8, confidence=0.95, unit="scenario"), combined).came == "inconclusive"


def test_missing_conversations_fail_a_gate_that_does_not_allow_them():
    assert held(Gate(pass_rate=0.5), "+" * 10 + ".").came == "failed"
    assert held(Gate(pass_rate=0.5, not_run=1), "+" * 10 + ".").came == "passed"


@table(
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
    assert held(Gate(), "+" * 10, findings=(finding,)).came == came


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
    assert held(Gate(max_cost=1), "+", usage=usage).came == came


def test_a_baseline_that_there_is_not_says_nothing():
    assert held(Gate(baseline="main"), "+" * 10).came == "inconclusive"


def test_a_batch_without_a_decided_case_in_common_with_its_baseline_is_inconclusive():
    nothing = compare(ComparedBatch(a_batch("a")), ComparedBatch(a_batch("b")))

    assert held(Gate(baseline="main"), "+" * 10, comparison=nothing).came == "inconclusive"


def test_a_batch_that_breaks_a_rule_which_held_in_its_baseline_does_not_get_through():
    rule = Rule(name="same price", conversations=2, then="price == conv[1].price")
    batch = a_batch("a").model_copy(update={"rules": (rule,)})
    before, after = ComparedBatch(batch), ComparedBatch(batch)
    before.found([Finding(rule=rule.name, conversations=2, applicable=6, satisfied=6)])
    after.found([Finding(rule=rule.name, conversations=2, applicable=6, violated=1, satisfied=5)])

    *_, line = held(Gate(baseline="main"), "+" * 10, comparison=compare(before, after, replayed={rule.name})).lines

    assert (line.asks, line.came) == ("baseline", "failed")
    assert line.measured == "WORSE: 1 rule that held is violated; no case was decided in both batches"


def of_tags(before: dict[str, str], after: dict[str, str]) -> Comparison:
    """Compare outcomes of cases, each of which has its id in capitals as its tag."""
    sides = []
    for outcomes in (before, after):
        batch = a_batch(*outcomes, repeats=len(next(iter(outcomes.values()))))
        batch = batch.changed(cases=tuple(case.changed(tags=(case.id.upper(),)) for case in batch.cases))
        sides.append(ComparedBatch(batch))
        for case, marks in zip(batch.cases, outcomes.values(), strict=True):
            for repeat, mark in enumerate(marks, 1):
                said = a_conversation(case, repeat=repeat)
                found = Verdict(check="order", outcome=_CHECKED.get(mark, CheckOutcome.PASS), conversation=said.id)
                sides[-1].add(ReportedConversation(said, decide(said, [found]), (found,)))
    return compare(*sides)


def test_a_margin_has_to_be_excluded():
    same = of_tags(*[{f"c{n}": "++-+" for n in range(20)}] * 2)

    def came(margin: float) -> str:
        return line(Gate(baseline="main", margin=margin), "+", "baseline", comparison=same).came

    assert (came(0.5), came(0.01)) == ("passed", "inconclusive")


def test_tags_that_must_not_be_worse_join_the_questions_that_decide():
    mixed = of_tags({"a": "+" * 10, "b": "-" * 10}, {"a": "-" * 10, "b": "+" * 10})

    def baseline(*names: str) -> GateLine:
        return line(Gate(baseline="main", not_worse=names), "+", "baseline", comparison=mixed)

    assert baseline("tag:B").came == "passed"
    assert baseline("tag:A").came == "failed"
    assert baseline("tag:A").measured.endswith("; worse: tag:A")
    assert baseline("tag:C").came == "inconclusive"


def test_a_gate_reads_as_text():
    result = held(Gate(pass_rate=0.9, errors=0.1, max_cost=1), "+" * 7 + "--?", usage=Usage(calls=1, cost=0.025))

    assert list(gate_text(result)) == [
        "Gate: FAILED",
        "  - FAILED: pass_rate: as counted 7 of 9 (78 %), 1 not decided: 70 % to 80 %; about 16 % of repeats with "
        "other seeds would decide the opposite; wanted: at least 90 %",
        "  - ok: errors: 1 of 10; wanted: at most 10 %",
        "  - ok: void: 0 of 10; wanted: at most 10 %",
        "  - ok: not_run: 0 of 10; wanted: at most 0",
        "  - ok: max_cost: $0.2500; wanted: at most $1.00",
    ]


def test_void_conversations_leave_a_gate_inconclusive():
    def came(**limits: float) -> dict[str, str]:
        gate = Gate(pass_rate=0.8, **limits)  # type: ignore[arg-type]
        return {each.asks: each.came for each in held(gate, "+" * 8 + "vv").lines}

    assert came(void=0, blamed_on_user=0)["void"] == "inconclusive"
    assert came(void=0, blamed_on_user=0)["blamed_on_user"] == "inconclusive"
    assert came(void=2, blamed_on_user=0.2)["void"] == "passed"
    assert came()["void"] == "inconclusive"  # more than a tenth


def test_weak_cases_and_unread_goals_fail_beyond_their_limits():
    gate = Gate(pass_rate=0, errors=9, weak=1, unread=1)
    tally = GateTally(gate, ComparedBatch(a_batch("a")))
    tally.counts.update(stored=10, weak=2, unread=2)
    lines = {each.asks: each.came for each in gated(tally, Tally(a_batch("a")).summary()).lines}

    assert (lines["weak"], lines["unread"]) == ("failed", "failed")
