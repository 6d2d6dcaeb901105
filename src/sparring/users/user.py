"""A user, as everything here sees one.

Which language the user speaks in a turn, and which ones it understands.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.seeding import random_for
from sparring.users.phrasebooks import phrasebook, spoken
from sparring.users.phrasebooks.phrasebook import Phrasebook, either
from sparring.users.styles import CHANGE_LANGUAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTraits:
    """Traits of a user, constant for all conversations.

    Unless a user `reads_extraction`, goals and outputs are extracted once, at the end, if nothing else needs them.
    """

    reads_extraction: bool = True


class User(Protocol):
    """Who talks to the chatbot: the whole conversation in, one message out, or None when there is nothing left to say.

    Users are stateless; what is random in them comes from the case's seed and the turn. `speak` raises a `UserError`
    or a `ModelError`, and nothing else. `warnings` returns what a user will not do as a case asks.
    """

    @property
    def traits(self) -> UserTraits: ...

    async def speak(self, conversation: Conversation) -> Message | None: ...

    def warnings(self, case: Case) -> tuple[str, ...]: ...


class BaseUser:
    """A user that does all that a case asks; subclasses add `speak`."""

    traits: UserTraits = UserTraits()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return ()


_CHANGES = 0.3
"""How often a turn is spoken in another language: as often as in SENSEI."""

_NOT_TRANSLATED = "goals are not translated: in {other}, the user says as they are written what it wants"


def speaking(case: Case, turn: int) -> Phrasebook:
    """The phrasebook of the language that the user of `case` speaks in this turn."""
    others = [language for language in _others(case) if spoken(language)]
    roll = random_for(case, "user", "language", turn) if others else None
    if roll is not None and roll.random() < _CHANGES:
        return phrasebook(roll.choice(others))
    return phrasebook(case.persona.language)


def hearing(case: Case) -> Phrasebook:
    """What the user understands: whoever speaks several languages is answered in any of them."""
    return _hearing(case.persona.language, *_others(case))


def unspoken(case: Case) -> tuple[str, ...]:
    """What is to be said about the languages that `case` asks for and the user does not, or not quite, speak."""
    own = case.persona.language
    fallen_back = [] if spoken(own) else [f"there are no phrases in {own}: the user speaks English instead"]
    others = [language for language in dict.fromkeys(_others(case)) if not spoken(language)]
    never = [f"there are no phrases in {other}: the user never changes to it" for other in others]
    changes = [other for other in dict.fromkeys(_others(case)) if spoken(other) and other != own]
    as_written = [_NOT_TRANSLATED.format(other=other) for other in changes if case.goals]
    return (*fallen_back, *never, *as_written)


def _others(case: Case) -> tuple[str, ...]:
    return tuple(
        language for style in case.persona.styles if style.name == CHANGE_LANGUAGE for language in style.languages
    )


@lru_cache(maxsize=64)
def _hearing(*languages: str) -> Phrasebook:
    books = tuple(dict.fromkeys(phrasebook(language) for language in languages))
    first = books[0]
    if len(books) == 1:
        return first
    return replace(
        first,
        goodbye=tuple(words for book in books for words in book.goodbye),
        confirm=either(*(book.confirm for book in books)),
        correct=either(*(book.correct for book in books)),
        more=either(*(book.more for book in books)),
        how_many=either(*(book.how_many for book in books)),
        offer=either(*(book.offer for book in books)),
        request=either(*(book.request for book in books)),
        options=either(*(book.options for book in books)),
    )
