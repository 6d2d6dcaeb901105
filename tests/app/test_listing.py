from sparring.app.listing import TrendPoint, _changes, trend_csv, trend_text
from sparring.reports.tested_changes import Question

CASES = [f"case/{number}" for number in range(20)]


def rows(passed: int) -> dict[str, list[float | None]]:
    return {case: [1.0 if number < passed else 0.0] for number, case in enumerate(CASES)}


def _change(since: dict[str, list[float | None]], now: dict[str, list[float | None]], looks: int) -> str:
    return _changes({"passed": Question(since, now)}, looks)["passed"]


def test_a_fall_of_many_cases_is_a_change_and_one_of_few_is_none():
    assert [_change(rows(20), rows(passed), 10) for passed in (20, 17, 4)] == ["", "", "worse"]


def test_more_batches_need_more_evidence():
    assert (_change(rows(20), rows(12), 1), _change(rows(20), rows(12), 1000)) == ("worse", "")


def test_a_trend_reads_as_lines_and_as_a_table():
    points = [
        TrendPoint(batch="A", created="2026-03-02T03:00:00+00:00", conversations=20, score=2.5, cost=0.25),
        TrendPoint(batch="B", created="2026-03-03T03:00:00+00:00", conversations=20, change="worse"),
    ]

    assert list(trend_text(points)) == [
        "2026-03-02T03:00  A  20 conversations, passed -, score 2.5, $0.2500",
        "2026-03-03T03:00  B  20 conversations, passed -  WORSE than before",
    ]
    assert list(trend_csv(points))[1:] == [
        "A,2026-03-02T03:00:00+00:00,20,,,,2.5,,0.25,,,",
        "B,2026-03-03T03:00:00+00:00,20,,,,,,,worse,,",
    ]
