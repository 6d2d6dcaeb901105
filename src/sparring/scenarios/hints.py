"""Hints for a user without a model: what the chatbot may ask, and what to answer then."""

import re2

from sparring.scenarios.part import Part


def hints(part: Part) -> dict[str, tuple[Part, str]]:
    """By pattern: the part with the answer, and the answer, a variable's name or words with placeholders."""
    return {pattern: (item, item.text()) for pattern, item in part.entries() if _sound(pattern, item)}


def _sound(pattern: str, part: Part) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        part.wrong(f"is no regular expression: {error.args[0].decode() if error.args else error}", key=True)
        return False
    return True
