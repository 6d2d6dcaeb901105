"""A value that was found in a text."""

from dataclasses import dataclass

from sparring.core.value import Json


@dataclass(frozen=True, slots=True)
class Found:
    """A value and where in the text its words stand."""

    value: Json
    start: int
    end: int
