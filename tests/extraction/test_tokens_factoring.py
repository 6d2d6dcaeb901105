"""Alternatives that are factored match where they did before, and nowhere else."""

import re
from random import Random

import pytest

from sparring.extraction.tokens import factor, fold, word_matcher

WORDS = (
    r"(?:not|no|nope|never|none|nothing)",
    r"\w+n't",
    r"only (?:offer|have|sell)",
    r"(?:can|could)(?: not|not|n't) (?:\w+ )?(?:say|tell)\b",
    r"(?:let me|i will|i'll) (?:just )?(?:check|see)",
    r"(?:(?:i (?:want|need) )?to )?(?:know|learn)",
    r"no (?:lo )?sé\b",
    r"(?:минут(?:у|ку)|подождите)\b",
    r"quieres?",
    r"plain|with a bar",
    r"[nN](?:o|ay)",
    r"(?:ab)+c",
    r"(?:one|two){2}",
    r"n\|o",
)
PIECES = (
    "not no nope nev never don't only offer have sells can could not cannot can't say tell me let me just i will i'll"
    " check see i want need to know learn lo sé минутку подождите quiere quieres plain with a bar N nay ababc abc"
    " onetwo one n|o the pizza"
).split(" ")


@pytest.mark.parametrize("end", ["", r"\b"])
@pytest.mark.parametrize("alternatives", [WORDS, *((word,) for word in WORDS)])
def test_the_same_texts_match(alternatives: tuple[str, ...], end: str):
    before = re.compile(rf"\b(?:{'|'.join(alternatives)}){end}")
    after = re.compile(rf"\b(?:{factor(alternatives)}){end}")
    random = Random(1)
    texts = [" ".join(random.choices(PIECES, k=random.randint(1, 5))) for _ in range(2000)]
    found = [bool(before.search(text)) for text in texts]

    assert [bool(after.search(text)) for text in texts] == found
    assert any(found)


@pytest.mark.parametrize("end", ["", r"\b", r"\b(?!!)"])
@pytest.mark.parametrize("start", ["", r"[^\w]*(?:ok )?"])
def test_a_matcher_finds_what_the_plain_expression_finds(start: str, end: str):
    matches = word_matcher(*WORDS, start=start, end=end)
    alternatives = "|".join(map(fold, WORDS))
    expected = re.compile(rf"{start or chr(92) + 'b'}(?:{alternatives}){end}")
    random = Random(2)
    said = [" ".join(random.choices([*PIECES, "ok", "—", "¡", "!"], k=random.randint(1, 5))) for _ in range(2000)]
    found = [bool((expected.match if start else expected.search)(fold(text))) for text in said]

    assert [matches(text) for text in said] == found
    assert any(found)


def test_a_matcher_without_words_finds_nothing():
    assert not word_matcher()("anything at all")
    assert not word_matcher()("что угодно")


def test_words_with_a_common_beginning_are_matched_once():
    assert factor(["not", "no", "yes", r"\w+n't", "(?:nor|you)"]) == r"\w+n't|n(?:o(?:|t|r))|y(?:es|ou)"
