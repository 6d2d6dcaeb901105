import pytest

from sparring.core.value import Json
from sparring.scenarios.placeholders import as_text, fill, is_unclosed, placeholders
from tables import table


def test_placeholders_are_found_once_each_with_any_spaces():
    assert placeholders("{{a}} and {{ credit card }} and {{a}} but not {b}") == ("a", "credit card")


@pytest.mark.parametrize(
    ("phrase", "open"),
    [("{{a}} {b} {{{c}}}", False), ("a {{size pizza", True), ("{{a} }", True), ("{a: {b: 1}}", False)],
)
def test_a_placeholder_that_does_not_end_is_noticed(phrase: str, open: bool):
    assert is_unclosed(phrase) is open


@table(
    ("value", "words"),
    [("ham", "ham"), (2, "2"), (2.5, "2.5"), (True, "yes"), (None, ""), (["a"], "a"), (["a", 2, "c"], "a, 2 and c")],
)
def test_values_are_said_as_people_say_them(value: Json, words: str):
    assert as_text(value) == words


def test_a_list_is_joined_with_the_word_of_its_language():
    toppings: dict[str, Json] = {"t": ["queso", "jamón"]}

    assert fill("con {{t}}", toppings, conjunction="y") == "con queso y jamón"
    assert fill("{{t}}", toppings, conjunction="") == "queso, jamón"


def test_a_phrase_is_filled_once_and_unknown_names_stay():
    assert fill("{{ a }} {{b}} {{c}}", {"a": "{{b}}", "b": "x"}) == "{{b}} x {{c}}"
