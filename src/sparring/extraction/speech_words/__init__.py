"""Words by which replies and goals are read, one module for each language.

English, Spanish and Russian words stand in the modules that read them, because they are read at once.
A new language is a module here, its function words in `function_words`, and an entry below.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

from sparring.extraction.function_words import other_language
from sparring.extraction.speech_words.french import FRENCH
from sparring.extraction.speech_words.german import GERMAN
from sparring.extraction.speech_words.italian import ITALIAN
from sparring.extraction.speech_words.portuguese import PORTUGUESE
from sparring.extraction.speech_words.speech_words import SpeechWords, Words
from sparring.extraction.tokens import word_matcher

SPEECH_WORDS: Mapping[str, SpeechWords] = {"fr": FRENCH, "de": GERMAN, "it": ITALIAN, "pt": PORTUGUESE}

T = TypeVar("T")


def by_language(
    own: Words, of: Callable[[SpeechWords], Words], make: Callable[[Words], T], *, guess: bool = True
) -> Callable[[str], T]:
    """Return a function from a text to what was made of the words of its language.

    `own` are words of the languages that are read at once. If the language of a text is unclear, all words count; with
    `guess=False`, only `own`. French participles look like English verbs without their accents, which must be there.
    """
    others = {code: of(words) for code, words in SPEECH_WORDS.items()}
    made = {code: make(words) for code, words in others.items()}
    made[""] = make(own)
    plain = (word for code, words in others.items() for word in words if code != "fr")
    made["?"] = make((*own, *plain)) if guess else made[""]
    unclear = make((*own, *(word for words in others.values() for word in words))) if guess else made[""]

    def of_text(text: str) -> T:
        code = other_language(text)
        return unclear if code == "?" and not text.isascii() else made[code]

    return of_text


def spoken(
    of: Callable[[SpeechWords], Words], *alternatives: str, start: str = "", end: str = "", guess: bool = True
) -> Callable[[str], bool]:
    """Return a predicate like `word_matcher`, for texts in any language."""
    matcher = by_language(alternatives, of, lambda words: word_matcher(*words, start=start, end=end), guess=guess)
    return lambda text: matcher(text)(text)
