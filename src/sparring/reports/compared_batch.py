"""One batch of a comparison: its outcomes, causes, checks, rules and usage."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

from sparring.core.audit import Blame
from sparring.core.batch import Batch, Replays
from sparring.core.checks import Attempts
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.outcome import Decision, Outcome
from sparring.core.usage import UsageTotal, total
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.batch_statistics import Intervals, intervals
from sparring.reports.case_rows import CaseRows, PooledRows
from sparring.reports.cause_status import CauseHistory
from sparring.reports.causes import CauseTally
from sparring.reports.comparison import ComparedConversation
from sparring.reports.measures import Values
from sparring.reports.reported import ReportedConversation
from sparring.reports.tested_changes import RuleSide

_CHECKED = {CheckOutcome.PASS: "1", CheckOutcome.FAIL: "0", CheckOutcome.ERROR: "-"}
_VALUES = {"1": 1.0, "0": 0.0, "-": None}


class SeenConversation(NamedTuple):
    """The outcome of a conversation, with its reason and the id of its cause."""

    outcome: Outcome
    reason: str
    cause: str


class CaseResults(NamedTuple):
    """What was seen of a case: its conversations by their repeat, and the codes of results by check.

    Of a million cases most are alike, and share one value.
    """

    seen: tuple[tuple[int, SeenConversation], ...]
    checks: tuple[tuple[str, str], ...]


class ComparedBatch:
    """One batch of a comparison. Takes one conversation at a time and keeps its outcome.

    `attempts` are those that count: the first that were not void, or the last. `history` are earlier runs of its name.
    `counts` are what gates limit.
    """

    def __init__(self, batch: Batch, attempts: Attempts = "first") -> None:
        self.batch, self.attempts = batch, attempts
        self.rows = CaseRows(batch, attempts)
        self.findings: tuple[Finding, ...] = ()
        self.replays = Replays()
        self.causes, self.history = CauseTally(batch), CauseHistory()
        self._seen: defaultdict[str, dict[int, SeenConversation]] = defaultdict(dict)
        self._checks: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._joined: dict[str, CaseResults] = {}
        self._pooled: tuple[tuple[ComparedBatch, Container[str]], ...] = ()
        self._user_models = False
        self.counts: Counter[str] = Counter()
        self._last: Counter[Outcome] = Counter()
        self._turns, self._seconds, self._usage = Values(), Values(), UsageTotal()

    def add(self, reported: ReportedConversation, said: Iterable[Verdict] = ()) -> None:
        """Add a conversation, and what judges `said` about it."""
        conversation, decision = reported.conversation, reported.counted(self.attempts)
        case = conversation.case.id
        self.rows.add(reported)
        cause = self.causes.count(conversation.id, case, decision, reported.decision)
        self._seen[case][conversation.repeat] = SeenConversation(decision.outcome, decision.reason, cause)
        self._last[reported.decision.outcome] += 1
        self._count(decision, conversation)
        for usage in (*conversation.usage.values(), *(each.usage for each in said)):
            self._usage.add(usage)
        self._user_models |= bool(conversation.usage.get("user"))
        if conversation.ending is None or not conversation.ending.completed:
            return
        checks = self._checks[case]
        for verdict in reported.verdicts:
            if code := _CHECKED.get(verdict.outcome):
                checks[verdict.check] = checks.get(verdict.check, "") + code
        self._turns.add([conversation.turns])
        if conversation.timing is not None:
            self._seconds.add(conversation.timing.replies)

    def _count(self, decision: Decision, conversation: Conversation) -> None:
        void, undecided = decision.outcome is Outcome.VOID, decision.outcome is Outcome.UNDECIDED
        crash = decision.crash and not void
        self.counts.update(
            stored=1,
            void=void,
            crashes=crash,
            undecided_crashes=crash and undecided,
            errors=undecided and not crash,
            weak=decision.weak,
            unread=any(goal.stage is GoalStage.UNREAD for goal in conversation.goals),
            blamed_on_user=void and decision.blame is Blame.USER,
        )

    def state(self) -> dict[str, Any]:
        """Return what was collected as JSON, from which `join` adds it to that of other cases of the batch."""
        seen: dict[SeenConversation, int] = {}
        kinds: dict[object, int] = {}
        cases = {}
        for case, found in self.results().items():
            repeats = tuple((repeat, seen.setdefault(each, len(seen))) for repeat, each in found.seen)
            cases[case] = kinds.setdefault((repeats, found.checks), len(kinds))
        return {
            "rows": self.rows.state(),
            "causes": self.causes.state(),
            "seen": list(seen),
            "kinds": list(kinds),
            "cases": cases,
            "user_models": self._user_models,
            "last": self._last,
            "counts": self.counts,
            "turns": self._turns.state(),
            "seconds": self._seconds.state(),
            "usage": self._usage.figures,
        }

    def join(self, state: dict[str, Any]) -> None:
        """Add what was collected of other cases, which come later in the batch."""
        self.rows.join(state["rows"])
        self.causes.join(state["causes"])
        seen = [SeenConversation(Outcome(outcome), reason, cause) for outcome, reason, cause in state["seen"]]
        kinds = [
            CaseResults(
                tuple((repeat, seen[each]) for repeat, each in repeats),
                tuple((check, codes) for check, codes in checks),
            )
            for repeats, checks in state["kinds"]
        ]
        self._joined.update({case: kinds[kind] for case, kind in state["cases"].items()})
        self._user_models |= state["user_models"]
        self._last.update({Outcome(outcome): n for outcome, n in state["last"].items()})
        self.counts.update(state["counts"])
        self._turns.join(state["turns"])
        self._seconds.join(state["seconds"])
        self._usage.add(total([state["usage"]]))

    def results(self) -> Mapping[str, CaseResults]:
        """Return what was seen of each case that has a conversation."""
        return self._joined or {
            case: CaseResults(tuple(sorted(seen.items())), tuple(self._checks[case].items()))
            for case, seen in self._seen.items()
        }

    def checks(self) -> dict[str, dict[str, list[float | None]]]:
        """Return the results of each check by case: 1 for passed, 0 for failed, None for undecided."""
        found: defaultdict[str, dict[str, str]] = defaultdict(dict)
        for night, kept in self._pooled or ((self, None),):
            for case, results in night.results().items():
                for check, codes in results.checks if kept is None or case in kept else ():
                    found[check][case] = found[check].get(case, "") + codes
        rows: dict[str, list[float | None]] = {}  # of a million cases, most have equal rows
        return {
            check: {
                case: rows.get(codes) or rows.setdefault(codes, [_VALUES[code] for code in codes])
                for case, codes in cases.items()
            }
            for check, cases in found.items()
        }

    @classmethod
    def pooled(cls, nights: Sequence["ComparedBatch"], kept: Sequence[Container[str]]) -> "ComparedBatch":
        """Return the last of several nights, with the kept cases of all of them."""
        made = copy(nights[-1])
        made.rows = PooledRows([night.rows for night in nights], kept)
        made.causes = CauseTally.pooled([night.causes for night in nights], kept)
        made._pooled = tuple(zip(nights, kept, strict=True))
        return made

    def renamed(self, names: Mapping[str, str]) -> "ComparedBatch":
        """Return the batch with other ids of some cases. Its conversations keep theirs."""
        if not names:
            return self

        def by_id(found: Mapping[str, Any]) -> dict[str, Any]:
            return {names.get(case, case): each for case, each in found.items()}

        ids, batch, state = self.batch.ids(), self.batch, self.state()
        rows, causes = state["rows"], state["causes"]
        state |= {"cases": by_id(state["cases"])}
        state["rows"] = rows | {
            "cases": by_id(rows["cases"]),
            "scores": [(key, by_id(found)) for key, found in rows["scores"]],
        }
        state["causes"] = causes | {
            "seen": by_id(causes["seen"]),
            "found": {
                cause: {id: names.get(case, case) for id, case in found.items()}
                for cause, found in causes["found"].items()
            },
        }
        cases = tuple(case.model_copy(update={"id": names.get(case.id, case.id)}) for case in batch.cases)
        selected = tuple(names.get(ids[id], ids[id]) + id[len(ids[id]) :] for id in batch.selected if id in ids)
        made = ComparedBatch(batch.model_copy(update={"cases": cases, "selected": selected}), self.attempts)
        made.join(state)
        made.findings = tuple(
            each.changed(by_case=each.by_case.changed(counts=by_id(each.by_case.counts))) if each.by_case else each
            for each in self.findings
        )
        made.replays, made.history = self.replays, self.history
        return made

    def found(self, findings: Sequence[Finding]) -> None:
        """Add the findings of the batch's rules."""
        self.findings = tuple(findings)

    def side(self) -> ComparedConversation:
        """Return the batch in numbers."""
        outcomes = Counter(seen.outcome for found in self.results().values() for _, seen in found.seen)
        stored, passed, failed = outcomes.total(), outcomes[Outcome.PASSED], outcomes[Outcome.FAILED]
        planned = max(self.batch.planned, stored)
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
            not_run=planned - stored,
            last_passed=self._last[Outcome.PASSED],
            last_failed=self._last[Outcome.FAILED],
            rate=pass_rate.value if pass_rate else None,
            intervals=pass_rate,
            bounds=(passed / planned, 1 - failed / planned) if planned else None,
            turns=self._turns.spread(),
            seconds=self._seconds.spread(),
            usage=self._usage.usage,
        )

    def _pass_rate(self) -> Intervals | None:
        from sparring.statistics.rates import rate  # numpy takes longer than a short command

        decided = {case: [each for each in row if each is not None] for case, row in self.rows.passed().items()}
        return intervals(rate, decided) if any(decided.values()) else None

    def rule_side(self) -> RuleSide:
        """Return the findings of its rules, with the cases that they are about."""
        cases = {case.id for case in self.batch.cases}
        return RuleSide(self.batch.rules, self.findings, cases & self.results().keys())

    @property
    def deterministic(self) -> bool:
        """True if replays showed that the chatbot repeats itself, and no model played the user."""
        return self.replays.show_determinism and not self._user_models

    @property
    def price(self) -> float | None:
        """Mean cost of a conversation in US dollars; None if a price is unknown."""
        stored, cost = self._last.total(), self._usage.usage.known_cost
        return None if not stored or self._usage.unknown_costs or cost is None else cost / stored
