"""Lines of a simulated user: words together with what they mean."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sparring.core.message import Meant, UserAct

_FREE_TEXT = 3
"""Fewest words of a value that a chatbot may take as it stands."""

_DICTATED = re.compile(r"(?:\w: (?:\S+ ){2,}\S+|[^\W\d_][.!?]?[\"”»])[.!?]?$")


@dataclass(frozen=True, slots=True)
class Line:
    """Words and their meaning. An empty line is false."""

    text: str = ""
    meant: tuple[Meant, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text)

    def __add__(self, other: "Line") -> "Line":
        return Line(f"{self.text} {other.text}".strip(), (*self.meant, *other.meant))

    @property
    def is_free_text(self) -> bool:
        """True for a value of several words: a chatbot may take the whole message as the text of a card."""
        return any(len(value.split()) >= _FREE_TEXT for each in self.meant for value in each.slots.values())


SILENT = Line()


def dictates(text: str) -> bool:
    """Return True if words end with a text to take down, to which nothing must be added."""
    return _DICTATED.search(text) is not None


def ended(text: str) -> str:
    """Return words as a sentence with a mark at its end."""
    return text if text.endswith((".", "?", "!")) else f"{text}."


def line(act: UserAct, text: str, goal: int | None = None, slots: Mapping[str, str] | None = None) -> Line:
    """Return a line with one meaning; an empty one without words."""
    return Line(text, (meaning(act, goal, slots),)) if text else SILENT


def meaning(act: UserAct, goal: int | None = None, slots: Mapping[str, str] | None = None) -> Meant:
    """Return a meaning without validation, because users make thousands a second."""
    return Meant.unchecked({"act": act, "goal": goal, "slots": dict(slots or {})})


def bare(said: Line) -> Line:
    """Return an answer with its values alone."""
    if any(each.act != "value" for each in said.meant):
        return said
    return Line(", ".join(value for each in said.meant for value in each.slots.values()), said.meant)


def joined(lines: Iterable[Line]) -> Line:
    """Return distinct lines as one, with a comma after a value: "2, in boxes"."""
    *first, last = [*{each.text: each for each in lines if each}.values()] or [SILENT]
    return sum([Line(each.text + "," * each.text[-1:].isalnum(), each.meant) for each in first], SILENT) + last
