from sparring.core.batch import Batch, Until
from sparring.reports.batch_statistics import order, standing, steps
from sparring.reports.case_rows import NamedRows
from sparring.testing.factories import a_batch

THESE = Until(claim="these", threshold=0.7, confidence=0.95, margin=0.1, limit=40)
LIKE = THESE.changed(claim="like these")
PAIRED = THESE.changed(threshold=-0.1, baseline="B0")


def batch_of(until: Until, *, steps_held: int, cases: int = 4, repeats: int = 10) -> Batch:
    batch = a_batch(*(f"c{n}" for n in range(cases)), repeats=repeats).changed(until=until)
    return batch.changed(selected=tuple(id for step in steps(batch, until)[:steps_held] for id in step))


def rows(batch: Batch, value: float | None, held: int | None = None) -> NamedRows:
    number = batch.repeats if held is None else held
    return {case.id: [value] * number for case in batch.cases}


def test_these_cases_are_held_in_rounds_up_to_the_limit():
    batch = batch_of(THESE.changed(limit=9), steps_held=0)

    assert steps(batch, THESE.changed(limit=9)) == [
        ["c0", "c1", "c2", "c3"],
        ["c0#2", "c1#2", "c2#2", "c3#2"],
        ["c0#3", "c1#3", "c2#3", "c3#3"],
    ]


def test_cases_like_these_are_held_whole_in_an_order_that_the_seed_gives():
    batch = batch_of(LIKE, steps_held=0, cases=8, repeats=2)

    found = steps(batch, LIKE)

    assert found == [[case, f"{case}#2"] for (case,) in order(batch, "case")]
    assert order(batch, "case") != [[case.id] for case in batch.cases]
    assert order(batch, "case") != order(batch.changed(seed=batch.seed + 1), "case")


def test_cases_of_a_scenario_are_one_step_if_the_scenario_is_the_unit():
    until = LIKE.changed(unit="scenario", limit=100)
    batch = a_batch("a/1", "a/2", "a/3", "b/1", repeats=2).changed(until=until)

    found = steps(batch, until)

    assert sorted(found) == [["a/1", "a/1#2", "a/2", "a/2#2", "a/3", "a/3#2"], ["b/1", "b/1#2"]]
    assert steps(batch, until.changed(limit=1)) == found[:1]
    batch = batch.changed(selected=tuple(id for step in found for id in step))
    passed = {"a/1": [1.0, 1.0], "a/2": [1.0, 0.0], "a/3": [0.0, 0.0], "b/1": [1.0, 1.0]}
    assert sorted(standing(batch, until, passed).values) == [[0.5], [1.0]]


def test_nothing_is_decided_before_anything_is_held():
    batch = batch_of(THESE, steps_held=0)

    assert standing(batch, THESE, rows(batch, 1.0)).values == []


def test_a_round_that_is_not_complete_is_not_looked_at():
    batch = batch_of(THESE, steps_held=3)
    held = rows(batch, 1.0, 3)
    held["c0"] = held["c0"][:2]

    assert len(standing(batch, THESE, held).values) == 2


def test_passing_decides_above_and_failing_below():
    batch = batch_of(THESE, steps_held=10)

    assert standing(batch, THESE, rows(batch, 1.0)).answer == "above"
    assert standing(batch, THESE, rows(batch, 0.0)).answer == "below"
    assert standing(batch, THESE, rows(batch, 1.0)).complete


def test_the_unknown_speaks_against_both_answers():
    batch = batch_of(THESE, steps_held=10)

    assert standing(batch, THESE, rows(batch, None)).answer is None


def test_an_answer_stays_though_later_rounds_come_out_otherwise():
    batch = batch_of(THESE, steps_held=10)
    turning = {case.id: [1.0] * 4 + [0.0] * 6 for case in batch.cases}

    assert standing(batch, THESE, rows(batch, 1.0, 4)).answer == "above"
    assert standing(batch, THESE, turning).answer == "above"


def test_a_fall_below_the_baseline_is_worse():
    batch = batch_of(PAIRED, steps_held=10)

    def answer(before: float, after: float) -> str | None:
        return standing(batch, PAIRED, rows(batch, after), rows(batch, before)).answer

    assert (answer(1, 0), answer(0, 1), answer(1, 1)) == ("below", "above", None)


def test_a_comparison_is_complete_when_the_baseline_has_no_further_repeat():
    batch = batch_of(PAIRED, steps_held=3)

    found = standing(batch, PAIRED, rows(batch, 1.0, 3), rows(batch, 1.0, 3))

    assert (found.answer, found.complete, len(found.values)) == (None, True, 3)
