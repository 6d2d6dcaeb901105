"""Replays from one turn of a conversation: with a change there, or to find the turn that decides."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

from sparring.app.config import AppConfig
from sparring.app.execution import inputs_of, replaying
from sparring.app.results import result, results
from sparring.app.same_failure import CRASH, FailureOracle, require_in_process, wanted_check
from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.message import Meant, Message, ToolCall, message
from sparring.core.outcome import Outcome
from sparring.core.seeding import repeat_seed
from sparring.core.text import did_you_mean
from sparring.mutation.deciding_turn import Continuation, DecidingTurn, Search
from sparring.mutation.forking import Fork, Replay, TurnChange, changed_fork, takes_history, turns_of
from sparring.runner.players import ResolvedPlayers
from sparring.statistics import fisher, newcombe
from sparring.store.store import ConversationFilter, Store
from sparring.users.user import User

_SAME, _PASSING = 5, 12
"""Replays of the recorded lines that must match the record before a chatbot counts as deterministic, and replays that
must pass before a failure counts as not reproducible."""

_WORDINGS = 3
"""Seeds of the user that a turn is tried with; a last time, the user restates all its goals."""


@dataclass(frozen=True, slots=True)
class ForkOptions:
    """The check whose failures are counted, by default the conversation's, and the number of replays."""

    check: str = ""
    runs: int = 10
    side_effects: bool = False


@dataclass
class ReplayCounts:
    """Counts of replays of one kind, and the turns in which they first differed from the record."""

    failed: int = 0
    passed: int = 0
    undecided: int = 0
    drifted: Counter[int] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    shown: Conversation | None = None
    """The first replay that was decided."""

    @property
    def of(self) -> int:
        """Number of replays that passed or failed."""
        return self.failed + self.passed


@dataclass(frozen=True, slots=True)
class ForkResult:
    """Results of replays with a change and as recorded."""

    check: str
    restored: bool
    changed: ReplayCounts
    recorded: ReplayCounts

    @property
    def difference(self) -> tuple[float, float, float]:
        """Change in the share that fails, with Newcombe's 95 % interval."""
        was, now = self.recorded, self.changed
        return newcombe(was.failed, was.of, now.failed, now.of)

    @property
    def p(self) -> float:
        """The p-value of Fisher's exact test."""
        return fisher(self.recorded.failed, self.recorded.of, self.changed.failed, self.changed.of)


@dataclass(frozen=True, slots=True)
class FoundTurn:
    """The turn that decided if a check fails, and the first message with evidence of it.

    `found` is None if the failure does not come back.
    """

    check: str
    conversation: Conversation
    found: DecidingTurn | None
    repeats_itself: bool
    by: str
    """What varied after the turn: the user's `wordings`, or the recorded `lines` that it says."""
    runs: int
    evidence: int | None = None


async def fork_conversation(
    batch: Batch, store: Store, config: AppConfig, id: str, change: TurnChange, options: ForkOptions
) -> ForkResult:
    """Replay a conversation up to a turn with a change there, and as often without it.

    Raises:
        InputError: there is no such turn, or the chatbot cannot take the change or must not be asked again.
    """
    conversation = await store.conversation(batch.id, id)
    if not options.side_effects:
        require_in_process(batch)
    async with replaying(batch, store, config) as players:
        chatbot = players.chatbot
        _check(change, conversation, chatbot)
        oracle = await _oracle(batch, store, conversation, options.check)
        found = []
        for fork in changed_fork(conversation, change, _user(batch, players, conversation)):
            replays = ReplayCounts()
            for run in range(1, options.runs + 1):
                replay = await fork.play(chatbot, repeat_seed(conversation.case.seed, run))
                _count(replays, replay, *await oracle.failed(replay.conversation))
            found.append(replays)
        return ForkResult(oracle.check, takes_history(chatbot.capabilities), *found)


async def find_turn(batch: Batch, store: Store, config: AppConfig, id: str, options: ForkOptions) -> FoundTurn:
    """Return the turn after which a failed conversation fails the same check, however it goes on.

    Raises:
        InputError: it did not fail such a check, or its chatbot must not be asked again.
    """
    conversation = await store.conversation(batch.id, id)
    if not options.side_effects:
        require_in_process(batch)
    async with replaying(batch, store, config) as players:
        chatbot = players.chatbot
        verdicts = (await result(batch, store, conversation)).deciding
        wanted = wanted_check(batch, conversation, verdicts, options.check)
        oracle = await _oracle(batch, store, conversation, wanted)
        places = [each.at for verdict in verdicts if verdict.check == wanted for each in verdict.evidence]
        finder = _Finder(conversation, chatbot, oracle, options.runs)
        decided: DecidingTurn | None = None
        by = "lines"
        if await finder.is_reproduced():
            user = _user(batch, players, conversation)
            if user is not None:
                others = await _repeats(batch, store, conversation, oracle)
                by, decided = "wordings", await finder.by_wordings(user, others)
            if decided is None or not (decided.turn or finder.is_spent):
                last = conversation.turn_of(max(places)) if places else 0
                lines = await finder.by_lines(last or len(turns_of(conversation)))
                by, decided = ("lines", lines) if decided is None or lines.turn else (by, decided)
        return FoundTurn(
            wanted, conversation, decided, finder.repeats_itself, by, finder.runs, min(places, default=None)
        )


def _user(batch: Batch, players: ResolvedPlayers, conversation: Conversation) -> User | None:
    """Return the user that continues freely, or None if the recorded lines are replayed."""
    return None if conversation.case.script or inputs_of(batch).choice.user != "agenda" else players.user


def _check(change: TurnChange, conversation: Conversation, chatbot: Chatbot) -> None:
    """Raise InputError if a conversation has no such turn, or the chatbot does not take results of tools."""
    turns = len(turns_of(conversation))
    problems = []
    if not 1 <= change.at <= turns:
        problems.append(Problem(message=f"--at {change.at}: the conversation has turns 1 to {turns}"))
    if change.tool is not None and "stub" not in chatbot.capabilities.injects:
        problems.append(Problem(message="--tool-result: this chatbot takes no results for its tools"))
    known = {each.name for each in chatbot.capabilities.tools or ()}
    if change.tool is not None and known and change.tool.name not in known:
        hint = did_you_mean(change.tool.name, sorted(known))
        problems.append(Problem(message=f"--tool-result: there is no tool {change.tool.name!r}", hint=hint))
    if problems:
        raise InputError(problems)


def _count(replays: ReplayCounts, replay: Replay, failed: bool | None, reason: str) -> None:
    if replay.drifted:
        replays.drifted[replay.drifted] += 1
    if failed is None:
        replays.undecided += 1
        return
    replays.failed += failed
    replays.passed += not failed
    replays.shown = replays.shown or replay.conversation
    if failed:
        replays.reasons[reason] += 1


async def _oracle(batch: Batch, store: Store, conversation: Conversation, check: str) -> FailureOracle:
    verdicts = (await result(batch, store, conversation)).deciding if check else ()
    names = {each.check for each in verdicts} | {CRASH}
    if check and check not in names:
        raise InputError(f"--check {check}: there is no such check", hint=did_you_mean(check, sorted(names)))
    played = batch.model_copy(update={"audit": "off"})  # what the user leaves out is our doing
    return FailureOracle(played, conversation, verdicts, check, _single(batch))


async def _repeats(batch: Batch, store: Store, original: Conversation, oracle: FailureOracle) -> list[bool]:
    """Return the results of other repeats of the case in the batch."""
    found = []
    async for each, verdicts in results(batch, store, where=ConversationFilter(case=original.case.id)):
        mine = each.case.id == original.case.id and each.repeat != original.repeat
        decided = verdicts.decision.outcome in (Outcome.PASSED, Outcome.FAILED) and not verdicts.decision.crash
        if mine and decided:
            found.append(oracle.among(verdicts.deciding)[0])
    return found


def _single(batch: Batch) -> Iterator[Rule]:
    return (rule for rule in batch.rules if rule.conversations == 1)


class _Finder:
    """Plays continuations of one conversation to find the deciding turn."""

    def __init__(self, conversation: Conversation, chatbot: Chatbot, oracle: FailureOracle, most: int) -> None:
        self._conversation, self._chatbot, self._oracle, self._most = conversation, chatbot, oracle, most
        self._takes_history = takes_history(chatbot.capabilities)
        self._lines = [each.said for each in turns_of(conversation)]
        self._again: list[bool] = []
        self.repeats_itself = False
        """True if the recorded lines get the recorded replies, as far as they were said again."""
        self.runs = 0

    @property
    def is_spent(self) -> bool:
        """True if no replay is left."""
        return self.runs >= self._most

    async def is_reproduced(self) -> bool:
        """Return True if the recorded lines fail again."""
        self.repeats_itself = True
        for run in range(_PASSING):
            if run >= _SAME and any(self._again):
                break
            made = await self._play(Fork(self._conversation, 0, self._lines))
            failed, _ = await self._oracle.failed(made)
            self._again += [] if failed is None else [failed]
            self.repeats_itself = self.repeats_itself and _spoken(made) == _spoken(self._conversation)
        self.repeats_itself = self.repeats_itself and any(self._again)
        return any(self._again)

    async def by_wordings(self, user: User, others: Iterable[bool]) -> DecidingTurn:
        """Return the turn after which the conversation fails whatever the wording of the user."""
        case = self._conversation.case
        plain = case.changed(persona=case.persona.changed(styles=()))
        goals = message(
            "user",
            " ".join(f"{each.text}." for each in case.goals),
            meant=tuple(Meant(act="wish", goal=at) for at in range(len(case.goals))),
        )

        async def go_on(turn: int, way: int) -> bool | None:
            restates = way == _WORDINGS and bool(case.goals)
            fork = Fork(self._conversation, turn, [goals] if restates else (), user)
            made = await self._play(fork, repeat_seed(case.seed, way + 2), plain if restates else case)
            return (await self._oracle.failed(made))[0]

        known = [(0, each) for each in others]
        return await self._search(len(self._lines), go_on, _WORDINGS + 1, known, from_start=True)

    async def by_lines(self, turns: int) -> DecidingTurn:
        """Return the turn after which the conversation fails, whichever of the recorded lines follow.

        The line that shows the failure, that of the last of the `turns`, is always said, unless that decides it.
        """

        async def go_on(turn: int, way: int) -> bool | None:
            random = Random(f"{self._conversation.case.seed}/{turn}/{way}")
            some = 0 < way < _WORDINGS
            rest = [line for line in self._lines[turn : turns - 1] if some and random.random() < 1 / 2]
            return await fails(turn, [*rest, *self._lines[turns - 1 : turns][: turns - turn]])

        async def fails(turn: int, lines: Sequence[Message]) -> bool | None:
            return (await self._oracle.failed(await self._play(Fork(self._conversation, turn, lines))))[0]

        found = await self._search(turns, go_on, _WORDINGS, [])
        if found.turn or self.is_spent:
            return found
        without = [await fails(turns - 1, ()) for _ in range(1 if self.repeats_itself else _SAME)]
        if any(each is not False for each in without):
            return found
        return DecidingTurn(turns, found.probability, (turns,), found.probes)

    async def _search(
        self,
        turns: int,
        go_on: Continuation,
        ways: int,
        known: Sequence[tuple[int, bool]],
        *,
        from_start: bool = False,
    ) -> DecidingTurn:
        """Search the turn; with `from_start`, end soon if the conversation fails from the start."""
        again = [] if self._takes_history else [(turns, each) for each in self._again]

        def search(last: bool, known: Sequence[tuple[int, bool]]) -> Search:
            most = max(self._most - self.runs, 0)
            return Search(turns, go_on, ways=ways, most=most, fails_at_last=last, known=known)

        if self.repeats_itself:
            exact = search(True, [])
            if (found := await exact.exact(from_start=from_start)) is not None:
                return found
            self.repeats_itself, known = self.is_spent, [*known, *exact.results]
        likely = search(self._takes_history, [*known, *again])
        if from_start and await likely.fails_from_start():
            return DecidingTurn(0, 1.0, (0,), likely.probes)
        return await likely.likely()

    async def _play(self, fork: Fork, seed: int | None = None, case: Case | None = None) -> Conversation:
        self.runs += 1
        seed = self._conversation.case.seed if seed is None else seed
        return (await fork.play(self._chatbot, seed, case)).conversation


def _spoken(conversation: Conversation) -> list[tuple[str, tuple[ToolCall, ...]]]:
    return [(each.text, each.tool_calls) for each in conversation.messages]
