"""Statistics of one batch: its rates with intervals for both claims, and what its repeats tell.

The unit is the case, with its repeats nested in it. Formulas: `sparring.statistics`.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from pydantic import NonNegativeInt, PositiveInt

from sparring.core.checks import Unit
from sparring.core.value import Value
from sparring.reports.case_rows import CaseRows
from sparring.reports.early_stopping import looks
from sparring.reports.measures import scenario
from sparring.statistics.estimates import Interval

MOST_MIXED = 10
"""Most cases with mixed results that the statistics of a batch name."""


class Intervals(Value):
    """One estimate with its two intervals, of these cases and of cases like these."""

    these: Interval
    like_these: Interval

    @property
    def value(self) -> float | None:
        """The estimate, which both claims share."""
        return self.these.value


class MixedCase(Value):
    """A case with mixed results: it passed in some of its decided repeats, and failed in others."""

    case: str
    passed: NonNegativeInt
    decided: NonNegativeInt


class BatchStatistics(Value):
    """Rates of a batch, from 0 to 1, and scores on their scale, each with intervals for both claims.

    `pass_rate` takes what is undecided, void or not run as failed for the lower bounds and as passed for the upper
    ones; `decided` leaves it out. `as_played` takes what the audit made void as it was played; None if that is nothing.
    `crashes` is the share of conversations in which the chatbot crashed or hung. `conversations` counts those planned,
    `passed` and `crashed` those of the attempts that count, `after_retries` those that passed at their last attempt;
    None without retries.
    `pass_hat` is pass^k for k = 1 and for the number of decided repeats that all cases have; empty without repeats.
    `icc` is the intraclass correlation, the share of the variance that lies between cases. `repeated` counts cases with
    two or more decided repeats, `mixed` those of them that came out both ways; `mixed_cases` names the first ones, the
    most mixed first. `scenarios` counts scenarios, `combined` is the largest number of cases that combine one.
    `looks` is the number of times that the batch may have been looked at until it was decided: its intervals hold at
    all of them with 95 % confidence together. With `unit` scenario, `cases` are scenarios, whose combinations are their
    repeats.
    """

    pass_rate: Intervals
    decided: Intervals
    as_played: Intervals | None = None
    crashes: Intervals
    pass_hat: dict[int, Intervals] = {}
    icc: float | None = None
    conversations: NonNegativeInt = 0
    passed: NonNegativeInt = 0
    crashed: NonNegativeInt = 0
    after_retries: NonNegativeInt | None = None
    cases: NonNegativeInt = 0
    scenarios: NonNegativeInt = 0
    combined: NonNegativeInt = 0
    repeats: NonNegativeInt = 0
    repeated: NonNegativeInt = 0
    mixed: NonNegativeInt = 0
    mixed_cases: tuple[MixedCase, ...] = ()
    looks: PositiveInt = 1
    unit: Unit = "case"


def intervals(
    statistic: Callable[..., Interval], rows: Mapping[str, Sequence[float | None]], looks: int = 1, **arguments: float
) -> Intervals:
    """Return the 95 % intervals of both claims, which hold at all of several looks together."""
    values, arguments = list(rows.values()), {**arguments, "confidence": 1 - 0.05 / looks}
    return Intervals(
        these=statistic(values, claim="these", **arguments),
        like_these=statistic(values, claim="like these", **arguments),
    )


def batch_statistics(outcomes: CaseRows, unit: Unit = "case") -> BatchStatistics:
    """Return the statistics of a batch whose conversations were all added."""
    from sparring.statistics.rates import icc, pass_hat_k, rate  # numpy takes longer than a short command

    passed, crashed, as_played = outcomes.passed(unit), outcomes.crashed(unit), outcomes.as_played(unit)
    decided = {case: [value for value in row if value is not None] for case, row in passed.items()}
    repeats = min((len(row) for row in decided.values()), default=0)
    mixed, times = _mixed(decided), looks(outcomes.batch)
    scenarios = Counter(map(scenario, outcomes.passed() if unit == "scenario" else passed))
    return BatchStatistics(
        pass_rate=intervals(rate, passed, times),
        decided=intervals(rate, decided, times),
        as_played=intervals(rate, as_played, times) if as_played else None,
        crashes=intervals(rate, crashed, times),
        pass_hat={k: intervals(pass_hat_k, passed, times, k=k) for k in sorted({1, repeats})} if repeats > 1 else {},
        icc=icc(list(passed.values())),
        conversations=sum(map(len, passed.values())),
        passed=int(sum(map(sum, decided.values()))),
        crashed=sum(row.count(1) for row in crashed.values()),
        after_retries=outcomes.after_retries,
        cases=len(passed),
        scenarios=len(scenarios),
        combined=max(scenarios.values(), default=0),
        repeats=max((len(row) for row in passed.values()), default=0),
        repeated=sum(len(row) > 1 for row in decided.values()),
        mixed=len(mixed),
        mixed_cases=tuple(mixed[:MOST_MIXED]),
        looks=times,
        unit=unit,
    )


def _mixed(decided: dict[str, list[float]]) -> list[MixedCase]:
    """Return the cases with mixed results, the most mixed first."""
    both = [
        MixedCase(case=case, passed=int(sum(row)), decided=len(row))
        for case, row in decided.items()
        if len(set(row)) > 1
    ]
    return sorted(both, key=lambda each: abs(each.passed / each.decided - 0.5))
