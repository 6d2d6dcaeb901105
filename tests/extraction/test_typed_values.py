from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.extraction.extractor import ExtractionContext
from sparring.extraction.numbers import number
from sparring.extraction.typed_values import find, is_known_type
from tables import table


@table(
    ("type", "text", "values"),
    [
        ("money", "2 pizzas at $10 each, total USD 21.50", ["$10", "USD 21.50"]),
        ("money", "Son 12,50 € o 1.50$, o bien 5 euros", ["12,50 €", "1.50$", "5 euros"]),
        ("money", "Итого 1 250 руб.", ["1 250 руб."]),
        ("money", "Room 12 on floor 3", []),
        ("money", "R$ 12,50, CHF 1'250.00, 12,– €, ₹1,00,000", ["R$ 12,50", "CHF 1'250.00", "12,– €", "₹1,00,000"]),
        ("money", "$12 million, 5 тыс. руб., 20 bucks", ["$12 million", "5 тыс. руб.", "20 bucks"]),
        ("float", "on 2024-05-06 at https://example.com/2022/12", []),
        ("date", "am 3. Mai 2026, le 1er juin 2026", ["2026-05-03", "2026-06-01"]),
        ("date", "il 3 maggio 2026, 5 de março de 2026", ["2026-05-03", "2026-03-05"]),
        ("time", "um 14 Uhr 30, à 9 h, às 14 horas, alle 15, am 03.05.2026", ["14:30", "09:00", "14:00", "15:00"]),
        ("duration", "in 15 minutes, 30-45 minutos, half an hour", ["00:15", "00:30-00:45", "00:30"]),
        ("url", "see https://example.com/a?b=1, or www.example.com.", ["https://example.com/a?b=1", "www.example.com"]),
        ("code", "$105 on 06-11-2024 at 10:30", []),
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
        ("date", "on 06-11-2024, 06/11/24 or 06/11", ["2024-11-06", "2024-11-06", "--11-06"]),
        ("date", "1/2 a pizza, room 2 may be free, 3 decks, version 1.2.3", []),
        ("date", "tomorrow, on Friday or in 3 days", []),
        ("time", "at 10:00:00, not for $9.15 or 11.50 EUR", ["10:00"]),
        ("time", "half past five in the afternoon, or a quarter to six", ["17:30", "05:45"]),
        ("time", "at 5 o'clock, at noon, or a quarter past 7 pm", ["05:00", "12:00", "19:15"]),
        (
            "time",
            "a las cinco y media de la tarde, las seis menos cuarto, la una en punto",
            ["17:30", "05:45", "01:00"],
        ),
        ("time", "las 5 pizzas", []),
        ("time", "в 5 часов вечера или в полночь", ["17:00", "00:00"]),
        ("percent", "20 % off, or 12.5 percent of 50", [20.0, 12.5]),
        ("list[int]", "rooms 12, 14 and 15", [[12, 14, 15]]),
        ("list[string]", "Our drinks are sprite, coke and water.", [["sprite", "coke", "water"]]),
        ("list", "The wrap and the salad are vegan.", [["wrap", "salad"]]),
        ("list", "The films are The Godfather and Red Joan.", [["The Godfather", "Red Joan"]]),
        ("list", "Hay agua, vino o cerveza.", [["agua", "vino", "cerveza"]]),
        ("list[str]", "Sizes:\n- small\n- extra big\n", [["small", "extra big"]]),
        ("list[money]", "nothing here costs anything", []),
        ("/ORD-[0-9]+/", "from ORD-12 to ORD-7", ["ORD-12", "ORD-7"]),
        ("/gate ([A-Z])/", "at gate B", ["B"]),
        ("date(dd/mm/yyyy)", "06/11/2024", ["2024-11-06"]),
        ("code", "order ID 9c31ab, ref ORD-001, room two", ["9c31ab", "ORD-001"]),
        ("bool", "Yes, of course", [True]),
        ("bool", "I'm afraid not", [False]),
    ],
)
def test_values_are_found_where_they_are_stated(type: str, text: str, values: list[Any]):
    assert [found.value for found in find(type, text)] == values


@table(
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


TODAY = date(2026, 11, 4)  # a Wednesday


@table(
    ("text", "days"),
    [
        ("Tomorrow, or the day after tomorrow", ["2026-11-05", "2026-11-06"]),
        ("November 6th, 3 November, February 29", ["2026-11-06", "2027-11-03", "2028-02-29"]),
        ("on Friday, next Wednesday", ["2026-11-06", "2026-11-11"]),
        ("on Mondays, from Monday to Friday", []),
        ("in 3 days, in two weeks", ["2026-11-07", "2026-11-18"]),
        ("mañana por la mañana, el martes, dentro de 3 días", ["2026-11-05", "2026-11-10", "2026-11-07"]),
        ("завтра, в пятницу, через 3 дня", ["2026-11-05", "2026-11-06", "2026-11-07"]),
    ],
)
def test_days_are_counted_from_the_day_it_is(text: str, days: list[str]):
    assert [found.value for found in find("date", text, ExtractionContext(today=TODAY))] == days


@pytest.mark.parametrize(
    ("decimal", "text", "values"),
    [
        (".", "1.250 km, 1,250 people, 12,50", [1.25, 1250.0, 12.5]),
        (",", "1.250 personas, 1,250 km, 12.50", [1250.0, 1.25, 12.5]),
        ("", "1.250 or 1,250", [1250.0, 1250.0]),
    ],
)
def test_numbers_are_read_as_the_language_writes_them(decimal: str, text: str, values: list[float]):
    assert [found.value for found in find("float", text, ExtractionContext(decimal))] == values


@given(
    st.sampled_from(
        [
            "money",
            "int",
            "float",
            "date",
            "time",
            "email",
            "phone",
            "code",
            "bool",
            "percent",
            "list[int]",
            "list",
            "/[a-z]+/",
        ]
    ),
    st.text(max_size=60),
)
def test_every_value_stands_where_it_says(type: str, text: str):
    for found in find(type, text, ExtractionContext(today=TODAY)):
        assert 0 <= found.start < found.end <= len(text)


def test_unknown_types_are_reported_as_unknown():
    assert [is_known_type(type) for type in ("money", "string", "list[int]", "/[a-z]+/")] == [True] * 4
    assert [is_known_type(type) for type in ("colour", "list[colour]", "/(/")] == [False] * 3
