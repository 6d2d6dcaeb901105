"""User protocol, and the languages that a user speaks and understands."""

from dataclasses import dataclass
from typing import Protocol

from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.seeding import random_for
from sparring.extraction.languages import NAMES
from sparring.extraction.phrasebooks import has_phrasebook, languages_of, phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.tokens import language_of


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTraits:
    """Traits of a user, constant for all conversations.

    Unless a user `reads_extraction`, goals and outputs are extracted once, at the end, if nothing else needs them.
    """

    reads_extraction: bool = True


class User(Protocol):
    """A simulated user. It is stateless; its randomness comes from the seed of the case and the turn."""

    @property
    def traits(self) -> UserTraits:
        """Traits that are the same in all conversations."""

    async def speak(self, conversation: Conversation) -> Message | None:
        """Return the next message, or None if nothing is left to say. Raise only UserError and ModelError."""

    def warnings(self, case: Case) -> tuple[str, ...]:
        """Return a warning for each request of a case that the user cannot fulfill."""


class BaseUser:
    """A user without warnings; subclasses add `speak`."""

    traits: UserTraits = UserTraits()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return ()


_CHANGE_RATE = 0.3
"""Share of turns in another language, the same as in SENSEI."""


def spoken_phrasebook(case: Case, turn: int) -> Phrasebook:
    """Return the phrasebook of the language spoken in this turn: in the first, the language of the case."""
    others = [language for language in languages_of(case)[1:] if has_phrasebook(language)]
    roll = random_for(case, "user", "language", turn) if others and turn else None
    if roll is not None and roll.random() < _CHANGE_RATE:
        return phrasebook(roll.choice(others))
    return phrasebook(case.persona.language)


def plain_phrasebook(case: Case, reply: str) -> Phrasebook:
    """Return the phrasebook of the language of the chatbot if the user speaks it, else of its own."""
    spoken = NAMES.get(language_of(reply), "")
    others = {language.casefold() for language in languages_of(case)[1:]}
    return phrasebook(spoken if spoken in others else case.persona.language)
