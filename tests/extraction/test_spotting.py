"""What is spotted is what the plain expression finds, in texts of any letters."""

import re
from random import Random

import pytest
import re2

from sparring.extraction.tokens import fold, word_matcher
from tables import table

WORDS = (
    r"(?:not|no|none)\b",
    r"\w+n't\b",
    r"(?:can|could)(?: not|n't) (?:say|tell)\b",
    r"no (?:lo )?sé\b",
    r"(?:минут(?:у|ку)|подождите)\b",
    r"(?:sí|да)\b",
)
PIECES = (
    "not No none nothing don't can could not cannot say tell no lo sé se минуту минутку Подождите sí si да дай"
    " pizza _no no_ 'no (not) ño нет-no naïve"
).split(" ")


def texts() -> list[str]:
    random = Random(1)
    return [random.choice(["", " ", "¡", ", "]) + " ".join(random.choices(PIECES, k=4)) for _ in range(6000)]


@table("words", [WORDS, *((word,) for word in WORDS)])
def test_words_are_spotted_wherever_one_begins(words: tuple[str, ...]):
    plain = re.compile(rf"\b(?:{'|'.join(map(fold, words))})")
    spots = word_matcher(*words)
    found = [plain.search(fold(text)) is not None for text in texts()]

    assert [spots(text) for text in texts()] == found
    assert any(found)
    assert not all(found)


@pytest.mark.parametrize("start", [r"[^\w]*", r"[^\w]*(?:[\w']+[^\w]+){0,2}"])
def test_a_text_is_asked_for_its_beginning(start: str):
    plain = re.compile(rf"^{start}(?:{'|'.join(map(fold, WORDS))})")
    spots = word_matcher(*WORDS, start=start)
    found = [plain.search(fold(text)) is not None for text in texts()]

    assert [spots(text) for text in texts()] == found
    assert any(found)
    assert not all(found)


def test_a_long_text_is_spotted_to_its_end():
    assert word_matcher("needle")("hay " * 5000 + "needle")
    assert not word_matcher("needle")("hay " * 5000 + "needles"[1:])


def test_nothing_is_compiled_before_it_is_needed():
    spots = word_matcher("(")  # is no expression

    with pytest.raises(re2.error):
        spots("hay")
