"""Early stopping of a batch: the results so far decide a question, however often they are checked."""

from collections.abc import Sequence
from itertools import accumulate, chain
from random import Random
from typing import Literal, NamedTuple

from sparring.core.batch import Batch, Until
from sparring.core.checks import Unit
from sparring.core.conversation import conversation_id
from sparring.reports.case_rows import NamedRows
from sparring.reports.measures import scenario

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
