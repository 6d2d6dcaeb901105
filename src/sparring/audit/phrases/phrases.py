"""Wordings of one language by which the audit recognizes a user that is no user."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MisbehaviorPhrases:
    """Patterns for folded sentences, and plain words separated by blanks.

    `assistant` are words that only an assistant or a business says, `opens` those that it begins a sentence with.
    `business` statements may also be a customer's who has a business. A customer may say what is `courteous`, too.
    `meta` talks about the conversation instead of having it; with the wordings of `goals`, the chatbot may have asked
    for goals. `closing` are all words that occur in thanks and farewells.
    """

    assistant: tuple[str, ...] = ()
    opens: tuple[str, ...] = ()
    business: tuple[str, ...] = ()
    courteous: tuple[str, ...] = ()
    refusal: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    jailbreak: tuple[str, ...] = ()
    authority: tuple[str, ...] = ()
    coaching: tuple[str, ...] = ()
    chatbot_labels: str = ""
    user_labels: str = ""
    closing: str = ""
    second_person: str = ""
    small_talk: str = ""
