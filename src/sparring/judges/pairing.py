"""Which line of a cart is which of the things that were wanted."""

from collections.abc import Sequence

from sparring.extraction.packagings import packaging_in
from sparring.extraction.tokens import mentions, share, stems
from sparring.judges.cart import Line
from sparring.judges.wanted import Wanted

_SAME = 0.5
"""How much of a wanted thing's name must be in that of a line to be the same thing."""


def pairs(items: Sequence[Wanted], lines: Sequence[Line]) -> dict[int, int]:
    """In which line each wanted thing is, by their places, the likest first; a line is one thing only."""
    alike = [
        (_likeness(item, line), -index, -place)
        for index, item in enumerate(items)
        for place, line in enumerate(lines)
        if _same(item, line)
    ]
    found: dict[int, int] = {}
    for _, index, place in sorted(alike, reverse=True):
        if -index not in found and -place not in found.values():
            found[-index] = -place
    return found


def same_packaging(one: str, other: str) -> bool:
    """Whether two words are for the same packaging: box, boxes, carton."""
    mine, its = packaging_in(one), packaging_in(other)
    return mine == its if mine and its else stems(one) == stems(other)


def _same(item: Wanted, line: Line) -> bool:
    """Whether a line is the thing that is wanted: by its code, or by its name where no code is known."""
    if item.code and line.code:
        return item.code.casefold() == line.code.casefold()
    return mentions(line.name, item.name) or share(stems(item.name), stems(line.name)) > _SAME


def _likeness(item: Wanted, line: Line) -> tuple[bool, float, bool, bool]:
    packaging = not item.packaging or same_packaging(item.packaging, line.packaging)
    return (
        mentions(line.name, item.name),
        share(stems(item.name), stems(line.name)),
        packaging,
        (item.quantity == line.quantity),
    )
