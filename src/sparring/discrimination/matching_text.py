"""A short text that a regular expression matches, for bots that violate a check."""

import re
from collections.abc import Iterable
from re import _parser  # type: ignore[attr-defined]  # the only public way to a parsed pattern is a parser of our own
from typing import Any

from sparring.parsing.regex import compiled, pattern_problem

_LONGEST = 400
_CATEGORIES = {"DIGIT": "7", "SPACE": " ", "WORD": "a", "NOT_DIGIT": "a", "NOT_SPACE": "a", "NOT_WORD": "-"}


def matching_text(pattern: str) -> str:
    """Return a short text that the pattern matches; empty if none was found."""
    if pattern_problem(pattern):
        return ""
    try:
        text = _text(_parser.parse(pattern))[:_LONGEST]
    except (re.error, OverflowError, RecursionError):
        return ""
    return text if compiled(pattern).search(text) else ""


def _text(parts: Iterable[tuple[Any, Any]]) -> str:
    return "".join(_part(str(code), argument) for code, argument in parts)


def _part(code: str, argument: Any) -> str:
    """Return a text for one part of a parsed pattern; nothing for anchors."""
    match code:
        case "LITERAL":
            return chr(argument)
        case "NOT_LITERAL":
            return "b" if argument == ord("a") else "a"
        case "ANY":
            return "a"
        case "IN":
            return _one_of(argument)
        case "BRANCH":
            return _text(argument[1][0])
        case "SUBPATTERN":
            return _text(argument[3])
        case "MAX_REPEAT" | "MIN_REPEAT":
            return _text(argument[2]) * min(int(argument[0]), _LONGEST)
        case _:
            return ""


def _one_of(choices: list[tuple[Any, Any]]) -> str:
    """Return a character of a set."""
    if str(choices[0][0]) == "NEGATE":
        candidates = (chr(code) for code in (97, 55, 45, 32, *range(33, 127), 0x4E00))
        return next((each for each in candidates if not any(_holds(each, *one) for one in choices[1:])), "")
    code, argument = str(choices[0][0]), choices[0][1]
    if code == "CATEGORY":
        return _CATEGORIES.get(str(argument).removeprefix("CATEGORY_"), "")
    return chr(argument[0] if code == "RANGE" else argument)


def _holds(character: str, code: Any, argument: Any) -> bool:
    """Return True if a character belongs to one part of a set."""
    match str(code):
        case "LITERAL":
            return ord(character) == int(argument)
        case "RANGE":
            return int(argument[0]) <= ord(character) <= int(argument[1])
        case _:
            shorthand = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}
            shorthand |= {f"NOT_{name}": one.upper() for name, one in shorthand.items()}
            return bool(re.match(shorthand[str(argument).removeprefix("CATEGORY_")], character))
