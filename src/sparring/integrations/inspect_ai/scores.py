"""Verdicts as Inspect's scores.

What models consumed, as Inspect counts it.

What a task comes to. What nobody could decide or stated is in no average.

What is counted about one conversation of an experiment, beside whether it passed.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from math import isnan

from inspect_ai.log import EvalMetric, EvalScore
from inspect_ai.model import ModelUsage
from inspect_ai.scorer import Metric, SampleScore, Score, Value, metric

from sparring.core.batch import Players
from sparring.core.checks import Expectation
from sparring.core.conversation import Conversation
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.integrations.inspect_ai.messages import model_of
from sparring.reports.summary import outcome_of
from sparring.rules.expectations import expectation_verdicts
from sparring.rules.functions.registry import lookup

PASSED = "passed"
"""The first score of all: whether the conversation passed, as every summary counts it."""


def scores_of(conversation: Conversation, verdicts: Iterable[Verdict]) -> dict[str, Score]:
    """Whether it passed, and a score for each verdict, under the name of what was checked; what does not apply gets
    none, and where nothing applies there is no score at all.
    """
    applying = [verdict for verdict in verdicts if verdict.outcome is not CheckOutcome.NOT_APPLICABLE]
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
    if verdict.outcome is CheckOutcome.ERROR:
        reason = "grader_failed" if verdict.by == "model" else "scoring_failed"
        return Score.unscored(reason=reason, explanation=verdict.reason or None, metadata=metadata)
    passed = 1.0 if verdict.outcome is CheckOutcome.PASS else 0.0
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
        passed = sum((score.metadata or {}).get("outcome") == CheckOutcome.PASS for score in known)
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


def model_usage(usage: Usage) -> ModelUsage | None:
    """The known part, or None where nobody stated a single token: Inspect knows no figure that is missing."""
    if usage.unknown_tokens and usage.unknown_tokens >= usage.calls:
        return None
    return ModelUsage(
        input_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        total_cost=usage.known_cost,
    )


def by_role(usage: Mapping[str, Usage]) -> dict[str, ModelUsage]:
    """What each role consumed, as far as anybody knows."""
    found = {role: model_usage(each) for role, each in usage.items()}
    return {role: each for role, each in found.items() if each is not None}


def by_model(usage: Mapping[str, Usage], who: Players) -> dict[str, ModelUsage]:
    """The same by model: one that plays several roles is counted once."""
    found: dict[str, ModelUsage] = {}
    for role, each in by_role(usage).items():
        model = model_of(role, who)
        found[model] = found[model] + each if model in found else each
    return found


@metric
def success_rate() -> Metric:
    """The share of cases in which everything held that was expected."""

    def calculate(scores: list[SampleScore]) -> Value:
        return _average([value for each in scores if not isnan(value := each.score.as_float())])

    return calculate


@metric
def tokens_total() -> Metric:
    """All tokens that anybody stated."""

    def calculate(scores: list[SampleScore]) -> Value:
        return sum(_known(scores, "tokens"))

    return calculate


@metric
def tokens_average() -> Metric:
    """Tokens per test, of the tests of which they are all known."""

    def calculate(scores: list[SampleScore]) -> Value:
        return _average(list(_known(scores, "tokens")))

    return calculate


@metric
def tokens_unknown() -> Metric:
    """How many tests made calls whose tokens nobody stated."""

    def calculate(scores: list[SampleScore]) -> Value:
        return len(scores) - len(list(_known(scores, "tokens")))

    return calculate


@metric
def tool_calls_average() -> Metric:
    """Tool calls per test."""

    def calculate(scores: list[SampleScore]) -> Value:
        return _average(list(_known(scores, "tool_calls")))

    return calculate


@metric
def regex_matches() -> Metric:
    """How many patterns were as expected: found, or not found where they must not be."""

    def calculate(scores: list[SampleScore]) -> Value:
        return sum(_known(scores, "regex_matches"))

    return calculate


def _known(scores: list[SampleScore], name: str) -> Iterator[float]:
    for each in scores:
        value = (each.score.metadata or {}).get(name)
        if isinstance(value, int | float):
            yield value


def _average(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


async def measured(conversation: Conversation) -> dict[str, Json]:
    """Tokens (null unless all are known), tools (null where the chatbot reports none) and patterns."""
    usage = sum(conversation.usage.values(), Usage())
    patterns = [each for each in conversation.case.expectations if looks_for_a_pattern(each)]
    found = [verdict.outcome for each in patterns for verdict in await expectation_verdicts(each, conversation)]
    new = conversation.messages[len(conversation.case.history) :]
    calls = sum(len(message.tool_calls) for message in new if not message.injected)
    return {
        "ending": conversation.ending,
        "turns": conversation.turns,
        "tokens": None if usage.unknown_tokens else usage.tokens,
        "unknown_tokens": usage.unknown_tokens,
        "model_calls": usage.calls,
        "tool_calls": calls if conversation.reports_tools else None,
        "regexes": len(found),
        "regex_matches": found.count(CheckOutcome.PASS),
    }


def looks_for_a_pattern(expectation: Expectation) -> bool:
    """Whether a regular expression decides it."""
    try:
        tree = ast.parse(expectation.rule.then.strip(), mode="eval")
    except SyntaxError:
        return False
    called = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return any(function is not None and function.patterns for function in map(lookup, called))
