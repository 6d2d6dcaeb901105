"""Speech acts: agreement, denial, ignorance, delay, questions, and what replies do.

The words are in the sections `speech` and `replies` of each language.
"""

import re

from sparring.core.message import Message, UserAct
from sparring.extraction.function_words import by_language, spoken
from sparring.extraction.languages import words_of
from sparring.extraction.tokens import cached, fold, mentions, pattern, sentences, tokens, word_matcher
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

is_uncertain = spoken("unknown")
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
is_paraphrase = spoken("paraphrases", end=r"\b")
"""Return True if `text` says what the user wants: "it looks like you want a large pizza"."""

is_correction = spoken("corrects", start=_START, end=r"\b")
"""Return True if a user message may take back or correct what was said before."""

asks_for_more = spoken("more", end=r"\b")
"""Return True if a question asks if the user wants anything else."""

asks_to_confirm = spoken("confirms", end=r"\b")
"""Return True if a question asks the user to confirm something."""

is_repetition = spoken("repeats", start=_START, end=r"\b")
"""Return True if `text` only repeats the user: "you want a haircut on Tuesday"."""

_INTERROGATIVE = spoken("interrogative", start=_START, end=r"\b")
_YES_OR_NO_QUESTION = spoken("yes_or_no_question", start=_START, end=r"\b")
_SHORT_YES_OR_NO = re.compile(_WORDS["short_yes_or_no"])
starts_with_yes_or_no = spoken("yes_or_no", start=_START, end=r"\b")
"""Return True if `text` begins with a yes or no."""

is_open_question = spoken("open", start=r"[^\w]*(?:[\w']+[^\w]+){0,2}", end=r"\b")
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


@cached
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


CLOSING: frozenset[UserAct] = frozenset({"that_is_all", "farewell", "thanks"})
"""Acts with which a user closes a conversation. What a chatbot replies to them is no fallback."""

_MAX_OFFERED = 5
"""Maximum number of words in something that is offered instead."""

_WAITS = word_matcher(*words_of("replies", "waits"), end=r"\b")
_HANDS_OVER = pattern(_WORDS["hands_over"], end=r"\b")
_FAILED = word_matcher(*words_of("replies", "fails"))
asks_to_try_again = word_matcher(*words_of("replies", "try_again"))
"""Return True if a reply asks the user to do the same again."""

_DOMAINS = (pattern(_WORDS["domains"]),)
_HAS_NOT = word_matcher(*words_of("replies", "has_not"), end=r"\b")
_FOR_NOW = word_matcher(*words_of("replies", "for_now"), end=r"\b")
_BY_CONDITION = word_matcher(*words_of("replies", "conditions"), start=r"(?:.*[^\w])?", end=r" ")
_INSTEAD = (pattern(_WORDS["instead"]),)
gives_reason = cached(word_matcher(*words_of("replies", "reasons"), end=r"\b"))
"""Return True if a refusal says why."""

is_farewell = cached(word_matcher(*words_of("replies", "farewells"), end=r"\b"))
"""Return True if a message takes leave."""

_TAIL = pattern(_WORDS["tail"], start=r"")
_ARTICLE = pattern(
    r"(?:a|an|the|some|any|un|una|unos|unas|el|la|los|las|une|des|de la|du|le|les|ein|eine|einen|der|die|das|il"
    r"|lo|gli|della|uma) ",
    start=r"^",
)
_OR = re.compile(r"\s*(?:,|\bor\b|\band\b|\bo\b|\bu\b|\by\b|\bou\b|\bet\b|\boder\b|\bund\b|\be\b|\bили\b|\bи\b)\s*")
_NEGATED = pattern(r"(?:no|not|n't|out of|never|sin|нет|не)\b")


@cached
def only_waits(text: str) -> bool:
    """Return True if a reply asks to wait or reports a technical problem, and says nothing else."""
    said = sentences(text)
    return bool(said) and all(
        not each.asks and (_WAITS(each.text) or fails(each.text) or asks_to_try_again(each.text)) for each in said
    )


@cached
def fails(text: str) -> bool:
    """Return True if a sentence reports a technical problem."""
    return _FAILED(text) or is_failure(text)


def is_closing(said: Message) -> bool:
    """Return True if a user's message closes the conversation, by its meaning or else by its words."""
    if said.meant:
        return any(each.act in CLOSING for each in said.meant)
    return is_farewell(said.text)


@cached
def hands_over(text: str) -> bool:
    """Return True if a reply says that a person takes over."""
    return any(not each.asks and _HANDS_OVER.search(fold(each.text)) for each in sentences(text))


@cached
def domain_of(text: str) -> str:
    """Return what a reply says it is there for, and for nothing else; empty if it does not."""
    for sentence in sentences(text):
        for found in (each.search(fold(sentence.text)) for each in _DOMAINS):
            if found:
                return next((group for group in found.groups() if group), "")
    return ""


@cached
def refuses(text: str) -> bool:
    """Return True if a sentence says for good that something cannot be done or had."""
    return (is_refusal(text) or _HAS_NOT(text)) and not (_FOR_NOW(text) or _BY_CONDITION(text) or fails(text))


def refuses_value(text: str, value: str) -> bool:
    """Return True if a reply refuses a value and does not offer it."""
    refused = any(mentions(each.text, value) and refuses(each.text) for each in sentences(text))
    return refused and not any(mentions(offer, value) for offer in offered_instead(text))


@cached
def offered_instead(text: str) -> tuple[str, ...]:
    """Return what a reply offers in place of what it refuses: "we only have water", "how about tea?"."""
    for sentence in sentences(text):
        for clause in re.split(r"[,;:]\s+(?:but\s+)?|\s[–—-]\s|\bbut\b|\bpero\b|\bно\b", fold(sentence.text)):
            found = next((found for each in _INSTEAD for found in [each.search(clause)] if found), None)
            words = next((group for group in found.groups() if group), "") if found else ""
            before = clause[: found.start()] if found else ""
            things = () if _NEGATED.search(f"{before} {words}") else _things(words)
            if things:
                return things
    return ()


def _things(words: str) -> tuple[str, ...]:
    plain = _TAIL.sub("", words.strip(" .!?…\"'"))
    parts = [_ARTICLE.sub("", part.strip(" .!?\"'")) for part in _OR.split(plain)]
    return tuple(part for part in parts if part and len(part.split()) <= _MAX_OFFERED)
