"""A batch in numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from typing import Any

from pydantic import NonNegativeFloat, NonNegativeInt

from sparring.core.audit import Blame
from sparring.core.batch import Batch, Players
from sparring.core.checks import Unit
from sparring.core.conversation import Conversation, Ending, GoalStage
from sparring.core.outcome import NULL_BOTS, REFUSING, Outcome
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome, Finding, Verdict
from sparring.reports.batch_statistics import BatchStatistics, batch_statistics
from sparring.reports.case_rows import CaseRows
from sparring.reports.cause_status import CauseBaseline, CauseHistory, with_status
from sparring.reports.causes import CauseSummary, CauseTally
from sparring.reports.consistency import Consistency, ConsistencyTally
from sparring.reports.measures import Spread, Values
from sparring.reports.reported import ReportedConversation
from sparring.reports.scores import Agreement, Judgements, Scores
from sparring.statistics.estimates import Difference

EXAMPLES = 10
"""Number of conversations that a summary names for each outcome other than passed."""

_WORST = 4

_PROPOSED = 3
"""Goals for which a summary proposes to state the right answer."""

_WARNINGS = 256
"""Different warnings that are counted; a summary has the first ten."""

_TROUBLES = (Outcome.FAILED, Outcome.UNDECIDED, Outcome.VOID)
_COUNTED = (
    *("stored", "retried", "doubts", "crashes", "last_crashes", "guards", "weak", "expected", "refused", "untried"),
    *("retries", "goals", "goals_answered", "outputs", "outputs_stated"),
)
"""Fields of a summary that are counters of its tally."""


class ConversationExample(Value):
    """A conversation that did not pass, with all reasons and who is to blame."""

    conversation: str
    outcome: Outcome
    blame: Blame | None = None
    reason: str = ""
    reasons: tuple[str, ...] = ()


class ScenarioRate(Value):
    """A scenario, with how many of its conversations passed at their first attempt that was not void."""

    scenario: str
    passed: NonNegativeInt
    conversations: NonNegativeInt


class Summary(Value):
    """Results of a batch.

    `outcomes` counts conversations by their first attempt that was not void, `last_outcomes` by their last one.
    `retried` counts conversations that did not pass at first and passed later, which took up to `most_attempts`.
    `blames` counts those that did not pass, `crashes` those that failed as the chatbot crashed or hung (`last_crashes`:
    at the last attempt). `guards` counts those whose case only says what must not happen, `weak` those whose case a
    null bot passes that must not, `expected` those whose case has expectations, `refused` those whose case the null bot
    passes that refuses everything, and `untried`
    those for which null bots are off. `faults` counts faults of the simulated user or the case that made conversations
    void, by kind. `unanswered` are the first goals that are weak or unread and do not say what is right. `doubts`
    counts conversations with likely faults, which change nothing. `repairs` counts what was removed from the words of a
    model that plays the user, and the times it was asked again, by kind. Goals, outputs, turns and reply times are of
    conversations that came to an end. Usage and warnings (the first ten, with counts) are of all. `unkept` is the usage
    of interrupted, retried and rejudged conversations. `examples` are the first conversations that did not pass.
    `scores` are those of every judge, deciding or not. `statistics` has rates with their intervals, by first attempts,
    `causes` what failed or is undecided, grouped by cause. `gone` are causes of the `baseline` that it does not show:
    they are fixed, or were not tested. `change` is that of the pass rate since the previous run. `worst` are the
    scenarios of which the smallest shares passed, if there are several. `stopped` says why it ended early, `running`
    that it is being played.
    """

    batch: str
    name: str = ""
    seed: NonNegativeInt = 0
    datasets: dict[str, str] = {}
    who: Players
    planned: NonNegativeInt
    stored: NonNegativeInt
    not_run: NonNegativeInt
    endings: dict[Ending, NonNegativeInt]
    outcomes: dict[Outcome, NonNegativeInt]
    last_outcomes: dict[Outcome, NonNegativeInt] = {}
    retried: NonNegativeInt = 0
    most_attempts: NonNegativeInt = 1
    blames: dict[Blame, NonNegativeInt] = {}
    faults: dict[str, NonNegativeInt] = {}
    doubts: NonNegativeInt = 0
    repairs: dict[str, NonNegativeInt] = {}
    crashes: NonNegativeInt = 0
    last_crashes: NonNegativeInt = 0
    guards: NonNegativeInt = 0
    weak: NonNegativeInt = 0
    expected: NonNegativeInt = 0
    unanswered: tuple[str, ...] = ()
    refused: NonNegativeInt = 0
    untried: NonNegativeInt = 0
    goals: NonNegativeInt = 0
    goals_answered: NonNegativeInt = 0
    outputs: NonNegativeInt = 0
    outputs_stated: NonNegativeInt = 0
    turns: Spread = Spread()
    reply_seconds: Spread = Spread()
    first_token_seconds: Spread = Spread()
    usage: dict[str, Usage] = {}
    unkept: Usage = Usage()
    retries: NonNegativeInt = 0
    waited: NonNegativeFloat = 0.0
    warnings: dict[str, NonNegativeInt] = {}
    examples: tuple[ConversationExample, ...] = ()
    findings: tuple[Finding, ...] = ()
    scores: tuple[Scores, ...] = ()
    agreements: tuple[Agreement, ...] = ()
    consistency: tuple[Consistency, ...] = ()
    statistics: BatchStatistics | None = None
    causes: tuple[CauseSummary, ...] = ()
    gone: tuple[CauseSummary, ...] = ()
    baseline: CauseBaseline | None = None
    change: Difference | None = None
    worst: tuple[ScenarioRate, ...] = ()
    stopped: str = ""
    running: bool = False

    @property
    def consumed(self) -> Usage:
        """Usage of all roles together."""
        return sum(self.usage.values(), Usage())

    @property
    def open(self) -> int:
        """Number of conversations that are undecided or void."""
        return self.outcomes[Outcome.UNDECIDED] + self.outcomes[Outcome.VOID]

    @property
    def void_reasons(self) -> tuple[str, ...]:
        """Reasons of the first void conversations."""
        return tuple(each.reason for each in self.examples if each.outcome is Outcome.VOID)

    @property
    def outcome(self) -> Outcome:
        """Outcome of the batch: failed if anything failed, passed if everything passed, else undecided."""
        found = {finding.outcome for finding in self.findings}
        if self.outcomes[Outcome.FAILED] or CheckOutcome.FAIL in found:
            return Outcome.FAILED
        undecided = self.not_run or self.open or found & {CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE}
        return Outcome.UNDECIDED if undecided or not self.stored else Outcome.PASSED


class Tally:
    """Collects a summary. Takes one conversation at a time and keeps none."""

    def __init__(self, batch: Batch, unit: Unit = "case") -> None:
        self._batch, self._unit = batch, unit
        self._rows = CaseRows(batch)
        self._causes = CauseTally(batch)
        self._judgements = Judgements(batch, unit)
        self._consistency = ConsistencyTally()
        self._endings: Counter[Ending] = Counter()
        self._outcomes: Counter[Outcome] = Counter()
        self._last: Counter[Outcome] = Counter()
        self._blames: Counter[Blame] = Counter()
        self._faults: Counter[str] = Counter()
        self._repairs: Counter[str] = Counter()
        self._most_attempts = 1
        self._counts: Counter[str] = Counter()
        self._turns, self._replies, self._first_tokens = Values(), Values(), Values()
        self._warnings: Counter[str] = Counter()
        self._unanswered: dict[str, None] = {}
        self._waited = 0.0
        self._usage: defaultdict[str, Usage] = defaultdict(Usage)
        self._examples: defaultdict[Outcome, list[ConversationExample]] = defaultdict(list)
        values = self._turns, self._replies, self._first_tokens
        self._parts: tuple[Any, ...] = (self._rows, self._causes, self._judgements, self._consistency, *values)
        counted = self._outcomes, self._last, self._blames, self._faults, self._repairs, self._counts, self._warnings
        self._counters: tuple[Counter[Any], ...] = (self._endings, *counted)

    def add(
        self, reported: ReportedConversation, *, judged: Sequence[Verdict] = (), said: Sequence[Verdict] = ()
    ) -> None:
        """Count a conversation.

        `judged` are the current verdicts of all judges. `said` are all that they ever gave.
        """
        conversation = reported.conversation
        self._judgements.add(judged)
        self._consistency.add(said)
        usage = sum((each.usage for each in said), Usage())
        if usage.calls or usage.from_cache:
            self._usage["judge"] += usage
        self._counts["retries"] += sum(each.retries for each in said)
        self._counts["stored"] += 1
        self._counts["expected"] += bool(conversation.case.expectations)
        for warning in conversation.warnings:
            if warning in self._warnings or len(self._warnings) < _WARNINGS:
                self._warnings[warning] += 1
        for role, usage in conversation.usage.items():
            self._usage[role] += usage
        if "user" in conversation.usage:
            self._repairs.update(
                repair for message in conversation.messages if message.role == "user" for repair in message.repaired
            )
        if conversation.timing is not None:
            self._counts["retries"] += conversation.timing.retries
            self._waited += conversation.timing.waited
        if conversation.ending is not None:
            self._endings[conversation.ending] += 1
            if conversation.ending.completed:
                self._measure(conversation)
        self._rows.add(reported)
        self._causes.add(reported)
        self._count(reported)

    def state(self) -> dict[str, Any]:
        """Return what was collected as JSON, from which `join` adds it to that of other cases of the batch."""
        examples = {
            outcome: [each.model_dump(mode="json") for each in some] for outcome, some in self._examples.items()
        }
        return {
            "parts": [each.state() for each in self._parts],
            "counters": self._counters,
            "attempts": self._most_attempts,
            "unanswered": list(self._unanswered),
            "waited": self._waited,
            "usage": {role: usage.model_dump() for role, usage in self._usage.items()},
            "examples": examples,
        }

    def join(self, state: dict[str, Any]) -> None:
        """Add what was collected of other cases, which come later in the batch."""
        for part, own in zip(self._parts, state["parts"], strict=True):
            part.join(own)
        for counter, counts in zip(self._counters, state["counters"], strict=True):
            counter.update(counts)
        self._most_attempts = max(self._most_attempts, state["attempts"])
        self._unanswered |= dict.fromkeys(state["unanswered"])
        self._waited += state["waited"]
        for role, usage in state["usage"].items():
            self._usage[role] += Usage.unchecked(usage)
        for outcome, examples in state["examples"].items():
            listed = self._examples[Outcome(outcome)]
            listed += map(ConversationExample.model_validate, examples[: EXAMPLES - len(listed)])

    def summary(
        self, findings: Iterable[Finding] = (), history: CauseHistory | None = None, *, planned: int | None = None
    ) -> Summary:
        """Return the summary so far. `history` are earlier runs of its name.

        `planned` is the number of planned conversations, for a batch without its cases.
        """
        batch, counts = self._batch, self._counts
        planned = batch.planned if planned is None else planned
        history = history or CauseHistory()
        causes, gone = with_status(self._causes, history)
        counted: dict[str, Any] = {name: counts[name] for name in _COUNTED}
        return Summary(
            batch=batch.id,
            name=batch.name,
            seed=batch.seed,
            datasets=batch.datasets,
            who=batch.who,
            planned=planned,
            not_run=max(0, planned - counts["stored"]),
            endings={ending: self._endings[ending] for ending in Ending},
            outcomes={outcome: self._outcomes[outcome] for outcome in Outcome},
            last_outcomes={outcome: self._last[outcome] for outcome in Outcome},
            most_attempts=self._most_attempts,
            blames={blame: self._blames[blame] for blame in Blame if self._blames[blame]},
            faults=dict(sorted(self._faults.items())),
            repairs=dict(sorted(self._repairs.items())),
            unanswered=tuple(self._unanswered)[:_PROPOSED],
            turns=self._turns.spread(),
            reply_seconds=self._replies.spread(),
            first_token_seconds=self._first_tokens.spread(),
            usage={role: self._usage[role] for role in sorted(self._usage)},
            waited=self._waited,
            warnings=dict(islice(self._warnings.items(), EXAMPLES)),
            examples=tuple(example for outcome in _TROUBLES for example in self._examples[outcome]),
            findings=tuple(findings),
            scores=tuple(self._judgements.scores()),
            agreements=tuple(self._judgements.agreements()),
            consistency=tuple(self._consistency.found()),
            statistics=batch_statistics(self._rows, self._unit),
            causes=causes,
            gone=gone,
            baseline=history.of(),
            change=history.change(self._causes),
            worst=tuple(self._worst()),
            **counted,
        )

    def _worst(self) -> Iterator[ScenarioRate]:
        """Yield the scenarios with the lowest share of passed conversations, if there are several."""
        scenarios = list(self._rows.scenarios())
        found = ((passed / n, -n, name, passed) for name, n, passed in scenarios if passed < n)
        for _, n, name, passed in nsmallest(_WORST, found) if len(scenarios) > 1 else ():
            yield ScenarioRate(scenario=name, passed=passed, conversations=-n)

    def _measure(self, conversation: Conversation) -> None:
        self._counts.update(
            goals=len(conversation.case.goals),
            goals_answered=sum(goal.answered is not None for goal in conversation.goals),
            outputs=len(conversation.case.outputs),
            outputs_stated=sum(output.evidence is not None for output in conversation.outputs),
        )
        self._turns.add([conversation.turns])
        if conversation.timing is not None:
            self._replies.add(conversation.timing.replies)
            self._first_tokens.add([each for each in conversation.timing.first_tokens if each is not None])

    def _count(self, reported: ReportedConversation) -> None:
        """Count the outcome of a conversation."""
        last, counted = reported.decision, reported.counted()
        outcome, examples = counted.outcome, self._examples[counted.outcome]
        self._outcomes[outcome] += 1
        self._last[last.outcome] += 1
        self._most_attempts = max(self._most_attempts, reported.attempt)
        tried = [each for each in reported.verdicts if each.by == NULL_BOTS]
        first_failed = reported.first not in (None, Outcome.PASSED)
        self._counts.update(
            retried=last.outcome is Outcome.PASSED and first_failed,
            crashes=counted.crash and outcome is Outcome.FAILED,
            last_crashes=last.crash and last.outcome is Outcome.FAILED,
            doubts=bool(counted.doubts),
            guards=counted.guard,
            weak=counted.weak,
            refused=any(REFUSING in each.passed_by for each in tried),
            untried=any(each.judge == "off" for each in tried),
        )
        self._faults.update(counted.faults)
        if counted.blame is not None:
            self._blames[counted.blame] += 1
        if len(self._unanswered) < _PROPOSED:
            self._unanswered |= dict.fromkeys(_unanswered(reported.conversation, weak=counted.weak))
        if outcome is not Outcome.PASSED and len(examples) < EXAMPLES:
            about = {"reason": counted.reason, "reasons": tuple(map(str, counted.reasons)), "blame": counted.blame}
            examples.append(ConversationExample(conversation=reported.conversation.id, outcome=outcome, **about))


def _unanswered(conversation: Conversation, *, weak: bool) -> Iterator[str]:
    """Yield the goals that are unread, or of a weak case, and do not say what is right."""
    wanted = {goal.text for goal in conversation.case.goals if not goal.answer and not goal.done}
    for goal in conversation.goals:
        if goal.text in wanted and (weak or goal.stage is GoalStage.UNREAD):
            yield goal.text
