"""Comparison of two batches: counts, significance tests, and the pairs that changed."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Attempts, Rule
from sparring.core.outcome import Outcome
from sparring.core.usage import Usage
from sparring.core.verdict import CheckOutcome, Finding
from sparring.reports.comparison import (
    KINDS,
    Change,
    ComparedConversation,
    Comparison,
    Kind,
    Pair,
    RuleChange,
    ScoresOfBoth,
)
from sparring.reports.measures import Values, spread
from sparring.reports.reported import ReportedConversation
from sparring.statistics.intervals import interval, sign_test

_CHECKED = (CheckOutcome.PASS, CheckOutcome.FAIL)
_DECIDED = (Outcome.PASSED, Outcome.FAILED)
_PASSED = {Outcome.PASSED: 1, Outcome.FAILED: 0}


@dataclass(frozen=True, slots=True)
class _Seen:
    """The parts of a conversation that a comparison keeps."""

    outcome: Outcome
    reason: str
    checks: Mapping[str, bool]
    scores: Mapping[tuple[str, str], float]


@dataclass
class ComparedBatch:
    """One batch of a comparison. Takes one conversation at a time and keeps its outcome.

    `attempts` are those that count: the first that were not void, or the last.
    """

    batch: Batch
    attempts: Attempts = "first"
    seen: dict[str, _Seen] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    _turns: Values = field(default_factory=Values)
    _seconds: Values = field(default_factory=Values)
    _usage: Usage = field(default_factory=Usage)

    def add(self, reported: ReportedConversation) -> None:
        """Add a conversation."""
        conversation, verdicts, decision = reported.conversation, reported.verdicts, reported.counted(self.attempts)
        counts = conversation.ending is not None and conversation.ending.completed
        about = [verdict for verdict in verdicts if counts]
        self.seen[conversation.id] = _Seen(
            decision.outcome,
            decision.reason,
            {v.check: v.outcome is CheckOutcome.PASS for v in about if v.outcome in _CHECKED},
            {(v.check, v.judge or v.by): v.score for v in about if v.score is not None},
        )
        self._usage = sum(conversation.usage.values(), self._usage)
        if counts:
            self._turns.add([conversation.turns])
        if counts and conversation.timing is not None:
            self._seconds.add(conversation.timing.replies)

    def found(self, findings: Sequence[Finding]) -> None:
        """Add the findings of the batch's rules."""
        self.findings = tuple(findings)

    def side(self) -> ComparedConversation:
        """Return the batch in numbers."""
        outcomes = Counter(seen.outcome for seen in self.seen.values())
        passed, failed = outcomes[Outcome.PASSED], outcomes[Outcome.FAILED]
        decided, planned = passed + failed, max(self.batch.planned, len(self.seen))
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
            rate=passed / decided if decided else None,
            interval=interval(passed, decided) if decided else None,
            bounds=(passed / planned, 1 - failed / planned) if planned else None,
            turns=self._turns.spread(),
            seconds=self._seconds.spread(),
            usage=self._usage,
        )


def compare(before: ComparedBatch, after: ComparedBatch, *, examples: int = 10) -> Comparison:
    """Compare two batches. Name up to `examples` pairs of each kind."""
    planned_before, planned_after = before.batch.ids(), after.batch.ids()
    both = [id for id in planned_before if id in planned_after]
    case_of = {**planned_before, **planned_after}
    pairs = [_pair(id, before.seen[id], after.seen[id]) for id in both if id in before.seen and id in after.seen]
    kinds = Counter(_kind(pair) for pair in pairs)

    def named(kind: str) -> tuple[Pair, ...]:
        return tuple(pair for pair in pairs if _kind(pair) == kind)[:examples]

    decided = {pair.conversation: (_PASSED[pair.before], _PASSED[pair.after]) for pair in pairs if _decided(pair)}
    return Comparison(
        before=before.side(),
        after=after.side(),
        differences=tuple(_differences(before.batch, after.batch)),
        pairs={kind: kinds[kind] for kind in KINDS},
        only_before=len(planned_before) - len(both),
        only_after=len(planned_after) - len(both),
        not_run=len(both) - len(pairs),
        changes=_change(decided, case_of, case_of.values()),
        tags=_by_tag(decided, case_of, (before.batch, after.batch)),
        checks=_by_check(before, after, case_of),
        rules=tuple(_rules(before, after)),
        scores=tuple(_scores(before, after, both)),
        worse=named("worse"),
        better=named("better"),
        undecided=named("undecided"),
    )


def _pair(id: str, before: _Seen, after: _Seen) -> Pair:
    return Pair(
        conversation=id,
        before=before.outcome,
        after=after.outcome,
        reason_before=before.reason,
        reason_after=after.reason,
    )


def _decided(pair: Pair) -> bool:
    return pair.before in _DECIDED and pair.after in _DECIDED


def _kind(pair: Pair) -> Kind:
    if not _decided(pair):
        return "undecided"
    if pair.before is pair.after:
        return "passed" if pair.after is Outcome.PASSED else "failed"
    return "better" if pair.after is Outcome.PASSED else "worse"


def _change(decided: Mapping[str, tuple[int, int]], case_of: Mapping[str, str], among: Iterable[str]) -> Change:
    """Return the change over cases, by the difference in passed repeats; `among` are all candidates."""
    gains: Counter[str] = Counter()
    for conversation, (before, after) in decided.items():
        gains[case_of[conversation]] += after - before
    better, worse = sum(gain > 0 for gain in gains.values()), sum(gain < 0 for gain in gains.values())
    return Change(
        better=better,
        worse=worse,
        same=len(gains) - better - worse,
        unpaired=len(set(among) - gains.keys()),
        p=sign_test(better, worse),
    )


def _by_tag(
    decided: Mapping[str, tuple[int, int]], case_of: Mapping[str, str], batches: Iterable[Batch]
) -> dict[str, Change]:
    """Return the change over the cases of each tag."""
    cases: defaultdict[str, set[str]] = defaultdict(set)
    for case in (case for batch in batches for case in batch.cases):
        for tag in case.tags:
            cases[tag].add(case.id)
    return {
        tag: _change({id: outcomes for id, outcomes in decided.items() if case_of[id] in tagged}, case_of, tagged)
        for tag, tagged in sorted(cases.items())
    }


def _by_check(before: ComparedBatch, after: ComparedBatch, case_of: Mapping[str, str]) -> dict[str, Change]:
    """Return the change of each check that decided something in either batch."""
    found: defaultdict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    among: defaultdict[str, set[str]] = defaultdict(set)
    for id, case in case_of.items():
        was, now = (side.seen[id].checks if id in side.seen else {} for side in (before, after))
        for check in was.keys() | now.keys():
            among[check].add(case)
            if check in was and check in now:
                found[check][id] = (was[check], now[check])
    return {check: _change(found[check], case_of, among[check]) for check in sorted(among)}


def _rules(before: ComparedBatch, after: ComparedBatch) -> Iterator[RuleChange]:
    """Return the changes of rules over several conversations that ask for the same in both batches."""
    asked = {rule.name: _asks(rule) for rule in before.batch.rules}
    same = {rule.name for rule in after.batch.rules if asked.get(rule.name) == _asks(rule)}
    earlier = {finding.rule: finding for finding in before.findings}
    for now in after.findings:
        was = earlier.get(now.rule)
        if was is not None and now.conversations != 1 and now.rule in same:
            yield RuleChange(
                rule=now.rule,
                before=was.outcome,
                after=now.outcome,
                violated_before=was.violated,
                applicable_before=was.applicable,
                violated_after=now.violated,
                applicable_after=now.applicable,
            )


def _asks(rule: Rule) -> Rule:
    """Return the part of a rule that determines its meaning, without file and description."""
    return rule.model_copy(update={"description": "", "yields": "", "file": "", "line": None, "places": {}})


def _scores(before: ComparedBatch, after: ComparedBatch, both: Iterable[str]) -> Iterator[ScoresOfBoth]:
    """Return the scores of pairs that the same judge scored for the same check on both sides."""
    counts: defaultdict[tuple[str, str], tuple[Counter[float], Counter[float]]]
    counts = defaultdict(lambda: (Counter(), Counter()))
    for id in both:
        if id in before.seen and id in after.seen:
            was, now = before.seen[id].scores, after.seen[id].scores
            for key in was.keys() & now.keys():
                counts[key][0][was[key]] += 1
                counts[key][1][now[key]] += 1
    for (check, judge), (earlier, later) in sorted(counts.items()):
        yield ScoresOfBoth(
            check=check,
            judge=judge,
            before=spread(earlier),
            after=spread(later),
            counts_before={f"{score:g}": earlier[score] for score in sorted(earlier)},
            counts_after={f"{score:g}": later[score] for score in sorted(later)},
        )


def _differences(before: Batch, after: Batch) -> Iterator[str]:
    """Return the differences between the batches themselves, in words."""
    roles = {"chatbot": "chatbot", "chatbot_model": "the chatbot's model", "user": "user", "reader": "reader"}
    for role, name in (roles | {"judge": "judge"}).items():
        was, now = getattr(before.who, role), getattr(after.who, role)
        if was != now:
            yield f"{name}: {was or 'unknown'} before, {now or 'unknown'} after"
    if before.seed != after.seed:
        yield f"seed: {before.seed} before, {after.seed} after"
    if [rule.name for rule in before.rules] != [rule.name for rule in after.rules]:
        yield f"rules: {len(before.rules)} before, {len(after.rules)} after, not the same ones"
    elif before.rules != after.rules:
        yield "rules: the same names with another text"
    if {rubric.hash for rubric in before.rubrics} != {rubric.hash for rubric in after.rubrics}:
        yield "rubrics: not the same"
    cases = {case.id: case for case in before.cases}
    changed = sum(case.id in cases and _content(case) != _content(cases[case.id]) for case in after.cases)
    if changed:
        yield f"cases: {changed} of the same id with another content"


def _content(case: Case) -> Case:
    """Return the content of a case without its seed."""
    return case.model_copy(update={"seed": 0})
