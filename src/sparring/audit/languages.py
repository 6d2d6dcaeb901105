"""Users that write in a language that is not theirs.

Languages are told apart by their scripts and by function words, each of which counts much less if languages share it.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sparring.audit.view import AuditView, declared
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.case import Case
from sparring.core.message import Message
from sparring.extraction.function_words import FUNCTION_WORDS, WEIGHTS
from sparring.extraction.tokens import fold, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MIN_LETTERS = 25
_CONFIDENCE = 0.8
_MIN_WEIGHT = 3.0
"""Weight of function words, each counting at most 1, that tells a language."""

_FEW_WORDS = 2.0
"""Weight that tells it if there are none of the user's language."""

_CODES = {name: names.split()[0] for names in _WORDS["names"].split("|") for name in names.split()}
_SCRIPT_OF = dict.fromkeys(_WORDS["cyrillic"].split("|"), "cyrillic") | dict.fromkeys(
    _WORDS["other_scripts"].split("|"), "other"
)
_LATIN, _CYRILLIC = re.compile(r"[a-z]"), re.compile(r"[\u0400-\u052f]")

_MORE = {code: words for code, *words in map(str.split, _WORDS["other_languages"].split("|"))}
_MORE_WORDS = {word: (code,) for code, words in _MORE.items() for word in words if word not in WEIGHTS}
"""Function words of languages that are only known as not the user's."""


def wrong_language(view: AuditView) -> Iterator[Fault]:
    """Yield messages in a language that the user was not to write in."""
    case = view.conversation.case
    spoken = _spoken(case)
    found = [at for at, said in view.user if _is_in_other(said, case, spoken)]
    if not found:
        return
    certain = found[0] == view.user[0][0] or len(found) > 1
    yield Fault(
        kind="wrong_language",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason="the user does not write in its language" + ("" if certain else "; it does so once only"),
        evidence=tuple(view.quote(at) for at in found[:3]),
        touches=(EVERYTHING,),
    )


def unmeasured_language(view: AuditView) -> Iterable[str]:
    """Return the kind that cannot be decided if a language of the user is not known here."""
    return () if all(_known(language) for language in view.sheet.languages) else ("wrong_language",)


def is_in_other_language(said: Message, case: Case) -> bool:
    """Return True if a message is surely in none of the languages that it may be in."""
    return _is_in_other(said, case, _spoken(case))


def _is_in_other(said: Message, case: Case, languages: tuple[str, ...]) -> bool:
    text = said.text
    if len(text) < _MIN_LETTERS:
        return False
    if said.manner and said.manner.language:
        languages = (said.manner.language,)
    if _plainly_in(text, languages):
        return False
    if _has_own_script(text, languages) and not _may_be_other(tokens(text), languages):
        return False
    known = declared(case).values
    words = [word for word in tokens(text) if word not in known and not word.isdigit()]
    letters = "".join(words)
    if len(letters) < _MIN_LETTERS:
        return False
    return _is_other_script(letters, languages) or _is_other(words, languages)


def _has_own_script(text: str, languages: tuple[str, ...]) -> bool:
    """Return True if a text has no letters of another script than that of the language."""
    script = _script(languages[0])
    return (script == "latin" and text.isascii()) or (script == "cyrillic" and not _LATIN.search(text.lower()))


def _may_be_other(words: Iterable[str], languages: tuple[str, ...]) -> bool:
    """Return True if function words, goals and values included, may show another language."""
    expected = _codes(languages)
    return (
        sum(word in _MORE_WORDS or (word in WEIGHTS and expected.isdisjoint(WEIGHTS[word][0])) for word in words)
        >= _FEW_WORDS
    )


def _spoken(case: Case) -> tuple[str, ...]:
    return (case.persona.language, *(language for style in case.persona.styles for language in style.languages))


def _plainly_in(text: str, languages: tuple[str, ...]) -> bool:
    """Return True if a text has words that only one of its languages has. Most messages are accepted here."""
    words = tokens(text)
    own = _OWN_WORDS.get(_code(languages[0]), frozenset())
    found = len(own.intersection(words))
    return found > 1 and found * 5 >= len(words)


_OWN_WORDS = {
    code: frozenset(word for word, (codes, _) in WEIGHTS.items() if codes == (code,)) for code in FUNCTION_WORDS
}
"""Function words of each language that no other language has."""


@lru_cache(maxsize=256)
def _codes(languages: tuple[str, ...]) -> frozenset[str]:
    return frozenset(filter(None, (_code(language) for language in languages)))


@lru_cache(maxsize=256)
def _code(language: str) -> str:
    """Return the code of a language by its name or code, or an empty string."""
    return next((_CODES[word] for word in re.findall(r"\w+", fold(language)) if word in _CODES), "")


@lru_cache(maxsize=256)
def _known(language: str) -> bool:
    return bool(_code(language))


def _is_other_script(letters: str, languages: tuple[str, ...]) -> bool:
    """Return True if nearly all letters are of a script that none of the languages has."""
    scripts = {_script(language) for language in languages}
    if "" in scripts or "other" in scripts:
        return False
    own = sum(len((_CYRILLIC if script == "cyrillic" else _LATIN).findall(letters)) for script in scripts)
    return own <= (1 - _CONFIDENCE) * len(letters)


@lru_cache(maxsize=256)
def _script(language: str) -> str:
    code = _code(language)
    if code:
        return "cyrillic" if code == "ru" else "latin"
    return next((_SCRIPT_OF[word] for word in fold(language).split() if word in _SCRIPT_OF), "")


def _is_other(words: list[str], languages: tuple[str, ...]) -> bool:
    """Return True if the function words are nearly all of another language."""
    expected = _codes(languages)
    if len(expected) < len(set(languages)):
        return False
    scores = dict.fromkeys((*FUNCTION_WORDS, *_MORE), 0.0)
    for word in words:
        codes, weight = WEIGHTS.get(word) or (_MORE_WORDS.get(word, ()), 1.0)
        for code in codes:
            scores[code] += weight
    best = max(scores, key=lambda code: scores[code])
    own = sum(scores[code] for code in expected)
    enough = _MIN_WEIGHT if own else _FEW_WORDS
    return best not in expected and scores[best] >= enough and scores[best] >= _CONFIDENCE * (scores[best] + own)
