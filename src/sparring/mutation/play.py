"""Playing mutants: over recorded replies while the user goes on the same, else with the chatbot."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sparring.chatbots.chatbot import Chatbot
from sparring.core.conversation import Conversation, Timing
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.mutation.mutant import Mutant
from sparring.mutation.operator import MutationOperator
from sparring.mutation.proxy import Edit, MutatedChatbot, Recorded, RecordedUser, SessionEdits, Setting
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from sparring.users.user import User

Verdicts = Callable[[Conversation], Awaitable[Mapping[str, Verdict | None]]]
"""Return the verdicts of all checks that need no model, by the hash of the check."""

SAME = MutationOperator("control.same", "changes nothing", lambda reply, place: None, everywhere=True)
"""The operator of the baseline itself: what kills it is a false alarm."""


class Mode(StrEnum):
    """How a mutant was played."""

    DERIVED = "derived"
    """The recorded replies were changed, and the user reacted to them; it said what was recorded otherwise."""
    FROZEN = "frozen"
    """The user said what was recorded, whatever it heard."""
    LIVE = "live"
    """The chatbot was asked."""


class State(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    INERT = "inert"
    NOT_REACHED = "not_reached"
    BROKE = "broke"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class PlayedConversation:
    """A conversation of a mutant: as it was played, with its changes and verdicts."""

    baseline: Conversation
    conversation: Conversation
    changes: Sequence[Edit]
    mode: Mode
    verdicts: Mapping[str, Verdict | None]
    broken: Sequence[Verdict] = ()
    """Verdicts of checks that failed, and did not fail in the baseline."""

    @property
    def inert(self) -> bool:
        """True if what was said and done is the same as in the baseline."""
        same = [(each.role, each.text, each.tool_calls) for each in self.conversation.messages]
        was = [(each.role, each.text, each.tool_calls) for each in self.baseline.messages]
        return same == was and self.conversation.ending is self.baseline.ending and not self._slowed

    @property
    def _slowed(self) -> bool:
        mine, was = self.conversation.timing, self.baseline.timing
        return mine is not None and was is not None and mine.replies != was.replies


class Player:
    """Plays mutants over the conversations of one baseline.

    `chatbot` is None if it must not be asked. `user` is None if a model plays it: then it says what is recorded.
    """

    def __init__(
        self, verdicts: Verdicts, setting: Setting, *, user: User | None, chatbot: Chatbot | None = None
    ) -> None:
        self._verdicts = verdicts
        self._setting = setting
        self._user = user
        self._chatbot = chatbot
        self._baseline: dict[str, Mapping[str, Verdict | None]] = {}
        self._repeats: dict[str, bool] = {}
        self.asked = 0
        """Number of conversations with the chatbot itself."""

    async def play(self, mutant: Mutant, baseline: Conversation) -> PlayedConversation | None:
        """Return a conversation with a mutant; None if it is not reached or the chatbot must not be asked."""
        found = await self._played(mutant, baseline)
        if found is None:
            return None
        conversation, played, mode = found
        if not played.changes:
            return None
        before = await self.baseline(baseline)
        verdicts = (
            {} if conversation.ending is None or conversation.ending.crashed else await self._verdicts(conversation)
        )
        broken = [each for hash, each in verdicts.items() if _fails(each) and not _fails(before.get(hash))]
        return PlayedConversation(
            baseline, conversation, played.changes, mode, verdicts, [each for each in broken if each is not None]
        )

    async def baseline(self, conversation: Conversation) -> Mapping[str, Verdict | None]:
        """Return the verdicts on a recorded conversation that is played again, without a change."""
        if conversation.id not in self._baseline:
            again, _ = await self.again(conversation)
            self._baseline[conversation.id] = await self._verdicts(again)
        return self._baseline[conversation.id]

    async def again(self, conversation: Conversation) -> tuple[Conversation, bool]:
        """Return a recorded conversation played again, and True if it is the same."""
        found = await self._played(Mutant(SAME, 1, (conversation,)), conversation)
        assert found is not None  # nothing of it has to be live
        return found[0], found[0].messages == conversation.messages

    async def _played(self, mutant: Mutant, baseline: Conversation) -> tuple[Conversation, SessionEdits, Mode] | None:
        user = Scripted() if baseline.case.script else self._user
        if not mutant.operator.live:
            played = SessionEdits()
            recorded = Recorded(baseline, played)
            if user is not None:
                found = await self._simulated(mutant, baseline, recorded, user, played)
                if not played.diverged:
                    return found, played, Mode.DERIVED
            if user is None or not await self._is_repeatable(baseline, user):
                played = SessionEdits()
                said = RecordedUser(baseline)
                return (
                    await self._simulated(mutant, baseline, Recorded(baseline, played), said, played),
                    played,
                    Mode.FROZEN,
                )
        user = user or RecordedUser(baseline)
        if self._chatbot is None or not await self._is_repeatable(baseline, user):
            return None
        self.asked += 1
        played = SessionEdits()
        return await self._simulated(mutant, baseline, self._chatbot, user, played), played, Mode.LIVE

    async def _is_repeatable(self, baseline: Conversation, user: User) -> bool:
        """Return True if the chatbot, asked again without a fault, says what is recorded."""
        if self._chatbot is None:
            return False
        if baseline.id not in self._repeats:
            self.asked += 1
            same = Mutant(SAME, 1, (baseline,))
            again = await self._simulated(same, baseline, self._chatbot, user, SessionEdits())
            self._repeats[baseline.id] = again.messages == baseline.messages
        return self._repeats[baseline.id]

    async def _simulated(
        self, mutant: Mutant, baseline: Conversation, inner: Chatbot, user: User, played: SessionEdits
    ) -> Conversation:
        chatbot = MutatedChatbot(inner, mutant, baseline, self._setting, played)
        made = await simulate(baseline.case, user, chatbot, reader=PatternReader(), repeat=baseline.repeat)
        kept = {"provenance": baseline.provenance, "usage": baseline.usage, "calls": baseline.calls}
        if inner is not self._chatbot:
            kept |= {"state": baseline.state, "tools": baseline.tools}
        return made.changed(**kept, timing=_timing(made, baseline, mutant.operator.slows))


def _timing(made: Conversation, baseline: Conversation, slows: float) -> Timing | None:
    """Return the recorded times, as many as there are replies."""
    if baseline.timing is None or made.timing is None:
        return made.timing
    was = baseline.timing.replies or (0.0,)
    count = len(made.timing.replies)
    replies = tuple(slows * was[min(at, len(was) - 1)] for at in range(count))
    return baseline.timing.model_copy(update={"replies": replies})


def _fails(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.outcome is CheckOutcome.FAIL
