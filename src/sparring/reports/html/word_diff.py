"""Differences between two conversations (by word) or two versions of prompts (by line)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher, unified_diff
from itertools import zip_longest

from sparring.reports.html.conversation import Mark, RenderedTurn, pieces

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_MAX_WORDS = 1_000
"""Longer messages are marked as a whole: the comparison takes quadratic time or more."""

_MAX_LINES = 2_000
"""Longer texts are shown as replaced as a whole, for the same reason."""


def mark_differences(
    before: Sequence[RenderedTurn], after: Sequence[RenderedTurn]
) -> tuple[list[RenderedTurn], list[RenderedTurn]]:
    """Pair turns by position. Mark words as `removed` in the first conversation and `added` in the second."""
    earlier, later = [], []
    for was, now in zip_longest(before, after):
        removed, added = _word_marks(was.message.text if was else "", now.message.text if now else "")
        earlier += [_with_marks(was, removed)] if was else []
        later += [_with_marks(now, added)] if now else []
    return earlier, later


def changed_lines(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return the files that differ, as lines of kind `same`, `removed`, `added` or `gap`."""
    return {
        name: list(_lines(before.get(name, "").splitlines(), after.get(name, "").splitlines()))
        for name in dict.fromkeys((*before, *after))
        if before.get(name) != after.get(name)
    }


def _lines(before: Sequence[str], after: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in list(unified_lines(before, after))[2:]:
        if line.startswith("@@"):
            yield "gap", "…"
        else:
            yield {"-": "removed", "+": "added"}.get(line[0], "same"), line[1:]


def unified_lines(before: Sequence[str], after: Sequence[str], name: str = "") -> Iterator[str]:
    """Yield the lines of a unified diff; texts over the line limit are one replaced block."""
    if max(len(before), len(after)) <= _MAX_LINES:
        yield from unified_diff(before, after, name, name, lineterm="")
    elif before != after:
        yield from (f"--- {name}", f"+++ {name}")
        yield f"@@ -{min(1, len(before))},{len(before)} +{min(1, len(after))},{len(after)} @@"
        yield from (f"-{line}" for line in before)
        yield from (f"+{line}" for line in after)


def _with_marks(turn: RenderedTurn, marks: Sequence[Mark]) -> RenderedTurn:
    """Return the turn with only these marks, without goals."""
    return replace(turn, pieces=tuple(pieces(turn.message.text, marks)), asked=(), shows=())


def _word_marks(was: str, now: str) -> tuple[list[Mark], list[Mark]]:
    if was == now:
        return [], []
    one, other = _WORD.findall(was), _WORD.findall(now)
    if max(len(one), len(other)) > _MAX_WORDS:
        return [Mark(0, len(was), "removed", "only before")], [Mark(0, len(now), "added", "only after")]
    removed, added = [], []
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind != "equal":
            removed.append(Mark(_offset(one, a), _offset(one, b), "removed", "only before"))
            added.append(Mark(_offset(other, c), _offset(other, d), "added", "only after"))
    return removed, added


def _offset(words: Sequence[str], number: int) -> int:
    return sum(map(len, words[:number]))
