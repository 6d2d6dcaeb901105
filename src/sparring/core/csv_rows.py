"""Rows of a table in CSV, with the separator of its header."""

import csv
from collections.abc import Iterable, Iterator
from itertools import chain

_SEPARATORS = ",;\t"


def csv_rows(lines: Iterable[str]) -> "csv.DictReader[str]":
    """Return a reader of the rows of a table by column.

    Commas separate columns, or semicolons or tabs if the header has more of them. Cells beyond the columns are under an
    empty name.
    """
    rest: Iterator[str] = iter(lines)
    header = next(rest, "")
    separator = max(_SEPARATORS, key=header.count)
    return csv.DictReader(chain([header], rest), restkey="", delimiter=separator)
