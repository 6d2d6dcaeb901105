"""Statistics of one batch: rates for both claims, repeats, and when its results decide a question."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, chain
from random import Random
from typing import Literal, NamedTuple

from pydantic import NonNegativeInt, PositiveInt

from sparring.core.batch import Batch, Until
from sparring.core.checks import Unit
from sparring.core.conversation import conversation_id
from sparring.core.value import Value
from sparring.reports.case_rows import CaseRows, NamedRows
from sparring.reports.measures import scenario
from sparring.statistics.estimates import Interval

Answer = Literal["above", "below"]


class Standing(NamedTuple):
    """The answer so far, and its basis: the values of each step.

    Compared with a baseline, `below` means that the batch is worse, `above` that it is not, or by less than the margin.
    """

    answer: Answer | None
    values: list[list[float | None]]
    complete: bool
    """True if there is no further step."""

    def interval(self, low: float, confidence: float) -> tuple[float, float]:
        """Return the interval of values from `low` to 1, which holds at all looks together."""
        from sparring.statistics.sequential import always_valid

        return always_valid(self.values, low=low, confidence=confidence)


def steps(batch: Batch, until: Until) -> list[list[str]]:
    """Return the ids of the conversations of each step, in order, up to the limit.

    A step is a round, which is every case once, for these cases. It is a whole case or scenario for cases like these,
    in an order that is drawn from the seed.
    """
    repeats = range(1, batch.repeats + 1)
    if until.claim == "these":
        every = [[conversation_id(case.id, repeat) for case in batch.cases] for repeat in repeats]
    else:
        every = [
            [conversation_id(case, repeat) for case in cases for repeat in repeats]
            for cases in order(batch, until.unit)
        ]
    return first(every, until.limit)


def looks(batch: Batch) -> int:
    """Return the number of times that a batch may have been looked at until it was decided."""
    return len(steps(batch, batch.until)) if batch.until else 1


def first(steps: list[list[str]], number: int) -> list[list[str]]:
    """Return the first steps that have at least this number of conversations together."""
    return steps[: 1 + sum(held < number for held in accumulate(map(len, steps)))]


def order(batch: Batch, unit: Unit) -> list[list[str]]:
    """Return the ids of the cases of each unit, in an order that is drawn from the seed."""
    units: dict[str, list[str]] = {}
    for case in batch.cases:
        units.setdefault(scenario(case.id) if unit == "scenario" else case.id, []).append(case.id)
    drawn = list(units.values())
    Random(f"{batch.seed}/until decided").shuffle(drawn)
    return drawn


def standing(batch: Batch, until: Until, passed: NamedRows, before: NamedRows | None = None) -> Standing:
    """Return the answer so far, by the outcomes of the cases of a batch and those of its baseline."""
    from sparring.statistics.sequential import Sequential  # numpy takes longer than a short command

    values = _values(batch, until, passed, before)
    complete = len(batch.selected) >= sum(map(len, steps(batch, until)))
    if before is not None:
        complete = complete or len(values) >= max(map(len, before.values()), default=0)
        bets = Sequential(-until.margin, low=-1, high=1, other=0, alpha=1 - until.confidence)
    else:
        bets = Sequential(until.threshold, alpha=1 - until.confidence)
    answer: Answer | None = None
    for step in values:
        answer = answer or bets.add(step)
        if answer and before is not None and bets.evidence[1] >= bets.needed:
            answer = "below"  # worse, even if by less than the margin
    return Standing(answer, values, complete)


def _values(batch: Batch, until: Until, passed: NamedRows, before: NamedRows | None) -> list[list[float | None]]:
    if not batch.selected:
        return []
    if until.claim == "like these":
        units = ([passed.get(case, ()) for case in cases] for cases in order(batch, until.unit))
        whole = (rows for rows in units if all(len(row) == batch.repeats for row in rows))
        return [[_mean(list(chain.from_iterable(rows)))] for rows in whole]
    if before is None:
        rounds = min(map(len, passed.values())) if len(passed) == len(batch.cases) else 0
        return [[row[n] for row in passed.values()] for n in range(rounds)]
    pairs = [(before[case], row) for case, row in passed.items() if case in before]
    rounds = min((min(len(was), len(now)) for was, now in pairs), default=0)
    return [[_change(was[n], now[n]) for was, now in pairs] for n in range(rounds)]


def _mean(row: Sequence[float | None]) -> float | None:
    known = [value for value in row if value is not None]
    return sum(known) / len(known) if len(known) == len(row) else None


def _change(was: float | None, now: float | None) -> float | None:
    return None if was is None or now is None else now - was


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
