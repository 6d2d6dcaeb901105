"""Comparison of two batches: counts, significance tests, and the pairs that changed."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace

from sparring.core.batch import Batch, Replays
from sparring.core.case import Case, same_cases
from sparring.core.causes import CauseStatus
from sparring.core.checks import Attempts
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Finding
from sparring.reports.batch_statistics import Intervals, intervals
from sparring.reports.case_rows import CaseRows, PooledRows, ScoreKey
from sparring.reports.cause_status import CauseHistory, with_status
from sparring.reports.causes import CauseSummary, CauseTally
from sparring.reports.comparison import (
    KINDS,
    Baseline,
    Change,
    ComparedConversation,
    Comparison,
    Kind,
    Pair,
    ScoresOfBoth,
)
from sparring.reports.comparison_text import headline
from sparring.reports.measures import Values, spread
from sparring.reports.reported import ReportedConversation
from sparring.reports.rule_changes import RuleSide, rule_changes
from sparring.reports.service_results import scenario_name
from sparring.reports.tested_changes import Question, deciding_score, detectable_fall, scores_of_both, tested

EXAMPLES = 10
"""Pairs of each kind that a comparison names."""

_CHECKED = {CheckOutcome.PASS: 1.0, CheckOutcome.FAIL: 0.0, CheckOutcome.ERROR: None}
_DECIDED = (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The outcome of a conversation, with its reason and the id of its cause."""

    outcome: Outcome
    reason: str
    cause: str


class ComparedBatch:
    """One batch of a comparison. Takes one conversation at a time and keeps its outcome.

    `attempts` are those that count: the first that were not void, or the last. `history` are earlier runs of its name.
    """

    def __init__(self, batch: Batch, attempts: Attempts = "first") -> None:
        self.batch, self.attempts = batch, attempts
        self.rows = CaseRows(batch, attempts)
        self.seen: dict[str, _Seen] = {}
        self.checks: defaultdict[str, defaultdict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
        self.findings: tuple[Finding, ...] = ()
        self.replays = Replays()
        self.causes, self.history = CauseTally(batch), CauseHistory()
        self._user_models = False
        self._last: Counter[Outcome] = Counter()
        self._turns, self._seconds, self._usage = Values(), Values(), Usage()

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation."""
        conversation, decision = reported.conversation, reported.counted(self.attempts)
        self.rows.add(reported)
        cause = self.causes.count(conversation.id, conversation.case.id, decision, reported.decision)
        self.seen[conversation.id] = _Seen(decision.outcome, decision.reason, cause)
        self._last[reported.decision.outcome] += 1
        self._usage += conversation.consumed
        self._user_models |= bool(conversation.usage.get("user"))
        if conversation.ending is None or not conversation.ending.completed:
            return
        for verdict in reported.verdicts:
            if verdict.outcome in _CHECKED:
                self.checks[verdict.check][conversation.case.id].append(_CHECKED[verdict.outcome])
        self._turns.add([conversation.turns])
        if conversation.timing is not None:
            self._seconds.add(conversation.timing.replies)

    def found(self, findings: Sequence[Finding]) -> None:
        """Add the findings of the batch's rules."""
        self.findings = tuple(findings)

    def side(self) -> ComparedConversation:
        """Return the batch in numbers."""
        outcomes = Counter(seen.outcome for seen in self.seen.values())
        passed, failed = outcomes[Outcome.PASSED], outcomes[Outcome.FAILED]
        planned = max(self.batch.planned, len(self.seen))
        pass_rate = self._pass_rate()
        return ComparedConversation(
            batch=self.batch.id,
            name=self.batch.name,
            who=str(self.batch.who),
            seed=self.batch.seed,
            attempts=self.attempts,
            planned=planned,
            passed=passed,
            failed=failed,
            undecided=outcomes[Outcome.UNDECIDED],
            void=outcomes[Outcome.VOID],
            not_run=planned - len(self.seen),
            last_passed=self._last[Outcome.PASSED],
            last_failed=self._last[Outcome.FAILED],
            rate=pass_rate.value if pass_rate else None,
            intervals=pass_rate,
            bounds=(passed / planned, 1 - failed / planned) if planned else None,
            turns=self._turns.spread(),
            seconds=self._seconds.spread(),
            usage=self._usage,
        )

    def _pass_rate(self) -> Intervals | None:
        from sparring.statistics.rates import rate  # numpy takes longer than a short command

        decided = {case: [each for each in row if each is not None] for case, row in self.rows.passed().items()}
        return intervals(rate, decided) if any(decided.values()) else None

    def rule_side(self) -> RuleSide:
        """Return the findings of its rules, with the cases that they are about."""
        case_of = self.batch.ids()
        return RuleSide(self.batch.rules, self.findings, {case_of[id] for id in self.seen if id in case_of})

    @property
    def deterministic(self) -> bool:
        """True if replays showed that the chatbot repeats itself, and no model played the user."""
        return self.replays.show_determinism and not self._user_models

    @property
    def price(self) -> float | None:
        """Mean cost of a conversation in US dollars; None if a price is unknown."""
        if not self.seen or self._usage.unknown_costs or self._usage.known_cost is None:
            return None
        return self._usage.known_cost / len(self.seen)


def compare(
    before: ComparedBatch, after: ComparedBatch, *, examples: int = EXAMPLES, replayed: Container[str] = ()
) -> Comparison:
    """Compare two batches. Name up to `examples` pairs of each kind.

    `replayed` are rules that replays showed to hold before and to be violated now.
    """
    found = _compared(before, after, examples, replayed)
    return found.model_copy(update={"sentence": headline(found)})


def _compared(before: ComparedBatch, after: ComparedBatch, examples: int, replayed: Container[str]) -> Comparison:
    planned_before, planned_after = before.batch.ids(), after.batch.ids()
    both = [id for id in planned_before if id in planned_after]
    pairs = [_pair(id, before.seen[id], after.seen[id]) for id in both if id in before.seen and id in after.seen]
    kinds, certain = Counter(map(_kind, pairs)), before.deterministic and after.deterministic
    passed = Question(before.rows.passed(), after.rows.passed())
    scores = scores_of_both(before.rows, after.rows)
    deciding = deciding_score(scores, after.batch)
    asked: dict[ScoreKey | str, Question] = {"passed": passed, "crashed": _crashes(before, after)}
    changes = tested({**asked, **{key: question for key, question in scores.items() if key == deciding}})
    others = tested({key: question for key, question in scores.items() if key != deciding})

    def named(kind: str) -> tuple[Pair, ...]:
        return tuple(_varied(pair for pair in pairs if _kind(pair) == kind))[:examples]

    return Comparison(
        before=before.side(),
        after=after.side(),
        differences=tuple(_differences(before.batch, after.batch)),
        pairs={kind: kinds[kind] for kind in KINDS},
        only_before=len(planned_before) - len(both),
        only_after=len(planned_after) - len(both),
        not_run=len(both) - len(pairs),
        changes=changes["passed"],
        detectable=detectable_fall(changes["passed"], passed, after.price),
        crashes=changes["crashed"],
        tags=tested(_tags(passed, (before.batch, after.batch))),
        checks=tested(_checks(before, after)),
        rules=rule_changes(before.rule_side(), after.rule_side(), replayed=replayed, deterministic=certain),
        scores=tuple(
            _scores(key, scores[key], change, decides=key == deciding)
            for key, change in [*changes.items(), *others.items()]
            if isinstance(key, ScoreKey) and change.compared
        ),
        causes=tuple(_causes(before, after)),
        worse=named("worse"),
        better=named("better"),
        undecided=named("undecided"),
    )


def pooled(nights: Sequence[ComparedBatch], cases: Sequence[Case]) -> tuple[ComparedBatch, Baseline]:
    """Return nights as one side of a comparison, by the cases whose content is that of `cases`."""
    same = [same_cases(cases, night.batch.cases) for night in nights]
    common = set.union(*same)
    earlier = {case.id for night in nights for case in night.batch.cases}
    side = copy(nights[-1])
    side.rows = PooledRows([night.rows for night in nights], same)
    side.checks = defaultdict(lambda: defaultdict(list))
    side.causes = CauseTally.pooled([night.causes for night in nights], same)
    for night, kept in zip(nights, same, strict=True):
        for check, rows in night.checks.items():
            for case in rows.keys() & kept:
                side.checks[check][case] += rows[case]
    return side, Baseline(
        nights=len(nights),
        since=nights[0].batch.created,
        left_out=len(cases) - len(common),
        common=len(common) / max(len(cases), len(earlier), 1),
    )


_STATUSES: tuple[CauseStatus, ...] = ("new", "back", "grew", "known", "shrank", "fixed", "not_tested")


def _causes(before: ComparedBatch, after: ComparedBatch) -> list[CauseSummary]:
    """Return the causes of failures in either batch, what is new first."""
    shown, gone = with_status(after.causes, replace(after.history, baseline=before.causes, previous=None))
    found = [each for each in (*shown, *gone) if each.outcome is Outcome.FAILED and each.status]
    return sorted(found, key=lambda each: _STATUSES.index(each.status or "known"))


def _varied(pairs: Iterable[Pair]) -> list[Pair]:
    """Return pairs with the first of each cause before the others."""
    found, earlier = list(pairs), Counter[str]()
    places = []
    for pair in found:
        places.append(earlier[pair.cause] > 0)
        earlier[pair.cause] += 1
    return [pair for _, pair in sorted(zip(places, found, strict=True), key=lambda each: each[0])]


def _pair(id: str, before: _Seen, after: _Seen) -> Pair:
    return Pair(
        conversation=id,
        before=before.outcome,
        after=after.outcome,
        reason_before=before.reason,
        reason_after=after.reason,
        cause=after.cause or before.cause,
    )


def _kind(pair: Pair) -> Kind:
    if pair.before not in _DECIDED or pair.after not in _DECIDED:
        return "undecided"
    if pair.before is pair.after:
        return "passed" if pair.after is Outcome.PASSED else "failed"
    return "better" if pair.after is Outcome.PASSED else "worse"


def _crashes(before: ComparedBatch, after: ComparedBatch) -> Question:
    return Question(before.rows.crashed(), after.rows.crashed(), counts_failures=True)


def _tags(passed: Question, batches: Iterable[Batch]) -> dict[str, Question]:
    """Return the outcomes of the cases of each tag; the name of a scenario is none."""
    tagged: defaultdict[str, set[str]] = defaultdict(set)
    for case in (case for batch in batches for case in batch.cases):
        for tag in case.tags:
            if tag != scenario_name(case):
                tagged[tag].add(case.id)
    return {tag: passed.among(tagged[tag]) for tag in sorted(tagged)}


def _checks(before: ComparedBatch, after: ComparedBatch) -> dict[str, Question]:
    """Return the results of each check that decided something in either batch."""
    names = sorted(before.checks.keys() | after.checks.keys())
    return {name: Question(before.checks.get(name, {}), after.checks.get(name, {})) for name in names}


def _scores(key: ScoreKey, question: Question, change: Change, *, decides: bool) -> ScoresOfBoth:
    sides = (question.before, question.after)
    scored = ({case for case, row in side.items() if any(value is not None for value in row)} for side in sides)
    both = set.intersection(*scored)
    was, now = (Counter(value for case in both for value in side[case] if value is not None) for side in sides)
    return ScoresOfBoth(
        check=key.check,
        judge=key.judge,
        rubric=key.rubric,
        decides=decides,
        before=spread(was),
        after=spread(now),
        counts_before={f"{score:g}": was[score] for score in sorted(was)},
        counts_after={f"{score:g}": now[score] for score in sorted(now)},
        change=change,
    )


def _differences(before: Batch, after: Batch) -> Iterator[str]:
    """Return the differences between the batches themselves, in words."""
    roles = {"chatbot": "chatbot", "chatbot_model": "the chatbot's model", "user": "user", "reader": "reader"}
    for role, name in (roles | {"judge": "judge"}).items():
        was, now = getattr(before.who, role), getattr(after.who, role)
        if was != now:
            yield f"{name}: {was or 'unknown'} before, {now or 'unknown'} after"
    for name in sorted({*before.datasets} & {*after.datasets}):
        if (was := before.datasets[name]) != (now := after.datasets[name]):
            yield f"dataset {name}: version {was} before, {now} after"
    if before.seed != after.seed:
        yield f"seed: {before.seed} before, {after.seed} after"
    if [rule.name for rule in before.rules] != [rule.name for rule in after.rules]:
        yield f"rules: {len(before.rules)} before, {len(after.rules)} after, not the same ones"
    elif before.rules != after.rules:
        yield "rules: the same names with another text"
    if {rubric.hash for rubric in before.rubrics} != {rubric.hash for rubric in after.rubrics}:
        yield "rubrics: not the same, or the prompt of their judge; scores are compared under equal ones"
    if before.until or after.until:
        yield "a batch that stopped when it was decided: p-values presume a number that was fixed before"
    common = {case.id for case in before.cases} & {case.id for case in after.cases}
    if changed := len(common - same_cases(before.cases, after.cases)):
        yield f"cases: {changed} of the same id with another content"
