"""Rates, differences and their claims in words, for the command line, pages and reports alike."""

from sparring.reports.batch_statistics import Intervals
from sparring.statistics.estimates import Claim, Difference, Interval

_CLAIMS: dict[Claim, str] = {"these": "these cases", "like these": "cases like these"}
_LEAST_P = 1e-12


def claim_text(claim: Claim) -> str:
    """Return the claim of an interval in words."""
    return _CLAIMS[claim]


def percent(share: float) -> str:
    """Return a share in whole percent, without rounding to 0 or 100 what is not."""
    rounded = round(100 * share)
    if rounded in (0, 100) and share not in (0, 1):
        return f"{100 * share:.1f}" if 0.0005 <= share <= 0.9995 else "<0.1" if share < 0.5 else ">99.9"
    return str(rounded)


def bounds_text(interval: Interval) -> str:
    """Return the bounds of a rate: `71–89 %`."""
    return f"{percent(interval.low)}–{percent(interval.high)} %"


def points_text(difference: Difference) -> str:
    """Return a difference of rates in percentage points with its bounds: `−7 points [−12, −1]`."""
    return bounded(difference).replace(" [", " points [")


def bounded(difference: Difference, unit: float = 100) -> str:
    """Return a difference with its bounds, `−7 [−12, −1]`: in points, or in scores if `unit` is 1."""
    value = 0.0 if difference.value is None else difference.value
    return f"{_signed(value, unit)} [{_signed(difference.low, unit)}, {_signed(difference.high, unit)}]"


def p_text(p: float) -> str:
    """Return a p-value with two digits: `p = .012`."""
    if p < _LEAST_P:
        return "p < 1e-12"
    return f"p < {0.001:g}".replace("0.", ".") if p < 0.001 else f"p = {p:.2g}".replace("0.", ".")


def both_claims(intervals: Intervals) -> str:
    """Return the bounds of both claims: `these cases 76–86 %, cases like these 71–89 %`."""
    each = (intervals.these, intervals.like_these)
    return ", ".join(f"{claim_text(interval.claim)} {bounds_text(interval)}" for interval in each)


def _signed(value: float, unit: float = 100) -> str:
    rounded = round(unit * value, 0 if unit == 100 else 2)
    figure = f"{abs(rounded):.0f}" if unit == 100 else f"{abs(rounded):.2f}"
    return f"+{figure}" if rounded > 0 else f"−{figure}" if rounded < 0 else "0"
