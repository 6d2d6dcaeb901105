import pytest

from sparring.rules.functions.text import currency, extract_float, states
from tables import table


@table(
    ("text", "number"),
    [
        ("$11", 11.0),
        ("It is $14.00.", 14.0),
        ("-12", -12.0),
        ("-$12.50", -12.5),
        ("\u22123", -3.0),
        ("- 3 pizzas", 3.0),
        ("10-15", 10.0),
        ("12,50 €", 12.5),
        ("1.234,56", 1234.56),
        ("1,234.56", 1234.56),
        ("1,234", 1234.0),
        ("1.234", 1.234),
        ("1.234.567", 1234567.0),
        ("0,125", 0.125),
        ("1'234.5", 1234.5),
        (".5", 0.5),
        ("v2 costs 10", 10.0),
        ("EUR50", 50.0),
        ("75b705", 75.0),
        ("1.2.3", 1.2),
        ("none", None),
        ("", None),
        (20, 20.0),
    ],
)
def test_the_first_number_is_read_as_people_mean_it(text: str, number: float | None):
    assert extract_float.call(text) == number


def test_what_is_no_text_and_no_number_is_an_error():
    with pytest.raises(TypeError, match="got nothing"):
        extract_float.call(None)


@table(
    ("text", "code"),
    [
        ("$5", "USD"),
        ("5 euro", "EUR"),
        ("5 Euros", "EUR"),
        ("5 usd", "USD"),
        ("CHF 5", "CHF"),
        ("12EUR", "EUR"),
        ("¥100", "JPY"),
        ("europe in 5 days", None),
    ],
)
def test_a_currency_is_its_code(text: str, code: str | None):
    assert currency.call(text) == code


@table(
    ("text", "value", "stated"),
    [
        ("The total is 35.00 euros.", 35, True),
        ("The total is 35 euros.", 36, False),
        ("See you at 11:00.", 11, True),
        ("On Friday, March 6 at 11:00", "2026-03-06", True),
        ("On Friday, March 7 at 11:00", "2026-03-06", False),
        ("On Thursday, March 6", "2026-03-06", False),
        ("El viernes 6 de marzo", "2026-03-06", True),
        ("On Friday at three", "2026-03-06", True),
        ("On 06.03.2026", "2026-03-06", True),
        ("It goes to Flower Corner, Park Street.", "flower corner", True),
        ("Booking BR-107 is yours.", "BR-101", False),
        ("With ham and corn", ["corn", "ham"], True),
        ("With ham", ["corn", "ham"], False),
        ("No day", "2026-02-30", False),
        ("Nothing", None, False),
    ],
)
def test_a_value_is_stated_in_any_of_its_forms(text: str, value: object, stated: bool):
    assert states.call(text, value) is stated
