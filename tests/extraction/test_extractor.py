"""A reader that does not know a language says so, and one that does says nothing."""

import pytest

from sparring.core.case import Case, Goal, Persona
from sparring.extraction.extractor import language_warnings
from tables import table


def a_case(goal: str, language: str = "English") -> Case:
    return Case(id="order", goals=(Goal(text=goal),), persona=Persona(language=language))


@pytest.mark.parametrize(
    ("goal", "language", "named"),
    [
        ("een pizza met ham", "Dutch", "in Dutch"),
        ("a pizza", "Swiss Romansh", "in Swiss Romansh"),
        ("להזמין פיצה עם זיתים", "English", "the script of these goals"),
        ("我想订一份披萨", "English", "the script of these goals"),
    ],
)
def test_an_unknown_language_is_reported_once(goal: str, language: str, named: str):
    (warning,) = language_warnings(a_case(goal, language))

    assert named in warning
    assert "--reader" in warning


@table(
    ("goal", "language"),
    [
        ("a large pizza", "English"),
        ("a large pizza", "British English"),
        ("una pizza grande, ¡por favor!", "Spanish"),
        ("заказать пиццу", "Russian"),
        ("заказать пиццу", "English"),
        ("uma pizza", "Brazilian Portuguese"),
        ("a bowl of 拉麺 with egg", "English"),
        ("order 12345", ""),
        ("🍕🍕🍕", "English"),
    ],
)
def test_a_known_language_needs_no_word(goal: str, language: str):
    assert language_warnings(a_case(goal, language)) == ()


def test_a_goal_that_is_not_read_is_not_misread():
    assert language_warnings(Case(id="talk", persona=Persona(language="Dutch"))) == ()
