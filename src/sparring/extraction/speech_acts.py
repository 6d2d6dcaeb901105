"""Speech acts: agreement, denial, ignorance, delay and questions.

The words are in the section `speech` of each language.
"""

import re

from sparring.extraction.function_words import by_language, spoken
from sparring.extraction.languages import words_of
from sparring.extraction.tokens import cached, fold, pattern, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

is_uncertain = cached(spoken("unknown"))
"""Return True if `text` expresses ignorance, inability, a promise to check, or an error."""

_DENIES = spoken("denies", end=r"\b")
_IDIOMS = pattern(*words_of("speech", "idioms"), end=r"\b")
is_revocation = spoken("undone", end=r"\b")
"""Return True if `text` says that something done is no longer valid."""

is_retraction = spoken("unknown", "undone")
"""Return True if `text` says that something done or planned is not done.

Words of both are searched at once, because nearly all replies contain neither.
"""

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
is_paraphrase = cached(spoken("paraphrases", end=r"\b"))
"""Return True if `text` says what the user wants: "it looks like you want a large pizza"."""

is_correction = cached(spoken("corrects", start=_START, end=r"\b"))
"""Return True if a user message may take back or correct what was said before."""

asks_for_more = cached(spoken("more", end=r"\b"))
"""Return True if a question asks if the user wants anything else."""

asks_to_confirm = cached(spoken("confirms", end=r"\b"))
"""Return True if a question asks the user to confirm something."""

is_repetition = spoken("repeats", start=_START, end=r"\b")
"""Return True if `text` only repeats the user: "you want a haircut on Tuesday"."""

_INTERROGATIVE = spoken("interrogative", start=_START, end=r"\b")
_YES_OR_NO_QUESTION = spoken("yes_or_no_question", start=_START, end=r"\b")
_SHORT_YES_OR_NO = re.compile(_WORDS["short_yes_or_no"])
starts_with_yes_or_no = cached(spoken("yes_or_no", start=_START, end=r"\b"))
"""Return True if `text` begins with a yes or no."""

is_open_question = cached(spoken("open", start=r"[^\w]*(?:[\w']+[^\w]+){0,2}", end=r"\b"))
"""Return True if a question cannot be answered by yes or no: a question word is among its first three."""


@cached
def is_denial(text: str) -> bool:
    """Return True if `text` denies something; "no worries" and "don't forget" do not."""
    return _DENIES(text) and _DENIES(_IDIOMS.sub("", fold(text)))


@cached
def is_agreement(text: str) -> bool:
    """Return True if `text` says that something is done or will be done."""
    return _AGREES(text) and not is_denial(text)


@cached
def is_completion(text: str) -> bool:
    """Return True if `text` says that something was just done."""
    return _COMPLETES(text) and not is_denial(text)


def is_request(text: str) -> bool:
    """Return True if `text` asks for information without a question mark."""
    return _REQUESTS(text) or _COMMANDS(text)


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
