"""Statistics of cases with repeats nested in them: rates, differences and sample sizes.

Pure functions on plain sequences; nothing else of Sparring is imported. Each name is imported when it is first used,
because numpy takes longer than a short command. Decisions and sources: docs/decisions/0033.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sparring.statistics.agreement import krippendorff_alpha as krippendorff_alpha
    from sparring.statistics.agreement import weighted_kappa as weighted_kappa
    from sparring.statistics.differences import difference as difference
    from sparring.statistics.differences import mean_score_difference as mean_score_difference
    from sparring.statistics.estimates import Claim as Claim
    from sparring.statistics.estimates import Difference as Difference
    from sparring.statistics.estimates import Interval as Interval
    from sparring.statistics.estimates import Judged as Judged
    from sparring.statistics.estimates import JudgeErrors as JudgeErrors
    from sparring.statistics.estimates import Rows as Rows
    from sparring.statistics.families import fisher as fisher
    from sparring.statistics.families import holm as holm
    from sparring.statistics.families import newcombe as newcombe
    from sparring.statistics.judges import judge_errors as judge_errors
    from sparring.statistics.rates import flakiness as flakiness
    from sparring.statistics.rates import icc as icc
    from sparring.statistics.rates import mean as mean
    from sparring.statistics.rates import pass_hat_k as pass_hat_k
    from sparring.statistics.rates import rate as rate
    from sparring.statistics.sequential import Sequential as Sequential
    from sparring.statistics.sequential import always_valid as always_valid
    from sparring.statistics.sizes import detectable as detectable
    from sparring.statistics.sizes import needed as needed
    from sparring.statistics.tuples import Tuples as Tuples
    from sparring.statistics.tuples import tuple_difference as tuple_difference
    from sparring.statistics.tuples import tuple_rate as tuple_rate

_MODULES = {
    "agreement": ("krippendorff_alpha", "weighted_kappa"),
    "differences": ("difference", "mean_score_difference"),
    "estimates": ("Claim", "Difference", "Interval", "Judged", "JudgeErrors", "Rows"),
    "families": ("fisher", "holm", "newcombe"),
    "judges": ("judge_errors",),
    "rates": ("flakiness", "icc", "mean", "pass_hat_k", "rate"),
    "sequential": ("Sequential", "always_valid"),
    "sizes": ("detectable", "needed"),
    "tuples": ("Tuples", "tuple_difference", "tuple_rate"),
}
_NAMES = {name: module for module, names in _MODULES.items() for name in names}

__all__ = sorted(_NAMES)


def __getattr__(name: str) -> object:
    if name not in _NAMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_NAMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
