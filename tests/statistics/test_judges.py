"""Errors of judges, and rates corrected for them, by simulation."""

import math
from random import Random

import pytest

from sparring.statistics import Judged, judge_errors, rate

SIDES = (0.0, 1.0)


def batch(
    draw: Random, sensitivity: float, specificity: float, labels: int, truth: float, size: int = 500
) -> list[Judged]:
    """Draw conversations, of which labels are drawn half from each side of the judge."""
    people = [draw.random() < truth for _ in range(size)]
    judge = [draw.random() < (sensitivity if passed else 1 - specificity) for passed in people]
    sides = [[n for n in range(size) if judge[n] is side] for side in (False, True)]
    first = max(labels - len(sides[1]), min(labels // 2, len(sides[0])))
    weights = {}
    for side, count in zip(sides, (first, labels - first), strict=True):
        weights |= {n: len(side) / count for n in draw.sample(side, count)}
    return [
        Judged(str(n), float(judge[n]), float(people[n]) if n in weights else None, weights.get(n, 1.0))
        for n in range(size)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell",
    [(0.9, 0.8, 60, 0.7), (1.0, 0.9, 100, 0.05), (0.6, 0.6, 30, 0.8), (0.95, 0.6, 40, 0.95), (1.0, 1.0, 30, 0.5)],
)
def test_the_corrected_rate_holds_the_truth(cell: tuple[float, float, int, float]):
    draw = Random(1)
    found = [judge_errors(batch(draw, *cell), SIDES) for _ in range(60)]

    covered = sum(each.mean.low <= cell[3] <= each.mean.high for each in found)
    assert covered >= 53, f"{covered} of 60; at 95 % fewer happen once in a thousand seeds, and the seed is fixed"


def test_a_good_judge_narrows_the_interval_of_the_labels_alone():
    draw = Random(2)
    for truth in (0.1, 0.5, 0.9):
        corrected, alone = [], []
        for _ in range(10):
            found = judge_errors(batch(draw, 0.95, 0.9, 60, truth), SIDES).mean
            labels = rate([[draw.random() < truth] for _ in range(60)])
            corrected.append(found.high - found.low)
            alone.append(labels.high - labels.low)
        assert sum(corrected) <= 0.8 * sum(alone)


def test_a_judge_without_an_error_leaves_what_its_labels_may_have_missed():
    rows = [Judged(f"{said}/{n}", said, said if n < 15 else None, 100 / 15) for said in SIDES for n in range(100)]

    found = judge_errors(rows, SIDES).mean

    assert found.value == 0.5
    assert 0.18 < found.high - found.low < 0.19, "0.17 would cover too little, 0.2 too much"


def test_the_correction_is_that_of_rogan_and_gladen():
    rows = batch(Random(3), 0.9, 0.7, 80, 0.6)
    found = judge_errors(rows, SIDES)
    passed = sum(row.judged or 0 for row in rows) / len(rows)
    sensitivity, specificity = found.sensitivity.value, found.specificity.value

    assert sensitivity is not None
    assert specificity is not None
    plugged_in = (passed + specificity - 1) / (sensitivity + specificity - 1)
    assert found.mean.value == pytest.approx(plugged_in, abs=1e-9)
    assert found.youden.value == pytest.approx(sensitivity + specificity - 1)


def test_agreement_stands_for_all_conversations_and_not_for_those_that_were_drawn():
    """The judge fails 1 of 10 conversations: labels of half of each side weigh 9 to 1."""
    labelled = [Judged(f"f{n}", 0.0, float(n < 5), 1.0) for n in range(10)]
    labelled += [Judged(f"p{n}", 1.0, 1.0, 9.0) for n in range(10)]
    passing, failing, agreed = 0.95, 0.05, 0.95
    chance = failing * 0.1 + passing * 0.9
    middle = ((failing + 0.1) / 2, (passing + 0.9) / 2)
    gwet = sum(each * (1 - each) for each in middle)

    found = judge_errors([*labelled, *(Judged(f"x{n}", 1.0) for n in range(80))], SIDES)

    assert found.mean.value == pytest.approx(0.95)
    assert found.kappa.value == pytest.approx((agreed - chance) / (1 - chance))
    assert found.ac1.value == pytest.approx((agreed - gwet) / (1 - gwet))


def test_a_judge_that_says_2_where_people_say_3_agrees_on_no_score():
    rows = [Judged(str(n), 2.0, 3.0) for n in range(10)]

    found = judge_errors(rows, (1.0, 2.0, 3.0))

    assert (found.mean.value, round(found.kappa.value or 0, 2)) == (3, 0)


def test_repeats_of_few_cases_are_worth_less_than_as_many_cases():
    def spread(cases: int) -> float:
        draw = Random(4)
        fine = [draw.random() < 0.6 for _ in range(cases)]
        rows = [Judged(str(n % cases), 1.0, float(fine[n % cases])) for n in range(60)]
        found = judge_errors(rows, SIDES).mean
        return found.high - found.low

    assert spread(6) > 1.4 * spread(60)


def test_a_judge_that_draws_lots_is_no_better_than_chance():
    assert judge_errors(batch(Random(5), 0.5, 0.5, 60, 0.5), SIDES).youden.low <= 0


def test_a_verdict_that_no_label_is_of_leaves_wide_bounds():
    rows = [Judged(f"p{n}", 1.0, 1.0) for n in range(30)] + [Judged(f"e{n}", None) for n in range(30)]

    found = judge_errors(rows, SIDES).mean

    assert found.high - found.low > 0.4
    assert not math.isnan(found.value or 0)


def test_there_is_nothing_to_say_without_labels():
    with pytest.raises(ValueError, match="no conversation has a label"):
        judge_errors([Judged("a", 1.0)], SIDES)
