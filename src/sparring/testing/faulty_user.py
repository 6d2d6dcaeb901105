"""A user that commits one kind of fault, to measure what finds the faults of users."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from string import Formatter

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError
from sparring.core.message import Message, message
from sparring.core.seeding import random_for
from sparring.core.text import did_you_mean
from sparring.core.value import mapping
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import texts
from sparring.extraction.tokens import fold, mentions, stems
from sparring.parsing.document import Data
from sparring.parsing.yaml_reader import parse
from sparring.testing import fault_operators as at
from sparring.testing.fault_operators import Fields, Occasion, Planting, Plantings
from sparring.users.user import User, UserTraits

Wordings = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Wordings by kind and language, with placeholders in braces. `things` are items that no case wants."""

_ALL = 1000


def spoken(conversation: Conversation, plantings: Plantings) -> bool:
    return bool(plantings)


def twice(conversation: Conversation, plantings: Plantings) -> bool:
    return len(plantings) >= 2


def last_word(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if the user never returned to its own value."""
    value, other = plantings[0].fields["value"], plantings[0].fields["other"]
    said = [each.text for each in conversation.messages[plantings[0].at :] if each.role == "user"]
    return mentions([each for each in said if mentions(each, value) or mentions(each, other)][-1], other)


def never_agreed(conversation: Conversation, plantings: Plantings) -> bool:
    later = conversation.messages[plantings[0].at + 1 :]
    return not any(each.role == "user" and at.agrees(each.text, anywhere=True) for each in later)


def left(conversation: Conversation, plantings: Plantings) -> bool:
    return conversation.ending in (Ending.USER_DONE, Ending.GOALS_ANSWERED) and bool(plantings)


def left_hanging(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if the user left, and the chatbot did not carry out what it had asked about."""
    case = conversation.case
    values = [text for goal in case.goals for name in goal.variables for text in texts(case.variables.get(name))]
    reply = conversation.messages[-1].text
    return left(conversation, plantings) and not any(mentions(reply, each) for each in values)


def asked_on(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if the user left, and the reply to its last words asks something."""
    reply = conversation.messages[-1]
    return left(conversation, plantings) and reply.role == "chatbot" and "?" in reply.text


def ignored(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if three messages in a row gave no answer."""
    places = [each.at for each in plantings]
    return len(places) >= 3 and places[2] - places[0] == 4


def repeated(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if three equal messages in a row got three different replies."""
    replies = [
        conversation.messages[place].text
        for place in (plantings[0].at - 1, *(each.at + 1 for each in plantings))
        if place < len(conversation.messages)
    ]
    known = conversation.case.fallbacks
    return len(set(replies)) == 3 and not any(is_fallback(reply, known) for reply in replies)


def unrelated(conversation: Conversation, plantings: Plantings) -> bool:
    """Return True if the user shares no word with the case or the chatbot in all its messages."""
    own = at.words_of("user", conversation)
    case = conversation.case
    about = " ".join((*(goal.text for goal in case.goals), case.persona.role, *at.words_of("chatbot", conversation)))
    return len(own) == len(plantings) >= 2 and stems(about).isdisjoint(stems(" ".join(own)))


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of fault: the placeholders of its wordings, and its conditions.

    It takes `times` messages in a row and `leaves` with the last. With `drifts` it starts at a turn drawn by the seed,
    else at the first that fits. `after` gives placeholders for words that maintain the fault. `holds` decides at the
    end of the conversation if the fault counts.
    """

    fields: Callable[[Occasion], Fields | None]
    times: int = 1
    leaves: bool = False
    drifts: bool = False
    after: Callable[[Occasion], Fields | None] | None = None
    holds: Callable[[Conversation, Plantings], bool] = spoken


OPERATORS: Mapping[str, Operator] = {
    "role_flip": Operator(at.anywhere, drifts=True),
    "model_refusal": Operator(at.anywhere, drifts=True),
    "meta": Operator(at.anywhere, drifts=True),
    "prompt_leak": Operator(at.leak, drifts=True),
    "foreign_value": Operator(at.invented, drifts=True),
    "wrong_value": Operator(at.other_value, after=at.still_wrong, holds=last_word),
    "wrong_item": Operator(at.other_item, drifts=True),
    "wrong_verb": Operator(at.other_verb),
    "hidden_value": Operator(at.hidden_value, drifts=True),
    "contradiction_stands": Operator(at.said_before, after=at.still_wrong, holds=last_word),
    "consent_to_wrong": Operator(at.misheard),
    "denies_right": Operator(at.all_confirmed, after=at.confirmed, holds=never_agreed),
    "goal_never_asked": Operator(at.unfinished, leaves=True, holds=left),
    "left_open": Operator(at.answered, leaves=True, holds=left),
    "left_before_confirm": Operator(at.all_confirmed, leaves=True, holds=left_hanging),
    "left_on_consent": Operator(at.all_confirmed, leaves=True, holds=asked_on),
    "ignores_question": Operator(at.evades, times=3, holds=ignored),
    "front_loaded": Operator(at.one_at_a_time),
    "repeated_opening": Operator(at.later, drifts=True),
    "self_repetition": Operator(at.later, times=2, drifts=True, holds=repeated),
    "goodbye_loop": Operator(at.parting, times=3, leaves=True, drifts=True, holds=twice),
    "empty": Operator(at.anywhere, drifts=True),
    "wrong_language": Operator(at.anywhere, times=2),
    "speaks_for_bot": Operator(at.anywhere, drifts=True),
    "coaching": Operator(at.coached, drifts=True),
    "jailbreak": Operator(at.no_attack, drifts=True),
    "off_topic": Operator(at.anywhere, times=_ALL, holds=unrelated),
    "obeyed_chatbot": Operator(at.commanded),
}
"""The kinds of fault that a user can be made to commit."""


class FaultyUser:
    """A user that says what `inner` says, and commits one kind of fault at a fitting point.

    `operator` is the kind, a key of `OPERATORS`; an unknown one is an InputError. The seed, the case and the turn
    decide where the fault stands and how it is worded. Messages carry only words, without their meaning. `planted`
    returns the faulty messages of a conversation; only the user that had the conversation knows them.
    """

    def __init__(self, inner: User, operator: str, seed: int = 0, *, wordings: Wordings | None = None) -> None:
        if operator not in OPERATORS:
            raise InputError(f"unknown kind of fault {operator!r}", hint=did_you_mean(operator, OPERATORS))
        self._inner = inner
        self._kind = operator
        self._seed = seed
        self._wordings = open_wordings() if wordings is None else wordings
        self._planted: dict[tuple[str, int, int], Plantings] = {}

    @property
    def traits(self) -> UserTraits:
        return self._inner.traits

    def warnings(self, case: Case) -> tuple[str, ...]:
        return self._inner.warnings(case)

    def planted(self, conversation: Conversation) -> Plantings:
        """Return the planted messages of a conversation; none if the fault turned out not to count."""
        before = self._before(conversation)
        return before if before and OPERATORS[self._kind].holds(conversation, before) else ()

    async def speak(self, conversation: Conversation) -> Message | None:
        operator, before = OPERATORS[self._kind], self._before(conversation)
        if operator.leaves and len(before) >= operator.times:
            return None
        said = await self._inner.speak(conversation)
        if said is None and not 0 < len(before) < operator.times:
            return None
        said = said or message("user", "", ends=True)
        language = conversation.case.persona.language
        place = Occasion(
            conversation,
            said.text,
            before,
            random_for(conversation.case, "fault", self._kind, self._seed, conversation.turns),
            self._lines("things", language),
        )
        found = self._fault(operator, place)
        if found is None:
            return Message(role="user", parts=said.parts, ends=said.ends) if said.parts else None
        text, fields = found
        planting = Planting(len(conversation.messages), text, fields)
        self._planted[_key(conversation)] = (*before, planting)
        more = len(before) + 1 < operator.times < _ALL
        return message("user", text, ends=not more and (operator.leaves or said.ends or "leaves" in fields))

    def _before(self, conversation: Conversation) -> Plantings:
        """Return the plantings that stand in the messages of the conversation."""
        messages = conversation.messages
        known = self._planted.get(_key(conversation), ())
        return tuple(each for each in known if each.at < len(messages) and messages[each.at].text == each.text)

    def _fault(self, operator: Operator, place: Occasion) -> tuple[str, Fields] | None:
        """Return the faulty words and their placeholders, or None if nothing is planted."""
        done = len(place.before)
        if done >= operator.times:
            fields, name = operator.after(place) if operator.after else None, f"{self._kind} after"
        elif not done and operator.drifts and place.conversation.turns < self._start(place.case):
            return None
        else:
            fields, name = operator.fields(place), self._kind
        if fields is None:
            return None
        fields = {**fields, "said": _sentence(place.said)}
        language = place.case.persona.language
        fitting = [each for each in self._lines(name, language) if _names(each) <= set(fields)]
        used = {fold(each.text) for each in place.before}
        texts = [text for text in (each.format_map(fields) for each in fitting) if fold(text) not in used] or [
            each.format_map(fields) for each in fitting
        ]
        return (place.random.choice(texts), fields) if texts else None

    def _start(self, case: Case) -> int:
        return random_for(case, "fault", self._kind, self._seed).randrange(3)

    def _lines(self, name: str, language: str) -> tuple[str, ...]:
        by_language = self._wordings.get(name, {})
        return by_language.get(language) or by_language.get("English", ())


def _sentence(words: str) -> str:
    return words if words.endswith((".", "?", "!", "…")) else f"{words}."


def _key(conversation: Conversation) -> tuple[str, int, int]:
    return conversation.case.id, conversation.case.seed, conversation.repeat


def _names(wording: str) -> set[str]:
    """Return the names of the fields of a wording."""
    return {name for _, name, _, _ in Formatter().parse(wording) if name}


@cache
def open_wordings() -> Wordings:
    """Return the wordings that come with Sparring."""
    return read_wordings(files("sparring.testing").joinpath("user_faults.yaml").read_text(encoding="utf-8"))


def read_wordings(text: str) -> Wordings:
    """Return wordings written as YAML: kind, then language, then a list."""
    data = parse(text).data
    return {
        kind: {name: _listed(lines) for name, lines in mapping(each).items()} for kind, each in mapping(data).items()
    }


def _listed(data: Data) -> tuple[str, ...]:
    return tuple(map(str, data)) if isinstance(data, list) else ()
