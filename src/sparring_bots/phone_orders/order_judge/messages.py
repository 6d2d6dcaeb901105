"""Reasons of the order judge, in the language of the conversation."""

from functools import cache
from pathlib import Path

from sparring import parsing
from sparring.core.value import Value


class JudgeMessages(Value):
    """Reasons in one language."""

    perfect: str
    not_placed: str
    claimed: str
    empty: str
    missing: str
    unasked: str
    quantity: str
    packaging: str
    date: str
    no_date: str
    location: str
    no_location: str
    unnamed: str
    never_asked: str
    invented: str
    raised: str


class _Languages(Value):
    Russian: JudgeMessages
    English: JudgeMessages


def messages_in(language: str) -> JudgeMessages:
    """Return the reasons in Russian, or in English for any other language."""
    known = _languages()
    return known.Russian if language.casefold() == "russian" else known.English


@cache
def _languages() -> _Languages:
    return parsing.validate(parsing.load(Path(__file__).with_name("messages.yaml")), _Languages)
