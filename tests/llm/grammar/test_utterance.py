from hypothesis import given
from hypothesis import strategies as st

from sparring.llm.grammar.utterance import LONGEST, parse_utterance
from tables import table


@table(
    ("text", "items"),
    [
        ("A small pizza with ham and olives", ["a small pizza with ham and olives"]),
        ("a pizza with ham, corn and a coke", ["a pizza with ham corn and", "a coke"]),
        ("two pizzas, 3 cokes & another water", ["two pizzas", "3 cokes", "another water"]),
        ("pizza, and then a coke", ["pizza and then", "a coke"]),
        ("Hi! I'd like one. Thanks", ["hi", "i'd like one", "thanks"]),
        ("pizza,a coke\nthanks", ["pizza", "a coke", "thanks"]),
        ("No, ham", ["no", "ham"]),
        ("no ham", ["no ham"]),
        ("It’s 11:30, or $1.50?", ["it's 11:30 or 1.50 ?"]),
        ("Une crêpe, БОЛЬШАЯ пицца", ["une crêpe большая пицца"]),
        ("", []),
        ("Ham? Yes", ["ham ?", "yes"]),
        ("?!", ["?"]),
    ],
)
def test_a_text_is_cut_into_items(text: str, items: list[str]):
    heard = parse_utterance(text)

    cut: dict[int, list[str]] = {}
    for word, item in zip(heard.words, heard.items, strict=True):
        cut.setdefault(item, []).append(word)
    assert [" ".join(words) for words in cut.values()] == items


@given(st.text(max_size=60))
def test_every_word_is_where_the_utterance_says_it_is(text: str):
    heard = parse_utterance(text)

    for index, word in enumerate(heard.words):
        offset = heard.offsets[index]
        assert heard.line[offset - 1 : offset + len(word) + 1] == f" {word} "
        assert heard.said(index, index + 1).lower() == word.strip("?")
        assert heard.word_at(offset) == index


def test_text_beyond_the_limit_is_ignored():
    assert sum(map(len, parse_utterance("a" * (LONGEST + 5)).words)) == LONGEST
