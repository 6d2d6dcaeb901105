"""What a task comes to. What nobody could decide or stated is in no average."""

from collections.abc import Iterator
from math import isnan

from inspect_ai.scorer import Metric, SampleScore, Value, metric


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
