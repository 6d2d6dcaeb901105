"""Judgements: which of several counts, and how good a judge is by the labels of people."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from operator import not_
from statistics import median_low

from pydantic import Field, NonNegativeFloat, NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.batch import Decides
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, LABEL, CheckOutcome, Verdict
from sparring.statistics.estimates import Difference, Interval


def current(said: Iterable[Verdict], decides: Decides) -> list[Verdict]:
    """Return one verdict of each judge by each rubric, and one label of each person.

    An attempt that decided nothing counts only if no other did. Of people, the latest counts.
    """
    attempts: dict[tuple[str, str, str, str], list[Verdict]] = {}
    for each in said:
        key = (each.conversation, each.judge, each.rubric, each.who if each.judge == LABEL else "")
        attempts.setdefault(key, []).append(each)
    return [_current(each, decides) for each in attempts.values()]


def _current(attempts: Sequence[Verdict], decides: Decides) -> Verdict:
    decided = [each for each in attempts if each.outcome is not CheckOutcome.ERROR]
    if not attempts[-1].rubric or not decided or decides in ("latest", "human") or len(decided) == 1:
        return decided[-1] if decided and attempts[-1].by != HUMAN else attempts[-1]
    return _aggregate(decided, decides)


def of_panel(name: str, given: Sequence[Verdict], decides: Decides) -> Verdict:
    """Return the verdict of a panel from those of its judges by one rubric.

    Unless the median or the majority decides, judges that disagree decide nothing.
    """
    decided = [each for each in given if each.outcome is not CheckOutcome.ERROR]
    if len(decided) > len(given) / 2 and decides in ("median", "majority"):
        return _aggregate(decided, decides).model_copy(update={"judge": name})
    if len(decided) == len(given) and len({each.outcome for each in decided}) == 1:
        agreed = _aggregate(decided, "median")
        return agreed.model_copy(update={"judge": name})
    return _disagreeing(given, "the judges disagree").model_copy(update={"judge": name})


def of_people(said: Iterable[Verdict], judge: str) -> Verdict | None:
    """Return the verdict of people on a conversation, as that of `judge`; None if none has decided it."""
    people = [each for each in said if each.judge in (HUMAN, LABEL)]
    decided = [each for each in people if each.outcome is not CheckOutcome.ERROR]
    return _aggregate(decided, "majority").model_copy(update={"judge": judge}) if decided else None


def _aggregate(decided: Sequence[Verdict], decides: Decides) -> Verdict:
    """Return the verdict in the middle, or that of most, with all of them in its reason."""
    scores = [each.score for each in decided if each.score is not None]
    if decides == "median" and len(scores) == len(decided):
        chosen = next(each for each in reversed(decided) if each.score == median_low(scores))
    else:
        (most, votes), *others = Counter(each.outcome for each in decided).most_common()
        if others and others[0][1] == votes:
            return _disagreeing(decided, "as many judgements pass as fail")
        chosen = next(each for each in reversed(decided) if each.outcome is most)
    if len(decided) == 1:
        return chosen
    said = f"{decides} of {len(decided)} judgements ({_listed(decided)})"
    return chosen.model_copy(update={"reason": ": ".join(part for part in (said, chosen.reason) if part)})


def _disagreeing(given: Sequence[Verdict], why: str) -> Verdict:
    fields = {"outcome": CheckOutcome.ERROR, "score": None, "evidence": (), "blame": Blame.JUDGE}
    return given[-1].model_copy(update={**fields, "reason": f"{why}: {_listed(given)}"})


def _listed(given: Sequence[Verdict]) -> str:
    """Return the outcomes and scores of verdicts, with their judges if these differ."""
    several = len({each.judge for each in given}) > 1
    shown = [str(each.outcome) if each.score is None else f"{each.outcome} {each.score:g}" for each in given]
    return ", ".join(f"{each.judge}: {text}" if several else text for each, text in zip(given, shown, strict=True))


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
