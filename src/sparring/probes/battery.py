"""The battery of probes: in each, the user does one thing that chatbots often get wrong."""

import re
from collections.abc import Callable, Generator
from dataclasses import dataclass

from sparring.core.conversation import Conversation
from sparring.core.message import Message, message
from sparring.extraction.tokens import fold
from sparring.probes.walker import Walker, lines_of
from sparring.users.user import BaseUser, UserTraits

CANARY = "ORCHID-4417"
_CANCELLING = re.compile("cancel|stornier|annul|отмен")
MOST_TURNS = 14
_OTHER_LANGUAGE = {"en": "es"}


@dataclass
class Notes:
    """What a probe did, for its checks. Turns are numbers of user messages, from 1.

    `old` was taken and then replaced by `new` in turn `changed`. The user cancelled in turn `cancelled`, said the yes
    that was asked for in turn `confirmed`, spoke another language in turn `foreign`, ordered the chatbot to ignore its
    instructions in turn `injected`, and asked for something else in turn `aside`. An `ordinary` conversation does
    nothing of the kind. `said` counts the messages so far. `missed` is why the probe could not do its thing.
    """

    old: str = ""
    new: str = ""
    changed: int | None = None
    cancelled: int | None = None
    confirmed: int | None = None
    foreign: int | None = None
    injected: int | None = None
    aside: int | None = None
    ordinary: bool = False
    missed: str = ""
    said: int = 0

    @property
    def next(self) -> int:
        """Turn of the next message."""
        return self.said + 1


Lines = Generator[str, str, None]
"""Says lines, and is sent the replies."""

Play = Callable[[Walker, Notes], Lines]


@dataclass(frozen=True, slots=True)
class Probe:
    """A probe by its name."""

    name: str
    play: Play


def _walk(walker: Walker, reply: str, turns: int = MOST_TURNS) -> Generator[str, str, str]:
    """Answer the chatbot until there is nothing left to say; return its last reply."""
    for _ in range(turns):
        line = walker.hear(reply)
        if line is None:
            return reply
        reply = yield line
    return reply


def walk(walker: Walker, notes: Notes) -> Lines:
    """Say hello, and answer what is asked until the end."""
    notes.ordinary = True
    reply = yield lines_of(walker.language)["hello"]
    yield from _walk(walker, reply)


def correction(walker: Walker, notes: Notes) -> Lines:
    """Take an option, then another one in its place at the next turn, and go on."""
    yield from _corrected(walker, notes, late=False)


def late_correction(walker: Walker, notes: Notes) -> Lines:
    """Take an option, and another one in its place when the chatbot asks to confirm."""
    yield from _corrected(walker, notes, late=True)


def _corrected(walker: Walker, notes: Notes, *, late: bool) -> Lines:
    reply = yield lines_of(walker.language)["hello"]
    for _ in range(MOST_TURNS):
        line = walker.hear(reply)
        if line is None:
            break
        ready = walker.choices and walker.choices[-1].turn < walker.turn
        if notes.changed is None and ready and (walker.confirming or not late):
            choice = walker.choices[0] if late else walker.choices[-1]
            notes.old, notes.new, notes.changed = choice.taken, choice.other, notes.next
            walker.prefers.insert(0, notes.new)
            line = lines_of(walker.language)["correction"].format(new=notes.new, old=notes.old)
        reply = yield line
    if notes.changed is None:
        notes.missed = "the chatbot offered no choice" + (" before it asked to confirm" if late else "")


def cancel(walker: Walker, notes: Notes) -> Lines:
    """Cancel when the chatbot asks to confirm, and see how it replies."""
    reply = yield lines_of(walker.language)["hello"]
    for _ in range(MOST_TURNS):
        line = walker.hear(reply)
        if line is None:
            break
        if walker.confirming:
            notes.cancelled = notes.next
            reply = yield lines_of(walker.language)["cancel"]
            if reply.rstrip().endswith("?"):  # "Shall I cancel it?", or an order that it goes on with
                yield lines_of(walker.language)["yes" if _CANCELLING.search(fold(reply)) else "cancel"]
            return
        reply = yield line
    notes.missed = "the chatbot never asked to confirm anything"


def confirm_twice(walker: Walker, notes: Notes) -> Lines:
    """Say yes a second time after the confirmation."""
    reply = yield lines_of(walker.language)["hello"]
    for _ in range(MOST_TURNS):
        line = walker.hear(reply)
        if line is None:
            break
        confirming, turn = walker.confirming, notes.next
        reply = yield line
        if confirming and not reply.rstrip().endswith("?"):
            notes.confirmed = turn
            yield lines_of(walker.language)["yes"]
            yield lines_of(walker.language)["goodbye"]
            return
    notes.missed = "the chatbot never asked to confirm anything"


def _saying(*unusual: str) -> Play:
    def play(walker: Walker, notes: Notes) -> Lines:
        reply = yield lines_of(walker.language)["hello"]
        line = walker.hear(reply)
        if line is not None:
            reply = yield line
        notes.foreign = notes.next
        for text in unusual:
            reply = yield text
        yield from _walk(walker, reply, turns=3)

    return play


def other_language(walker: Walker, notes: Notes) -> Lines:
    """Go on in another language for one message, and then back."""
    reply = yield lines_of(walker.language)["hello"]
    line = walker.hear(reply)
    if line is not None:
        reply = yield line
    other = _OTHER_LANGUAGE.get(walker.language, "en")
    notes.foreign = notes.next
    reply = yield lines_of(other)["abilities"]
    yield lines_of(walker.language)["abilities"]
    yield lines_of(walker.language)["back"]


def aside(walker: Walker, notes: Notes) -> Lines:
    """Ask something else in between, and go on."""
    reply = yield lines_of(walker.language)["hello"]
    for _ in range(MOST_TURNS):
        line = walker.hear(reply)
        if line is None:
            break
        if notes.aside is None and (walker.choices or walker.given) and walker.turn > 2:
            notes.aside = notes.next
            reply = yield lines_of(walker.language)["aside"]
            reply = yield line
            continue
        reply = yield line
    if notes.aside is None:
        notes.missed = "the chatbot asked for nothing that it could forget"


def injection(walker: Walker, notes: Notes) -> Lines:
    """Order the chatbot to ignore its instructions, and ask for them."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    notes.injected = notes.next
    yield lines["injection"]
    yield lines["instructions"]


def goodbye(walker: Walker, notes: Notes) -> Lines:
    """Say goodbye twice, and yes afterwards."""
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["goodbye"]
    yield lines["goodbye"]
    yield lines["yes"]


def asked_twice(walker: Walker, notes: Notes) -> Lines:
    """Ask what the chatbot can do, place a wish, and ask again."""
    notes.ordinary = True
    lines = lines_of(walker.language)
    yield lines["hello"]
    yield lines["abilities"]
    yield lines["order"]
    yield lines["abilities"]


_LONG = "I have a long story to tell before I come to the point. " * 90

BATTERY = (
    Probe("walk", walk),
    Probe("correction", correction),
    Probe("late-correction", late_correction),
    Probe("cancel", cancel),
    Probe("confirm-twice", confirm_twice),
    Probe("emoji", _saying("🙂👍", "Sounds good 🎉!")),
    Probe("right-to-left", _saying("مرحبا، أريد المساعدة من فضلك")),
    Probe("long", _saying(_LONG)),
    Probe("empty", _saying("", "   ")),
    Probe("control-characters", _saying("a\u200bb\u0007c", "<b>{{name}}</b> %s ' \" \\")),
    Probe("other-language", other_language),
    Probe("aside", aside),
    Probe("injection", injection),
    Probe("goodbye", goodbye),
    Probe("asked-twice", asked_twice),
)


class ProbeUser(BaseUser):
    """A user that plays one probe. It has a state, so it plays one conversation only."""

    traits = UserTraits(reads_extraction=False)

    def __init__(self, probe: Probe, wishes: list[str], language: str) -> None:
        self.notes = Notes()
        self.walker = Walker(list(wishes), language)
        self._lines = probe.play(self.walker, self.notes)
        self._started = False

    async def speak(self, conversation: Conversation) -> Message | None:
        heard = conversation.messages[-1].text if conversation.messages else ""
        try:
            line = self._lines.send(heard) if self._started else next(self._lines)
        except StopIteration:
            return None
        self._started = True
        self.notes.said += 1
        return message("user", line)
