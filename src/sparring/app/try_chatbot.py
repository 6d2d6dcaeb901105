"""`sparring try`: find ordinary bugs in a chatbot, and confirm each finding by replays."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

from sparring.app.config import AppConfig
from sparring.app.played_probes import (
    MOST_AT_ONCE,
    Learned,
    PlayedProbe,
    Wish,
    answered_in,
    at_once,
    constant_reply,
    findings,
    first_of_each,
    is_cancelled,
    is_slow,
    learn_from,
    menu_tasks,
    replies_of,
)
from sparring.app.probe import open_chatbot
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case, Limits, Say
from sparring.core.conversation import Conversation, Ending
from sparring.core.seeding import unique_id
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.pattern_extractor import PatternReader
from sparring.extraction.tokens import language_of
from sparring.probes.about import described_values, describes_chatbot, facts_and_wishes, language_of_facts, other_number
from sparring.probes.acts import asks_to_confirm, ids_in, masked
from sparring.probes.battery import BATTERY, Probe, ProbeUser
from sparring.probes.cancelling import MOST_TURNS
from sparring.probes.domain import PERSONAL, Domain, abilities_in, wish_line
from sparring.probes.found import Found, asked_in, is_silent, replies_in
from sparring.probes.lines import LANGUAGES, lines_of
from sparring.probes.notes import Notes
from sparring.probes.result import REPLAYS, Tried, TryResult
from sparring.probes.same_outcome import straight_lines, straight_summary
from sparring.probes.sessions import carried_over, gone_on, mixed_up, plant, questions_after
from sparring.probes.unusual import NONSENSE
from sparring.probes.walker import Walker
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted

MOST_MESSAGES = 1000
_MOST_SHORTER = 20
"""Attempts at a shorter script of a finding."""

_MOST_TASKS = 2
_EACH_TASK = frozenset(
    "second-options last-options late-correction cancel deny confirm-twice impossible-date unknown-number start-over"
    " past-date over-limit".split()
)
"""Probes of each task."""

_LIMITS = Limits(turns=MOST_TURNS + 8, reply_seconds=30)
_WALK = BATTERY[0]
_FACTS = next(each for each in BATTERY if each.name == "facts")


async def try_chatbot(
    name: str,
    config: AppConfig,
    *,
    about: Sequence[str] = (),
    most_messages: int = MOST_MESSAGES,
    stop: asyncio.Event | None = None,
    listener: Callable[[TryResult], None] = lambda result: None,
) -> TryResult:
    """Play the battery against a chatbot, and replay each finding with the same words.

    Once `stop` is set, no conversation starts. `listener` is called after each conversation.
    """
    async with open_chatbot(name, config) as chatbot:
        return await Trial(chatbot, about, most_messages, stop=stop, listener=listener).run()


async def learn_chatbot(name: str, config: AppConfig) -> Learned:
    """Talk to a chatbot as an ordinary user, and return its abilities."""
    async with open_chatbot(name, config) as chatbot:
        return await Trial(chatbot).learn()


class Trial:
    """One chatbot and the battery that is played against it."""

    def __init__(
        self,
        chatbot: Chatbot,
        about: Sequence[str] = (),
        most_messages: int = MOST_MESSAGES,
        *,
        stop: asyncio.Event | None = None,
        listener: Callable[[TryResult], None] = lambda result: None,
    ) -> None:
        self._chatbot, self._stop, self._listener = chatbot, stop or asyncio.Event(), listener
        self._language = language_of_facts(list(about))
        self._domain = Domain(described=described_values(". ".join(filter(describes_chatbot, about))))
        self._facts, self._about = facts_and_wishes(about)
        self._wishes: list[Wish] = []
        self._other_wishes: list[Wish] = []
        self._most = most_messages
        self._first: tuple[str, ...] = ()
        self._broken: list[PlayedProbe] = []
        self._result = TryResult(probes=len(BATTERY) + 1, domain=self._domain)
        self._apart = chatbot.capabilities.sessions != "shared"  # else conversations mix, and show bugs that are none
        self._slots = asyncio.Semaphore(MOST_AT_ONCE if self._apart else 1)

    async def learn(self) -> Learned:
        """Walk for each wish, and return the walks."""
        await self._greet()
        if self._result.unreachable:
            return Learned(unreachable=self._result.unreachable)
        played = await self._learn()
        taken = tuple(each.taken for each in played[0].notes.choices)
        return Learned(tuple(each.conversation for each in played), taken)

    async def run(self) -> TryResult:
        """Play the battery, and each finding again."""
        before = await self._greet()
        if self._result.unreachable:
            return self._result
        played = await self._learn()
        if self._apart:
            self._slots = asyncio.Semaphore(at_once(before, [each.conversation for each in played]))
        if self._apart and (mixed := await gone_on(played[0].conversation, played[0].notes, self._say)) is not None:
            self._slots = asyncio.Semaphore(1)  # side by side, conversations would mix
            self._result.tried.append(mixed)
            played = await self._learn()
        asked, others = asked_in(played[0].conversation), zip(self._wishes[1:], played[1:], strict=True)
        self._other_wishes = [wish for wish, walk in others if not asked_in(walk.conversation) <= asked]
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._with_any_wish(probe)) for probe in BATTERY[1:]]
            more = product(self._other_tasks(played), (probe for probe in BATTERY if probe.name in _EACH_TASK))
            tasks += [group.create_task(self._played(probe, wish)) for wish, probe in more]
        played += [*(task.result() for task in tasks), *self._broken]
        self._domain.cancels = any(map(is_cancelled, played))
        done = {each.probe.name for each in played if not each.notes.missed}
        lacking = [each for each in played if each.notes.missed and not each.probe.optional]
        self._result.missed = {each.probe.name: each.notes.missed for each in lacking if each.probe.name not in done}
        stuck = [each.notes.stuck for each in played if each.probe.name in self._result.missed]
        self._result.stuck = next((each for each in stuck if each and not is_fallback(each)), "")
        constant = constant_reply(self._result.played, played[0], certain=bool(self._about))
        self._result.constant = constant is not None
        if constant is not None:
            self._result.tried.append(constant)
        for each in (one for one in played if one.notes.priced):  # one shows what another one should cost
            findings(each.conversation, each.notes)
        found = [each for each in first_of_each(played) if constant is None or each[1].kind == "crash"]
        sessions, confirm = self._sessions(before, played[0]), [self._confirm(*each) for each in found]
        if is_slow(before):
            both = await asyncio.gather(sessions, asyncio.gather(*confirm))
        else:  # not beside others, which would mix in
            both = await sessions, await asyncio.gather(*confirm)
        self._result.tried += [*both[0], *both[1]]
        self._result.tried.sort(key=lambda tried: not tried.certain)
        return self._result

    async def _greet(self) -> Conversation:
        """Greet the chatbot in each language until it understands."""
        before = await self._say(questions_after(self._language))
        if is_silent(before) and is_silent(await self._say(questions_after(self._language))):
            for language in (each for each in LANGUAGES if each != self._language):
                said = await self._say(questions_after(language))
                if not is_silent(said):  # it breaks at what it does not understand
                    self._language = language
                    self._broken = [PlayedProbe(replace(_WALK, name="hello"), before, Notes(), Wish(""))]
                    return said
            self._result.unreachable = before.error or "it does not reply"
        if self._result.unreachable or not all(map(is_fallback, replies_of(before))):
            return before
        spoken = [language for each in replies_of(before) if (language := language_of(each)) in LANGUAGES]
        for language in (each for each in LANGUAGES if each != self._language):
            said = await self._say(questions_after(language))
            if any(language_of(each) == language and not is_fallback(each) for each in replies_of(said)):
                self._language = language
                return said
        if spoken and spoken[0] != self._language:  # it says in its own language that it does not understand
            self._language = spoken[0]
            return await self._say(questions_after(self._language))
        return before

    async def _learn(self) -> list[PlayedProbe]:
        """Walk for each wish, and put the longest walk first."""
        for _ in range(2):
            spoken = self._language
            wishes = self._wished(self._about) or [Wish(lines_of(spoken)["order"])]
            order = Wish(lines_of(spoken)["order"])
            (*walks, facts), asked = await asyncio.gather(
                asyncio.gather(*(self._play(_WALK, wish) for wish in wishes), self._play(_FACTS, order)),
                self._say([lines_of(spoken)["abilities"], lines_of(spoken)["options"]]),
            )
            self._language = walks[0].notes.language
            if self._language == spoken:
                break
        self._share([*walks, facts])
        first = walks[0].conversation
        for each in walks:
            learn_from(self._domain, each.conversation, self._language, each.notes)
        said = ""
        for reply in replies_in(first):
            said += reply.asked
            self._domain.public |= {value for value in PERSONAL if value in reply.text and value not in said}
            if not any(turn <= reply.turn for turn in walks[0].notes.yeses):  # an example, as nothing was done yet
                self._domain.public |= ids_in(reply.text)
        lines = lines_of(self._language)  # the chatbot may speak another language
        order = lines["order"]
        by_wish = dict(zip(wishes if self._about else [Wish(order)], walks, strict=True))
        learn_from(self._domain, asked, self._language)
        learn_from(self._domain, facts.conversation, self._language)
        self._domain.question = answered_in(facts.conversation, self._language)
        if not self._about:
            abilities = abilities_in([*replies_of(asked), *replies_of(first)], self._language)
            if not any(map(self._domain.price_of, walks[0].menu)):  # things, and no tasks
                self._domain.tasks = walks[0].menu
            others = [Wish(wish_line(each, self._language)) for each in abilities]
            self._domain.learn_recap(each.line for each in others)
            others += [Wish(lines["take"].format(item=each)) for each in self._domain.items[:1]]
            others = list(dict.fromkeys([*others, *(Wish(order, each) for each in menu_tasks(walks[0]))]))
            walks = await asyncio.gather(*(self._play(_WALK, wish) for wish in others))
            self._share(walks)
            for wish, walk in zip(others, walks, strict=True):
                by_wish[wish] = walk
                learn_from(self._domain, walk.conversation, self._language, walk.notes)
        opened: dict[Wish, PlayedProbe] = {}
        for wish, walk in by_wish.items():  # of walks with the same opening, the first one stays
            opened.setdefault(Wish(walk.notes.opening, wish.task) if walk.notes.opening else wish, walk)
        by_wish = opened
        self._wishes = sorted(by_wish, key=lambda wish: (by_wish[wish].depth, wish.line != order), reverse=True)
        played = [by_wish[wish] for wish in self._wishes]
        if played[0].notes.yeses and played[0].notes.choices:
            self._first = (played[0].notes.choices[0].taken,)
        self._domain.taken = [
            each.taken for each in played[0].notes.choices if each.turn > 1 or self._domain.price_of(each.taken)
        ]
        return played

    def _share(self, walks: Sequence[PlayedProbe]) -> None:
        """Let later conversations know which answers the chatbot took in these, in their order."""
        for each in walks:
            self._domain.tried.add(each.notes.domain.tried)
            self._domain.to_try += [said for said in each.notes.domain.to_try if said not in self._domain.to_try]
            each.notes.domain = self._domain

    def _other_tasks(self, played: Sequence[PlayedProbe]) -> list[Wish]:
        """Return wishes whose walks were confirmed and asked other questions than the first one."""
        found: list[Wish] = []
        known = [asked_in(played[0].conversation)]
        for wish, walk in zip(self._wishes[1:], played[1:], strict=True):
            if walk.notes.yeses and (asked := asked_in(walk.conversation)) not in known:
                known.append(asked)
                found.append(wish)
        return found[:_MOST_TASKS]

    async def _with_any_wish(self, probe: Probe) -> PlayedProbe:
        """Play a probe, with wishes for other things if the first one gives no opportunity for it."""
        played = await self._played(probe, self._wishes[0])
        if probe.nth and not played.notes.yeses and self._first:  # another task has no such questions
            again = await self._played(probe, self._wishes[0], prefers=self._first)
            played = again if again.notes.yeses else played
        if not played.notes.missed:
            return played
        others = await asyncio.gather(*(self._played(probe, wish) for wish in self._other_wishes))
        return next((each for each in others if not each.notes.missed), played)

    async def _played(self, probe: Probe, wish: Wish, prefers: Sequence[str] = ()) -> PlayedProbe:
        """Play a probe, and for comparison the same without what it does."""
        played = await self._play(probe, wish, prefers)
        await asyncio.gather(self._play_straight(played), self._play_nonsense(played))
        return played

    def _wished(self, abilities: Sequence[str]) -> list[Wish]:
        return [Wish(wish_line(each, language_of(each) or self._language)) for each in abilities]

    async def _play(self, probe: Probe, wish: Wish, prefers: Sequence[str] = ()) -> PlayedProbe:
        line = wish.line
        eager = line != lines_of(self._language)["order"]
        facts = self._facts
        if probe.name == "unknown-number":
            line, facts = other_number(line), {name: other_number(value) for name, value in facts.items()}
        domain = replace(self._domain, tried=self._domain.tried.copy(), to_try=[*self._domain.to_try])
        walker = Walker([line], self._language, nth=probe.nth, domain=domain, eager=eager, facts=facts)
        walker.task = wish.task
        walker.settled = bool(self._wishes)  # all walks were taken
        walker.prefers += prefers
        user = ProbeUser(probe, walker)
        async with self._slots:
            if self._stop.is_set() or self._result.messages >= self._most:
                limit = f"the limit of {self._most} messages was reached"
                user.notes.missed = "it was interrupted" if self._stop.is_set() else limit
                return PlayedProbe(probe, Conversation(case=_case(probe.name)), user.notes, wish)
            conversation = await simulate(_case(probe.name), user, self._chatbot, reader=PatternReader())
        if conversation.ending is Ending.USER_FAILED:
            user.notes.missed = f"a fault of Sparring's probe, not of the chatbot: {conversation.error}"
        if walker.settled:
            user.notes.domain = self._domain
        return PlayedProbe(probe, self._counted(conversation), user.notes, wish)

    async def _play_straight(self, played: PlayedProbe) -> None:
        """Say the same without the detour of a probe, for what the chatbot should ask to confirm."""
        lines = straight_lines(played.conversation, played.notes)
        if lines and self._result.messages < self._most and not self._stop.is_set():
            straight = await self._say(lines)
            played.notes.straight = straight_summary(straight, played.conversation, played.notes)

    async def _play_nonsense(self, played: PlayedProbe) -> None:
        """Say nonsense in place of a correction that was not applied, unless it is asked to confirm an option."""
        turn = played.notes.changed or 1
        said = list(replies_in(played.conversation))
        lost = any(each.kind == "correction" and each.certain for each in findings(played.conversation, played.notes))
        if lost and (played.probe.optional or not asks_to_confirm(said[turn - 1].text)):
            nonsense = replies_of(await self._say([*(each.asked for each in said[: turn - 1]), NONSENSE]))
            played.notes.passed_over = [masked(each) for each in nonsense[-1:]] == [masked(said[turn - 1].text)]

    async def _say(self, lines: Sequence[str]) -> Conversation:
        case = _case("again", lines)
        async with self._slots:
            return self._counted(await simulate(case, Scripted(), self._chatbot, reader=PatternReader()))

    def _counted(self, conversation: Conversation) -> Conversation:
        self._result.conversations += 1
        self._result.messages += conversation.turns
        self._result.played.append(conversation)
        self._listener(self._result)
        return conversation

    async def _sessions(self, before: Conversation, first: PlayedProbe) -> list[Tried]:
        """Say something in one conversation, and ask for it in the next; then repeat the first walk."""
        if any(each.found.kind == "sessions" for each in self._result.tried):
            return []
        lines = questions_after(self._language)
        planted = await self._play(Probe("sessions", plant), self._wishes[0])

        async def asked() -> Found | None:
            return mixed_up(before, planted.conversation, planted.notes, await self._say(lines))

        async def walked(*, again: bool = True) -> Found | None:
            if again:
                await self._play(Probe("sessions", plant), self._wishes[0])
            walk = await self._play(_WALK, self._wishes[0])
            return carried_over(first.conversation, first.notes.choices, walk.conversation, walk.notes)

        for attempt, shown in zip((asked, walked), await asyncio.gather(asked(), walked(again=False)), strict=True):
            if shown is not None:
                seen = sum([await attempt() is not None for _ in range(REPLAYS)])
                return [Tried(shown, "sessions", tuple(lines), seen)]
        return []

    async def _confirm(self, played: PlayedProbe, found: Found, others: int) -> Tried:
        lines = [said.text for said in played.conversation.messages if said.role == "user"][: found.turn]
        tried = Tried(found, played.probe.name, tuple(lines), REPLAYS, others=others)
        places = range(len(lines) - 2, -1, -1)[:_MOST_SHORTER] if found.certain else []
        alone = asyncio.gather(*(self._without(tried, played.notes, at) for at in places))
        again = await asyncio.gather(*(self._say(lines) for _ in range(REPLAYS)))
        seen = sum(any(each.kind == found.kind for each in findings(one, played.notes)) for one in again)
        tried = replace(tried, again=seen, fails=all(found.shows_in(replay) for replay in again))
        unneeded = [place for place, shown in zip(places, await alone, strict=True) if shown is not None]
        return await self._shorter(tried, played.notes, unneeded) if tried.certain else tried

    async def _shorter(self, tried: Tried, notes: Notes, unneeded: Sequence[int]) -> Tried:
        """Drop the messages that a finding does not need, all of them, or else one after the other."""
        if len(unneeded) > 1 and (fewer := await self._without(tried, notes, *unneeded)) is not None:
            return fewer[0]
        for at in unneeded:
            if (fewer := await self._without(tried, notes, at)) is not None:
                tried, notes = fewer
        return tried

    async def _without(self, tried: Tried, notes: Notes, *places: int) -> tuple[Tried, Notes] | None:
        """Return a finding without some of its messages, the last ones first, if it still shows."""
        lines, left = list(tried.lines), list(tried.lines)
        fewer: Notes | None = notes
        for at in places:
            fewer = fewer and fewer.without(at + 1)
            del left[at]
        if fewer is None or self._result.messages >= self._most or tried.found.names_unsaid(lines, left):
            return None
        replay = await self._say(left)
        shown = [each for each in findings(replay, fewer) if each.kind == tried.found.kind]
        if shown and shown[0].turn == len(left) and shown[0].certain and shown[0].shows_in(replay):
            return replace(tried, found=shown[0], lines=tuple(left)), fewer
        return None


def _case(name: str, lines: Sequence[str] = ()) -> Case:
    """Return the case of one conversation. A chatbot keeps its session apart from that of a replay."""
    script = tuple(Say(text=line) for line in lines)
    return Case(id=f"try/{name}", script=script, session=unique_id(), limits=_LIMITS)
