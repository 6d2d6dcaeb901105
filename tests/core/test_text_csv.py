"""Tables with any of three separators."""

import csv

import pytest

from sparring.core.text import csv_rows


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_header_has_what_separates_columns(mark: str):
    lines = [mark.join(["id", "role", "text"]) + "\n", mark.join(["1", "user", '"Hi, there; you\nand me"']) + "\n"]
    rows = csv_rows("".join(lines).splitlines(keepends=True))

    assert list(rows) == [{"id": "1", "role": "user", "text": "Hi, there; you\nand me"}]
    assert rows.line_num == 3


def test_what_is_beyond_the_columns_is_kept_and_too_large_a_cell_is_an_error():
    assert list(csv_rows(["a,b\n", "1,2,3\n"])) == [{"a": "1", "b": "2", "": ["3"]}]
    assert list(csv_rows([])) == []
    with pytest.raises(csv.Error):
        list(csv_rows(["a,b\n", "x" * (csv.field_size_limit() + 1)]))
