import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.extraction.tokens import fold, mentions, sentences, share, stems, tokens
from tables import table


@table(
    ("text", "parts"),
    [
        ("Fine. And you?", ["Fine.", "And you?"]),
        ("It is $11.50. OK?", ["It is $11.50.", "OK?"]),
        ("Open from 9 a.m. to 5 p.m. every day.", ["Open from 9 a.m. to 5 p.m. every day."]),
        ("Am 12. Mai. Passt das?", ["Am 12. Mai.", "Passt das?"]),
        ("Tessera n. T321, da oggi.", ["Tessera n. T321, da oggi."]),
        ("It is 12. May I help?", ["It is 12.", "May I help?"]),
        ("Sizes:\nsmall\nbig", ["Sizes:", "small", "big"]),
        ("¿Qué tamaño? Grande.", ["¿Qué tamaño?", "Grande."]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]):
    assert [sentence.text for sentence in sentences(text)] == parts


@given(st.text(max_size=80))
def test_every_sentence_stands_where_it_says(text: str):
    assert all(text[s.start : s.end] == s.text for s in sentences(text))


@table(
    ("text", "value"),
    [
        ("One SMALL pizza", "small"),
        ("with olives and corn", "corn"),
        ("three drinks", "drink"),
        ("two cokes", "2 coke"),
        ("una pizza pequeña", "pequena"),
        ("ещё две пиццы", "пицца"),
    ],
)
def test_a_mention_of_a_value_ignores_case_accents_and_number(text: str, value: str):
    assert mentions(text, value)


@pytest.mark.parametrize(("text", "value"), [("smaller is smart", "small pizza"), ("corner", "coke"), ("pizza", "")])
def test_other_words_are_no_mention(text: str, value: str):
    assert not mentions(text, value)


@given(st.text("ab'0_- .,’É", max_size=12) | st.text(st.characters(max_codepoint=127), max_size=30))
def test_words_are_letters_and_digits_with_apostrophes_between_letters(text: str):
    assert tokens(text) == tuple(re.findall(r"[^\W_]+(?:'[^\W\d_]+)*", fold(text)))


def test_share_is_of_the_words_that_mean_something():
    assert share(stems("What are the opening hours?"), stems("when do you open, at what hour")) == 1.0
    assert share(stems("the"), stems("the")) == 0.0


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30) | st.text("ёйéñßǅ’͏а́‾☃֑", max_size=9))
def test_folding_leaves_no_accent_of_any_script(text: str):
    plain = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))

    assert fold(text) == "".join(each for each in plain if not unicodedata.combining(each)) or text.isascii()
