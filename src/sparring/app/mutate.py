"""Mutants of the chatbot of a batch: would its checks notice a fault?"""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from sparring.app.config import AppConfig
from sparring.app.execution import replaying
from sparring.app.models import OFFLINE
from sparring.app.results import results
from sparring.chatbots.chatbot import Capabilities, Chatbot
from sparring.core import plugins
from sparring.core.batch import NO_JUDGE, Batch
from sparring.core.checks import Rule
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.mutation import Live, MutantPlay, MutationRun
from sparring.core.outcome import Outcome
from sparring.core.prompts import Prompts
from sparring.core.seeding import ulid
from sparring.core.text import did_you_mean
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.judge import deterministic_judge
from sparring.mutation.asking import CONTROL, REPLAYS, CostLimitReached, LiveChatbot, Plays, fails
from sparring.mutation.mutant import Mutant, mutants
from sparring.mutation.operator import observed, pairs_of
from sparring.mutation.operators import chosen_operators
from sparring.mutation.play import OTHER_USERS, RANDOM_RUNS, Player
from sparring.mutation.proxy import Setting
from sparring.mutation.run import Accepted, MutantResult, Several, run_mutants
from sparring.mutation.score import MutationScore, score
from sparring.runner.verdict_selection import rule_hashes
from sparring.runner.verdicts import checks_of
from sparring.store.store import Store
from sparring.users.agenda import Agenda
from sparring.users.user import User

if TYPE_CHECKING:
    from sparring.mutation.suggestions import Suggestion
    from sparring.rules.recording import Recording

_INSIDE = ("sparring.chatbots.python", "sparring.chatbots.prompted", "sparring_bots.")
"""Modules of chatbots that run in this process, so that conversations have no side effects elsewhere."""

_NOTHING = -1.0
"""A limit below the cost of any conversation."""

CONTROLS = 50
"""Most recorded conversations that are replayed without a change."""

LIVE_CONTROLS = 10
"""Most conversations with the chatbot without a change."""


@dataclass
class Mutation:
    """Mutants of a batch and their results."""

    run: MutationRun
    batch: Batch
    planned: tuple[Mutant, ...]
    left_out: int
    """Conversations that did not pass in the baseline."""
    unasked: tuple[str, ...]
    """Checks that need a model and were not asked."""
    passed: Sequence[Conversation] = ()
    """The conversations of the baseline."""
    apart: Sequence[Conversation] = ()
    """Correct conversations of other users, which no suggested rule may fail."""
    results: list[MutantResult] = field(default_factory=list)
    pairs: list[MutantResult] = field(default_factory=list)
    """Mutants with two faults, which are not in the score."""
    controls: int = 0
    false_kills: int = 0
    live: LiveChatbot | None = None
    stopped: str = ""

    @property
    def score(self) -> MutationScore:
        """The score of what was played."""
        return score(self.results)

    @property
    def asking(self) -> list[Mutant]:
        """The mutants that need the chatbot."""
        return [each for each in self.planned if each.operator.live]


@dataclass(frozen=True, slots=True)
class MutationLimits:
    """Limits of one execution, which stop it between two mutants, and the mutants that may survive.

    With `side_effects`, a chatbot that is remote or costs money may be called. `rules` replace those of the batch with
    the same names. `only` is the id of a stored mutant: the chatbot is not called.
    """

    seconds: float | None = None
    cost: float | None = None
    side_effects: bool = False
    accepted: Accepted = field(default_factory=Accepted)
    rules: tuple[Rule, ...] = ()
    only: str = ""


def new_run(batch: Batch, live: Live | None, **choices: Any) -> MutationRun:
    """Return a new run over mutants; by default it calls the chatbot if that is free."""
    now = SystemClock().now()
    live = live or ("needed" if runs_in_process(batch) else "never")
    return MutationRun(id=ulid(now, SystemRandom()), batch=batch.id, live=live, **choices)


async def mutate(
    run: MutationRun, batch: Batch, store: Store, config: AppConfig, limits: MutationLimits
) -> AsyncIterator[Mutation]:
    """Yield the run after every mutant, from its plan to its end.

    The chatbot is not asked again what it was asked before.

    Raises:
        InputError: no conversation of the batch passed, an operator is unknown, or the chatbot must not be asked.
    """
    operators = chosen_operators(run.operators)
    passed, left_out = await _passed(batch, store, allow_failing=run.allow_failing)
    if not passed:
        raise InputError("no conversation of the batch passed: a mutant is noticed where a check passed before")
    setting = Setting(observed(passed), run.seed)
    checks = _Checks(_judged_by(batch, limits.rules), passed)
    async with _chatbot(run, batch, store, config, limits) as chatbot:
        known = chatbot.capabilities if chatbot else Capabilities()
        if not batch.who.prompts:  # a grammar reads none
            known = replace(known, prompts=())
        plan = partial(mutants, conversations=passed, seen=setting.seen, budget=run.budget, seed=run.seed)
        planned = tuple(plan(operators, chatbot=known))
        pairs = tuple(plan(pairs_of(operators, run.seed))) if run.order > 1 else ()
        if limits.only:
            planned, pairs = (_called(limits.only, (*planned, *pairs)),), ()
        state = Mutation(run, batch, planned, left_out, checks.unasked, passed)
        await store.record_mutation(run)
        if chatbot is not None:
            state.live = _live(state, chatbot, checks, store, config, limits)
        yield state
        player = Player(checks.verdicts, setting, user=_user(batch), live=state.live)
        clock = SystemClock()
        begun = clock.monotonic()
        try:
            if not limits.only:
                await _control(state, passed, player, clean=not (run.allow_failing or limits.rules))
            async for result in run_mutants((*planned, *pairs), player, checks.several):
                found = state.results if len(state.results) < len(planned) else state.pairs
                found.append(limits.accepted.marked(result))
                yield state
                late = limits.seconds is not None and clock.monotonic() - begun > limits.seconds
                if late and len(state.results) + len(state.pairs) < len(planned) + len(pairs):
                    state.stopped = f"{limits.seconds:g} s were over"
                    break
            if not (state.stopped or limits.only) and any(each.alive for each in state.results):
                state.apart = await player.held_apart(_spread(passed))
        except CostLimitReached as reached:
            state.stopped = str(reached)
    yield state


def _live(
    state: Mutation, chatbot: Chatbot, checks: "_Checks", store: Store, config: AppConfig, limits: MutationLimits
) -> LiveChatbot:
    """Return the chatbot with what mutants ask it."""
    wanted = {each.id: each for mutant in state.asking for each in mutant.conversations}
    return LiveChatbot(
        chatbot,
        checks.verdicts,
        tuple(wanted.values()),
        runs=state.run.confirm,
        plays=_StoredPlays(store, state.run.id),
        limit=_NOTHING if limits.only else limits.cost,
        with_prompts=lambda prompts: _opened(state.batch, store, config, prompts),
    )


async def played_mutant(which: str, id: str, store: Store, config: AppConfig) -> MutantResult:
    """Return a mutant of a run with the conversation that shows it, without asking the chatbot.

    Raises:
        InputError: there is no such mutant, or it was not played.
    """
    run = await store.mutation(which)
    found: list[MutantResult] = []
    async for state in mutate(run, await store.batch(run.batch), store, config, MutationLimits(only=id)):
        found = state.results
    if not found:
        raise InputError(f"{id} was not played", hint=f"sparring mutate --resume {run.id}")
    return found[0]


def _called(id: str, planned: Sequence[Mutant]) -> Mutant:
    known = {each.id: each for each in planned}
    if id not in known:
        raise InputError(f"{id}: the run has no such mutant", hint=did_you_mean(id, known))
    return known[id]


def _judged_by(batch: Batch, rules: tuple[Rule, ...]) -> Batch:
    names = {each.name for each in rules}
    return batch.model_copy(update={"rules": (*(each for each in batch.rules if each.name not in names), *rules)})


class _StoredPlays(Plays):
    """Conversations with the chatbot, each stored as soon as it ends."""

    def __init__(self, store: Store, run: str) -> None:
        self._store, self._run = store, run

    async def find(self, key: str) -> MutantPlay | None:
        return await self._store.play(self._run, key)

    async def keep(self, key: str, held: MutantPlay) -> None:
        await self._store.record_play(self._run, key, held)


@dataclass(frozen=True, slots=True)
class MutationEstimate:
    """Estimated replies of the chatbot, and their cost in US dollars; None if unknown."""

    replies: int = 0
    cost: float | None = 0.0

    def __add__(self, other: "MutationEstimate") -> "MutationEstimate":
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return MutationEstimate(self.replies + other.replies, cost)

    def __mul__(self, times: int) -> "MutationEstimate":
        return MutationEstimate(self.replies * times, None if self.cost is None else self.cost * times)


def estimate(state: Mutation) -> tuple[MutationEstimate, MutationEstimate]:
    """Return the expected and the maximum number of replies of a run.

    The expected number assumes that the chatbot repeats itself and its users say what is recorded.
    """
    asking = [each for mutant in state.asking for each in mutant.conversations]
    every = [each for mutant in state.planned for each in mutant.conversations] if _user(state.batch) else asking
    wanted = list({each.id: each for each in asking or every[:1]}.values())
    apart = _asked(_spread(state.passed)) * OTHER_USERS
    first = _asked(wanted) * -(-REPLAYS // max(len(wanted), 1)) + apart
    control = _asked(each.conversations[0] for each in state.asking[:LIVE_CONTROLS])
    confirm = state.run.confirm
    random = (control + _asked(asking)) * (confirm + 2) + _asked(wanted) * (2 * confirm + 2)
    random += apart * (RANDOM_RUNS - 1)
    most = max(control + _asked(every), random, key=lambda each: each.replies)
    return first + control + _asked(asking), first + most


def _asked(conversations: Iterable[Conversation]) -> MutationEstimate:
    """Return the chatbot's usage in the baseline conversations."""
    found = MutationEstimate()
    for each in conversations:
        used = each.usage.get("chatbot")
        found += MutationEstimate(each.turns, 0.0 if used is None else used.known_cost)
    return found


async def suggested(state: Mutation) -> "list[Suggestion]":
    """Return rules that notice surviving mutants, proven on the baseline and on held-out conversations."""
    from sparring.mutation.suggestions import suggestions  # the rule engine

    return await suggestions(state.results, state.passed, state.apart)


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
    """Return the user that reacts to replies, or None if a model plays it."""
    return Agenda() if batch.origin is not None and batch.origin.choice.user == "agenda" else None


def runs_in_process(batch: Batch) -> bool:
    """Return True if calling the chatbot of a batch has no side effects and uses no paid model."""
    free = batch.origin is not None and batch.origin.choice.chatbot_model in ("", OFFLINE)
    return free and _acts_here(batch)


def _acts_here(batch: Batch) -> bool:
    kind = batch.who.chatbot.partition(":")[0]
    return plugins.module_of("sparring.chatbots", kind).startswith(_INSIDE)


@asynccontextmanager
async def _chatbot(
    run: MutationRun, batch: Batch, store: Store, config: AppConfig, limits: MutationLimits
) -> AsyncIterator[Chatbot | None]:
    """Open the chatbot of a batch if it may be called."""
    if run.live == "never":
        yield None
        return
    if not (limits.side_effects or limits.only or runs_in_process(batch)):
        if not _acts_here(batch):
            raise InputError(
                f"{batch.who.chatbot} runs elsewhere, and mutants would act there again and again",
                hint="--live never asks nothing; --allow-side-effects asks it",
            )
        if limits.cost is None:
            raise InputError(
                f"{batch.who.chatbot} costs money, and mutants would ask it again and again",
                hint="--max-cost 2 limits what it may cost in dollars; --live never asks nothing",
            )
    async with _opened(batch, store, config) as chatbot:
        yield chatbot


@asynccontextmanager
async def _opened(
    batch: Batch, store: Store, config: AppConfig, faulty: Prompts | None = None
) -> AsyncIterator[Chatbot]:
    async with replaying(batch, store, config, faulty=faulty) as players:
        yield players.chatbot


def _spread(passed: Sequence[Conversation]) -> Sequence[Conversation]:
    """Return conversations spread evenly over a list, at most as many as there are controls."""
    return passed[:: max(1, -(-len(passed) // CONTROLS))]


async def _control(state: Mutation, passed: Sequence[Conversation], player: Player, *, clean: bool) -> None:
    """Play conversations without a change; one that differs, or fails, is a false alarm."""
    for conversation in _spread(passed):
        state.controls += 1
        _, same = await player.again(conversation)
        failed = any(map(fails, (await player.baseline(conversation)).values()))
        state.false_kills += not same or (failed and clean)
    for mutant in state.asking[:LIVE_CONTROLS] if state.live else ():
        conversation = mutant.conversations[0]
        found = await player.play(Mutant(CONTROL, mutant.number, (conversation,)), conversation)
        state.controls += found is not None
        state.false_kills += found is not None and bool(found.broken)


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
        """Return the rules that fail with these conversations in place of the recorded ones."""
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
