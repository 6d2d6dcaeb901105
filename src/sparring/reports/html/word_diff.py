"""Two conversations side by side: the words that are only in one of them are marked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest

from sparring.reports.html.conversation import Mark, Turn, pieces

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MOST_WORDS = 1_000
"""Words of a message beyond which it is marked as a whole: comparing takes the square of them, or their cube."""

_MOST_LINES = 2_000
"""The same for the lines of a text, of which it is not marked what is there very often."""


def differing(before: Sequence[Turn], after: Sequence[Turn]) -> tuple[list[Turn], list[Turn]]:
    """The turns of both, paired by their place; `removed` is marked in the first, `added` in the second."""
    earlier, later = [], []
    for was, now in zip_longest(before, after):
        removed, added = _marks(was.message.text if was else "", now.message.text if now else "")
        earlier += [_marked(was, removed)] if was else []
        later += [_marked(now, added)] if now else []
    return earlier, later


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """The files that are not the same, line by line: each is `same`, `removed`, `added`, or a `gap`."""
    return {
        name: list(_lines(before.get(name, "").splitlines(), after.get(name, "").splitlines()))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    }


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in list(unified(before, after))[2:]:
        if line.startswith("@@"):
            yield "gap", "…"
        else:
            yield {"-": "removed", "+": "added"}.get(line[0], "same"), line[1:]


def unified(before: Sequence[str], after: Sequence[str], name: str = "") -> Iterator[str]:
    """The lines of a unified diff. Very many lines are told as a whole: comparing takes the square of them, or more."""
    if max(len(before), len(after)) <= _MOST_LINES:
        yield from unified_diff(before, after, name, name, lineterm="")
    elif before != after:
        yield from (f"--- {name}", f"+++ {name}")
        yield f"@@ -{min(1, len(before))},{len(before)} +{min(1, len(after))},{len(after)} @@"
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)


def _marked(turn: Turn, marks: Sequence[Mark]) -> Turn:
    """The turn with these marks alone: goals are told elsewhere."""
    return replace(turn, pieces=tuple(pieces(turn.message.text, marks)), asked=(), answered=())


def _marks(was: str, now: str) -> tuple[list[Mark], list[Mark]]:
    if was == now:
        return [], []
    one, other = _WORD.findall(was), _WORD.findall(now)
    if max(len(one), len(other)) > _MOST_WORDS:
        return [Mark(0, len(was), "removed", "only before")], [Mark(0, len(now), "added", "only after")]
    removed, added = [], []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            removed.append(Mark(_at(one, a), _at(one, b), "removed", "only before"))
            added.append(Mark(_at(other, c), _at(other, d), "added", "only after"))
    return removed, added


def _at(words: Sequence[str], number: int) -> int:
    return sum(map(len, words[:number]))
