"""Playing mutants: over recorded replies while the user says the same, else with the chatbot."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import CHANGE_YOUR_MIND, Case, Say, Style
from sparring.core.conversation import Conversation, Timing
from sparring.core.mutation import Edit, MutantPlay
from sparring.core.value import Json
from sparring.core.verdict import Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.phrasebooks import phrasebook
from sparring.mutation.asking import SAME, LiveChatbot, Verdicts, fails
from sparring.mutation.mutant import Mutant, family_of
from sparring.mutation.proxy import MutatedChatbot, Recorded, Setting, recorded_user
from sparring.scenarios.changes_of_mind import with_changes
from sparring.scenarios.variables import Variable
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from sparring.users.styles import ALL_QUESTIONS, LONG_PHRASES, SINGLE_QUESTION, SPELLING_MISTAKES
from sparring.users.user import User


class Mode(StrEnum):
    """How a mutant was played."""

    DERIVED = "derived"
    """The recorded replies were changed; the user reacted, but said what was recorded."""
    FROZEN = "frozen"
    """The user said what was recorded, regardless of the replies."""
    LIVE = "live"
    """The chatbot was asked."""


class State(StrEnum):
    """Result of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    INERT = "inert"
    NOT_REACHED = "not_reached"
    BROKE = "broke"
    UNDECIDED = "undecided"


_SLOW = 10.0
"""Seconds that a slow chatbot takes at least, so that it is too slow for a user."""

_APART = 10_000
"""Held-out conversations are numbered from here, so that their seeds differ from those of mutants."""

ERRING_STYLES = (CHANGE_YOUR_MIND, SPELLING_MISTAKES)
"""Styles of users that say something else than they mean: what the chatbot always says to others may differ."""

_OTHER_STYLES = (LONG_PHRASES, SINGLE_QUESTION, ALL_QUESTIONS, *ERRING_STYLES)

OTHER_USERS = len(_OTHER_STYLES)
"""Most users per case in held-out conversations."""

RANDOM_RUNS = 4
"""Most times that each case of a random chatbot is held out, since it replies differently."""

_FEW = 48
"""Cases of a random chatbot that are held out, all together."""


def other_users(case: Case, variables: Sequence[Variable] = ()) -> Iterator[Case]:
    """Yield the case with other styles of its user, who may take other values; a script has one more line."""
    if case.script:
        goodbye = phrasebook(case.persona.language).goodbye[0]
        yield case.changed(script=(*case.script, Say(text=goodbye)))
        return
    for name in _OTHER_STYLES:
        styled = case.changed(persona=case.persona.changed(styles=(Style(name=name),)), changes=())
        yield with_changes(styled, variables)


def _variables(conversations: Iterable[Conversation]) -> dict[str, list[Variable]]:
    """Return the variables of each scenario with the values of its cases."""
    found: dict[str, dict[str, dict[str, Json]]] = {}
    for each in conversations:
        values = found.setdefault(family_of(each), {})
        for name, value in each.case.variables.items():
            values.setdefault(name, {})[repr(value)] = value
    return {
        family: [Variable(name, tuple(each.values())) for name, each in values.items()]
        for family, values in found.items()
    }


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
    random: bool = False
    """True if the chatbot replies differently when it is asked again."""

    @property
    def inert(self) -> bool:
        """True if the conversation equals the baseline."""
        same = [(each.role, each.text, each.tool_calls) for each in self.conversation.messages]
        was = [(each.role, each.text, each.tool_calls) for each in self.baseline.messages]
        return same == was and self.conversation.ending is self.baseline.ending and not self._slowed

    @property
    def _slowed(self) -> bool:
        mine, was = self.conversation.timing, self.baseline.timing
        return mine is not None and was is not None and mine.replies != was.replies


class Player:
    """Plays mutants over the conversations of one baseline.

    `live` is None if the chatbot must not be called. `user` is None if a model plays it: then it says what is recorded.
    """

    def __init__(
        self, verdicts: Verdicts, setting: Setting, *, user: User | None, live: LiveChatbot | None = None
    ) -> None:
        self._verdicts = verdicts
        self._setting = setting
        self._user = user
        self._live = live
        self._baseline: dict[str, Mapping[str, Verdict | None]] = {}

    async def play(self, mutant: Mutant, baseline: Conversation) -> PlayedConversation | None:
        """Return a conversation with a mutant; None if it is not reached or the chatbot must not be asked."""
        user = self._user_of(baseline)
        if not mutant.operator.live:
            found = await self._over_record(mutant, baseline, user)
        elif self._live is None:
            return None
        elif await self._live.is_random(baseline, self._asking, self._held):
            return await self._confirmed(self._live, mutant, baseline)
        else:
            found = await self._asked(self._live, mutant, baseline)
        play, mode = found
        if not play.changes:
            return None
        conversation = play.conversation
        before = await self.baseline(baseline)
        verdicts = (
            {} if conversation.ending is None or conversation.ending.crashed else await self._verdicts(conversation)
        )
        broken = [each for hash, each in verdicts.items() if fails(each) and not fails(before.get(hash))]
        return PlayedConversation(
            baseline, conversation, play.changes, mode, verdicts, [each for each in broken if each is not None]
        )

    async def baseline(self, conversation: Conversation) -> Mapping[str, Verdict | None]:
        """Return the verdicts on a recorded conversation that is played again, without a change."""
        if conversation.id not in self._baseline:
            again, _ = await self.again(conversation)
            self._baseline[conversation.id] = await self._verdicts(again)
        return self._baseline[conversation.id]

    async def again(self, conversation: Conversation) -> tuple[Conversation, bool]:
        """Return a recorded conversation played again, and True if it is the same."""
        user = self._user_of(conversation)
        made, _ = await self._over_record(Mutant(SAME, 1, (conversation,)), conversation, user)
        return made.conversation, made.conversation.messages == conversation.messages

    async def held_apart(self, conversations: Sequence[Conversation]) -> list[Conversation]:
        """Return correct conversations of other users: other words, other styles, one more turn."""
        found: list[Conversation] = []
        if self._live is None:
            return found
        variables = _variables(conversations)
        times = min(RANDOM_RUNS, max(1, _FEW // max(1, len(conversations))))
        for baseline in conversations:
            before = await self.baseline(baseline)
            cases = list(other_users(baseline.case, variables[family_of(baseline)]))
            if self._live.random:
                cases = [*cases, *[baseline.case] * (OTHER_USERS - len(cases))] * times
            for number, case in enumerate(cases):
                other = baseline.changed(case=case)
                same, user = Mutant(SAME, 1, (other,)), self._asking(other)
                play = await self._live.held(same, other, user, self._held, number=_APART + number)
                verdicts = await self._verdicts(play.conversation)
                failed = [hash for hash, each in verdicts.items() if fails(each) and not fails(before.get(hash))]
                ending = play.conversation.ending
                if ending is not None and ending.completed and not failed:
                    found.append(play.conversation)
        return found

    def _user_of(self, baseline: Conversation) -> User | None:
        return Scripted() if baseline.case.script else self._user

    def _asking(self, baseline: Conversation) -> User:
        return self._user_of(baseline) or recorded_user(baseline)

    async def _over_record(self, mutant: Mutant, baseline: Conversation, user: User | None) -> tuple[MutantPlay, Mode]:
        """Change recorded replies; if the user then says something else, call a deterministic chatbot."""
        if user is not None:
            recorded = Recorded(baseline)
            found = await self._held(mutant, baseline, recorded, user)
            if not recorded.diverged:
                return found, Mode.DERIVED
            if self._live is not None and not await self._live.is_random(baseline, self._asking, self._held):
                return await self._asked(self._live, mutant, baseline)
        return await self._held(mutant, baseline, Recorded(baseline), recorded_user(baseline)), Mode.FROZEN

    async def _asked(self, live: LiveChatbot, mutant: Mutant, baseline: Conversation) -> tuple[MutantPlay, Mode]:
        found = await live.held(mutant, baseline, self._asking(baseline), self._held)
        return found, Mode.LIVE

    async def _confirmed(self, live: LiveChatbot, mutant: Mutant, baseline: Conversation) -> PlayedConversation | None:
        found = await live.confirmed(mutant, baseline, self._asking, self._held)
        if found is None:
            return None
        play, verdicts, broken = found
        return PlayedConversation(baseline, play.conversation, play.changes, Mode.LIVE, verdicts, broken, random=True)

    async def _held(self, mutant: Mutant, baseline: Conversation, chatbot: Chatbot, user: User) -> MutantPlay:
        changes: list[Edit] = []
        made = await self._simulated(mutant, baseline, chatbot, user, changes)
        return MutantPlay(conversation=made, changes=tuple(changes))

    async def _simulated(
        self, mutant: Mutant, baseline: Conversation, inner: Chatbot, user: User, changes: list[Edit]
    ) -> Conversation:
        chatbot = MutatedChatbot(inner, mutant, baseline, self._setting, changes)
        made = await simulate(baseline.case, user, chatbot, reader=PatternReader(), repeat=baseline.repeat)
        kept: dict[str, object] = {"provenance": baseline.provenance}
        if isinstance(inner, Recorded):
            kept |= {name: getattr(baseline, name) for name in ("usage", "calls", "state", "tools")}
        return made.changed(**kept, timing=_timing(made, baseline, mutant.operator.slows))


def _timing(made: Conversation, baseline: Conversation, slows: float) -> Timing | None:
    """Return the recorded times, as many as there are replies."""
    if baseline.timing is None or made.timing is None:
        return made.timing
    was = baseline.timing.replies or (0.0,)
    count = len(made.timing.replies)
    same = (was[min(at, len(was) - 1)] for at in range(count))
    replies = tuple(max(slows * each, _SLOW) if slows > 1 else each for each in same)
    return baseline.timing.model_copy(update={"replies": replies})
