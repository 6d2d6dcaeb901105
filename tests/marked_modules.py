"""Modules whose tests all have a marker that `-m` excludes: they need not be imported."""

import re

_MARKS = re.compile(r"^pytestmark = (\[\n(?:.*\n)*?\]|.*)", re.MULTILINE)


def is_excluded(source: str, expression: str) -> bool:
    """Return True if `-m` is a list of excluded markers, and the module's `pytestmark` has one of them."""
    terms = expression.split(" and ")
    found = _MARKS.search(source)
    if found is None or not all(re.fullmatch(r"not \w+", term) for term in terms):
        return False
    return not set(re.findall(r"\bmark\.(\w+)", found[1])).isdisjoint(term.removeprefix("not ") for term in terms)
