"""Lines of a gate about rates and mean scores, by the statistics of cases with their repeats."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, comb, floor, log
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt

from sparring.core.checks import Gate
from sparring.core.value import Value
from sparring.reports.rate_text import claim_text, exactly, percent
from sparring.statistics.estimates import Claim, Interval

Through = Literal["passed", "failed", "inconclusive"]


class GateLine(Value):
    """One threshold of a gate, with the measured value and the result.

    `interval` has one-sided bounds, each at the confidence of the gate. `needed` is the number of additional
    conversations that would tell an inconclusive rate from its threshold, `cost` their price in US dollars. `reversal`
    is the chance that a repeat of the batch gives the opposite result, where the gate has no confidence.
    """

    asks: str
    wanted: str
    measured: str
    came: Through
    interval: Interval | None = None
    needed: NonNegativeInt | None = None
    cost: NonNegativeFloat | None = None
    reversal: float | None = None


Row = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Level:
    """A rate or a mean score that has to reach a minimum, or stay below a maximum.

    `rows` are values by case or scenario. `low` and `high` are the scale of a score; rates have none. With `k`, the
    rate is pass^k.
    """

    asks: str
    wanted: float
    rows: Mapping[str, Row]
    low: float = 0.0
    high: float = 1.0
    score: bool = False
    at_most: bool = False
    k: int = 1

    def text(self, value: float, *, toward: Callable[[float], float] | None = None) -> str:
        """Return a value as a score, or in percent.

        One that looks like the threshold has more decimals; a bound is rounded `toward` its side.
        """
        if self.score:
            return f"{value:.2f}"
        shown = f"{toward(round(100 * value, 6)):.0f}" if toward else percent(value)
        if shown == percent(self.wanted) and abs(value - self.wanted) > 1e-9:
            apart = (f"{100 * value:.{digits}f}" for digits in range(1, 6))
            same = f"{100 * self.wanted:.6g}"
            shown = next((each for each in apart if float(each) != float(same)), same)
            shown = f"{toward(1000 * value) / 10:.1f}" if toward else shown
        return f"{shown} %"

    def filled(self, value: float) -> list[list[float]]:
        """Return the rows with a value for what is unknown."""
        return [[value if each is None else each for each in row] for row in self.rows.values() if row]


def level_line(level: Level, gate: Gate, price: float | None) -> GateLine:
    """Hold a level against its threshold.

    `price` is the mean cost of a conversation in US dollars, if it is known.
    """
    threshold = level.text(level.wanted) if level.score else exactly(level.wanted)
    wanted = f"at {'most' if level.at_most else 'least'} {threshold}"
    fewest = min((len(row) for row in level.rows.values()), default=0)
    known = [each for row in level.rows.values() for each in row if each is not None]
    if gate.confidence is not None:
        wanted += f" at {exactly(gate.confidence)} confidence"
    line = GateLine(asks=level.asks, wanted=wanted, measured="nothing was decided", came="inconclusive")
    if not known or fewest < level.k:
        return line
    if gate.confidence is None:
        return _as_counted(level, line, gate)
    return _with_confidence(level, line, gate, gate.confidence, price)


def _as_counted(level: Level, line: GateLine, gate: Gate) -> GateLine:
    low, high = (_counted(level.filled(each), level.k) for each in (level.low, level.high))
    known = [[each for each in row if each is not None] for row in level.rows.values()]
    came = _came(level, low, high)
    number, total = sum(map(len, known)), sum(map(len, level.rows.values()))
    value = _counted(known, level.k)
    whole = level.score or level.k > 1
    measured = level.text(value) if whole else f"{round(value * number):,} of {number:,} ({level.text(value)})"
    measured = f"as counted {measured}"
    if gate.attempts == "last":
        measured += " at the last attempt"
    if number < total:
        measured += f", {total - number:,} not decided: {level.text(low)} to {level.text(high)}"
    line = line.changed(measured=measured, came=came)
    if came == "inconclusive":
        return line
    from sparring.statistics.sizes import reversal  # numpy takes longer than a short command

    scaled = (
        _scaled(known, level) if level.k == 1 else [[_all_pass(row, level.k)] for row in known if len(row) >= level.k]
    )
    chance = reversal(scaled, _share(level, level.wanted), at_most=level.at_most)
    about = "less than 0.1" if chance < 0.001 else f"about {percent(chance)}"
    said = f"; {about} % of repeats with other seeds would decide the opposite"
    return line.changed(measured=measured + said, reversal=chance)


def _with_confidence(level: Level, line: GateLine, gate: Gate, confidence: float, price: float | None) -> GateLine:
    interval = _interval(level, confidence, gate.claim)
    value = interval.value
    came = _came(level, interval.low, interval.high)
    assert value is not None, "some values are known"
    reached = value <= level.wanted if level.at_most else value >= level.wanted
    upper = level.at_most is (reached if came == "inconclusive" else came == "passed")
    bound = f"≤ {level.text(interval.high, toward=ceil)}" if upper else f"≥ {level.text(interval.low, toward=floor)}"
    last = " at the last attempt" if gate.attempts == "last" else ""
    measured = f"{claim_text(gate.claim)}{last}: {level.text(value)} [{bound}]"
    if interval.unknown:
        measured += f", {interval.unknown:,} not decided"
    line = line.changed(measured=measured, came=came, interval=interval)
    if came != "inconclusive":
        return line
    from sparring.statistics.sizes import needed

    rows, threshold = _scaled(level.rows.values(), level), _share(level, level.wanted)
    more = needed(rows, threshold, confidence=confidence, claim=gate.claim, k=level.k)
    if more is None:
        return line.changed(measured=f"{measured}; too close to the threshold to tell")
    if not more:
        return line
    cost = None if price is None else more * price
    about = "these cases" if gate.claim == "these" else f"new {gate.unit}s"
    dollars = "" if cost is None else f" ≈ ${cost:,.2f}"
    said = f"; about {more:,} more conversations of {about}{dollars}"
    return line.changed(measured=measured + said, needed=more, cost=cost)


def _came(level: Level, low: float, high: float) -> Through:
    if level.at_most:
        return "passed" if high <= level.wanted + 1e-12 else "failed" if low > level.wanted else "inconclusive"
    return "passed" if low >= level.wanted - 1e-12 else "failed" if high < level.wanted else "inconclusive"


def _interval(level: Level, confidence: float, claim: Claim) -> Interval:
    from sparring.statistics.rates import mean, pass_hat_k

    if level.k == 1:
        bounds = {"low": level.low, "high": level.high}
        return mean(list(level.rows.values()), **bounds, confidence=confidence, claim=claim, sided=1)
    least, most = (
        pass_hat_k(level.filled(each), level.k, confidence=confidence, claim=claim, sided=1) for each in (0.0, 1.0)
    )
    known = [[each for each in row if each is not None] for row in level.rows.values()]
    unknown = sum(each is None for row in level.rows.values() for each in row)
    return replace(least, value=_counted(known, level.k), high=most.high, unknown=unknown)


def _counted(rows: Sequence[Sequence[float]], k: int) -> float:
    """Return the mean over conversations, or pass^k as the mean over cases."""
    if k > 1:
        chances = [_all_pass(row, k) for row in rows if len(row) >= k]
        return sum(chances) / len(chances) if chances else 0.0
    return sum(map(sum, rows)) / sum(map(len, rows))


def _all_pass(row: Sequence[float], k: int) -> float:
    """Return the share of choices of `k` repeats that all pass."""
    return comb(int(sum(row)), k) / comb(len(row), k)


def _share(level: Level, value: float) -> float:
    return (value - level.low) / (level.high - level.low)


def _scaled(rows: Iterable[Row], level: Level) -> list[list[float]]:
    return [[_share(level, each) for each in row if each is not None] for row in rows]


def unreachable(gate: Gate, cases: int, repeats: int) -> Iterator[str]:
    """Yield a sentence for each rate that cannot reach its threshold, even if all these cases pass."""
    if gate.confidence is None:
        return
    minima = {"pass_rate": (gate.pass_rate, 1), **{f"share_of {k}": (share, 1) for k, share in gate.share_of.items()}}
    if gate.pass_hat_k is not None:
        minima["pass_hat_k"] = gate.pass_hat_k.rate, gate.pass_hat_k.k
    if isinstance(gate.crashes, float):
        minima["crashes"] = 1 - gate.crashes, 1
    for asks, (wanted, k) in minima.items():
        worth = cases if gate.claim == "like these" else cases * (repeats // k)
        best = (1 - gate.confidence) ** (1 / worth) if worth else 0.0
        if best >= wanted:
            continue
        reason = f"gate.{asks} cannot pass: {exactly(wanted)} at {exactly(gate.confidence)} confidence"
        if wanted == 1:
            yield f"{reason} takes infinitely many conversations; leave out `confidence`, or lower it"
            continue
        fewest = ceil(log(1 - gate.confidence) / log(wanted))
        thing = f"{gate.unit}s" if gate.claim == "like these" else "conversations"
        yield f"{reason} takes at least {fewest:,} {thing} that all pass; there are {worth:,}"
