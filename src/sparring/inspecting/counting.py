"""The logs of experiments in numbers: case by case, task by task."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal

from sparring.core.value import Value
from sparring.core.verdict import Outcome
from sparring.inspecting.results import Log, Result

Passes = Literal["all", "majority"]
"""When a case passes that was played several times."""


class Tested(Value):
    """A case, how it came out, and every time it was played."""

    case: str
    outcome: Outcome
    results: tuple[Result, ...]

    @property
    def why(self) -> str:
        """The first reason for not passing."""
        return next((each.why for each in self.results if each.outcome is self.outcome and each.why), "")


class Count(Value):
    """Cases by outcome; tokens, tools and patterns by conversation. An average over nothing known is None."""

    name: str
    tests: int = 0
    passed: int = 0
    failed: int = 0
    undecided: int = 0
    conversations: int = 0
    tokens: int = 0
    tokens_average: float | None = None
    tokens_unknown: int = 0
    tool_calls_average: float | None = None
    patterns: int = 0
    patterns_found: int = 0

    @property
    def rate(self) -> float | None:
        """The share of the decided tests that passed."""
        decided = self.passed + self.failed
        return self.passed / decided if decided else None


def by_case(log: Log, passes: Passes) -> list[Tested]:
    """The cases of a log."""
    groups = groupby(log.results, key=lambda each: each.case)
    return [_tested(case, tuple(results), passes) for case, results in groups]


def count(name: str, logs: Iterable[Log], passes: Passes) -> Count:
    """What logs come to together."""
    all_logs = list(logs)
    outcomes = [each.outcome for log in all_logs for each in by_case(log, passes)]
    results = [each for log in all_logs for each in log.results]
    tokens = [each.tokens for each in results if each.tokens is not None]
    tools = [each.tool_calls for each in results if each.tool_calls is not None]
    return Count(
        name=name,
        tests=len(outcomes),
        passed=outcomes.count(Outcome.PASS),
        failed=outcomes.count(Outcome.FAIL),
        undecided=outcomes.count(Outcome.ERROR),
        conversations=len(results),
        tokens=sum(tokens),
        tokens_average=_average(tokens),
        tokens_unknown=len(results) - len(tokens),
        tool_calls_average=_average(tools),
        patterns=sum(each.patterns for each in results),
        patterns_found=sum(each.patterns_found for each in results),
    )


def _tested(case: str, results: tuple[Result, ...], passes: Passes) -> Tested:
    outcomes = [each.outcome for each in results]
    failed, passed, number = outcomes.count(Outcome.FAIL), outcomes.count(Outcome.PASS), len(outcomes)
    if passes == "all":
        outcome = Outcome.FAIL if failed else Outcome.PASS if passed == number else Outcome.ERROR
    elif 2 * passed > number:
        outcome = Outcome.PASS
    else:
        outcome = Outcome.FAIL if 2 * failed >= number else Outcome.ERROR
    return Tested(case=case, outcome=outcome, results=results)


def _average(values: Sequence[int]) -> float | None:
    return sum(values) / len(values) if values else None
