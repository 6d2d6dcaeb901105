"""Where in a JSON answer something is, written as `choices[0].message.content` or `[*].text`.

name        the entry of that name, as in `message` or `data.message`
["a name"]  the same, for a name with dots, brackets or blanks
[0], [-1]   an item of a list, counted from its start or its end
[*] or []   every item of a list; what some of them do not have is passed over
$           the whole answer; `$.message` is `message`
"""

import re
from dataclasses import dataclass
from enum import Enum
from typing import Self

from sparring.core.value import Json


class Every(Enum):
    """The step to all items of a list."""

    ITEM = "[*]"


Step = str | int | Every

_STEP = re.compile(r"""\[(\*?)\]|\[(-?\d{1,6})\]|\["([^"]*)"\]|\['([^']*)'\]|(?:^|\.)([^\s.\[\]"'$]+)""")


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path to a value in an answer, or with `[*]` to many values."""

    written: str
    steps: tuple[Step, ...]

    @classmethod
    def parse(cls, written: object) -> Self:
        """Parse a path. Raise ValueError with the syntax of paths."""
        if not isinstance(written, str):
            raise ValueError("a path is text, such as data.messages[*].text")
        steps: list[Step] = []
        at = 1 if written.startswith("$") else 0
        while at < len(written):
            match = _STEP.match(written, at)
            if match is None:
                raise ValueError(f"is no path at {written[at:][:30]!r}; a path looks like data.messages[*].text")
            steps.append(_step(match))
            at = match.end()
        return cls(written or "$", tuple(steps))

    def find(self, answer: Json) -> list[Json] | None:
        """Return all values at the path, or None if there is no such place."""
        found, many = [answer], False
        for step in self.steps:
            inner = [value for one in found for value in _inside(one, step)]
            if not inner and not many and not (step is Every.ITEM and isinstance(found[0], list)):
                return None
            found, many = inner, many or step is Every.ITEM
        return found

    def __str__(self) -> str:
        return self.written


def _step(match: re.Match[str]) -> Step:
    every, index, *names = match.groups()
    if every is not None:
        return Every.ITEM
    return int(index) if index else next(name for name in names if name is not None)


def _inside(value: Json, step: Step) -> list[Json]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if not isinstance(value, list):
        return []
    if isinstance(step, int):
        return [value[step]] if -len(value) <= step < len(value) else []
    return value
