"""Hints for a user without a model: what the chatbot may ask, and what to answer then."""

from sparring.parsing.regex import pattern_problem
from sparring.scenarios.part import Part


def hints(part: Part) -> dict[str, tuple[Part, str]]:
    """By pattern: the part with the answer, and the answer, a variable's name or words with placeholders."""
    return {pattern: (item, item.text()) for pattern, item in part.entries() if _sound(pattern, item)}


def _sound(pattern: str, part: Part) -> bool:
    if problem := pattern_problem(pattern):
        part.wrong(f"is no regular expression: {problem}", key=True)
    return not problem
