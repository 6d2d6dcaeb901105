import pytest

from sparring.core.batch import Until
from sparring.core.conversation import Ending
from sparring.core.outcome import Outcome, decide
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.batch_statistics import batch_statistics
from sparring.reports.case_rows import CaseRows, ScoreKey
from sparring.reports.rate_text import both_claims, p_text, percent, points_text, statistics_lines
from sparring.reports.reported import ReportedConversation
from sparring.reports.scores import Judgements
from sparring.statistics import difference
from sparring.testing.factories import a_batch, a_conversation
from tables import table


def rows_of(outcomes: dict[str, str], *, attempts: str = "first", crash: str | None = None) -> CaseRows:
    """Collect conversations: `+` passed, `-` failed, `!` crashed, `v` void, `.` not run."""
    batch = a_batch(*outcomes, repeats=max(map(len, outcomes.values())))
    rows = CaseRows(batch, attempts, crash)  # type: ignore[arg-type]
    endings = {"!": Ending.CHATBOT_FAILED, "v": Ending.USER_FAILED}
    for case, marks in zip(batch.cases, outcomes.values(), strict=True):
        for repeat, mark in enumerate(marks, 1):
            if mark != ".":
                outcome = CheckOutcome.FAIL if mark == "-" else CheckOutcome.PASS
                said = a_conversation(case, repeat=repeat, ending=endings.get(mark, Ending.GOALS_ANSWERED))
                score = None if mark in "!v" else 3.0 if mark == "+" else 1.0
                verdict = Verdict(check="order", outcome=outcome, conversation=said.id, judge="checklist", score=score)
                rows.add(ReportedConversation(said, decide(said, [verdict]), (verdict,)))
    return rows


def test_rows_have_a_value_for_each_planned_conversation():
    rows = rows_of({"a": "+-+", "b": "v!.", "c": "..."})

    assert rows.passed() == {"a": [1, 0, 1], "b": [None, 0, None], "c": [None, None, None]}
    assert rows.crashed() == {"a": [0, 0, 0], "b": [None, 1, None], "c": [None, None, None]}
    assert rows.scored(ScoreKey("order", "checklist", "")) == {
        "a": [3, 1, 3],
        "b": [None, None, None],
        "c": [None, None, None],
    }


def test_a_crash_can_be_undecided():
    assert rows_of({"a": "+!"}, crash="undecided").passed() == {"a": [1, None]}


def test_the_combinations_of_a_scenario_can_be_one_row():
    rows = rows_of({"orders/1": "+-", "orders/2": "++", "cancel": "--"})

    assert rows.passed("scenario") == {"orders": [1, 0, 1, 1], "cancel": [0, 0]}


def test_statistics_can_take_the_combinations_of_a_scenario_as_repeats():
    found = batch_statistics(rows_of({"orders/1": "+", "orders/2": "+", "orders/3": "-", "cancel": "-"}), "scenario")

    assert list(statistics_lines(found)) == [
        "passed 33 % (2 of 4; 2 scenarios × 3; every case weighs the same): these cases 0–91 %, "
        "cases like these 0–97 % (worth 2 independent conversations)",
        "1 of 1 scenario came out both ways (intraclass correlation 0.00): orders (2 of 3)",
    ]


def test_the_score_intervals_of_a_batch_that_was_stopped_early_hold_at_all_its_looks():
    until = Until(claim="these", threshold=0.8, confidence=0.95, margin=0.05, limit=20)
    batch = a_batch("a", "b", repeats=10)
    widths = []
    for each in (batch, batch.changed(until=until)):
        judgements = Judgements(each)
        for id in batch.ids():
            score = 3.0 if id.startswith("a") else 1.0
            judgements.add([Verdict(check="c", judge="j", outcome=CheckOutcome.PASS, conversation=id, score=score)])
        (found,) = judgements.scores()
        assert found.intervals is not None
        widths.append(found.intervals.these.high - found.intervals.these.low)

    assert widths[1] > widths[0] + 0.1


def test_every_case_weighs_the_same():
    found = batch_statistics(rows_of({"a": "++++", "b": "-..."}))

    assert found.decided.value == 0.5
    assert found.pass_rate.these.unknown == 3


def test_unknown_conversations_widen_the_pass_rate_and_not_what_was_decided():
    found = batch_statistics(rows_of({"a": "+v", "b": "++", "c": "-+"}))

    assert found.pass_rate.value == found.decided.value
    assert found.pass_rate.these.low < found.decided.these.low
    assert found.pass_rate.these.high >= found.decided.these.high


def test_statistics_name_the_cases_that_came_out_both_ways_the_most_mixed_first():
    found = batch_statistics(rows_of({"a": "++++", "b": "+++-", "c": "+-+-"}))

    assert (found.repeated, found.mixed) == (3, 2)
    assert [(each.case, each.passed, each.decided) for each in found.mixed_cases] == [("c", 2, 4), ("b", 3, 4)]
    assert sorted(found.pass_hat) == [1, 4]
    assert found.pass_hat[4].value == pytest.approx(1 / 3)


def test_agreeing_repeats_are_no_evidence_about_cases_like_these():
    found = batch_statistics(rows_of({"a": "+" * 50, "b": "+" * 50, "c": "-" * 50, "d": "-" * 50}))

    assert found.mixed == 0
    assert both_claims(found.decided) == "these cases 42–58 %, cases like these 6–94 %"


def test_an_empty_batch_has_no_rate():
    found = batch_statistics(rows_of({"a": "."}))

    assert found.pass_rate.value is None
    assert (found.pass_rate.these.low, found.pass_rate.these.high) == (0, 1)


@table(("share", "text"), [(0, "0"), (1, "100"), (0.81, "81"), (0.9999, ">99.9"), (0.996, "99.6"), (0.0001, "<0.1")])
def test_percent_never_rounds_to_none_or_all(share: float, text: str):
    assert percent(share) == text


def test_differences_are_in_points():
    found = difference([[1, 1, 1, 1]] * 10, [[0, 0, 1, 0]] * 10)

    assert points_text(found).startswith("−75 points [−")
    assert p_text(found.p) == "p < .001"
    assert p_text(0.012) == "p = .012"


def test_outcomes_are_those_of_the_attempts_that_count():
    batch = a_batch("a")
    said = a_conversation(batch.cases[0])
    said = said.model_copy(update={"timing": said.timing.model_copy(update={"attempt": 2})})  # type: ignore[union-attr]
    verdict = Verdict(check="order", outcome=CheckOutcome.PASS, conversation=said.id, judge="checklist")
    reported = ReportedConversation(said, decide(said, [verdict]), (verdict,), first=Outcome.FAILED)
    first, last = CaseRows(batch), CaseRows(batch, "last")
    for rows in (first, last):
        rows.add(reported)

    assert (first.passed(), last.passed()) == ({"a": [0]}, {"a": [1]})
