"""Text in a table that people open in a spreadsheet."""

import re

_FORMULA = re.compile(r"\s*[=+\-@\t\r\n|%\uff1d\uff0b\uff0d\uff20]")
"""The last are = + - and @ in the width of Chinese characters, which spreadsheets in East Asia take for the others."""


def formula(text: str) -> bool:
    """Whether a spreadsheet takes what begins like this for a formula."""
    return _FORMULA.match(text) is not None


def cell(text: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{text}" if formula(text) else text


def plain(cell: str) -> str:
    """The text of a cell that may have got a quote in front when it was written."""
    return cell[1:] if cell.startswith("'") and formula(cell[1:]) else cell
