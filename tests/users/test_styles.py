import re
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.users.styles import with_typos

TEXT = "Could somebody please change the delivery of order ORD-77 to friday afternoon, and write to me@example.com"
RUSSIAN = "Здравствуйте, подскажите пожалуйста когда приедет курьер с моим заказом"


def misspellings(text: str, keep: tuple[str, ...] = ()) -> set[str]:
    return {with_typos(text, Random(seed), keep=keep) for seed in range(50)}


@pytest.mark.parametrize("text", [TEXT, RUSSIAN])
def test_words_are_misspelt_in_many_ways(text: str):
    assert len(misspellings(text)) > 40


def test_equal_seeds_misspell_alike():
    assert with_typos(TEXT, Random(7)) == with_typos(TEXT, Random(7))


def test_ids_addresses_and_what_is_to_be_kept_are_never_misspelt():
    kept = ("ORD-77", "me@example.com", "friday afternoon")

    assert all(word in text for text in misspellings(TEXT, keep=("Friday afternoon",)) for word in kept)


@pytest.mark.parametrize(
    ("word", "slips"),
    [
        ("hats", "htas hts hqts hsts hzts haats hast has hars hays hags hatts".split()),
        ("коты", "ктоы кты кгты клты крты кьты кооты коыт коы коиы коьы коры котты".split()),
    ],
)
def test_slips_are_of_four_kinds_on_either_keyboard(word: str, slips: list[str]):
    found = {with_typos(word, Random(seed)) for seed in range(500)}

    assert found == {*slips, word}


@given(st.text(max_size=80), st.integers(0, 1000))
def test_words_with_a_digit_stay_unchanged(text: str, seed: int):
    numbered = re.findall(r"\S*\d\S*", text)

    assert re.findall(r"\S*\d\S*", with_typos(text, Random(seed))) == numbered


@pytest.mark.slow
@given(st.lists(st.sampled_from(["small", "green tea", "corn", "пицца"]), min_size=1, max_size=5), st.integers(0, 1000))
def test_values_stay_as_they_are_wherever_they_stand(values: list[str], seed: int):
    text = " together with ".join(values)

    said = with_typos(text, Random(seed), keep=values)

    assert re.findall("small|green tea|corn|пицца", said) == values
