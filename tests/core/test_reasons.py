"""Reasons as one line."""

import pytest

from sparring.core.audit import Blame
from sparring.core.outcome import Reason


@pytest.mark.parametrize(
    ("check", "text", "line"),
    [
        ("price == 1", "price: expected 1, got 2", "price: expected 1, got 2"),
        ("turns() < 3 and price == 1", "expected turns() < 3, got 4", "expected turns() < 3, got 4"),
        ("menu", "expected price == 1, got 2", "menu: expected price == 1, got 2"),
        ("one order", "expected one, got 2", "one order: expected one, got 2"),
        ("menu", "", "menu"),
        ("", "it crashed", "it crashed"),
    ],
)
def test_an_expression_is_said_once(check: str, text: str, line: str):
    assert str(Reason(check=check, text=text, blame=Blame.CHATBOT)) == line
