import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from sparring.core.text import cut_at_word, quoted, visible
from tables import table


@table(
    ("text", "shown"),
    [
        ("Olá, Привет, 你好 👩\u200d🍳 \tdone", "Olá, Привет, 你好 👩\u200d🍳 \tdone"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]52;c;ZXZpbA==\x07", r"\x1b]52;c;ZXZpbA==\x07"),
        ("\x9b2J", r"\x9b2J"),
        ("safe\rPASSED", r"safe\rPASSED"),
        ("one\ntwo", r"one\ntwo"),
        ("one\u2028two", r"one\u2028two"),
        ("abc\u202edef", r"abc\u202edef"),
        ("hid\u200bden\U000e0041", r"hid\u200bden\U000e0041"),
        ("half \ud83c", r"half \ud83c"),
        ("so ##[error]it failed", r"so #\x23[error]it failed"),
        ("so ###vso[task.complete]", r"so ##\x23vso[task.complete]"),
        ("## A heading [1]", "## A heading [1]"),
    ],
)
def test_nothing_is_hidden_and_nothing_is_done(text: str, shown: str):
    assert visible(text) == shown


@given(st.text(st.characters(codec=None)))
def test_what_is_visible_is_one_line_without_control_characters(text: str):
    shown = visible(text)

    assert len(shown.splitlines()) <= 1
    assert {unicodedata.category(each) for each in shown if each != "\t"}.isdisjoint({"Cc", "Cs", "Zl", "Zp"})


@given(st.text())
def test_every_line_of_a_text_stands_behind_a_bar(text: str):
    assert {line[:3] for line in quoted(text)} == {"  |"}


def test_a_text_keeps_its_lines():
    assert quoted("::error::failed\r\n\n  [0] user") == ["  | ::error::failed", "  |", "  |   [0] user"]


def test_a_name_is_cut_between_words_if_it_has_any():
    named = ("an appointment on Monday at 1 pm", "a_name_without_any_space_in_it_at_all", "short")

    assert [cut_at_word(each, 28) for each in named] == [
        "an appointment on Monday at …",
        "a_name_without_any_space_in_ …",
        "short",
    ]
