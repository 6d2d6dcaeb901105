"""Acts of a chatbot that thwart a wish: it waits, hands over, refuses, or offers something else.

They are recognised sentence by sentence, in all languages of the agenda user.
"""

import re

from sparring.core.message import Message, UserAct
from sparring.extraction.languages import words_of
from sparring.extraction.speech_acts import is_failure, is_refusal
from sparring.extraction.tokens import cached, fold, mentions, pattern, sentences, word_matcher
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

CLOSING: frozenset[UserAct] = frozenset({"that_is_all", "farewell", "thanks"})
"""Acts with which a user closes a conversation. What a chatbot replies to them is no fallback."""

_MAX_OFFERED = 5
"""Maximum number of words in something that is offered instead."""

_WAITS = word_matcher(*words_of("replies", "waits"), end=r"\b")
_HANDS_OVER = pattern(_WORDS["hands_over"], end=r"\b")
_FAILS = word_matcher(*words_of("replies", "fails"))
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
    return _FAILS(text) or is_failure(text)


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
