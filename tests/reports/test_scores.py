import json
from math import isclose

import pytest

from reports.summing import decided
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.json_report import run_json, scores_json
from sparring.reports.measures import Spread
from sparring.reports.rate_text import agreement_text
from sparring.reports.scores import Agreement, Judgements, Scores
from sparring.reports.summary import Tally
from sparring.reports.text import summary_text
from sparring.testing.factories import RUBRIC, a_batch, a_conversation, a_verdict

BATCH = a_batch("a").model_copy(update={"rubrics": (RUBRIC,)})


def scored(score: float | None, *, judge: str = "openai:judge", outcome: CheckOutcome = CheckOutcome.PASS) -> Verdict:
    return a_verdict("a", judge=judge, outcome=outcome).model_copy(update={"score": score})


def judgements(*conversations: list[Verdict]) -> Judgements:
    made = Judgements(BATCH)
    for verdicts in conversations:
        made.add(verdicts)
    return made


def test_scores_have_a_mean_a_median_a_spread_and_a_distribution():
    fail = CheckOutcome.FAIL

    (scores,) = judgements(
        [scored(1, outcome=fail)], [scored(3)], [scored(3)], [scored(None, outcome=CheckOutcome.ERROR)]
    ).scores()

    assert scores.model_copy(update={"intervals": None, "shares": {}}) == Scores(
        judge="openai:judge",
        check="polite",
        rubric=RUBRIC.hash,
        passed=2,
        failed=1,
        errors=1,
        spread=Spread(n=3, mean=7 / 3, std=(4 / 3) ** 0.5, median=3, min=1, max=3),
        distribution={"1": 1, "2": 0, "3": 2},
        low=1,
        high=3,
    )
    assert scores.intervals is not None
    assert (scores.intervals.value, scores.intervals.these.unknown) == (pytest.approx(7 / 3), 1)
    assert [(level, each.value) for level, each in scores.shares.items()] == [(2, 2 / 3), (3, 2 / 3)]


def test_one_score_has_no_deviation_and_none_has_nothing():
    (one,) = judgements([scored(2)]).scores()
    (none,) = judgements([scored(None, outcome=CheckOutcome.ERROR)]).scores()

    assert scores_json(one) | {"judge": "", "check": "", "rubric": "", "intervals": None, "shares": {}} == {
        "judge": "",
        "check": "",
        "rubric": "",
        "passed": 1,
        "failed": 0,
        "errors": 1 - 1,
        "n": 1,
        "mean": 2,
        "std": None,
        "median": 2,
        "min": 2,
        "max": 2,
        "distribution": {"1": 0, "2": 1, "3": 0},
        "low": 1,
        "high": 3,
        "intervals": None,
        "shares": {},
    }
    assert (scores_json(none)["mean"], scores_json(none)["n"], scores_json(none)["distribution"]) == (None, 0, {})


def test_scores_of_different_judges_and_rubrics_are_never_mixed():
    other = scored(1).model_copy(update={"rubric": "other"})

    found = list(judgements([scored(3), scored(1, judge="openai:other"), other]).scores())

    assert [(each.judge, each.rubric, each.spread.mean) for each in found] == [
        ("openai:judge", RUBRIC.hash, 3),
        ("openai:judge", "other", 1),
        ("openai:other", RUBRIC.hash, 1),
    ]


def test_a_long_scale_counts_only_what_was_given():
    wide = RUBRIC.model_copy(update={"scale": RUBRIC.scale.model_copy(update={"worst": 0, "best": 100})})
    made = Judgements(BATCH.model_copy(update={"rubrics": (wide,)}))
    made.add([scored(70).model_copy(update={"rubric": wide.hash})])

    (scores,) = made.scores()

    assert scores.distribution == {"70": 1}


def human(outcome: CheckOutcome) -> Verdict:
    return Verdict(check="human", outcome=outcome, conversation="a", by="human", judge="human")


def pairs(both_pass: int, both_fail: int, only_human: int, only_judge: int) -> list[list[Verdict]]:
    ways = {
        (CheckOutcome.PASS, CheckOutcome.PASS): both_pass,
        (CheckOutcome.FAIL, CheckOutcome.FAIL): both_fail,
        (CheckOutcome.PASS, CheckOutcome.FAIL): only_human,
        (CheckOutcome.FAIL, CheckOutcome.PASS): only_judge,
    }
    return [[human(one), scored(2, outcome=other)] for (one, other), count in ways.items() for _ in range(count)]


def test_agreement_beyond_chance_is_cohens_kappa():
    """The worked example of 50 proposals: 20 and 15 agreed, kappa 0.40."""
    (agreement,) = judgements(*pairs(20, 15, 5, 10)).agreements()

    assert (agreement.n, agreement.agreed, agreement.share) == (50, 35, 0.7)
    assert agreement.kappa is not None
    assert isclose(agreement.kappa, 0.4)


@pytest.mark.parametrize("counted", [(5, 4, 0, 0), (20, 0, 0, 0)])
def test_few_conversations_or_only_one_kind_of_them_have_no_kappa(counted: tuple[int, int, int, int]):
    (agreement,) = judgements(*pairs(*counted)).agreements()

    assert agreement == Agreement(judge="openai:judge", n=sum(counted), agreed=sum(counted), kappa=None)


def test_scores_that_all_differ_do_not_hide_behind_equal_outcomes():
    """Both say "pass" in every conversation, and never give the same score."""
    batch = a_batch(*map(str, range(12)))
    made = Judgements(batch)
    for number, case in enumerate(batch.cases):
        about = {"conversation": case.id}
        one = human(CheckOutcome.PASS).model_copy(update={**about, "score": 3 - number % 2})
        made.add([one, scored(2 + number % 2).model_copy(update=about)])
    (agreement,) = made.agreements()

    assert (agreement.share, agreement.kappa) == (1, None)
    assert agreement_text(agreement) == (
        "Agreement of openai:judge with a human: 12 of 12 (100 %); equal scores 0 of 12, within 1 12 of 12, "
        "weighted kappa -1.00 (cases like these -1.00 to -0.63)"
    )


def test_conversations_that_one_judge_did_not_decide_are_not_compared():
    undecided = [human(CheckOutcome.PASS), scored(None, outcome=CheckOutcome.ERROR)]
    several = [
        human(CheckOutcome.FAIL),
        scored(3),
        scored(1, outcome=CheckOutcome.FAIL).model_copy(update={"rubric": "b"}),
    ]

    assert list(judgements(undecided, [scored(3)], [human(CheckOutcome.PASS)]).agreements()) == []
    assert [each.agreed for each in judgements(several).agreements()] == [1], "one rubric that fails is a fail"


def test_a_summary_has_scores_and_agreement_as_text_and_as_json():
    tally = Tally(BATCH)
    conversation = a_conversation(BATCH.cases[0])
    for outcome, score in ((CheckOutcome.PASS, 3), (CheckOutcome.FAIL, 1), (CheckOutcome.ERROR, None)):
        tally.add(decided(conversation), judged=[scored(score, outcome=outcome), human(CheckOutcome.PASS)])

    told = list(summary_text(tally.summary()))

    assert (
        "Scores: polite, by openai:judge: mean 2, median 2, std 1.41 (1 x 1, 0 x 2, 1 x 3); "
        "1 could not be decided, and has no score"
    ) in told
    assert "Agreement of openai:judge with a human: 1 of 2 (50 %)" in told
    assert not [line for line in told if line.startswith("Scores: human")]
    document = json.dumps(run_json(tally.summary()), allow_nan=False)
    assert [each["judge"] for each in json.loads(document)["scores"]] == ["human", "openai:judge"]


@pytest.mark.parametrize(("score", "more"), [(3, 0), (2, 3)])
def test_scores_that_are_all_the_best_take_one_line(score: int, more: int):
    tally = Tally(BATCH)
    tally.add(decided(a_conversation(BATCH.cases[0])), judged=[scored(score)])

    told = list(summary_text(tally.summary()))

    assert sum(line.startswith(("Scores: polite", "  mean ", "  score ")) for line in told) == 1 + more
