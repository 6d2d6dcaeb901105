from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.reading.typed import find, known, number


@pytest.mark.parametrize(
    ("type", "text", "values"),
    [
        ("money", "2 pizzas at $10 each, total USD 21.50", ["$10", "USD 21.50"]),
        ("money", "Son 12,50 € o 1.50$, o bien 5 euros", ["12,50 €", "1.50$", "5 euros"]),
        ("money", "Итого 1 250 руб.", ["1 250 руб."]),
        ("money", "Room 12 on floor 3", []),
        ("int", "4 nights, 2.5 stars, -3 degrees", [4, -3]),
        ("float", "4 nights, 2,5 stars", [4.0, 2.5]),
        ("date", "on 06/11/2024", ["2024-11-06"]),
        ("date", "on 11/26/2024 or 2024-02-30", ["2024-11-26"]),
        ("date", "May 5, 2026 and 6th of November", ["2026-05-05", "--11-06"]),
        ("date", "el 5 de mayo de 2026; 7 ноября", ["2026-05-05", "--11-07"]),
        ("date", "we may come", []),
        ("time", "from 1pm to 11:30pm, or 9.15", ["13:00", "23:30", "09:15"]),
        ("time", "12 a.m. and 12 p.m.", ["00:00", "12:00"]),
        ("email", "write to shop@example.com.", ["shop@example.com"]),
        ("telefono", "call +34 914 975 100 now", ["+34 914 975 100"]),
        ("code", "order ID 9c31ab, ref ORD-001, room two", ["9c31ab", "ORD-001"]),
        ("bool", "Yes, of course", [True]),
        ("bool", "I'm afraid not", [False]),
    ],
)
def test_values_are_found_where_they_are_stated(type: str, text: str, values: list[Any]):
    assert [found.value for found in find(type, text)] == values


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("1,250", 1250),
        ("1.250", 1250),
        ("12,50", 12.5),
        ("1.234,56", 1234.56),
        ("1,234.56", 1234.56),
        ("0.125", 0.125),
        ("-12", -12),
        ("1 250", 1250),
        ("1.234.567", 1234567),
        ("", None),
    ],
)
def test_numbers_are_read_as_they_are_written_here_or_there(words: str, value: float | None):
    assert number(words) == value


@given(
    st.sampled_from(["money", "int", "float", "date", "time", "email", "phone", "code", "bool"]), st.text(max_size=60)
)
def test_every_value_stands_where_it_says(type: str, text: str):
    for found in find(type, text):
        assert 0 <= found.start < found.end <= len(text)


def test_types_nobody_knows_are_known_to_be_unknown():
    assert (known("money"), known("string"), known("colour")) == (True, True, False)
