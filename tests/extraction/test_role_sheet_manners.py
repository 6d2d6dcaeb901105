"""Manners read from sentences."""

import os
from pathlib import Path

import pytest

from sparring.extraction.role_sheet import Manner, manners_of_sentence
from sparring.scenarios.field_reader import ProblemList
from sparring.scenarios.personas import bundled_personalities, read_personality
from tables import table

_SHIPPED = {
    "conversational-user": {"wordy"},
    "curious-user": {"curious", "sceptical"},
    "direct-user": {"terse"},
    "disorganized-user": {"vague"},
    "elderly-user": {"confused", "wordy"},
    "formal-user": {"formal"},
    "impatient-user": {"impatient"},
    "rude-user": {"rude"},
    "sarcastic-user": set[str](),
    "skeptical-user": {"sceptical"},
}
_CORPUS = Path(os.environ.get("SPARRING_CORPUS", "-")) / "personalities"


def names(*sentences: str) -> set[str]:
    return {manner.name for sentence in sentences for manner in manners_of_sentence(sentence)}


def test_shipped_personalities_have_manners() -> None:
    assert {each.name: names(*each.traits) for each in bundled_personalities()} == _SHIPPED


@pytest.mark.skipif(not _CORPUS.is_dir(), reason="needs SPARRING_CORPUS")
@pytest.mark.parametrize("name", sorted(_SHIPPED))
def test_published_personalities_have_manners(name: str) -> None:
    published = read_personality(_CORPUS / f"{name}.yml", ProblemList())
    assert bool(_SHIPPED[name]) == bool(_SHIPPED[name] & names(*published.traits))


@table(
    ("sentence", "expected"),
    [
        ("You are not rude.", set[str]()),
        ("You never use polite words", set[str]()),
        ("You want a direct flight.", set[str]()),
        ("You are interested in technology.", set[str]()),
        ("You are free on Monday.", set[str]()),
        ("You talk to a chatbot.", set[str]()),
        ("You accept any alternative.", {"flexible"}),
        ("You do not accept anything else.", {"insistent"}),
        ("Eres una persona muy impaciente.", {"impatient"}),
        ("Вы пожилой и вежливый человек.", {"confused", "formal"}),
    ],
)
def test_sentences_have_manners(sentence: str, expected: set[str]) -> None:
    assert names(sentence) == expected


@pytest.mark.parametrize(("word", "strength"), [("", 2), ("very ", 3), ("a bit ", 1)])
def test_adverbs_set_the_strength(word: str, strength: int) -> None:
    (manner,) = manners_of_sentence(f"You are {word}impatient.")
    assert (manner.name, manner.strength) == ("impatient", strength)
    assert isinstance(manner, Manner)
