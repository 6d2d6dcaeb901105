"""Patterns that reject texts by RE2 find what `re` finds."""

import re

import pytest

from sparring.extraction.text_pattern import TextPattern

PATTERNS = (
    r"\b(?:total|sum)\b",
    r"(?<!\w)(?:my|our) (\w+)",
    r"^(?!(?:all|both)\b)\w+ (?:the|my)\b",
    r"at\s*$",
    r"\bn[o0]+(?: \w+)? *$",
    r"цен\w+\b",
    r"a*+b",
)
TEXTS = (
    "the total is 12",
    "totally",
    "is that our price?",
    "renew my card",
    "all my cards",
    "at\xa0",
    "at \x0b",
    "at\n",
    "no",
    "no thanks\n",
    "наша цена",
    "straße my",
    "aab",
    "",
)


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", TEXTS)
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    found, expected = TextPattern(pattern), re.compile(pattern)

    assert [found.search(text) and found.search(text).span()] == [
        expected.search(text) and expected.search(text).span()
    ]
    assert bool(found.match(text)) == bool(expected.match(text))
    assert bool(found.fullmatch(text)) == bool(expected.fullmatch(text))
    assert [each.span() for each in found.finditer(text)] == [each.span() for each in expected.finditer(text)]
    assert found.findall(text) == expected.findall(text)
    assert found.sub("-", text) == expected.sub("-", text)


def test_it_splits_like_re() -> None:
    assert TextPattern(" and | or ").split("salt and pepper or not", 1) == ["salt", "pepper or not"]
    assert TextPattern(" and | or ").split("salt") == ["salt"]


def test_texts_that_cannot_match_compile_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(pattern: str) -> None:
        raise AssertionError(f"{pattern} is compiled")

    found = TextPattern(r"\b(?:total|sum)\b")
    monkeypatch.setattr(re, "compile", fail)

    assert found.search("nothing here") is None


def test_it_finds_the_same_once_it_is_compiled() -> None:
    found = TextPattern(r"\b(?:total|sum)\b")

    spans = {found.search("the total is 12").span() for _ in range(100)}

    assert spans == {(4, 9)}
    assert found.search("nothing here") is None
