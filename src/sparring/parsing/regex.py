"""Regular expressions of rule authors, searched by RE2 in time linear in the text."""

import re
from functools import lru_cache
from typing import Any

import re2

MAX_LENGTH = 1000
_MEMORY = 8 << 20


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """Return the compiled pattern, cached."""
    return re2.compile(pattern, options=options(max_mem=_MEMORY))


def options(*, any_case: bool = False, max_mem: int = 0) -> Any:
    """Return options of RE2: errors are raised and not logged."""
    made = re2.Options()
    made.log_errors = False
    made.case_sensitive = not any_case
    if max_mem:
        made.max_mem = max_mem
    return made


def search_cost(pattern: str) -> int:
    """Return how many times slower than a simple pattern this one may be if RE2 cannot cache its states."""
    return max(1, int(compiled(pattern)._regexp.ProgramSize()) // 40)


_ESCAPED = re.compile(r"[\x01-\x08]")


def lost_escape(text: str) -> tuple[str, str] | None:
    """Return the complaint about an escape that quotes have replaced, and a hint: `\\b` became a backspace."""
    found = _ESCAPED.search(text)
    if found is None:
        return None
    written = "\\b" if found[0] == "\b" else f"\\{ord(found[0])}"
    name = "a backspace" if found[0] == "\b" else "a control character"
    return f"{written} in these quotes is {name}", f"write \\{written}, or r'...' in a rule, or single quotes in YAML"


def pattern_problem(pattern: str) -> str:
    """Return the reason why `pattern` cannot be used, or an empty string."""
    if lost := lost_escape(pattern):
        return "; ".join(lost)
    if len(pattern) > MAX_LENGTH:
        return f"it is longer than {MAX_LENGTH} characters"
    if re.search(r"\{\d{4,}[,}]", pattern):
        return "it has more than 1,000 repetitions"
    try:
        compiled(pattern)
    except re2.error as error:
        return _explained(pattern, str(error))
    return ""


def matches_everything(pattern: str) -> bool:
    """Return True if a pattern matches in every text, so searching for it is useless: `.*`, or `yes|`."""
    found = compiled(pattern)
    return bool(found.search("")) and bool(found.search("\ue000"))


def _explained(pattern: str, message: str) -> str:
    if re.search(r"\(\?<?[=!]", pattern):
        return "lookahead and lookbehind, (?=...) and (?<!...), are not supported"
    if re.search(r"\\[1-9]", pattern):
        return "backreferences, such as \\1, are not supported"
    return message.strip("b'\"")
