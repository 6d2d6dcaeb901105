"""A batch in numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from pydantic import NonNegativeFloat, NonNegativeInt

from sparring.core.batch import Batch, Players
from sparring.core.conversation import Conversation, Ending
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import HUMAN, CheckOutcome, Example, Finding, Verdict
from sparring.reports.measures import Spread, Values
from sparring.reports.scores import Agreement, Judgements, Scores

EXAMPLES = 10
"""How many conversations a summary names for each way of not passing."""

_TROUBLES = (CheckOutcome.FAIL, CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE)


class Summary(Value):
    """Results of a batch.

    `outcomes` counts conversations. A conversation passes if its ending counts and none of its verdicts is fail or
    error. It is an error if the chatbot or a check failed, and not applicable if it is void. `unjudged` counts
    those that passed only because no check applied to them. Goals, outputs, turns and reply times are of
    conversations that count. Usage and warnings (the first ten, with counts) are of all. `unkept` is the usage of
    interrupted, retried and rejudged conversations. `examples` are the first conversations that did not pass.
    `scores` are those of every judge, deciding or not.
    """

    batch: str
    name: str = ""
    seed: NonNegativeInt = 0
    who: Players
    planned: NonNegativeInt
    stored: NonNegativeInt
    not_run: NonNegativeInt
    endings: dict[Ending, NonNegativeInt]
    outcomes: dict[CheckOutcome, NonNegativeInt]
    unjudged: NonNegativeInt = 0
    goals: NonNegativeInt = 0
    goals_answered: NonNegativeInt = 0
    outputs: NonNegativeInt = 0
    outputs_stated: NonNegativeInt = 0
    turns: Spread = Spread()
    reply_seconds: Spread = Spread()
    usage: dict[str, Usage] = {}
    unkept: Usage = Usage()
    retries: NonNegativeInt = 0
    waited: NonNegativeFloat = 0.0
    warnings: dict[str, NonNegativeInt] = {}
    examples: tuple[Example, ...] = ()
    findings: tuple[Finding, ...] = ()
    scores: tuple[Scores, ...] = ()
    agreements: tuple[Agreement, ...] = ()

    @property
    def consumed(self) -> Usage:
        """Usage of all roles together."""
        return sum(self.usage.values(), Usage())

    @property
    def outcome(self) -> CheckOutcome:
        """Outcome of the batch: fail if anything failed, error if anything is undecided or was not run.

        A batch in which nothing was judged has not passed.
        """
        found = {finding.outcome for finding in self.findings}
        found |= {outcome for outcome, count in self.outcomes.items() if count}
        if CheckOutcome.FAIL in found:
            return CheckOutcome.FAIL
        if self.not_run or found & {CheckOutcome.ERROR, CheckOutcome.NOT_APPLICABLE}:
            return CheckOutcome.ERROR
        if self.all_unjudged:
            return CheckOutcome.ERROR
        return CheckOutcome.PASS if self.stored else CheckOutcome.NOT_APPLICABLE

    @property
    def all_unjudged(self) -> bool:
        """True if no check applied to any conversation, alone or with others."""
        return bool(self.stored) and self.unjudged == self.stored and not self.findings


class Tally:
    """Collects a summary. Takes one conversation at a time and keeps none."""

    def __init__(self, batch: Batch, *, trusts_human: bool = False) -> None:
        self._batch = batch
        self._trusts_human = trusts_human
        self._judgements = Judgements(batch)
        self._endings: Counter[Ending] = Counter()
        self._outcomes: Counter[CheckOutcome] = Counter()
        self._counts: Counter[str] = Counter()
        self._turns, self._replies = Values(), Values()
        self._warnings: Counter[str] = Counter()
        self._waited = 0.0
        self._usage: defaultdict[str, Usage] = defaultdict(Usage)
        self._examples: defaultdict[CheckOutcome, list[Example]] = defaultdict(list)

    def add(
        self,
        conversation: Conversation,
        verdicts: Sequence[Verdict] = (),
        *,
        held: bool = False,
        judged: Sequence[Verdict] = (),
        said: Sequence[Verdict] = (),
    ) -> None:
        """Count a conversation, with the verdicts that decide about it.

        `held` is True if another check passed. `judged` are the current verdicts of all judges. `said` are all their
        verdicts, including those by replaced rubrics, for the usage.
        """
        self._judgements.add(judged)
        took = sum((each.usage for each in said), Usage())
        if took.calls or took.from_cache:
            self._usage["judge"] += took
        self._counts["stored"] += 1
        for warning in conversation.warnings:
            if warning in self._warnings or len(self._warnings) < EXAMPLES:
                self._warnings[warning] += 1
        for role, usage in conversation.usage.items():
            self._usage[role] += usage
        if conversation.timing is not None:
            self._counts["retries"] += conversation.timing.retries
            self._waited += conversation.timing.waited
        if conversation.ending is not None:
            self._endings[conversation.ending] += 1
            if conversation.ending.completed:
                self._measure(conversation)
        self._judge(conversation, verdicts, held)

    def summary(self, findings: Iterable[Finding] = ()) -> Summary:
        """Return the summary so far."""
        batch, counts = self._batch, self._counts
        return Summary(
            batch=batch.id,
            name=batch.name,
            seed=batch.seed,
            who=self._who(),
            planned=batch.planned,
            stored=counts["stored"],
            not_run=max(0, batch.planned - counts["stored"]),
            endings={ending: self._endings[ending] for ending in Ending},
            outcomes={outcome: self._outcomes[outcome] for outcome in CheckOutcome},
            unjudged=counts["unjudged"],
            goals=counts["goals"],
            goals_answered=counts["goals_answered"],
            outputs=counts["outputs"],
            outputs_stated=counts["outputs_stated"],
            turns=self._turns.spread(),
            reply_seconds=self._replies.spread(),
            usage={role: self._usage[role] for role in sorted(self._usage)},
            retries=counts["retries"],
            waited=self._waited,
            warnings=dict(self._warnings),
            examples=tuple(example for outcome in _TROUBLES for example in self._examples[outcome]),
            findings=tuple(findings),
            scores=tuple(self._judgements.scores()),
            agreements=tuple(self._judgements.agreements()),
        )

    def _who(self) -> Players:
        who = self._batch.who
        return who.model_copy(update={"judge": f"human, else {who.judge}"}) if self._trusts_human else who

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

    def _judge(self, conversation: Conversation, verdicts: Sequence[Verdict], held: bool) -> None:
        outcome, reason = outcome_of(conversation, verdicts, trusts_human=self._trusts_human)
        self._outcomes[outcome] += 1
        held = held or any(verdict.outcome is CheckOutcome.PASS for verdict in verdicts)
        self._counts["unjudged"] += outcome is CheckOutcome.PASS and not held
        examples = self._examples[outcome]
        if outcome is not CheckOutcome.PASS and len(examples) < EXAMPLES:
            examples.append(Example(conversations=(conversation.id,), outcome=outcome, reason=reason))


def summarise(
    batch: Batch,
    conversations: Iterable[Conversation],
    verdicts: Iterable[Verdict] = (),
    findings: Iterable[Finding] = (),
) -> Summary:
    """Return the summary of recorded conversations with their verdicts."""
    about: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        about[verdict.conversation].append(verdict)
    tally = Tally(batch)
    for conversation in conversations:
        tally.add(conversation, about.get(conversation.id, ()))
    return tally.summary(findings)


def outcome_of(
    conversation: Conversation, verdicts: Iterable[Verdict], *, trusts_human: bool = False
) -> tuple[CheckOutcome, str]:
    """Return the outcome of a conversation, and the reason unless it passed.

    An ending that does not count outweighs all verdicts. Human verdicts decide only with `--trust human`. A simulated
    user who says nothing causes no failure: only a human verdict passes that.
    """
    ending = conversation.ending
    if ending is None or not ending.completed:
        outcome = CheckOutcome.NOT_APPLICABLE if ending and ending.void else CheckOutcome.ERROR
        return outcome, ": ".join(part for part in (ending or "did not end", conversation.error) if part)
    deciding = [verdict for verdict in verdicts if trusts_human or verdict.judge != HUMAN]
    for outcome in (CheckOutcome.FAIL, CheckOutcome.ERROR):
        for verdict in deciding:
            if verdict.outcome is outcome:
                return outcome, ": ".join(part for part in (verdict.check, verdict.reason) if part)
    if conversation.mute and all(verdict.judge != HUMAN for verdict in deciding):
        return CheckOutcome.ERROR, "the chatbot never said anything"
    return CheckOutcome.PASS, ""
