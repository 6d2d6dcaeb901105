"""Words by which replies and goals are read, in the language of a text."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from sparring.extraction.function_words import other_language
from sparring.extraction.languages import LANGUAGES, Language
from sparring.extraction.tokens import word_matcher

Words = tuple[str, ...]
T = TypeVar("T")


def by_language(
    of: Callable[[Language], Iterable[str]], make: Callable[[Words], T], *, guess: bool = True
) -> Callable[[str], T]:
    """Return a function from a text to what is made of the words of its language, each at its first use.

    If the language of a text is unclear, the words of all languages count; with `guess=False`, only those of common
    ones. French participles look like English verbs without their accents, which must be there.
    """
    made: dict[str, T] = {}

    def words(code: str) -> Words:
        shared = tuple(word for each in LANGUAGES if each.common for word in of(each))
        if code == "" or (code[0] == "?" and not guess):
            return shared
        if code[0] != "?":
            return tuple(word for each in LANGUAGES if each.code == code for word in of(each))
        others = (each for each in LANGUAGES if not each.common and (code == "?é" or each.code != "fr"))
        return (*shared, *(word for each in others for word in of(each)))

    def of_text(text: str) -> T:
        code = other_language(text)
        if code == "?" and not text.isascii():
            code = "?é"
        found = made.get(code)
        if found is None:
            found = made[code] = make(words(code))
        return found

    return of_text


def spoken(*keys: str, start: str = "", end: str = "", guess: bool = True) -> Callable[[str], bool]:
    """Return a predicate like `word_matcher` for the words under `keys`, for texts in any language."""
    matcher = by_language(
        lambda language: (word for key in keys for word in language.sections["speech"][key]),
        lambda words: word_matcher(*words, start=start, end=end),
        guess=guess,
    )
    return lambda text: matcher(text)(text)
