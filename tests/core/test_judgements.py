"""The judgement that counts where there are several on one conversation."""

import pytest

from sparring.core.batch import Decides, judges_of, panel
from sparring.core.judgements import current, of_panel, of_people
from sparring.core.verdict import HUMAN, LABEL, CheckOutcome, Verdict


def said(score: int | None, judge: str = "j", *, rubric: str = "r", who: str = "", by: str = "model") -> Verdict:
    """Return a verdict that passes from 2 on, and an error without a score."""
    outcome = CheckOutcome.ERROR if score is None else CheckOutcome.PASS if score >= 2 else CheckOutcome.FAIL
    fields = {"check": "polite", "conversation": "a", "judge": judge, "rubric": rubric, "who": who, "by": by}
    return Verdict(outcome=outcome, score=score, reason="" if score is None else f"score {score}", **fields)


@pytest.mark.parametrize(
    ("decides", "scores", "outcome", "score"),
    [
        ("latest", (3, 1), "fail", 1),
        ("latest", (3, None), "pass", 3),
        ("latest", (None, None), "error", None),
        ("median", (1, 3, 3), "pass", 3),
        ("median", (1, 3), "fail", 1),
        ("median", (2, None, 3, 1), "pass", 2),
        ("majority", (1, 1, 3), "fail", 1),
        ("majority", (1, 3), "error", None),
        ("human", (3, 1), "fail", 1),
    ],
)
def test_attempts_of_a_judge_are_one_verdict(
    decides: Decides, scores: tuple[int | None, ...], outcome: str, score: int | None
):
    (found,) = current(map(said, scores), decides)

    assert (found.outcome.value, found.score) == (outcome, score)


def test_an_aggregate_says_what_it_is_of():
    (found,) = current(map(said, (1, 3, 3)), "median")

    assert found.reason == "median of 3 judgements (fail 1, pass 3, pass 3): score 3"


def test_each_judge_rubric_and_person_has_one():
    labels = [said(score, LABEL, rubric="", who=who, by=HUMAN) for who, score in (("Ann", 1), ("Ben", 3), ("Ann", 2))]

    found = current([said(1), said(2, "k"), said(3, rubric="s"), *labels], "latest")

    assert [(each.judge, each.rubric, each.who, each.score) for each in found] == [
        ("j", "r", "", 1),
        ("k", "r", "", 2),
        ("j", "s", "", 3),
        ("label", "", "Ann", 2),
        ("label", "", "Ben", 3),
    ]


def test_an_undecided_label_replaces_an_earlier_one():
    (found,) = current([said(3, LABEL, rubric="", by=HUMAN), said(None, LABEL, rubric="", by=HUMAN)], "median")

    assert found.outcome is CheckOutcome.ERROR


@pytest.mark.parametrize(
    ("decides", "scores", "outcome", "score"),
    [
        ("latest", (3, 2, 3), "pass", 3),
        ("latest", (3, 1, 3), "error", None),
        ("latest", (3, None, 3), "error", None),
        ("median", (3, 1, 3), "pass", 3),
        ("median", (3, None, 3), "pass", 3),
        ("median", (3, None, None), "error", None),
        ("majority", (3, 1, 1), "fail", 1),
        ("majority", (3, None, 1), "error", None),
    ],
)
def test_a_panel_that_disagrees_is_undecided_unless_the_middle_or_most_decide(
    decides: Decides, scores: tuple[int | None, ...], outcome: str, score: int | None
):
    found = of_panel("a + b + c", [said(score, judge) for score, judge in zip(scores, "abc", strict=True)], decides)

    assert (found.judge, found.outcome.value, found.score) == ("a + b + c", outcome, score)
    assert found.outcome is not CheckOutcome.ERROR or found.blame == "judge"


def test_judges_that_disagree_are_listed():
    found = of_panel("a + b", [said(3, "a"), said(1, "b")], "latest")

    assert found.reason == "the judges disagree: a: pass 3, b: fail 1"


def test_people_decide_as_most_of_them_do():
    people = [said(score, LABEL, who=who) for who, score in (("Ann", 1), ("Ben", 1), ("Cem", 3), ("Dua", None))]

    found = of_people([said(3), *people], "j")

    assert found is not None
    assert (found.outcome, found.judge, of_people([said(3)], "j")) == (CheckOutcome.FAIL, "j", None)


def test_a_panel_is_named_for_its_judges():
    assert judges_of(panel("openai:x", "openai:y", "openai:x")) == ("openai:x", "openai:y")
    assert judges_of("checklist") == ("checklist",)
