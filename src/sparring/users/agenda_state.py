"""State of the agenda user: a fold over the messages of a conversation.

It follows from what the user meant by its messages, so that it never reads its own words, which may be misspelt. Only
messages without a meaning, such as those of other users, are read.
"""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache, reduce
from operator import is_

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Meant, Message, UserAct
from sparring.extraction.answer_kinds import names_other_value, names_typed
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import requests_goal, texts
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.tokens import mentions
from sparring.users.lines import meaning

CLOSING: frozenset[UserAct] = frozenset({"that_is_all", "farewell", "thanks"})
"""Acts with which the user closes a conversation. What a chatbot replies to them is no fallback."""

ASKING: frozenset[UserAct] = frozenset({"wish", "question"})
"""Acts with which the user brings up a goal."""

_MAX_FOLLOWED = 256
"""Maximum number of conversations whose states are carried on."""

OFFERED = "offered"
"""Slot of an option that the chatbot offered, and that the user took without having wanted one."""


class GoalState(StrEnum):
    """State of a goal in the user's plan."""

    OPEN = "open"
    ASKED = "asked"
    ANSWERED = "answered"
    DENIED = "denied"
    REPLACED = "replaced"
    GIVEN_UP = "given_up"


class SlotState(StrEnum):
    """State of a value that the user has, in the order in which it changes."""

    UNSAID = "unsaid"
    SAID = "said"
    ECHOED = "echoed"
    CONFIRMED = "confirmed"
    MISHEARD = "misheard"


@dataclass(frozen=True, slots=True)
class GoalPlan:
    """A goal in the user's plan: its state, and the number of times it was brought up."""

    state: GoalState = GoalState.OPEN
    attempts: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable or fact: the value said last, its state, and how often it was said."""

    value: str
    state: SlotState = SlotState.SAID
    said: int = 1


UNSAID = Slot("", SlotState.UNSAID, 0)


@dataclass(frozen=True, slots=True)
class AgendaState:
    """All that the user remembers of a conversation.

    `acts` holds what each of its messages meant, `heard` the last reply, and `fallbacks` the number of fallbacks since
    the last other reply.
    """

    case: Case
    goals: tuple[GoalPlan, ...]
    slots: Mapping[str, Slot] = field(default_factory=dict)
    acts: tuple[tuple[Meant, ...], ...] = ()
    heard: str | None = None
    fallbacks: int = 0

    @property
    def turns(self) -> int:
        """Number of the user's messages."""
        return len(self.acts)

    @property
    def last(self) -> tuple[Meant, ...]:
        """Meaning of the last message; empty before the first."""
        return self.acts[-1] if self.acts else ()

    @property
    def last_goal(self) -> int | None:
        """Index of the goal that the last message was about, or None."""
        return next((each.goal for each in self.last if each.goal is not None), None)

    @property
    def closing(self) -> bool:
        """True if the last message closed the conversation."""
        return any(each.act in CLOSING for each in self.last)

    def slot(self, name: str) -> Slot:
        """Return the slot of a variable or fact."""
        return self.slots.get(name, UNSAID)

    def count(self, act: UserAct, *, slot: str = "") -> int:
        """Return the number of messages with an act, about `slot` if it is given."""
        return sum(any(m.act == act and (not slot or slot in m.slots) for m in acts) for acts in self.acts)


def start(case: Case) -> AgendaState:
    """Return the state before the first message after the history."""
    return AgendaState(case, (GoalPlan(),) * len(case.goals))


def step(state: AgendaState, message: Message) -> AgendaState:
    """Return the state after one more message."""
    if message.role == "user":
        return _spoken(state, message.meant or read_meaning(state.case, message.text))
    return _heard(state, message.text)


def fold(case: Case, messages: tuple[Message, ...]) -> AgendaState:
    """Return the state after the messages of a conversation."""
    return reduce(step, messages[len(case.history) :], start(case))


@lru_cache(maxsize=512)
def _read_cached(text: str, goodbye: tuple[str, ...]) -> tuple[Meant, ...]:
    if any(words in text for words in goodbye):
        return (meaning("farewell"),)
    return (meaning("remark"),)


def read_meaning(case: Case, text: str) -> tuple[Meant, ...]:
    """Return what a message without a meaning says, by its words."""
    found = [
        meaning("wish", index, _values_in(case, goal.variables, text))
        for index, goal in enumerate(case.goals)
        if requests_goal(goal, case, text)
    ]
    wished = {name for each in found for name in each.slots}
    rest = _values_in(case, tuple(name for name in case.variables if name not in wished), text)
    if rest:
        found.append(meaning("value", None, rest))
    return tuple(found) or _read_cached(text, understood_phrasebook(case).goodbye)


def _values_in(case: Case, names: tuple[str, ...], text: str) -> dict[str, str]:
    """Return the variables among `names` all of whose values a text contains, as texts."""
    values = ((name, texts(case.variables[name])) for name in names if name in case.variables)
    return {name: ", ".join(said) for name, said in values if said and all(mentions(text, each) for each in said)}


def _spoken(state: AgendaState, acts: tuple[Meant, ...]) -> AgendaState:
    slots = dict(state.slots)
    for name, value in (pair for each in acts for pair in each.slots.items()):
        known = slots.get(name, UNSAID)
        # What is said again to a chatbot that has understood it stays understood.
        stays = known.value == value and known.state in (SlotState.ECHOED, SlotState.CONFIRMED)
        slots[name] = Slot(value, known.state if stays else SlotState.SAID, known.said + 1)
    if any(each.act == "yes" for each in acts):
        slots = {name: _confirmed(slot, state.heard or "") for name, slot in slots.items()}
    asked = [each.goal for each in acts if each.act in ASKING]
    goals = tuple(_asked(plan) if at in asked else plan for at, plan in enumerate(state.goals))
    return replace(state, acts=(*state.acts, acts), goals=goals, slots=slots)


def _asked(plan: GoalPlan) -> GoalPlan:
    state = GoalState.ASKED if plan.state is GoalState.OPEN else plan.state
    return GoalPlan(state, plan.attempts + 1)


def _confirmed(slot: Slot, heard: str) -> Slot:
    return replace(slot, state=SlotState.CONFIRMED) if names(heard, slot.value) else slot


def _heard(state: AgendaState, text: str) -> AgendaState:
    if is_fallback(text, state.case.fallbacks):
        return replace(state, heard=text, fallbacks=state.fallbacks + (not state.closing))
    slots = {name: _echoed(slot, text) for name, slot in state.slots.items()}
    return replace(state, heard=text, fallbacks=0, slots=slots)


def _echoed(slot: Slot, text: str) -> Slot:
    if names(text, slot.value):
        return slot if slot.state is SlotState.CONFIRMED else replace(slot, state=SlotState.ECHOED)
    if names_other_value(slot.value, text):
        return replace(slot, state=SlotState.MISHEARD)
    return slot


def names(text: str, value: str) -> bool:
    """Return True if a text names a value, in whatever form it is written."""
    return mentions(text, value) or names_typed(value, text)


class Following:
    """States of running conversations, carried from turn to turn so that each message is processed once."""

    def __init__(self) -> None:
        self._states: OrderedDict[tuple[int, int], tuple[Case, tuple[Message, ...], AgendaState]] = OrderedDict()

    def state(self, conversation: Conversation) -> AgendaState:
        """Return the state after all messages of a conversation."""
        case, messages, key = conversation.case, conversation.messages, (id(conversation.case), conversation.repeat)
        begun = self._states.pop(key, None)
        if begun and begun[0] is case and len(begun[1]) <= len(messages) and all(map(is_, begun[1], messages)):
            state = reduce(step, messages[len(begun[1]) :], begun[2])
        else:
            state = fold(case, messages)
        self._states[key] = case, messages, state
        if len(self._states) > _MAX_FOLLOWED:
            self._states.popitem(last=False)
        return state
