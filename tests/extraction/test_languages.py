"""Files of languages: a contributor adds one by one file with the keys of the English one."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from sparring.core.case import Case, Goal, Persona
from sparring.extraction.acts import DEEDS, Act
from sparring.extraction.extractor import language_warnings
from sparring.extraction.languages import LANGUAGES, NAMES, Language
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.role_words import role_words
from sparring.extraction.tokens import fold

try:
    from re import _parser as sre_parse  # type: ignore[attr-defined]
except ImportError:
    import sre_parse

OWN_WORDS = {"role.kinds", "role.day_groups", "role.parts_of_day", "role.parts", "misbehavior.parts", "claims.parts"}
"""Sections whose keys are words of the language."""

SENTENCES = {"facts", "asides"}
ENGLISH = next(each for each in LANGUAGES if each.name == "english")
SPACE = "(LITERAL, 32)"
MAX_REPEAT = 100
"""Repetitions of a part of a pattern, above which it counts as unlimited."""


def keys(table: Any, path: str = "") -> Iterator[str]:
    if isinstance(table, dict) and path not in OWN_WORDS:
        for key, value in table.items():
            yield from keys(value, f"{path}.{key}".lstrip("."))
    else:
        yield path


def patterns(table: Any) -> Iterator[str]:
    """Yield all regular expressions of a section."""
    if isinstance(table, dict):
        for key, value in table.items():
            if key not in SENTENCES:
                yield from patterns(value)
    elif isinstance(table, list):
        for each in table:
            yield from patterns(each)
    elif isinstance(table, str) and re.search(r"[\\(?*+\[]", table):
        yield fold(table)


def unlimited(tree: Any) -> Iterator[Any]:
    """Yield the repeated part of each repetition without a limit."""
    for op, argument in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            if argument[1] > MAX_REPEAT and not any(str(argument[2][end]) == SPACE for end in (0, -1)):
                yield argument[2]
            yield from unlimited(argument[2])
        elif name == "SUBPATTERN":
            yield from unlimited(argument[3])
        elif name == "BRANCH":
            for each in argument[1]:
                yield from unlimited(each)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from unlimited(argument[1])


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)
def test_all_languages_have_the_same_keys(language: Language):
    assert sorted(keys(dict(language.sections))) == sorted(keys(dict(ENGLISH.sections)))


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)
def test_every_pattern_compiles_and_repeats_nothing_that_repeats(language: Language):
    """A repetition without a limit inside of another one takes exponential time."""
    slow = [
        each
        for section in language.sections.values()
        for each in patterns(section)
        for inner in unlimited(sre_parse.parse(each))
        if any(True for _ in unlimited(inner))
    ]

    assert not slow
    assert phrasebook(language.name).want
    assert len(role_words()) == len(LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda each: each.name)
def test_words_of_a_language_are_those_of_acts_and_number_words(language: Language):
    assert set(language.sections["acts"]) == set(Act)
    assert set(language.sections["done"]) == {deed.name for deed in DEEDS}
    assert len(language.numbers) == 12
    assert len({each.code for each in LANGUAGES}) == len(LANGUAGES)


def test_a_warning_lists_every_language_that_has_a_file():
    case = Case(id="pizza", persona=Persona(language="Dutch"), goals=(Goal(text="een pizza"),))

    (warning,) = language_warnings(case)

    assert [name for name in NAMES.values() if name.title() not in warning] == []


@pytest.mark.parametrize("language", [*NAMES, *NAMES.values()])
def test_a_language_that_has_a_file_is_known_by_its_name_and_its_code(language: str):
    assert language_warnings(Case(id="pizza", persona=Persona(language=language), goals=(Goal(text="pizza"),))) == ()
