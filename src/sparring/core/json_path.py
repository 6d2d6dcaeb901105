"""Where in a JSON answer something is, written as `choices[0].message.content` or `[*].text`.

name        the entry of that name, as in `message` or `data.message`
["a name"]  the same, for a name with dots, brackets or blanks
[0], [-1]   an item of a list, counted from its start or its end
[*] or []   every item of a list; what some of them do not have is passed over
[?a=b]      the items of a list whose `a` is b, or a mapping if its own is; also [?a!=b] and, for any value, [?a]
$           the whole answer; `$.message` is `message`
"""

import json
import re
from dataclasses import dataclass
from enum import Enum
from typing import Self

from sparring.core.value import Json


class Every(Enum):
    """The step to all items of a list."""

    ITEM = "[*]"


@dataclass(frozen=True, slots=True)
class Having:
    """The step to mappings that have `name`, with (or, if not `equal`, without) the given value."""

    name: str
    value: str | None = None
    equal: bool = True

    def fits(self, item: Json) -> bool:
        if not isinstance(item, dict):
            return False
        if self.value is None:
            return self.name in item
        value = item.get(self.name)
        return ((value if isinstance(value, str) else json.dumps(value)) == self.value) is self.equal


Step = str | int | Every | Having

_STEP = re.compile(
    r"""\[(\*?)\]|\[(-?\d{1,6})\]|\["([^"]*)"\]|\['([^']*)'\]|(?:^|\.)([^\s.\[\]"'$]+)"""
    r"""|\[\?([\w-]+)(?:(!?=)("[^"]*"|[^\]"]+))?\]"""
)


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
        """Return all values at the path, or None if there is no such place.

        Nothing that fits a condition is no missing place.
        """
        found, many = [answer], False
        for step in self.steps:
            inner = [value for one in found for value in _inside(one, step)]
            if not inner and not many and not _may_be_empty(step, found[0]):
                return None
            found, many = inner, many or isinstance(step, Every | Having)
        return found

    def replaced(self, answer: Json, value: Json) -> Json:
        """Return the answer with another value at the path, which has only names."""
        made = value
        for depth in range(len(self.steps) - 1, -1, -1):
            step = self.steps[depth]
            (outer,) = JsonPath("", self.steps[:depth]).find(answer) or [None]
            if not isinstance(outer, dict) or not isinstance(step, str):
                return answer
            made = {**outer, step: made}
        return made

    def __str__(self) -> str:
        return self.written


def _may_be_empty(step: Step, value: Json) -> bool:
    return (
        isinstance(value, list) if step is Every.ITEM else isinstance(step, Having) and isinstance(value, list | dict)
    )


def _step(match: re.Match[str]) -> Step:
    every, index, *names, having, sign, wanted = match.groups()
    if every is not None:
        return Every.ITEM
    if having is not None:
        return Having(having, wanted and wanted.strip('"'), sign != "!=")
    return int(index) if index else next(name for name in names if name is not None)


def _inside(value: Json, step: Step) -> list[Json]:
    if isinstance(step, str):
        return [value[step]] if isinstance(value, dict) and step in value else []
    if isinstance(step, Having):
        return [item for item in (value if isinstance(value, list) else [value]) if step.fits(item)]
    if not isinstance(value, list):
        return []
    if isinstance(step, int):
        return [value[step]] if -len(value) <= step < len(value) else []
    return value
