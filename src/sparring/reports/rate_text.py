"""Rates, differences and their claims in words, shared by the command line, pages and reports.

Every sentence: docs/reference/sentences.md.
"""

from collections.abc import Iterator
from math import ceil, floor

from sparring.core.text import visible
from sparring.reports.batch_statistics import BatchStatistics, Intervals
from sparring.reports.lines import counted
from sparring.reports.scores import Agreement, ScoreAgreement, Scores
from sparring.statistics.estimates import Claim, Difference, Interval

_CLAIMS: dict[Claim, str] = {"these": "these cases", "like these": "cases like these"}
_LEAST_P = 1e-12
_SAME = 0.0005
"""Largest difference between two shares that show the same."""

_NAMED = 5
"""Most cases with mixed results that a line names."""

_MOST_COMBINED = 2
"""Cases of one scenario, above which `cases like these` are said to be combinations."""


def claim_text(claim: Claim) -> str:
    """Return the claim of an interval in words."""
    return _CLAIMS[claim]


def percent(share: float) -> str:
    """Return a share in whole percent, never rounded to 0 or 100."""
    if share in (0, 1):
        return f"{100 * share:.0f}"
    rounded = f"{100 * share:.0f}"
    if float(rounded) in (0, 100):
        return f"{100 * share:.1f}" if 0.0005 <= share <= 0.9995 else "<0.1" if share < 0.5 else ">99.9"
    return rounded


def exactly(share: float) -> str:
    """Return a threshold or a confidence in percent, without rounding: `97.5 %`."""
    return f"{100 * share:.6g} %"


def bounds(low: float, high: float) -> str:
    """Return the bounds of a rate in whole percent, rounded outwards: `71–89`."""
    return f"{floor(100 * low + 1e-9)}–{ceil(100 * high - 1e-9)}"


def bounds_text(interval: Interval) -> str:
    """Return the bounds of a rate: `71–89 %`."""
    return f"{bounds(interval.low, interval.high)} %"


def rate_text(interval: Interval) -> str:
    """Return a rate in whole percent with its bounds: `61 % [51–71]`."""
    return f"{percent(interval.value or 0)} % [{bounds(interval.low, interval.high)}]"


def rule_rate_text(found: Interval) -> str:
    """Return the share of tuples that violate a rule: `10 %; cases like these 1–32 %`."""
    return f"{percent(found.value or 0)} %; {claim_text(found.claim)} {bounds_text(found)}"


def score_bounds_text(interval: Interval) -> str:
    """Return the bounds of a mean score: `2.31–2.50`."""
    return f"{interval.low:.2f}–{interval.high:.2f}"


def points_text(difference: Difference) -> str:
    """Return a difference of rates in percentage points with its bounds: `−7 points [−12, −1]`."""
    size, mark, rest = bounded(difference).partition(" [")
    return f"{size} {'point' if size in ('+1', '−1') else 'points'}{mark}{rest}"


def more_or_fewer(difference: Difference) -> str:
    """Return how many points a rate rose or fell: `32 points fewer`."""
    value = difference.value or 0.0
    return f"{counted(abs(round(100 * value)), 'point')} {'more' if value > 0 else 'fewer'}"


def size_bounds(difference: Difference) -> str:
    """Return the bounds of the size of a difference, which do not span 0: `29–34`."""
    low, high = sorted(abs(round(100 * bound)) for bound in (difference.low, difference.high))
    return f"{low}–{high}"


def since_text(difference: Difference, run: int) -> str:
    """Return the change of a pass rate since a run: `32 points fewer than @41 [29–34]`."""
    if difference.direction == "not told":
        return f"{points_text(difference)} since @{run}, no significant change"
    if difference.low <= 0 <= difference.high:
        return f"{points_text(difference)} since @{run}"
    return f"{more_or_fewer(difference)} than @{run} [{size_bounds(difference)}]"


def bounded(difference: Difference, unit: float = 100) -> str:
    """Return a difference with its bounds, `−7 [−12, −1]`: in points, or in scores if `unit` is 1."""
    value = 0.0 if difference.value is None else difference.value
    return f"{signed(value, unit)} [{signed(difference.low, unit)}, {signed(difference.high, unit)}]"


def p_text(p: float) -> str:
    """Return a p-value with two digits: `p = .012`."""
    if p < _LEAST_P:
        return "p < 1e-12"
    return f"p < {0.001:g}".replace("0.", ".") if p < 0.001 else f"p = {p:.2g}".replace("0.", ".")


def both_claims(intervals: Intervals, *, scores: bool = False) -> str:
    """Return the bounds of both claims: `these cases 76–86 %, cases like these 71–89 %`."""
    text = score_bounds_text if scores else bounds_text
    these, like_these = text(intervals.these), text(intervals.like_these)
    if these == like_these:
        return f"{these} for these cases and cases like these"
    return f"{claim_text('these')} {these}, {claim_text('like these')} {like_these}"


def statistics_lines(found: BatchStatistics) -> Iterator[str]:
    """Yield all sentences about a batch: rates with both claims, then what its repeats tell."""
    if rate := pass_rate_text(found):
        yield rate
    if rate and found.pass_rate.these.unknown:
        yield f"{found.pass_rate.these.unknown:,} not decided, as failed or as passed: {both_claims(found.pass_rate)}"
    if found.as_played is not None and found.as_played.value is not None:
        share = percent(found.as_played.value)
        yield f"passed {share} % with what the audit made void as it was played: {both_claims(found.as_played)}"
    if found.crashed:
        yield _crashes(found)
    if found.after_retries is not None:
        total = f"{found.conversations:,}"
        yield f"after retries {found.after_retries:,} of {total}; on the first attempt {found.passed:,} of {total}"
    yield from _repeats(found)
    if found.looks > 1:
        yield f"stopped as soon as it was decided: these intervals hold at all {found.looks:,} looks together"
    if found.unit == "case" and (said := combined_text(found.cases, found.scenarios, found.combined)):
        yield said


def combined_text(cases: int, scenarios: int, largest: int) -> str:
    """Return what cases like these are if many combine one scenario, `largest` at most; else nothing."""
    if largest <= _MOST_COMBINED:
        return ""
    origin = f"{counted(cases, 'case')} from {counted(scenarios, 'scenario')}"
    return f"{origin}: cases like these are other combinations of the same variables"


def rate_words(found: Intervals, hits: int, number: int, what: str = "") -> str:
    """Return a rate with its counts and both claims: `81 % (162 of 200): these cases 77–84 %, ...`."""
    counts = f"{hits:,} of {number:,}{what}{weights_text(found, hits, number)}"
    return f"{percent(found.value or 0)} % ({counts}): {both_claims(found)}"


def pass_rate_text(found: BatchStatistics) -> str:
    """Return the pass rate with its counts and both claims; empty if nothing is decided."""
    if found.decided.value is None:
        return ""
    decided = found.decided.these.conversations
    cases = counted(found.cases, found.unit) + (f" × {found.repeats:,}" if found.repeats > 1 else "")
    what = f"{' decided' if found.pass_rate.these.unknown else ''}; {cases}"
    if found.repeats == 1 and decided == found.cases:
        what = f" {found.unit}s" if decided > 1 else f" {found.unit}"
    return f"passed {rate_words(found.decided, found.passed, decided, what)}{_worth(found)}"


def weights_text(found: Intervals, hits: int, conversations: int) -> str:
    """Return that every case weighs the same, if the share of conversations is another one."""
    same = not conversations or abs((found.value or 0) - hits / conversations) < _SAME
    return "" if same else "; every case weighs the same"


def _worth(found: BatchStatistics) -> str:
    """Return how many independent conversations would tell as much, if that is less than there are."""
    worth = round(found.decided.like_these.effective)
    if worth >= found.decided.these.conversations:
        return ""
    return f" (worth {counted(worth, 'independent conversation')})"


def _crashes(found: BatchStatistics) -> str:
    these = found.crashes.these
    void = f"; {these.unknown:,} unknown, as yes or as no" if these.unknown else ""
    return f"crashed {rate_words(found.crashes, found.crashed, these.conversations - these.unknown, void)}"


def _repeats(found: BatchStatistics) -> Iterator[str]:
    """Yield pass^k for the number of repeats that all cases have, and the cases with mixed results."""
    if found.pass_hat:
        k, single = max(found.pass_hat), found.pass_hat[1].value or 0
        value = percent(found.pass_hat[k].value or 0)
        meaning = f"{k:,} repeats of a case all pass; pass^1 {percent(single)} %"
        yield f"pass^{k} {value} % ({meaning}): {both_claims(found.pass_hat[k])}"
    if found.mixed:
        named = [f"{visible(each.case)} ({each.passed:,} of {each.decided:,})" for each in found.mixed_cases[:_NAMED]]
        more = [f"{found.mixed - len(named):,} more"] if found.mixed > len(named) else []
        between = "" if found.icc is None else f" (intraclass correlation {found.icc:.2f})"
        cases = f"{found.mixed:,} of {counted(found.repeated, found.unit)}"
        yield f"{cases} came out both ways{between}: {', '.join([*named, *more])}"
    elif found.repeated:
        known = " that were decided" if found.pass_rate.these.unknown else ""
        yield f"no {found.unit} came out both ways in {found.repeats:,} repeats{known}: repeats add nothing here"


def score_lines(found: Scores) -> Iterator[str]:
    """Yield the mean of scores with both claims, and the shares of scores at a level or above."""
    if found.intervals is None or found.intervals.value is None:
        return
    unknown = found.intervals.these.unknown
    errors = f", {unknown:,} without a score as the worst and as the best" if unknown else ""
    scale = f"on a scale of {found.low:g} to {found.high:g}{errors}"
    yield f"mean {found.intervals.value:.2f} {scale}: {both_claims(found.intervals, scores=True)}"
    for level, share in found.shares.items():
        above = "" if level == found.high else " or more"
        yield f"score {level}{above} {percent(share.value or 0)} %: {both_claims(share)}"


def agreement_text(found: Agreement) -> str:
    """Return the agreement of a judge with a human, on passing and on scores."""
    kappa = "" if found.kappa is None else f", kappa {found.kappa:.2f}"
    said = f"{found.agreed:,} of {found.n:,} ({percent(found.share)} %){kappa}"
    return f"Agreement of {visible(found.judge)} with a human: {said}{_score_agreement(found.scores)}"


def _score_agreement(found: ScoreAgreement | None) -> str:
    if found is None:
        return ""
    kappa = kappa_text("weighted kappa", found.kappa)
    return f"; equal scores {found.exact:,} of {found.n:,}, within 1 {found.within_one:,} of {found.n:,}{kappa}"


def kappa_text(name: str, found: Interval | None) -> str:
    """Return a kappa with its interval, to follow other figures; empty if it is unknown."""
    if found is None or found.value is None:
        return ""
    return f", {name} {found.value:.2f} ({claim_text(found.claim)} {found.low:.2f} to {found.high:.2f})"


def signed(value: float, unit: float = 100) -> str:
    """Return a change with its sign, in percentage points, or in scores if `unit` is 1."""
    rounded = round(unit * value, 0 if unit == 100 else 2)
    figure = f"{abs(rounded):.0f}" if unit == 100 else f"{abs(rounded):.2f}"
    return f"+{figure}" if rounded > 0 else f"−{figure}" if rounded < 0 else "0"
