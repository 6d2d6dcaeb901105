"""Ways of talking: their names, and the instructions they are to a model that plays the user."""

from sparring.core.case import Case, Style
from sparring.core.errors import InputError

LONG_PHRASES = "long phrases"
CHANGE_YOUR_MIND = "change your mind"
CHANGE_LANGUAGE = "change language"
SPELLING_MISTAKES = "make spelling mistakes"
SINGLE_QUESTION = "single question"
ALL_QUESTIONS = "all questions"

_INSTRUCTIONS = {
    "default": "",
    LONG_PHRASES: "You write long, detailed messages.",
    CHANGE_YOUR_MIND: "You change your mind now and then, and correct what you said before.",
    CHANGE_LANGUAGE: "You switch between these languages from message to message: {languages}.",
    SPELLING_MISTAKES: "You make spelling mistakes, but never in names, numbers or codes.",
    SINGLE_QUESTION: "You bring up one thing at a time and wait for the answer.",
    ALL_QUESTIONS: "You bring up everything you want at once, in your first message.",
}

STYLES = frozenset(_INSTRUCTIONS)
"""The names of all styles."""


def instruction(style: Style) -> str:
    """What to tell a model so that it talks in this style."""
    if style.name not in _INSTRUCTIONS:
        raise InputError(f"unknown interaction style {style.name!r}", hint=f"there are: {', '.join(sorted(STYLES))}")
    return _INSTRUCTIONS[style.name].format(languages=", ".join(style.languages))


def talks(case: Case, style: str) -> bool:
    """Whether the user of `case` talks in this style."""
    return any(each.name == style for each in case.persona.styles)
