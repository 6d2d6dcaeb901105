"""Many alternatives as one regular expression that is quick to say no.

`re` tries one alternative after the other at the beginning of every word; where they share their first letters, all but
a few are out of the question at once. What is found is the same, though not always by the same alternative.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

_OPENS = "(?:"
_REPEATED = ("?", "*", "+", "{")
_NOTHING = "(?!)"
_DEEPEST = 3
"""How many letters are shared; what comes after seldom matters."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|.", re.DOTALL)


def factored(alternatives: Iterable[str], depth: int = _DEEPEST, *, ascii: bool = False) -> str:
    """A regular expression that matches where any of these does; groups in them are written `(?:...)`. One for texts in
    `ascii` lacks those that begin with a letter no such text has."""
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    parts: list[str] = []
    for one in dict.fromkeys(each for alternative in alternatives for each in _plain(alternative)):
        if depth and one[:1].isalpha() and not one[1:].startswith(_REPEATED):
            if ascii and not one[0].isascii():
                continue
            by_letter[one[0]].append(one[1:])
        else:
            parts.append(one)
    for letter, rests in by_letter.items():
        parts.append(letter + (rests[0] if len(rests) == 1 else f"(?:{factored(rests, depth - 1)})"))
    return "|".join(parts) if parts else _NOTHING


def _plain(alternative: str) -> Iterator[str]:
    """The alternative without a group at its beginning: `(?:a|b)c` is `ac` or `bc`."""
    for one in _split(alternative):
        inside, rest = _group(one)
        if inside is None or rest.startswith(("*", "+", "{", "??", "?+")):
            yield one
            continue
        optional = rest.startswith("?")
        rest = rest.removeprefix("?")
        for begins in _split(inside):
            yield from _plain(begins + rest)
        if optional:
            yield from _plain(rest)


def _split(alternative: str) -> Iterator[str]:
    """What stands between the `|` that are in no group."""
    depth, begins = 0, 0
    for token in _TOKEN.finditer(alternative):
        depth += token[0] in ("(", _OPENS)
        depth -= token[0] == ")"
        if token[0] == "|" and not depth:
            yield alternative[begins : token.start()]
            begins = token.end()
    yield alternative[begins:]


def _group(alternative: str) -> tuple[str | None, str]:
    """What is in the group with which it begins, if it does, and what comes after."""
    depth = 0
    if alternative.startswith(_OPENS):
        for token in _TOKEN.finditer(alternative):
            depth += token[0] in ("(", _OPENS)
            depth -= token[0] == ")"
            if not depth:
                return alternative[len(_OPENS) : token.start()], alternative[token.end() :]
    return None, alternative
