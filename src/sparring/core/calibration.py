"""How good a judge is, by the labels of people."""

from datetime import datetime
from operator import not_

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.core.value import Value
from sparring.statistics.estimates import Interval


class Corrected(Value):
    """A figure of a batch as the judge counts it, and corrected for the judge's errors.

    `labels_alone` is the interval that the labelled conversations give without the judge.
    """

    uncorrected: float
    corrected: Interval
    labels_alone: Interval


class Calibration(Value):
    """Errors of a judge by one rubric, from the conversations of a population that people labelled.

    `rubric` is the hash of the rubric with its prompt, `criteria` that without it, and `prompt` that of the prompt
    alone. `confusion` counts labelled conversations by the label and the judge's outcome, such as `passed/failed`.
    `equal` and `within_one` count equal scores and those at most 1 apart among `scored`. The figures stand for all
    conversations of the batch: labels have weights. `refused` says why nothing is corrected. `people_kappa` and
    `people_ac1` are the agreement of people with each other on the `shared` conversations that two labelled.
    """

    judge: str
    rubric: str
    check: str
    criteria: str
    prompt: str
    population: str
    batch: str
    created: datetime
    conversations: NonNegativeInt
    labels: NonNegativeInt
    confusion: dict[str, NonNegativeFloat]
    scored: NonNegativeInt = 0
    equal: NonNegativeInt = 0
    within_one: NonNegativeInt = 0
    sensitivity: Interval | None = None
    specificity: Interval | None = None
    kappa: Interval | None = None
    ac1: Interval | None = None
    score_kappa: Interval | None = None
    shared: NonNegativeInt = 0
    people_kappa: Interval | None = None
    people_ac1: Interval | None = None
    pass_rate: Corrected | None = None
    mean_score: Corrected | None = None
    refused: str = Field("", exclude_if=not_)
