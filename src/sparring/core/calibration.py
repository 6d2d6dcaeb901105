"""How good a judge is, by the labels of people."""

from datetime import datetime
from operator import not_

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.statistics.estimates import Difference, Interval


class Corrected(Value):
    """A figure of a batch as the judge counts it, and corrected for the judge's errors.

    `labels_alone` is the interval that the labelled conversations give without the judge.
    """

    uncorrected: float
    corrected: Interval
    labels_alone: Interval


class JudgeProbe(Value):
    """How often an irrelevant change moves the verdicts of a judge: their outcome or their score.

    `probe` is `again`, `order`, `verbosity` or `paraphrase`. Of `asked` conversations, `to_pass` and `to_fail` changed
    their outcome; `undecided` ones have no verdict to compare. `shift` is the mean change of the score, and `p` the
    p-value of a test that the probe moves as many verdicts as asking `again` does.
    """

    judge: str
    probe: str
    asked: NonNegativeInt
    undecided: NonNegativeInt
    to_pass: NonNegativeInt
    to_fail: NonNegativeInt
    moved: Interval
    shift: Difference | None = None
    p: float = 1.0
    usage: Usage = Usage()


class Calibration(Value):
    """Errors of a judge by one rubric, from the conversations of a population that people labelled.

    `rubric` is the hash of the rubric with its prompt, `criteria` that without it, and `prompt` that of the prompt
    alone. `confusion` counts labelled conversations by the label and the judge's outcome, such as `passed/failed`.
    `equal` and `within_one` count equal scores and those at most 1 apart among `scored`. The figures stand for all
    conversations of the batch: labels have weights. `refused` says why nothing is corrected. `people_kappa` and
    `people_ac1` are the agreement of people with each other on the `shared` conversations that two labelled. `probes`
    are the last that were tried.
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
    probes: tuple[JudgeProbe, ...] = Field((), exclude_if=not_)
