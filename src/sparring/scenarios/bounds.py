"""How much a file may ask for: more is a slip, or an attack, and would only be found out hours later."""

from collections.abc import Sequence
from typing import TypeVar

from sparring.scenarios.part import Part

MAX_CASES = 100_000
MAX_GOALS = 200
MAX_VARIABLES = 500

Found = TypeVar("Found")


def bounded(part: Part, found: Sequence[Found], most: int, what: str) -> Sequence[Found]:
    """What `part` holds; only the first `most` of it, with a complaint, where it holds more."""
    part.fits(len(found), most, what)
    return found[:most]
