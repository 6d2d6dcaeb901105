"""Finders that need a digit find what they found without this shortcut."""

import pytest

from sparring.extraction import typed_values
from tables import table


@table("type", ["money", "int", "float", "percent", "percentage", "phone", "telefono"])
def test_a_text_without_a_digit_has_no_value_of_a_number(type: str) -> None:
    assert typed_values.find(type, "two dollars, $, ten per cent, +, five hundred euros.") == ()


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("money", "It costs ٥ euros.", "٥ euros"),
        ("time", "We meet at noon.", "12:00"),
        ("time", "We meet at half past ten.", "10:30"),
    ],
)
def test_digits_of_other_scripts_and_words_are_read(type: str, text: str, value: str) -> None:
    assert [found.value for found in typed_values.find(type, text)] == [value]
