"""Where things start in a JSON text that is known to be correct.

The text is read again for what is asked for, and nothing is kept but the way to the last of them: a large text has
millions of places, and nobody asks for more than a hundred.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sparring.core.value import DEEPEST
from sparring.documents import KeyPath

_SPACE = re.compile(r"[ \t\r\n]*")
_RUN = 1000
_SIMPLE = re.compile(rf'(?:(?:"(?:[^"\\]|\\.)*+"|[^][{{}}",\s]++)[ \t\r\n]*+,[ \t\r\n]*+){{{_RUN}}}', re.DOTALL)
"""So many items of a list with nothing in them, passed at once."""

_LONG = 10_000
"""Where something of more characters than this ends is worth remembering."""


@dataclass(slots=True)
class _Level:
    """A list or mapping on the way, and which of its entries is looked at: its step, its key and its value."""

    start: int
    at: int
    number: int = 0
    name: str | None = None
    value: int = 0


class Places:
    """Finds where the values and keys of a text start. What comes later in it than what was found last is found from
    there on, so that many complaints in the order of the text take hardly longer than one.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._decoder = json.JSONDecoder()
        self._levels: list[_Level] = []
        self._ends: dict[int, int] = {}

    def find(self, path: KeyPath) -> tuple[int, int]:
        """Where the key and the value at `path` start, which have to be there; one of a list is its own key."""
        key = value = self._spaced(0)
        for depth, step in enumerate(path):
            level = self._level(depth, value)
            self._seek(level, step)
            key, value = level.at, level.value
        return key, value

    def repeated(self) -> Iterator[tuple[KeyPath, int]]:
        """Every key that its mapping has already, and where it starts."""
        return self._repeated(self._spaced(0), ())

    def _repeated(self, start: int, path: KeyPath) -> Iterator[tuple[KeyPath, int]]:
        if len(path) >= DEEPEST or not self._doubtful(start, len(path)):
            return
        level, names, singly = self._opened(start), set[str](), 0
        while self._is_entry(level):
            if not singly and level.name is None and self._pass_run(level):
                continue
            singly = (singly or _RUN) - 1
            if level.name is not None:
                if level.name in names:
                    yield (*path, level.name), level.at
                names.add(level.name)
            if self._text[level.value] in "[{":
                yield from self._repeated(level.value, (*path, level.number if level.name is None else level.name))
            self._next(level)

    def _doubtful(self, start: int, depth: int) -> bool:
        """Whether a key may be repeated in what starts here. To look costs little beside going through all of it, but
        not at every depth again.
        """
        if depth == 0 or depth > 2:
            return True
        twice = False

        def note(pairs: list[tuple[str, object]]) -> None:
            nonlocal twice
            twice = twice or len(dict(pairs)) < len(pairs)

        json.JSONDecoder(object_pairs_hook=note).raw_decode(self._text, start)
        return twice

    def _level(self, depth: int, start: int) -> _Level:
        if depth < len(self._levels) and self._levels[depth].start == start:
            return self._levels[depth]
        del self._levels[depth:]
        self._levels.append(self._opened(start))
        return self._levels[depth]

    def _seek(self, level: _Level, step: str | int) -> None:
        """Go on to an entry, and begin again at the first one where it is not among those that follow."""
        if isinstance(step, int):
            if step < level.number:
                self._first(level)
            self._skip(level, step)
            return
        while level.name != step:
            self._next(level)
            if not self._is_entry(level):
                self._first(level)

    def _skip(self, level: _Level, number: int) -> None:
        while level.number < number:
            if number - level.number < _RUN or not self._pass_run(level):
                for _ in range(min(_RUN, number - level.number)):
                    self._next(level)

    def _pass_run(self, level: _Level) -> bool:
        """Go on by many items at once, where nothing is in any of them; to try is worth it once in as many."""
        if run := _SIMPLE.match(self._text, level.at):
            level.number += _RUN
            level.at = level.value = run.end()
        return run is not None

    def _opened(self, start: int) -> _Level:
        level = _Level(start, start)
        self._first(level)
        return level

    def _first(self, level: _Level) -> None:
        level.number = 0
        self._enter(level, self._spaced(level.start + 1))

    def _next(self, level: _Level) -> None:
        level.number += 1
        at = self._spaced(self._end(level.value))
        self._enter(level, self._spaced(at + 1) if self._text[at] == "," else at)

    def _enter(self, level: _Level, at: int) -> None:
        level.at = level.value = at
        if self._text[level.start] == "{" and self._is_entry(level):
            level.name, end = self._decoder.raw_decode(self._text, at)
            level.value = self._spaced(self._spaced(end) + 1)

    def _is_entry(self, level: _Level) -> bool:
        return self._text[level.at] not in "]}"

    def _end(self, start: int) -> int:
        if start in self._ends:
            return self._ends[start]
        end = self._decoder.raw_decode(self._text, start)[1]
        if end - start > _LONG:
            self._ends[start] = end
        return end

    def _spaced(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        return match.end() if match else at
