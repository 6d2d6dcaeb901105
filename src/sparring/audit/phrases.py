"""Wordings of users that are no users: the section `misbehavior` of each language.

All languages are searched, because a model that falls out of its role often falls out of its language.
"""

from dataclasses import dataclass

from pydantic import TypeAdapter

from sparring.extraction.languages import LANGUAGES as _LANGUAGES


@dataclass(frozen=True, slots=True)
class MisbehaviorPhrases:
    """Patterns for folded sentences, and plain words separated by blanks.

    `assistant` are words that only an assistant or a business says, `opens` those that it begins a sentence with.
    `business` statements may also be a customer's who has a business. A customer may say what is `courteous`, too.
    `meta` talks about the conversation instead of having it; with the wordings of `goals`, the chatbot may have asked
    for goals. `closing` are all words that occur in thanks and farewells, `farewell` those that take leave.
    """

    assistant: tuple[str, ...]
    opens: tuple[str, ...]
    business: tuple[str, ...]
    courteous: tuple[str, ...]
    refusal: tuple[str, ...]
    meta: tuple[str, ...]
    goals: tuple[str, ...]
    jailbreak: tuple[str, ...]
    authority: tuple[str, ...]
    coaching: tuple[str, ...]
    chatbot_labels: str
    user_labels: str
    closing: str
    farewell: str
    second_person: str
    small_talk: str


LANGUAGES = tuple(TypeAdapter(MisbehaviorPhrases).validate_python(each.sections["misbehavior"]) for each in _LANGUAGES)
"""Wordings of all languages."""
