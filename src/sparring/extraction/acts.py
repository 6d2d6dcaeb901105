"""Lexicon of acts, such as placing, that users want, tools perform and chatbots report.

The words are in the sections `acts` and `done` of each language. A completion reports an act as done. "I can cancel
it", "shall I cancel it" and "it is not cancelled" are none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache

from sparring.extraction.function_words import by_language
from sparring.extraction.languages import LANGUAGES, Language
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import cached, factor, fold, pattern, tokens


class Act(StrEnum):
    """Class of verbs with which an act is wanted or reported."""

    PLACE = "place"
    CANCEL = "cancel"
    RETURN = "return"
    CHANGE = "change"
    BLOCK = "block"
    ACTIVATE = "activate"
    SEND = "send"
    PAY = "pay"
    EXTEND = "extend"
    TRACK = "track"


@dataclass(frozen=True, slots=True)
class Deed:
    """An act as tools do it, more exact than its class: booking and ordering both place something.

    A `vague` deed is done by many tools, so that a tool also has to be about the same thing. A deed that `marks`
    changes a record that exists already. Only a deed with an `act` answers a wish.
    """

    name: str
    act: Act | None
    verbs: frozenset[str]
    """Verbs in names of tools."""
    vague: bool = False
    marks: bool = False

    def forms(self) -> list[str]:
        """Return the participles with which chatbots report it, in all languages."""
        return [word for each in LANGUAGES for word in each.sections["done"][self.name]]


def _deed(name: str, act: Act | None, verbs: str, *, vague: bool = False, marks: bool = False) -> Deed:
    return Deed(name, act, frozenset(verbs.split()), vague, marks)


DEEDS = (
    _deed("cancel", Act.CANCEL, "cancel revoke cancellation annul unsubscribe", marks=True),
    _deed("refund", Act.RETURN, "refund reimburse"),
    _deed("book", Act.PLACE, "book reserve schedule booking reservation"),
    _deed("place", Act.PLACE, "place order submit checkout buy purchase"),
    _deed("block", Act.BLOCK, "block freeze lock suspend deactivate disable", marks=True),
    _deed("unblock", Act.ACTIVATE, "unblock unfreeze unlock activate enable reactivate", marks=True),
    _deed("transfer", Act.SEND, "transfer pay wire"),
    _deed("exchange", Act.CHANGE, "exchange replace swap"),
    _deed("renew", Act.EXTEND, "renew extend prolong", marks=True),
    _deed("reschedule", Act.CHANGE, "reschedule postpone", marks=True),
    _deed("delete", Act.CANCEL, "delete remove erase", vague=True),
    _deed("add", Act.PLACE, "add", vague=True),
    _deed("change", Act.CHANGE, "change update modify edit", vague=True),
    _deed("send", Act.SEND, "send email ship forward", vague=True),
    _deed("pay", Act.PAY, "pay charge settle", vague=True),
    _deed("create", Act.PLACE, "create open register", vague=True),
    _deed("open", None, "open create register", vague=True),
)


def _expression(alternatives: Iterable[str]) -> TextPattern:
    return TextPattern(rf"\b(?:{factor(fold(each) for each in alternatives)})")


def _wanted_by(act: Act, language: Language) -> Iterable[str]:
    return [str(word) for word in language.sections["acts"][act]["wanted"]]


def _reports_of(act: Act, language: Language) -> Iterator[str]:
    yield from language.sections["acts"][act]["says"]
    for deed in DEEDS:
        if deed.act is act:
            yield from (rf"{word}\b" for word in language.sections["done"][deed.name])


def _all_reports(language: Language) -> Iterator[str]:
    yield from language.sections["speech"]["any_done"]
    for act in Act:
        yield from _reports_of(act, language)


_Reader = Callable[[str], TextPattern]


def _reader(act: Act, of: Callable[[Act, Language], Iterable[str]]) -> _Reader:
    return by_language(lambda language: of(act, language), _expression)


_WANTED: Mapping[Act, _Reader] = {act: _reader(act, _wanted_by) for act in Act if act is not Act.TRACK}
_REPORTED: Mapping[Act, _Reader] = {act: _reader(act, _reports_of) for act in Act if act is not Act.TRACK}
_ANY = by_language(lambda language: language.sections["speech"]["any_done"], _expression)
_REPORT = by_language(_all_reports, _expression)
"""All forms at once, because most sentences report nothing."""

_UNREAL = by_language(
    lambda language: language.sections["speech"]["unreal"], lambda words: pattern(*words), guess=False
)
"""Words before a completion that make it a plan, an offer or a condition."""

_OFFERS = by_language(lambda language: language.sections["speech"]["offers"], lambda words: pattern(*words))
"""Words of sentences that say what there is, and what it costs."""


@cached
def wanted_act(goal: str) -> Act | None:
    """Return the act that a goal names first, or None."""
    said = fold(goal)
    first = [(found.start(), act) for act, wanted in _WANTED.items() for found in [wanted(goal).search(said)] if found]
    return min(first)[1] if first else None


def wants(text: str, act: Act) -> bool:
    """Return True if a text has a word with which an act is wanted."""
    return _WANTED[act](text).search(fold(text)) is not None


@cached
def reported_acts(sentence: str) -> frozenset[Act | None]:
    """Return the acts that a sentence reports; None stands for a word that fits any, such as "done"."""
    said = fold(sentence)
    first = _REPORT(sentence).search(said)
    if first is None:
        return frozenset()
    confirms = said.startswith(("i can confirm", "we can confirm", "can confirm"), max(0, first.start() - 4))
    before = said[: first.start()]
    if not confirms and (_UNREAL(sentence).search(before) or is_denial(sentence)):
        return frozenset()
    acts: set[Act | None] = {act for act, reported in _REPORTED.items() if reported(sentence).search(said)}
    if _ANY(sentence).search(said):
        acts.add(None)
    return frozenset(acts)


@cached
def asserts(sentence: str) -> bool:
    """Return True if a sentence is no plan, offer, condition or price; its values count as agreed."""
    said = fold(sentence)
    return not (_OFFERS(sentence).search(said) or _UNREAL(sentence).search(said))


def calls_for(tool: str, wanted: Act | None) -> bool:
    """Return True if the name of a tool, such as `cancel_order`, is that of the wanted act."""
    return wanted_act(" ".join(tokens(tool))) is (wanted or Act.PLACE)


def reports(sentence: str, wanted: Act | None) -> bool:
    """Return True if a sentence reports the wanted act as done. An order without a verb is placed."""
    acts = reported_acts(sentence)
    if not acts:
        return False
    act = wanted or Act.PLACE
    return act in acts or acts == {None}


ASKED = frozenset(act for act in Act if any(each.sections["acts"][act]["verbs"] for each in LANGUAGES))
"""Acts for which users ask by verbs that are read."""


@cache
def _verbs(act: Act | None = None) -> TextPattern:
    """Return a pattern of the verbs with which users ask for an act, or for any."""
    acts = ASKED if act is None else [act]
    return _expression(
        fold(word) for each in acts for language in LANGUAGES for word in language.sections["acts"][each]["verbs"]
    )


@cached
def asked_acts(text: str) -> frozenset[Act]:
    """Return the acts for which a message asks by a verb; `wanted_act` counts nouns, too."""
    said = fold(text)
    if not _verbs().search(said):
        return frozenset()
    return frozenset(act for act in ASKED if _verbs(act).search(said))


@cached
def asked_verb(text: str) -> str:
    """Return the first verb of a text with which it asks for an act; empty if there is none."""
    found = _verbs().search(fold(text))
    return found[0] if found else ""


_LOOK_UP = frozenset(
    "check get list find show validate verify track lookup search read view is can has describe fetch query "
    "calculate estimate quote preview count compare ask explain tell".split()
)
_REPORTS = frozenset("summary status details info information history overview".split())
"""Nouns of tools that only read, unless a verb in their name says otherwise: `order_status`, `update_status`."""

ACT_NOUNS = frozenset("order cancellation booking reservation".split())
"""Verbs and names of acts that also name the thing acted on, so that another verb beside them decides."""

_MAX_CACHED = 1024
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=_MAX_CACHED)
def words_of_tool(name: str) -> tuple[str, ...]:
    """Return the words of a name such as `cancel_order` or `cancelOrder`."""
    return tuple(word.lower() for word in _WORD.findall(name))


@lru_cache(maxsize=_MAX_CACHED)
def looks_up(name: str) -> bool:
    """Return True if a tool only reads, by its name."""
    words = set(words_of_tool(name))
    reports = words & _REPORTS and not any(map(wanted_act, words - ACT_NOUNS - _REPORTS))
    return bool(words & _LOOK_UP or reports)


_VERBS = frozenset[str]().union(*(deed.verbs for deed in DEEDS)) - ACT_NOUNS


@lru_cache(maxsize=_MAX_CACHED)
def deeds_of_tool(name: str, description: str) -> frozenset[Deed]:
    """Return the deeds that a tool does, by its name and by the first word of its description."""
    if looks_up(name):
        return frozenset()
    tokens = words_of_tool(name)
    described = set(words_of_tool(description)[:1])
    for words in ({*tokens, *described} - ACT_NOUNS, {*tokens, *described}):
        if found := frozenset(deed for deed in DEEDS if words & deed.verbs):
            return found
    return frozenset()


def things_of_tool(name: str) -> frozenset[str]:
    """Return what a tool is about, by its name: the words that are no verbs, in the singular."""
    return frozenset(token.removesuffix("s") for token in words_of_tool(name) if token not in _VERBS)
