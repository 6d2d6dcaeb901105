"""The names of this package and their modules. `__init__.py` reads this file, and so do type checkers."""

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
from sparring.statistics.rates import Tuples as Tuples
from sparring.statistics.rates import flakiness as flakiness
from sparring.statistics.rates import icc as icc
from sparring.statistics.rates import mean as mean
from sparring.statistics.rates import pass_hat_k as pass_hat_k
from sparring.statistics.rates import rate as rate
from sparring.statistics.rates import tuple_difference as tuple_difference
from sparring.statistics.rates import tuple_rate as tuple_rate
from sparring.statistics.sequential import Sequential as Sequential
from sparring.statistics.sequential import always_valid as always_valid
from sparring.statistics.sizes import detectable as detectable
from sparring.statistics.sizes import needed as needed
