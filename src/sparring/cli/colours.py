"""Colours, where somebody sees them and has not said that they would rather not."""

import os
from typing import Literal, TextIO

Colour = Literal["cyan", "grey"]

_CODES: dict[Colour, str] = {"cyan": "36", "grey": "90"}


def painted(line: str, colour: Colour, stream: TextIO) -> str:
    """The line in a colour, if it is written to a terminal that shows any; see no-color.org."""
    plain = not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return line if plain else f"\x1b[{_CODES[colour]}m{line}\x1b[0m"
