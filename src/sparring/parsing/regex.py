"""Regular expressions of rule authors, through RE2: it takes time in proportion to the text, whatever the pattern."""

import re
from functools import lru_cache
from typing import Any

import re2

LENGTH = 1000
_MEMORY = 8 << 20


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """The pattern, ready to search with."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MEMORY
    return re2.compile(pattern, options=options)


def weight(pattern: str) -> int:
    """How many times slower than a plain one a pattern may be to search with, when RE2 can keep no table of it."""
    return max(1, int(compiled(pattern)._regexp.ProgramSize()) // 40)


def pattern_problem(pattern: str) -> str:
    """Why `pattern` cannot be used; empty if it can."""
    if len(pattern) > LENGTH:
        return f"it is longer than {LENGTH} characters"
    if re.search(r"\{\d{4,}[,}]", pattern):
        return "it repeats something more than 1,000 times"
    try:
        compiled(pattern)
    except re2.error as error:
        return _explained(pattern, str(error))
    return ""


def finds_everything(pattern: str) -> bool:
    """Whether a pattern is found in whatever is said, so that looking for it tells nothing: `.*`, or `yes|`."""
    found = compiled(pattern)
    return bool(found.search("")) and bool(found.search("\ue000"))


def _explained(pattern: str, message: str) -> str:
    if re.search(r"\(\?<?[=!]", pattern):
        return "looking ahead or behind, (?=...) or (?<!...), is not supported"
    if re.search(r"\\[1-9]", pattern):
        return "referring back to a group, such as \\1, is not supported"
    return message.strip("b'\"")
