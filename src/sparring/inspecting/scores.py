"""Verdicts as Inspect's scores."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, count
from math import isnan

from inspect_ai.log import EvalMetric, EvalScore
from inspect_ai.scorer import Score

from sparring.core.conversation import Conversation
from sparring.core.verdict import Outcome, Verdict
from sparring.reports.summary import outcome_of

PASSED = "passed"
"""The first score of all: whether the conversation passed, as every summary counts it."""


def scores_of(conversation: Conversation, verdicts: Iterable[Verdict]) -> dict[str, Score]:
    """Whether it passed, and a score for each verdict, under the name of what was checked; what does not apply gets
    none, and where nothing applies there is no score at all.
    """
    applying = [verdict for verdict in verdicts if verdict.outcome is not Outcome.NOT_APPLICABLE]
    if not applying:
        return {}
    outcome, reason = outcome_of(conversation, applying)
    passed = Verdict(check=PASSED, outcome=outcome, conversation=conversation.id, reason=reason)
    found = {PASSED: score_of(passed).model_copy(update={"metadata": {"outcome": outcome.value}})}
    for verdict in applying:
        found[_unique(verdict, found)] = score_of(verdict)
    return found


def score_of(verdict: Verdict) -> Score:
    """The judge's score where it gave one, else 1.0 for pass and 0.0 for fail. What could not be decided is unscored:
    kept with its reason, and left out of every average.
    """
    said = verdict.model_dump(mode="json", include={"outcome", "by", "judge", "rubric", "evidence"})
    metadata = {name: value for name, value in said.items() if value}
    if verdict.outcome is Outcome.ERROR:
        reason = "grader_failed" if verdict.by == "model" else "scoring_failed"
        return Score.unscored(reason=reason, explanation=verdict.reason or None, metadata=metadata)
    passed = 1.0 if verdict.outcome is Outcome.PASS else 0.0
    value = passed if verdict.score is None else verdict.score
    return Score(value=value, explanation=verdict.reason or None, metadata=metadata)


def results_of(scored: Sequence[Mapping[str, Score]]) -> list[EvalScore]:
    """What all samples came to, score by score: the share that passed, and the mean."""
    names = dict.fromkeys(name for scores in scored for name in scores)
    return [_result(name, [scores[name] for scores in scored if name in scores]) for name in names]


def _result(name: str, scores: Sequence[Score]) -> EvalScore:
    known = [score for score in scores if not isnan(score.as_float())]
    metrics = []
    if known:
        passed = sum((score.metadata or {}).get("outcome") == Outcome.PASS for score in known)
        mean = sum(score.as_float() for score in known) / len(known)
        metrics = [EvalMetric(name="pass_rate", value=passed / len(known)), EvalMetric(name="mean", value=mean)]
    return EvalScore(
        name=name,
        scorer=name,
        scored_samples=len(known),
        unscored_samples=len(scores) - len(known),
        metrics={metric.name: metric for metric in metrics},
    )


def _unique(verdict: Verdict, taken: Mapping[str, Score]) -> str:
    """What was checked; who decided beside it where others did too, and a number where even that is there already."""
    names = [verdict.check, f"{verdict.check} ({verdict.by})"]
    numbered = (f"{verdict.check}~{number}" for number in count(2))
    return next(name for name in chain(names, numbered) if name not in taken)
