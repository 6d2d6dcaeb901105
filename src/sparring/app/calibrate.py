"""Calibration of a judge by blind labels of people, and corrected figures of a batch."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from statistics import fmean

from sparring.app.computed import with_cases
from sparring.app.config import AppConfig
from sparring.app.judge_probes import probe_judge
from sparring.app.results import results
from sparring.core.batch import NO_JUDGE, Batch, judges_of
from sparring.core.checks import Rubric, Scale
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.judgements import Calibration, Corrected
from sparring.core.outcome import Outcome
from sparring.core.verdict import LABEL, CheckOutcome
from sparring.reports.lines import counted
from sparring.reports.measures import scenario
from sparring.reports.scores import ENOUGH
from sparring.runner.verdict_selection import ConversationVerdicts
from sparring.statistics.estimates import Judged, JudgeErrors
from sparring.store.store import Store, ignore

_OUTCOMES = (0.0, 1.0)
_VALUES = {CheckOutcome.FAIL: 0.0, CheckOutcome.PASS: 1.0, CheckOutcome.ERROR: None}
_WORDS = {0.0: "failed", 1.0: "passed", None: "undecided"}
_WIDEST = 10
"""Largest number of levels of a scale of which each is a stratum."""


def population_of(batch: Batch) -> str:
    """Return the population that the conversations of a batch are a sample of: its chatbot and scenarios."""
    scenarios = sorted({scenario(case.id) for case in batch.cases})
    known = hashlib.sha256("\n".join(scenarios).encode()).hexdigest()[:8]
    return f"{batch.who.chatbot}, {counted(len(scenarios), 'scenario')} ({known})"


@dataclass
class _Labels:
    """Verdicts of a judge beside the labels of people, one conversation at a time."""

    judge: str
    rubric: str
    outcomes: list[Judged] = field(default_factory=list)
    scores: list[Judged] = field(default_factory=list)
    pairs: list[Judged] = field(default_factory=list)
    seen: int = 0
    found: Counter[str] = field(default_factory=Counter)

    def add(self, conversation: Conversation, verdicts: ConversationVerdicts) -> None:
        """Add a conversation, unless it is void or the judge does not apply to it."""
        said = {each.check: each for each in (*verdicts.asked, *verdicts.judge) if each.judge == self.judge}
        given = [each for each in said.values() if self.rubric in (each.rubric, each.check)]
        if not given or verdicts.decision.outcome is Outcome.VOID or given[0].outcome not in _VALUES:
            return
        verdict, case = given[0], conversation.case.id
        people = [each for each in verdicts.asked if each.judge == LABEL and each.outcome is not CheckOutcome.ERROR]
        self.seen += sum(not each.blind for each in people)
        people = [each for each in people if each.blind]
        weight = next((each.weight for each in people if each.weight), 0.0)
        passed = [float(each.outcome is CheckOutcome.PASS) for each in people]
        self.outcomes.append(Judged(case, _VALUES[verdict.outcome], fmean(passed) if passed else None, weight))
        if passed:
            self.found[f"{_WORDS[float(fmean(passed) >= 0.5)]}/{_WORDS[_VALUES[verdict.outcome]]}"] += 1
        self.pairs += [Judged(case, one, other) for one, other in combinations(passed[:2], 2)]
        scores = [each.score for each in people if each.score is not None]
        self.scores.append(Judged(case, verdict.score, fmean(scores) if scores else None, weight))


async def calibrate(
    batch: Batch,
    store: Store,
    config: AppConfig,
    now: datetime,
    *,
    judge: str = "",
    rubric: str = "",
    probe: int = 0,
    given_up: Callable[[str], None] = ignore,
) -> Calibration:
    """Compare a judge with blind labels of a batch by one rubric, store the result and return it.

    By default, it is the batch's own judge with its first rubric; `rubric` is a name or a hash. The judge is also asked
    about `probe` conversations changed in ways that alter nothing; the last probes of a calibration are kept with it.

    Raises:
        InputError: the judge judged no conversation by this rubric, or none has a label and none is probed.
    """
    judge = judge or batch.who.judge
    found = await _rubric(batch, store, judge, rubric)
    collected = _Labels(judge, found.hash if found else judge)
    async for conversation, verdicts in results(batch, store):
        collected.add(conversation, verdicts)
    labelled = [each for each in collected.outcomes if each.label is not None]
    if not labelled and not probe:
        hint = "labels of people who saw the outcome do not count" if collected.seen else f"sparring label {batch.id}"
        raise InputError(f"no conversation that {judge} judged has a blind label", hint=hint)
    place = population_of(batch), found.hash if found else ""
    known = [each for each in await store.calibrations(judge) if (each.population, each.rubric) == place]
    probes = known[0].probes if known else ()
    if probe:
        probes = await probe_judge(batch, store, config, judge, found, sample=probe, given_up=given_up)
    fresh = labelled or not known
    calibration = (_calibration(batch, now, collected, found) if fresh else known[0]).changed(probes=probes)
    await store.keep_calibration(calibration)
    return calibration


async def _rubric(batch: Batch, store: Store, judge: str, named: str) -> Rubric | None:
    """Return the rubric that is named, or else the first one; None for a judge that reads none."""
    members = judges_of(judge)
    asked = {each.rubric: each.check async for each in store.verdicts(batch.id) if each.judge in members}
    if not named and (not asked or "" in asked):
        return None
    known = {each.hash: each for each in (*batch.rubrics, *batch.case_rubrics)}
    for hash in (*known, *asked):
        rubric = known.get(hash) or await store.rubric(hash)
        if rubric and hash in asked and named in ("", rubric.name, hash):
            return rubric
    names = ", ".join(dict.fromkeys(asked.values())) or "no rubric"
    raise InputError(f"{judge} judged nothing by a rubric called {named!r}", hint=f"it judged by {names}")


def _calibration(batch: Batch, now: datetime, collected: _Labels, rubric: Rubric | None) -> Calibration:
    from sparring.statistics.judges import judge_errors  # numpy takes longer than a short command

    rows, scored = _weighted(collected.outcomes), [each for each in collected.scores if each.label is not None]
    labelled = [each for each in rows if each.label is not None]
    about = Calibration(
        judge=collected.judge,
        rubric=rubric.hash if rubric else "",
        check=rubric.name if rubric else collected.judge,
        criteria=criteria_of(rubric),
        prompt=prompt_of(rubric),
        population=population_of(batch),
        batch=batch.id,
        created=now,
        conversations=len(rows),
        labels=len(labelled),
        confusion=dict(collected.found),
    )
    if not labelled:
        return about.changed(refused=f"no label: at least {ENOUGH}")
    errors = judge_errors(rows, _OUTCOMES)
    scale = rubric.scale if rubric else Scale()
    levels = [float(level) for level in range(scale.worst, scale.best + 1)]
    both = [each for each in scored if each.judged is not None]
    fitting = both and len(levels) <= _WIDEST and all(each.judged in (*levels, None) for each in collected.scores)
    by_score = judge_errors(_weighted(collected.scores), levels) if fitting else None
    people = judge_errors(collected.pairs, _OUTCOMES) if collected.pairs else None
    refused = (
        _refused(errors, len(labelled)) if any(each.judged is not None for each in rows) else "nothing was decided"
    )
    pass_rate = None if refused else _corrected(errors, rows)
    return about.changed(
        scored=len(both),
        equal=sum(each.judged == each.label for each in both),
        within_one=sum(abs((each.judged or 0) - (each.label or 0)) <= 1 for each in both),
        sensitivity=errors.sensitivity,
        specificity=errors.specificity,
        kappa=errors.kappa,
        ac1=errors.ac1,
        score_kappa=by_score.kappa if by_score else None,
        shared=len(collected.pairs),
        people_kappa=people.kappa if people else None,
        people_ac1=people.ac1 if people else None,
        pass_rate=pass_rate,
        mean_score=_corrected(by_score, collected.scores) if by_score and not refused else None,
        refused=refused,
    )


def _weighted(rows: list[Judged]) -> list[Judged]:
    """Return the rows with a weight for labels that were not drawn: the share of all that labels are."""
    labels = sum(each.label is not None for each in rows)
    default = len(rows) / labels if labels else 1.0
    return [Judged(each.case, each.judged, each.label, each.weight or default) for each in rows]


def _refused(errors: JudgeErrors, labels: int) -> str:
    """Return why nothing is corrected; empty if the judge is better than chance."""
    if labels < ENOUGH:
        return f"{counted(labels, 'label')} tell too little: at least {ENOUGH}"
    for said, share in (("passed", errors.sensitivity), ("failed", errors.specificity)):
        if share.value is None:
            return f"no label says {said}, so that the errors of the judge are not known there"
    if errors.youden.low <= 0:
        low, high = 1 + errors.youden.low, 1 + errors.youden.high
        worse = "no better than chance" if high <= 1 else "too few labels, or of too few cases, to tell it from chance"
        return f"{worse}: sensitivity + specificity is {low:.2f} to {high:.2f}, and must be above 1"
    return ""


def _corrected(errors: JudgeErrors, rows: list[Judged]) -> Corrected:
    judged = [each.judged for each in rows if each.judged is not None]
    return Corrected(uncorrected=fmean(judged), corrected=errors.mean, labels_alone=errors.labels_alone)


def criteria_of(rubric: Rubric | None) -> str:
    """Return the hash of a rubric without its prompt."""
    return rubric.model_copy(update={"prompt": ""}).hash if rubric else ""


def prompt_of(rubric: Rubric | None) -> str:
    """Return the hash of the prompt of a rubric."""
    return hashlib.sha256(rubric.prompt.encode()).hexdigest() if rubric else ""


async def uncalibrated(batch: Batch, store: Store) -> str:
    """Return why the judge of a batch is not calibrated for it; empty if it is, or if no judge decides."""
    judge = batch.who.judge
    if judge in ("", NO_JUDGE):
        return ""
    known, wanted = await store.calibrations(judge), population_of(await with_cases(batch, store))
    rubrics: tuple[Rubric | None, ...] = (*batch.rubrics, *batch.case_rubrics) or (None,)
    for rubric in rubrics:
        about = [each for each in known if each.rubric == (rubric.hash if rubric else "")]
        fresh = [each for each in about if each.population == wanted]
        if fresh and not fresh[0].refused:
            continue
        by = f"{judge} by {rubric.name}" if rubric else judge
        if fresh:
            return f"{by}: {fresh[0].refused}"
        return f"{by}: {stale(known, about, rubric, wanted)}"
    return ""


async def corrections(batch: Batch, store: Store) -> dict[str, Corrected]:
    """Return the figures of a batch that its newest calibration corrects, by their names in a gate."""
    found = max(
        (each for each in await store.calibrations(batch.who.judge) if each.batch == batch.id and not each.refused),
        key=lambda each: each.created,
        default=None,
    )
    figures = {"pass_rate": found.pass_rate, "mean_score": found.mean_score} if found else {}
    return {name: figure for name, figure in figures.items() if figure}


def stale(known: list[Calibration], about: list[Calibration], rubric: Rubric | None, wanted: str) -> str:
    """Return what changed since the last calibration."""
    if about:
        return f"calibrated for {about[-1].population}, not for {wanted}"
    earlier = [each for each in known if rubric and each.check == rubric.name and each.population == wanted]
    if not earlier:
        return "not calibrated"
    last = max(earlier, key=lambda each: each.created)
    same = last.criteria == criteria_of(rubric)
    return f"stale: its {'prompt' if same else 'rubric'} changed since {last.created:%d %b %Y}"
