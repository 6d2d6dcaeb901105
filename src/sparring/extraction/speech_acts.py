"""Speech acts: agreement, denial, ignorance, delay and questions.

The words are in the section `speech` of each language.
"""

import re

from sparring.extraction.languages import words_of
from sparring.extraction.speech_words import by_language, spoken
from sparring.extraction.tokens import cached, fold, pattern, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_UNKNOWING = spoken("unknown")
_DENIES = spoken("denies", end=r"\b")
_IDIOMS = pattern(*words_of("speech", "idioms"), end=r"\b")
_REVOKES = spoken("undone", end=r"\b")
_UNDOES = spoken("unknown", "undone")
"""Both at once, because nearly all replies contain neither."""

_AGREES = spoken("agrees", end=r"\b")
_COMPLETES = spoken("completes", end=r"\b")
_REQUESTS = spoken("requests", end=r"\b")
_START = r"[^\w]*"
_COMMANDS = spoken("commands", start=_START, end=r"\b(?!\")")  # a key of JSON, such as "type", is none
_MAX_FAILURE = 40
"""Maximum number of words in a report of an error. A longer reply contains more than that."""

_REFUSES = spoken("refuses", end=r"\b")
_CONDITIONS = spoken("conditions", start=_START, end=r" ", guess=False)
_FAILS = spoken("fails")
_TROUBLE = by_language(lambda language: language.sections["speech"]["trouble"], lambda words: pattern(*words))
_PARAPHRASES = spoken("paraphrases", end=r"\b")
_CORRECTS = spoken("corrects", start=_START, end=r"\b")
_MORE = spoken("more", end=r"\b")
_CONFIRMS = spoken("confirms", end=r"\b")
_REPEATS = spoken("repeats", start=_START, end=r"\b")
_INTERROGATIVE = spoken("interrogative", start=_START, end=r"\b")
_YES_OR_NO_QUESTION = spoken("yes_or_no_question", start=_START, end=r"\b")
_SHORT_YES_OR_NO = re.compile(_WORDS["short_yes_or_no"])
_YES_OR_NO = spoken("yes_or_no", start=_START, end=r"\b")
_OPEN = spoken("open", start=r"[^\w]*(?:[\w']+[^\w]+){0,2}", end=r"\b")


@cached
def is_uncertain(text: str) -> bool:
    """Return True if `text` expresses ignorance, inability, a promise to check, or an error."""
    return _UNKNOWING(text)


@cached
def is_denial(text: str) -> bool:
    """Return True if `text` denies something; "no worries" and "don't forget" do not."""
    return _DENIES(text) and _DENIES(_IDIOMS.sub("", fold(text)))


def is_retraction(text: str) -> bool:
    """Return True if `text` says that something done or planned is not done."""
    return _UNDOES(text)


@cached
def is_agreement(text: str) -> bool:
    """Return True if `text` says that something is done or will be done."""
    return _AGREES(text) and not is_denial(text)


@cached
def is_completion(text: str) -> bool:
    """Return True if `text` says that something was just done."""
    return _COMPLETES(text) and not is_denial(text)


@cached
def is_open_question(text: str) -> bool:
    """Return True if a question cannot be answered by yes or no: a question word is among its first three."""
    return _OPEN(text)


def is_request(text: str) -> bool:
    """Return True if `text` asks for information without a question mark."""
    return _REQUESTS(text) or _COMMANDS(text)


@cached
def starts_with_yes_or_no(text: str) -> bool:
    """Return True if `text` begins with a yes or no."""
    return _YES_OR_NO(text)


@cached
def is_yes_or_no_question(text: str) -> bool:
    """Return True if a question, or a goal, can be answered by yes or no."""
    return _YES_OR_NO_QUESTION(text) or is_short_yes_or_no(text)


def is_short_yes_or_no(question: str) -> bool:
    """Return True if a question for a yes leaves out words, "Ready to submit?", or begins with its verb."""
    return _SHORT_YES_OR_NO.match(fold(question)) is not None


@cached
def is_question(text: str) -> bool:
    """Return True if a goal asks for information, directly or indirectly, rather than for an action."""
    return text.rstrip().endswith("?") or _INTERROGATIVE(text) or is_yes_or_no_question(text)


def is_repetition(text: str) -> bool:
    """Return True if `text` only repeats the user: "you want a haircut on Tuesday"."""
    return _REPEATS(text)


@cached
def is_refusal(text: str) -> bool:
    """Return True if `text` says that something cannot be done or had, without a condition."""
    return _REFUSES(text) and not _CONDITIONS(text)


@cached
def is_failure(text: str) -> bool:
    """Return True if a reply reports an error instead of answering."""
    return _FAILS(text) and len(tokens(text)) <= _MAX_FAILURE


@cached
def is_trouble(text: str) -> bool:
    """Return True if `text` has a word for a failure, or for regret."""
    return _TROUBLE(text).search(fold(text)) is not None


@cached
def is_paraphrase(text: str) -> bool:
    """Return True if `text` says what the user wants: "it looks like you want a large pizza"."""
    return _PARAPHRASES(text)


@cached
def is_correction(text: str) -> bool:
    """Return True if a user message may take back or correct what was said before."""
    return _CORRECTS(text)


@cached
def asks_for_more(text: str) -> bool:
    """Return True if a question asks if the user wants anything else."""
    return _MORE(text)


@cached
def asks_to_confirm(text: str) -> bool:
    """Return True if a question asks the user to confirm something."""
    return _CONFIRMS(text)


def is_revocation(text: str) -> bool:
    """Return True if `text` says that something done is no longer valid."""
    return _REVOKES(text)
