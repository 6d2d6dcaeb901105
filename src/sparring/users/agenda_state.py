"""State of the agenda user: a fold over the messages of a conversation.

It follows from what the user meant by its messages, so that it never reads its own words, which may be misspelt. Only
messages without a meaning, such as those of other users, are read.
"""

import re
from collections import OrderedDict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache, reduce
from operator import is_

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Meant, Message, UserAct
from sparring.extraction.answer_kinds import names_other_value, names_typed
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import distinctive_words, requests_goal, texts, values_of
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import CLOSING, domain_of, is_farewell, is_request, offered_instead, refuses
from sparring.extraction.tokens import cached, fold, mentions, pattern, sentences, share, stems
from sparring.users.held_values import first_held, holding
from sparring.users.lines import meaning

ASKING: frozenset[UserAct] = frozenset({"wish", "question"})
"""Acts with which the user brings up a goal."""

_ANSWERING: frozenset[UserAct] = frozenset({"yes", "no", "value", "that_is_all"})
"""Acts with which the user answers a question."""

_CORRECTING: frozenset[UserAct] = frozenset({"change", "correction"})

_MAX_FOLLOWED = 256
"""Maximum number of conversations whose states are carried on."""

_MAX_FOREIGN = 2
"""Replies of a chatbot for other things that convince the user."""

_MIN_SHARE = 0.5
"""Minimum share of a goal's own words in a refusal of it."""

_MIN_LETTERS = 3
"""Minimum length of a word that names a goal: "up" of "a pick-up" does not."""

_POINTS_BACK = pattern(
    r"(?:do|offer|get|make|have|with|process|change|cancel|accept|book|provide) (?:that|this|it|those|them|so)\b",
    r"(?:that|this|it)(?: is|'s| was)?(?: \w+)? (?:not|no longer|impossible|against|cannot|can't|unavailable)\b",
    r"(?:eso|esto|hacerlo|ofrecerlo|cambiarlo|cancelarlo|este|это|этого|такого)\b",
)
"""Words of a refusal that refer to the last request."""

_QUOTED = re.compile(r'["«“„]([^"«»“”„]+)["»”“]')

OFFERED = "offered"
"""Slot of an option that the chatbot offered, and that the user took without having wanted one."""

ANSWER = "answer"
"""Slot of an answer that the author wrote for a question."""


class GoalState(StrEnum):
    """State of a goal in the user's plan."""

    OPEN = "open"
    ASKED = "asked"
    DENIED = "denied"
    REPLACED = "replaced"


class SlotState(StrEnum):
    """State of a value that the user has, in the order in which it changes."""

    UNSAID = "unsaid"
    SAID = "said"
    ECHOED = "echoed"
    CONFIRMED = "confirmed"
    MISHEARD = "misheard"


@dataclass(frozen=True, slots=True)
class GoalPlan:
    """A goal in the plan: its state, how often it was brought up, and if it was named since."""

    state: GoalState = GoalState.OPEN
    attempts: int = 0
    echoed: bool = False


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable or fact: the value said last, its state, and how often it was said."""

    value: str
    state: SlotState = SlotState.SAID
    said: int = 1


_NEW_STATES: Mapping[UserAct, GoalState] = {"alternative": GoalState.REPLACED, "change": GoalState.ASKED}
"""States of goals after acts that decide them anew."""

UNSAID = Slot("", SlotState.UNSAID, 0)


@dataclass(frozen=True, slots=True)
class AgendaState:
    """All that the user remembers of a conversation.

    `case` has the values that the user holds now; a user that changes its mind does not always hold those of the case.
    `acts` holds what each of its messages meant, `last_reply` the last reply, and `fallbacks` counts fallbacks since
    the last other reply. `repeats` counts the replies in a row that end on the same question. `refused` are the goals
    that the last reply refuses, `instead` what it offers in their place. `foreign` counts replies of a chatbot for
    another purpose. `misunderstood` counts replies that did not understand, twice if they understood a part of a
    message: then its style was the cause.
    """

    case: Case
    goals: tuple[GoalPlan, ...]
    slots: Mapping[str, Slot] = field(default_factory=dict)
    acts: tuple[tuple[Meant, ...], ...] = ()
    last_reply: str | None = None
    fallbacks: int = 0
    repeats: int = 0
    refused: tuple[int, ...] = ()
    instead: tuple[str, ...] = ()
    foreign: int = 0
    misunderstood: int = 0

    @property
    def writes_plainly(self) -> bool:
        """True if the user writes without styles, because the chatbot has not understood it, or asks again."""
        asked_again = self.repeats > 0 and any(each.act in _ANSWERING for each in self.last)
        return asked_again or self.fallbacks > 0 or self.misunderstood > 1

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
        """Index of the goal that was brought up or spoken of last, or None."""
        return next((m.goal for acts in reversed(self.acts) for m in reversed(acts) if m.goal is not None), None)

    @property
    def closing(self) -> bool:
        """True if the last message closed the conversation."""
        return any(each.act in CLOSING for each in self.last)

    @property
    def left(self) -> bool:
        """True if the user has taken leave."""
        return self.count("farewell") > 0

    def slot(self, name: str) -> Slot:
        """Return the slot of a variable or fact."""
        return self.slots.get(name, UNSAID)

    def count(self, act: UserAct, *, slot: str = "") -> int:
        """Return the number of messages with an act, about `slot` if it is given."""
        return sum(any(m.act == act and (not slot or slot in m.slots) for m in acts) for acts in self.acts)


def start(case: Case) -> AgendaState:
    """Return the state before the first message after the history."""
    return AgendaState(first_held(case), (GoalPlan(),) * len(case.goals))


def step(state: AgendaState, message: Message) -> AgendaState:
    """Return the state after one more message."""
    if message.role == "user":
        return _spoken(state, message.meant or read_meaning(state.case, message.text))
    return _with_reply(state, message.text)


def state_of(case: Case, messages: tuple[Message, ...]) -> AgendaState:
    """Return the state after the messages of a conversation."""
    return reduce(step, messages[len(case.history) :], start(case))


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
    return tuple(found) or (meaning("farewell" if is_farewell(text) else "remark"),)


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
        slots = {name: _confirmed(slot, state.last_reply or "") for name, slot in slots.items()}
    asked = [each.goal for each in acts if each.act in ASKING]
    moved = {each.goal: _NEW_STATES[each.act] for each in acts if each.act in _NEW_STATES}
    goals = tuple(
        replace(plan, state=moved[at]) if at in moved else _asked(plan) if at in asked else plan
        for at, plan in enumerate(state.goals)
    )
    return replace(state, case=_held(state.case, acts), acts=(*state.acts, acts), goals=goals, slots=slots)


def _held(case: Case, acts: tuple[Meant, ...]) -> Case:
    """Return the case with the values that the user has changed to."""
    for name, value in (pair for each in acts if each.act == "change" for pair in each.slots.items()):
        case = holding(case, name, value)
    return case


def _asked(plan: GoalPlan) -> GoalPlan:
    state = GoalState.ASKED if plan.state is GoalState.OPEN else plan.state
    return replace(plan, state=state, attempts=plan.attempts + 1)


def _confirmed(slot: Slot, reply: str) -> Slot:
    return replace(slot, state=SlotState.CONFIRMED) if names(reply, slot.value) else slot


def _with_reply(state: AgendaState, text: str) -> AgendaState:
    same = state.last_reply and _last_question(text) == _last_question(state.last_reply) != ""
    # A question stays open while the user corrects something else.
    repeats = state.repeats + all(each.act not in _CORRECTING for each in state.last) if same else 0
    state = replace(state, last_reply=text, repeats=repeats, refused=(), instead=())
    if is_fallback(text, state.case.fallbacks):
        fallbacks = state.fallbacks + (not state.closing)
        state = _denying(state, [at for at in range(len(state.goals)) if _has_none(state.case, at, text)])
        return replace(state, fallbacks=fallbacks, misunderstood=state.misunderstood + 1)
    if state.case.persona.styles and any(is_fallback(each.text, state.case.fallbacks) for each in sentences(text)):
        state = replace(state, misunderstood=state.misunderstood + 2)
    slots = {name: _echoed(slot, text) for name, slot in state.slots.items()}
    goals = tuple(
        replace(plan, echoed=True) if plan.attempts and not plan.echoed and names_goal(state.case, at, text) else plan
        for at, plan in enumerate(state.goals)
    )
    state = replace(state, fallbacks=0, slots=slots, goals=goals)
    return _refused(state, text) if state.acts else state


@cached
def _last_question(text: str) -> str:
    return next((fold(each.text) for each in reversed(sentences(text)) if each.asks or is_request(each.text)), "")


def _echoed(slot: Slot, text: str) -> Slot:
    if names(text, slot.value):
        return slot if slot.state is SlotState.CONFIRMED else replace(slot, state=SlotState.ECHOED)
    if names_other_value(slot.value, text):
        return replace(slot, state=SlotState.MISHEARD)
    return slot


@lru_cache(maxsize=8192)
def names(text: str, value: str) -> bool:
    """Return True if a text names a value, in any form."""
    return mentions(text, value) or names_typed(value, text)


def names_goal(case: Case, at: int, text: str) -> bool:
    """Return True if a text names a value of a goal, or a word by which it differs from the others."""
    goal = case.goals[at]
    if any(names(text, value) for value in values_of(goal, case.variables)):
        return True
    own, whole = ({word for word in words if len(word) >= _MIN_LETTERS} for words in _names_of(case, at))
    return not (own or whole).isdisjoint(stems(text))


def _names_of(case: Case, at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words by which a goal differs from the others, and all of its words."""
    return distinctive_words(case.goals[at], case), stems(case.goals[at].text)


def _refused(state: AgendaState, text: str) -> AgendaState:
    """Return the state with the goals denied that a reply refuses, or that its chatbot is not there for."""
    if _is_foreign(state.case, text):
        state = replace(state, foreign=state.foreign + 1)
        denied = tuple(range(len(state.goals))) if state.foreign >= _MAX_FOREIGN else ()
    else:
        denied = tuple(_denied(state, text))
        state = replace(state, refused=denied, instead=offered_instead(text) if denied else ())
    return _denying(state, denied)


def _denying(state: AgendaState, denied: Collection[int]) -> AgendaState:
    """Return the state with goals denied."""
    if not denied:
        return state
    plans = [replace(plan, state=GoalState.DENIED) if at in denied else plan for at, plan in enumerate(state.goals)]
    return replace(state, goals=tuple(plans))


def _has_none(case: Case, at: int, fallback: str) -> bool:
    """Return True if a fallback quotes a wish, and nothing else, as something that cannot be had."""
    if not refuses(fallback):
        return False
    wish = stems(case.goals[at].text)
    return any(
        words <= wish and _is_named(case, at, quote) for quote in _QUOTED.findall(fallback) if (words := stems(quote))
    )


def _is_foreign(case: Case, text: str) -> bool:
    """Return True if a reply says that the chatbot has a purpose that no goal is about."""
    domain = stems(domain_of(text))
    return bool(domain) and bool(case.goals) and not any(domain & stems(goal.text) for goal in case.goals)


def _denied(state: AgendaState, text: str) -> Iterator[int]:
    """Return the goals that a reply refuses: those that it names, else the last one if it says "that"."""
    refusals = [each.text for each in sentences(text) if not each.asks and _refuses(state.case, each.text)]
    if not refusals:
        return
    asked = " ".join(each.text for each in sentences(text) if each.asks)
    wishes = [
        at
        for at, (goal, plan) in enumerate(zip(state.case.goals, state.goals, strict=True))
        if (plan.state is GoalState.ASKED and not goal.output and not asks_information(goal.text))
        or (plan.state is GoalState.REPLACED and goal.otherwise)
    ]
    for refusal in refusals:
        named = [at for at in wishes if _is_about(state, at, refusal)]
        if not named and state.last_goal in wishes and _POINTS_BACK.search(fold(refusal)):
            named = [at for at in wishes if at == state.last_goal]
        yield from (at for at in named if not _is_named(state.case, at, asked) or offered_instead(asked))


def _refuses(case: Case, sentence: str) -> bool:
    return refuses(sentence) and not is_fallback(sentence, case.fallbacks)


def _is_about(state: AgendaState, at: int, refusal: str) -> bool:
    """Return True if a refusal names a goal or one of its values, and no other value in its place."""
    case, goal = state.case, state.case.goals[at]
    values = values_of(goal, case.variables)
    if any(names(refusal, value) for value in (*values, *goal.otherwise)):
        return True
    others = (other for listed in goal.others.values() for other in listed)
    if any(names_other_value(value, refusal) for value in values) or any(mentions(refusal, each) for each in others):
        return False
    return _is_named(case, at, refusal)


def _is_named(case: Case, at: int, text: str) -> bool:
    """Return True if a text has enough of the words by which a goal differs from the others."""
    goal = case.goals[at]
    return share(distinctive_words(goal, case) or stems(goal.text), stems(text)) >= _MIN_SHARE


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
            state = state_of(case, messages)
        self._states[key] = case, messages, state
        if len(self._states) > _MAX_FOLLOWED:
            self._states.popitem(last=False)
        return state
