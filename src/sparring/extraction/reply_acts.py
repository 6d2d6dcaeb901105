"""Acts of a chatbot that thwart a wish: it waits, hands over, refuses, or offers something else.

They are recognised sentence by sentence, in all languages of the agenda user.
"""

import re

from sparring.core.message import Message, UserAct
from sparring.extraction.languages import words_of
from sparring.extraction.speech_acts import is_failure, is_refusal
from sparring.extraction.tokens import cached, fold, mentions, pattern, sentences, word_matcher

CLOSING: frozenset[UserAct] = frozenset({"that_is_all", "farewell", "thanks"})
"""Acts with which a user closes a conversation. What a chatbot replies to them is no fallback."""

_MAX_OFFERED = 5
"""Maximum number of words in something that is offered instead."""

_WAITS = word_matcher(*words_of("replies", "waits"), end=r"\b")
_PEOPLE = (
    r"(?:colleagues?|agents?|humans?|person|people|representatives?|specialists?|operators?|advisors?|supervisors?"
    r"|managers?|team|staff|companer\w+|agentes?|operador\w*|humano|especialistas?|gestor\w*"
    r"|collegues?|conseill\w+|kolleg\w+|mitarbeiter\w*|collegh?[aie]|operator[ei]|colegas?|atendentes?"
    r"|оператор\w*|сотрудник\w*|коллег\w*|специалист\w*|менеджер\w*|человек\w*)"
)
_HANDS_OVER = pattern(
    rf"(?:connect|transfer|put|pass|forward|hand)\w* (?:you|(?:your|this|the) (?:call|chat|conversation)) (?:[^ ]+ )"
    rf"{{0,5}}{_PEOPLE}",
    rf"(?:le|te|lo|la|os|les) (?:paso|pasar\w*|transfier\w*|comunic\w*|conect\w*|deriv\w*) (?:[^ ]+ ){{0,5}}{_PEOPLE}",
    rf"(?:je|nous) (?:vous )?(?:transf\w+|passe|passons|mets|mettons)(?: vous)? (?:[^ ]+ ){{0,5}}{_PEOPLE}",
    rf"(?:verbinde|verbinden|leite|leiten) (?:ich |wir )?sie (?:[^ ]+ ){{0,5}}{_PEOPLE}",
    rf"(?:la|ti) (?:passo|trasferisco|collego|metto) (?:[^ ]+ ){{0,5}}{_PEOPLE}",
    rf"(?:vou|vamos) (?:te |lhe )?(?:transferi\w+|passa\w+|encaminha\w+) (?:[^ ]+ ){{0,5}}{_PEOPLE}",
    rf"(?:(?:вас|вам) )?(?:перев|соедин|переключ)\w+ (?:вас )?(?:[^ ]+ ){{0,5}}{_PEOPLE}",
    end=r"\b",
)
_FAILS = word_matcher(*words_of("replies", "fails"))
_TRY_AGAIN = word_matcher(*words_of("replies", "try_again"))
_DOMAINS = (
    pattern(
        r"(?:i|we)(?:'m| am|'re| are)? (?:can |could )?only (?:able to |here to |meant to )?"
        r"(?:help|assist|deal|answer|talk|handle|support|know)\w*(?: you)?(?: with| about| questions about| on)? (.+)",
        r"this is (?:only )?the (.+?) (?:line|desk|hotline|department|service|helpline|bot|assistant)\b",
        r"you(?:'ve| have) reached (?:the )?(.+)",
        r"solo (?:le |te |os |les )?(?:puedo|podemos) (?:ayudar|atender|responder)\w*(?: con| sobre| en| a)? (.+)",
        r"(?:помогаю|отвечаю|консультирую|занимаюсь|могу помочь) только (?:с |по |на )?(.+)",
        r"только (?:могу )?помо\w+ (?:вам )?(?:с |по )?(.+)",
    ),
)
_HAS_NOT = word_matcher(*words_of("replies", "has_not"), end=r"\b")
_FOR_NOW = word_matcher(*words_of("replies", "for_now"), end=r"\b")
_BY_CONDITION = word_matcher(*words_of("replies", "conditions"), start=r"(?:.*[^\w])?", end=r" ")
_INSTEAD = (
    pattern(
        r"only (?:have|got|sell|offer|serve|do|left with)? ?(.+)",
        r"(?:how|what) about (.+)",
        r"would you (?:like|prefer|take|want) (.+)",
        r"(?:do )?(?:we|i) (?:do |also |still )?(?:have|sell|serve|can offer(?: you)?) (.+)",
        r"(?:there (?:is|are)|i can offer(?: you)?|we can offer(?: you)?|will) (.+)",
        r"solo (?:nos )?(?:tenemos|queda\w*|hay|servimos) (.+)",
        r"(?:que tal|quiere|quieres|prefiere|le puedo ofrecer|te puedo ofrecer|tenemos|hay) (.+)",
        r"(?:il ne (?:nous )?reste (?:plus )?que|nous n'avons que|mais nous avons) (.+)",
        r"(?:wir haben|haben wir|gibt es|es gibt) (?:nur(?: noch)?|aber) (.+)",
        r"(?:abbiamo (?:solo|soltanto)|c'e solo|ci sono solo) (.+)",
        r"(?:so temos|apenas temos|temos (?:apenas|so|somente)) (.+)",
        r"(?:есть|остал\w+) только (.+)",
        r"только (.+)",
        r"(?:может быть|хотите|предложить|могу предложить|возьмете|у нас есть|есть) (.+)",
    ),
)
_REASON = word_matcher(*words_of("replies", "reasons"), end=r"\b")
_FAREWELL = word_matcher(*words_of("replies", "farewells"), end=r"\b")
_TAIL = pattern(
    r"(?:,? ?(?:instead|in (?:its|their) place|today|left|available|do|en su lugar|hoy|вместо.*))$",
    start=r"",
)
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
        not each.asks and (_WAITS(each.text) or fails(each.text) or _TRY_AGAIN(each.text)) for each in said
    )


@cached
def fails(text: str) -> bool:
    """Return True if a sentence reports a technical problem."""
    return _FAILS(text) or is_failure(text)


def asks_to_try_again(text: str) -> bool:
    """Return True if a reply asks the user to do the same again."""
    return _TRY_AGAIN(text)


@cached
def is_farewell(text: str) -> bool:
    """Return True if a message takes leave."""
    return _FAREWELL(text)


def is_closing(said: Message) -> bool:
    """Return True if a user's message closes the conversation, by its meaning or else by its words."""
    if said.meant:
        return any(each.act in CLOSING for each in said.meant)
    return is_farewell(said.text)


@cached
def gives_reason(text: str) -> bool:
    """Return True if a refusal says why."""
    return _REASON(text)


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
