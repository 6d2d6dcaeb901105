import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparring.llm.redaction import Hidden, quote, redact
from tables import table

KEY = "c2VjcmV0-of-mine/42"


@table(
    ("said", "shown"),
    [
        ("Incorrect API key provided: sk-proj-abc***********wxyz.", "Incorrect API key provided: [redacted]"),
        ("got header Authorization: Bearer abcdef123456", "got header Authorization: [redacted]"),
        ("Cannot connect to http://me:secret@example.org/v1", "Cannot connect to http://[redacted]@example.org/v1"),
        ("GET /v1?api_key=abcdef&x=1 failed", "GET /v1?[redacted]&x=1 failed"),
        ('{"x-api-key": "abcdef"}', '{"[redacted]"}'),
        (f"no such key: {KEY}!", "no such key: [redacted]!"),
        ("key gsk_a1b2c3d4 AIzaSyA-1234567890 hf_abcdefgh", "key [redacted] [redacted] [redacted]"),
    ],
)
def test_text_that_looks_like_a_key_is_not_shown(said: str, shown: str):
    assert redact(said, KEY) == shown


@pytest.mark.parametrize("words", ["ask the risk-averse desk-clerk", "basic usage", "the key is wrong", "token limit"])
def test_plain_words_are_left_alone(words: str):
    assert redact(words, "", "x") == words


def test_a_quote_is_one_short_printable_line():
    assert quote("a\x1b[31m\n\n\tb\u202e\u200b\x00c" + "d" * 1000) == "a[31m bc" + "d" * 291 + "…"


@given(
    st.text(max_size=400), st.text(max_size=400), st.sampled_from(["", "\x00", "\u200b"]), st.integers(1, len(KEY) - 1)
)
def test_no_key_survives_quotes_or_invisible_characters(before: str, after: str, divider: str, at: int):
    shown = quote(f"{before} {KEY[:at]}{divider}{KEY[at:]} {after}", KEY)

    assert KEY not in shown
    assert len(shown) <= 300


@pytest.mark.parametrize("filling", [" ", "\u200b", "x ", "ab\x00 "])
@pytest.mark.parametrize("size", range(19_985, 20_003, 3))
def test_no_part_of_a_key_is_left_where_a_quote_is_cut(filling: str, size: int):
    said = (filling * 20_000)[:size] + KEY

    assert "c2V" not in quote(said, KEY)
    assert "c2V" not in quote(f"{said[: size + 4]}\u200b{said[size + 4 :]}", KEY)


def test_hidden_text_is_sent_and_not_shown():
    hidden = Hidden("Bearer abc")

    assert (hidden == "Bearer abc", repr({"authorization": hidden})) == (True, "{'authorization': '[redacted]'}")


@pytest.mark.parametrize("written", ["a+b/key9", "a%2Bb/key9", "a%2Bb%2Fkey9"])
def test_a_secret_is_hidden_however_an_address_writes_it(written: str):
    assert quote(f"no such key: {written}.", "a+b/key9") == "no such key: [redacted]."
