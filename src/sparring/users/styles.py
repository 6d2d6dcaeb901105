"""Ways of talking, as instructions to a model that plays the user."""

from sparring.core.case import Style
from sparring.core.errors import InputError

_INSTRUCTIONS = {
    "default": "",
    "long phrases": "You write long, detailed messages.",
    "change your mind": "You change your mind now and then, and correct what you said before.",
    "change language": "You switch between these languages from message to message: {languages}.",
    "make spelling mistakes": "You make spelling mistakes, but never in names, numbers or codes.",
    "single question": "You bring up one thing at a time and wait for the answer.",
    "all questions": "You bring up everything you want at once, in your first message.",
}

STYLES = frozenset(_INSTRUCTIONS)
"""The names of all styles."""


def instruction(style: Style) -> str:
    """What to tell a model so that it talks in this style."""
    if style.name not in _INSTRUCTIONS:
        raise InputError(f"unknown interaction style {style.name!r}", hint=f"there are: {', '.join(sorted(STYLES))}")
    return _INSTRUCTIONS[style.name].format(languages=", ".join(style.languages))
