"""Live conversations of mutants with the chatbot, and how its checks behave without a fault.

Each conversation is played once. A chatbot that replies differently when it is asked again is random: its checks may
fail by chance. A mutant then counts as noticed only if a check fails in several fresh conversations, and not without
the mutant.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field

from sparring.chatbots.chatbot import Chatbot
from sparring.core.conversation import Conversation
from sparring.core.mutation import MutantPlay
from sparring.core.prompts import Prompts
from sparring.core.seeding import repeat_seed
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.mutation.mutant import Mutant
from sparring.mutation.operator import MutationOperator
from sparring.statistics import fisher
from sparring.users.user import User

Verdicts = Callable[[Conversation], Awaitable[Mapping[str, Verdict | None]]]
"""Return the verdicts of all checks that need no model, by the hash of the check."""

Hold = Callable[[Mutant, Conversation, Chatbot, User], Awaitable[MutantPlay]]
"""Hold a conversation with a mutant of a chatbot."""

UserFor = Callable[[Conversation], User]
"""Return the user of a recorded conversation."""

WithPrompts = Callable[[Prompts], AbstractAsyncContextManager[Chatbot]]
"""Open the chatbot with other prompts."""

SAME = MutationOperator("control.same", "changes nothing", lambda reply, place: None, everywhere=True)
"""The operator of the baseline itself: what kills it is a false alarm."""

CONTROL = MutationOperator("control.heard", "hears what the user says", hears=lambda said, place: said)
"""The same for operators that need the chatbot."""

REPLAYS = 10
"""Conversations that must have equal replays before a chatbot counts as deterministic."""

_LEVEL = 0.005
"""Chance of a false alarm about one mutant."""

_FLAKY = 0.2
"""Share of failures without a fault above which a check counts as flaky."""

_FRESH = 1_000
"""Fresh conversations of mutants are numbered from here, so that their seeds differ from those of the baseline."""


class CostLimitReached(Exception):
    """The next conversation may cost more than is left."""


class Plays:
    """Live conversations with the chatbot, by the mutant, the conversation and a number."""

    async def find(self, key: str) -> MutantPlay | None:
        """Return the stored conversation under a key, if any."""
        return None

    async def keep(self, key: str, held: MutantPlay) -> None:
        """Keep a conversation."""


@dataclass
class _Control:
    """Failures of each check without a fault, and the number of runs, by conversation."""

    failed: dict[str, Counter[str]] = field(default_factory=dict)
    runs: Counter[str] = field(default_factory=Counter)

    def add(self, conversation: str, failed: set[str]) -> None:
        self.runs[conversation] += 1
        self.failed.setdefault(conversation, Counter()).update(failed)

    def failures(self, check: str) -> int:
        return sum(each[check] for each in self.failed.values())

    @property
    def flaky(self) -> set[str]:
        """The checks that fail too often to notice anything."""
        checks = {check for each in self.failed.values() for check in each}
        return {check for check in checks if self.failures(check) > _FLAKY * self.runs.total()}

    def notices(self, check: str, conversation: str, failed: int, of: int, tests: int) -> bool:
        """Return True if a check fails significantly more often than without a fault.

        It is one of several tests.
        """
        if self.failed.get(conversation, Counter())[check] or check in self.flaky:
            return False
        chance = fisher(failed, of, self.failures(check), self.runs.total(), one_sided=True)
        return chance <= _LEVEL / tests


class LiveChatbot:
    """The chatbot of a baseline, called again with and without mutants.

    Without a fault, each of the `conversations` of a random chatbot runs `runs` times. `plays` stores them.
    `with_prompts` is needed by mutants of prompts. `limit` is the cost in US dollars that conversations may reach.
    """

    def __init__(
        self,
        chatbot: Chatbot,
        verdicts: Verdicts,
        conversations: Sequence[Conversation] = (),
        *,
        runs: int = 3,
        plays: Plays | None = None,
        with_prompts: WithPrompts | None = None,
        limit: float | None = None,
    ) -> None:
        self.chatbot = chatbot
        self._verdicts = verdicts
        self._conversations = conversations
        self._runs = runs
        self._plays = plays or Plays()
        self._with_prompts = with_prompts
        self._limit = limit
        self._dearest = max(
            (each.usage["chatbot"].cost for each in conversations if "chatbot" in each.usage), default=0.0
        )
        self.random: bool | None = None
        """True if a conversation came out differently when it was held again; None if none was."""
        self._control: _Control | None = None
        self.asked = 0
        """Number of conversations."""
        self.cost = 0.0
        """US dollars, as far as they are known."""

    @property
    def flaky(self) -> list[str]:
        """Checks that fail too often without a fault."""
        return sorted(self._control.flaky) if self._control else []

    async def held(
        self, mutant: Mutant, baseline: Conversation, user: User, hold: Hold, *, number: int = 0, again: int = 0
    ) -> MutantPlay:
        """Return a conversation with a mutant, held anew unless it is kept.

        A `number` gives it a seed of its own, and `again` tells equal ones apart.
        """
        key = f"{mutant.id}|{baseline.id}|{number}|{again}"
        if (kept := await self._plays.find(key)) is not None:
            return kept
        if self._limit is not None and self.cost + self._dearest > self._limit:
            raise CostLimitReached(f"${self.cost:.4f} of ${self._limit:g} were spent")
        self.asked += 1
        case = baseline.case.changed(seed=repeat_seed(baseline.case.seed, _FRESH + number)) if number else baseline.case
        async with self._opened(mutant) as chatbot:
            held = await hold(mutant, baseline.changed(case=case), chatbot, user)
        cost = held.conversation.consumed.cost
        self.cost, self._dearest = self.cost + cost, max(self._dearest, cost)
        await self._plays.keep(key, held)
        return held

    def _opened(self, mutant: Mutant) -> AbstractAsyncContextManager[Chatbot]:
        if mutant.change is None or mutant.change.prompts is None or self._with_prompts is None:
            return nullcontext(self.chatbot)
        return self._with_prompts(mutant.change.prompts)

    async def is_random(self, baseline: Conversation, user: UserFor, hold: Hold) -> bool:
        """Return True if the chatbot says something else than recorded when nothing is changed.

        All conversations are held again once, before the first mutant, so that all mutants are judged alike.
        """
        if self.random is None:
            wanted = self._conversations or (baseline,)
            self.random = False
            for number in range(max(REPLAYS, len(wanted))):
                again, which = divmod(number, len(wanted))
                each = wanted[which]
                made = await self.held(Mutant(SAME, 1, (each,)), each, user(each), hold, again=again)
                if made.conversation.messages != each.messages:
                    self.random = True
                    break
        return self.random

    async def confirmed(
        self, mutant: Mutant, baseline: Conversation, user: UserFor, hold: Hold
    ) -> tuple[MutantPlay, Mapping[str, Verdict | None], list[Verdict]] | None:
        """Hold fresh conversations with a mutant until checks are known to notice it, or not to.

        Return one of them with its verdicts, and the checks that notice; None if the mutant was never reached.
        """
        control = await self._controlled(user, hold)
        failed: Counter[str] = Counter()
        shown: tuple[MutantPlay, Mapping[str, Verdict | None]] | None = None
        for number in range(1, self._runs + 3):
            held = await self.held(mutant, baseline, user(baseline), hold, number=number)
            if not held.changes:
                continue
            verdicts = await self._checked(held.conversation)
            failing = {each.check: each for each in verdicts.values() if fails(each) and each is not None}
            failed.update(failing.keys())
            shown = (held, verdicts) if shown is None or failing else shown
            if number - max(failed.values(), default=0) >= 2:
                break
            often = [check for check in failing if failed[check] >= self._runs]
            if often:
                await self._again(control, baseline, user, hold, 2 * self._runs + 2)
                tests = len(verdicts) * len(mutant.conversations)
                kills = [each for each in often if control.notices(each, baseline.id, failed[each], number, tests)]
                if kills:
                    return held, verdicts, [failing[each] for each in kills]
        return None if shown is None else (*shown, [])

    async def _controlled(self, user: UserFor, hold: Hold) -> _Control:
        if self._control is None:
            self._control = _Control()
            for each in self._conversations:
                await self._again(self._control, each, user, hold, self._runs)
        return self._control

    async def _again(self, control: _Control, baseline: Conversation, user: UserFor, hold: Hold, runs: int) -> None:
        """Run a conversation without a fault up to a number of times."""
        for number in range(control.runs[baseline.id] + 1, runs + 1):
            same = Mutant(SAME, 1, (baseline,))
            made = await self.held(same, baseline, user(baseline), hold, number=-number)
            verdicts = await self._checked(made.conversation)
            control.add(baseline.id, {each.check for each in verdicts.values() if fails(each) and each is not None})

    async def _checked(self, conversation: Conversation) -> Mapping[str, Verdict | None]:
        crashed = conversation.ending is None or conversation.ending.crashed
        return {} if crashed else await self._verdicts(conversation)


def fails(verdict: Verdict | None) -> bool:
    """Return True for the verdict of a check that failed."""
    return verdict is not None and verdict.outcome is CheckOutcome.FAIL
