"""Statistics of cases with repeats nested in them: rates, differences and sample sizes.

Pure functions on plain sequences; nothing else of Sparring is imported. Decisions and sources: docs/decisions/0033.
"""

from sparring.statistics.differences import difference, mean_score_difference
from sparring.statistics.estimates import Claim, Difference, Interval, Rows
from sparring.statistics.families import holm
from sparring.statistics.rates import flakiness, icc, mean, pass_hat_k, rate
from sparring.statistics.sequential import Sequential, always_valid
from sparring.statistics.sizes import detectable, needed
from sparring.statistics.tuples import Tuples, tuple_difference, tuple_rate

__all__ = [
    "Claim",
    "Difference",
    "Interval",
    "Rows",
    "Sequential",
    "Tuples",
    "always_valid",
    "detectable",
    "difference",
    "flakiness",
    "holm",
    "icc",
    "mean",
    "mean_score_difference",
    "needed",
    "pass_hat_k",
    "rate",
    "tuple_difference",
    "tuple_rate",
]
