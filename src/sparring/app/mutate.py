"""Mutants of the chatbot of a batch: would its checks notice a fault?"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of
from sparring.app.results import results
from sparring.app.wiring import OFFLINE, players
from sparring.chatbots.chatbot import Chatbot
from sparring.core import plugins
from sparring.core.batch import NO_JUDGE, Batch
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.outcome import Outcome
from sparring.core.text import did_you_mean
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import deterministic_judge
from sparring.mutation.mutant import Mutant, mutants
from sparring.mutation.operator import MutationOperator, observed
from sparring.mutation.operators import OPERATORS
from sparring.mutation.play import Player
from sparring.mutation.proxy import Setting
from sparring.mutation.run import MutantResult, Several, run_mutants
from sparring.mutation.score import MutationScore, score
from sparring.runner.check_hashes import rule_hashes
from sparring.runner.verdicts import checks_of
from sparring.store.store import Store
from sparring.users.agenda import Agenda
from sparring.users.user import User

if TYPE_CHECKING:
    from sparring.core.checks import Rule
    from sparring.mutation.suggestions import Suggestion
    from sparring.rules.recording import Recording

Live = Literal["never", "needed"]
"""Whether the chatbot may be asked: never, or by mutants that need it."""

_INSIDE = ("sparring.chatbots.python", "sparring.chatbots.prompted", "sparring_bots.")
"""Modules of chatbots that run in this process, so that a conversation with them changes nothing elsewhere."""

CONTROLS = 50
"""Recorded conversations that are played again without a change, at most."""


@dataclass
class Mutation:
    """Mutants of a batch and what became of them."""

    batch: Batch
    planned: tuple[Mutant, ...]
    left_out: int
    """Conversations that did not pass in the baseline."""
    unasked: tuple[str, ...]
    """Checks that need a model and were not asked."""
    passed: Sequence[Conversation] = ()
    """The conversations of the baseline."""
    results: list[MutantResult] = field(default_factory=list)
    controls: int = 0
    false_kills: int = 0
    asked: int = 0
    stopped: str = ""

    @property
    def score(self) -> MutationScore:
        """The score of what was played."""
        return score(self.results)


@dataclass(frozen=True, slots=True)
class MutationPlan:
    """Choices of a run; `operators` are names or classes, all if there are none."""

    operators: Sequence[str] = ()
    budget: int = 200
    seed: int = 0
    live: Live = "needed"
    allow_failing: bool = False
    seconds: float | None = None


def chosen_operators(names: Iterable[str]) -> tuple[MutationOperator, ...]:
    """Return the operators of these names or classes, or all. Raise InputError for an unknown name."""
    wanted = [each.strip() for name in names for each in name.split(",") if each.strip()]
    known = {each.name for each in OPERATORS} | {each.kind for each in OPERATORS}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(f"there is no operator {unknown[0]!r}", hint=did_you_mean(unknown[0], sorted(known)))
    return tuple(each for each in OPERATORS if not wanted or each.name in wanted or each.kind in wanted)


async def mutate(batch: Batch, store: Store, config: AppConfig, plan: MutationPlan) -> AsyncIterator[Mutation]:
    """Yield the run after every mutant, from its plan to its end.

    Raises:
        InputError: no conversation of the batch passed, or an operator is unknown.
    """
    operators = chosen_operators(plan.operators)
    passed, left_out = await _passed(batch, store, allow_failing=plan.allow_failing)
    if not passed:
        raise InputError("no conversation of the batch passed: a mutant is noticed where a check passed before")
    setting = Setting(observed(passed), plan.seed)
    planned = tuple(mutants(operators, passed, setting.seen, budget=plan.budget, seed=plan.seed))
    checks = _Checks(batch, passed)
    run = Mutation(batch, planned, left_out, checks.unasked, passed)
    yield run
    async with _chatbot(batch, config, needed=plan.live == "needed") as chatbot:
        player = Player(checks.verdicts, setting, user=_user(batch), chatbot=chatbot)
        await _control(run, passed, player, clean=not plan.allow_failing)
        clock = SystemClock()
        until = None if plan.seconds is None else clock.monotonic() + plan.seconds
        async for result in run_mutants(planned, player, checks.several):
            run.results.append(result)
            run.asked = player.asked
            yield run
            if until is not None and clock.monotonic() > until and len(run.results) < len(planned):
                run.stopped = f"{plan.seconds:g} s were over"
                break
    yield run


async def suggested(run: Mutation) -> "list[Suggestion]":
    """Return rules that notice mutants which survived, proven on the conversations of the baseline."""
    from sparring.mutation.suggestions import suggestions  # the rule engine

    return await suggestions(run.results, run.passed)


async def _passed(batch: Batch, store: Store, *, allow_failing: bool) -> tuple[list[Conversation], int]:
    """Return the conversations that passed, and the number of others; all with `allow_failing`."""
    found: list[Conversation] = []
    others = 0
    async for conversation, verdicts in results(batch, store):
        completed = conversation.ending is not None and conversation.ending.completed
        if completed and (allow_failing or verdicts.decision.outcome is Outcome.PASSED):
            found.append(conversation)
        else:
            others += 1
    return found, others


def _user(batch: Batch) -> User | None:
    """Return the user that reacts to what it hears, or None if a model plays it."""
    return Agenda() if batch.origin is not None and batch.origin.choice.user == "agenda" else None


def runs_in_process(batch: Batch) -> bool:
    """Return True if asking the chatbot of a batch again acts nowhere else, and calls no model that costs."""
    kind = batch.who.chatbot.partition(":")[0]
    free = batch.origin is not None and batch.origin.choice.chatbot_model in ("", OFFLINE)
    return free and plugins.module_of("sparring.chatbots", kind).startswith(_INSIDE)


@asynccontextmanager
async def _chatbot(batch: Batch, config: AppConfig, *, needed: bool) -> AsyncIterator[Chatbot | None]:
    """Open the chatbot of a batch if it may be asked."""
    async with AsyncExitStack() as stack:
        if not needed or not runs_in_process(batch):
            yield None
            return
        cast, _ = await stack.enter_async_context(players(inputs_of(batch).choice, config))
        yield cast.chatbot


async def _control(run: Mutation, passed: Sequence[Conversation], player: Player, *, clean: bool) -> None:
    """Play recorded conversations again without a change; one that differs, or fails, is a false alarm."""
    step = max(1, -(-len(passed) // CONTROLS))
    for conversation in passed[::step]:
        run.controls += 1
        _, same = await player.again(conversation)
        fails = any(
            each and each.outcome is CheckOutcome.FAIL for each in (await player.baseline(conversation)).values()
        )
        run.false_kills += not same or (clean and fails)


class _Checks:
    """The checks of a batch that need no model."""

    def __init__(self, batch: Batch, conversations: Sequence[Conversation]) -> None:
        self._conversations = conversations
        self._recordings: dict[str, Recording] = {}
        self._holding: list[Rule] = []
        self._rules = tuple(rule for rule in rule_hashes(batch.rules).values() if rule.conversations != 1)
        self._checks = checks_of(batch.model_copy(update={"audit": "off"}))
        judge = deterministic_judge(batch.who.judge)
        self.unasked = (batch.who.judge,) if judge is None and batch.who.judge not in ("", NO_JUDGE) else ()

    async def verdicts(self, conversation: Conversation) -> dict[str, Verdict | None]:
        """Return the verdicts on one conversation, by the hash of the check."""
        return dict((await self._checks.evaluate(conversation)).verdicts)

    @property
    def several(self) -> Several | None:
        """The rules over several conversations, if there are any."""
        return self._found if self._rules else None

    async def _found(self, changed: Sequence[Conversation]) -> list[Verdict]:
        """Return failures of rules that hold of the recorded conversations, with these in their place."""
        from sparring.rules.check import check  # only where there are such rules
        from sparring.rules.recording import recording_of

        if not self._recordings:
            self._recordings = {each.id: recording_of(each) for each in self._conversations}
            findings = (await check(self._rules, self._recordings.values())).findings
            self._holding = [
                rule for rule, each in zip(self._rules, findings, strict=True) if each.outcome is CheckOutcome.PASS
            ]
        recordings = (self._recordings | {each.id: recording_of(each) for each in changed}).values()
        found = (await check(self._holding, recordings)).findings
        return [
            Verdict(check=rule.name, outcome=CheckOutcome.FAIL, conversation=changed[0].id, by="rule")
            for rule, each in zip(self._holding, found, strict=True)
            if each.outcome is CheckOutcome.FAIL
        ]
