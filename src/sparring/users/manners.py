"""Manners of a user without a model: what they change in its lines, and in what it decides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from sparring.core.message import Meant, UserAct
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.role_sheet import RoleSheet
from sparring.extraction.speech_acts import is_agreement, is_completion, refuses
from sparring.extraction.tokens import fold, mentions, sentences
from sparring.users.lines import SILENT, Line, dictates, ended, line

ASIDE = "aside"
"""Slot with the name of an aside that comes from a manner, so that it is made once."""

WHY_NEEDED = "why_needed"
"""Aside that asks what a fact is needed for, before it is said."""

_LONG_REPLY = 60
"""Words of a reply above which an impatient user complains."""

_TURNS_FOR_ASIDE = 4
_TURNS_PER_GOAL = 6
"""Turns that must be left for each open goal before the user asks something else first."""

_FALLBACKS_FOR_ASIDE = 3
_REMARK_AT = (1, 2)
"""Turns in which a talkative user may make its remark."""

_ABBREVIATION = re.compile(r"(?<![\w-])[A-ZА-ЯЁ]{2,6}(?![\w-])")
_KNOWN_WORDS = frozenset("ok am pm usd eur gbp rub id tv faq да нет".split())
_NO_THANKS: frozenset[UserAct] = frozenset({"that_is_all", "farewell", "value"})
_OPENING = {"impatient": "hurry", "vague": "hesitation", "confused": "newcomer"}
"""Asides that open a conversation, by manner."""

_NEXT: frozenset[UserAct] = frozenset({"wish", "question", "that_is_all"})
"""Acts of lines that may wait for a turn, because they answer nothing."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Part of a conversation on which manners depend.

    `replies` are the replies so far, `acts` the meanings of the user's messages. `answered` is the number of goals that
    are answered, `fallbacks_allowed` that of fallbacks before the user gives up. `careful` is True after a fallback,
    and `long_phrases` with that style.
    """

    random: Random
    replies: Sequence[str] = ()
    acts: Sequence[tuple[Meant, ...]] = ()
    answered: int = 0
    turns_left: int = 30
    careful: bool = False
    long_phrases: bool = False
    fallbacks_allowed: int = 5

    @property
    def bears_asides(self) -> bool:
        """True if the user would not give up because the chatbot does not understand an aside."""
        return self.fallbacks_allowed >= _FALLBACKS_FOR_ASIDE

    @property
    def talkative(self) -> bool:
        """True if the user may talk at length: not after a fallback, and not if a style does it."""
        return self.bears_asides and not self.careful and not self.long_phrases

    def made(self, aside: str) -> int:
        """Return how often an aside was made."""
        return sum(each.slots.get(ASIDE) == aside for acts in self.acts for each in acts)


def with_manners(said: Line, sheet: RoleSheet, book: Phrasebook, moment: Moment) -> Line:
    """Return a line as a user with these manners says it, or a question that it asks first."""
    if not sheet.manners:
        return said
    found = _question_first(said, sheet, book, moment) or _worded(said, sheet, book, moment)
    if moment.bears_asides and found.meant == said.meant:
        before = (_aside(name, book, moment) for name in _before(said, sheet, moment))
        talked = found.text != said.text
        after = (
            _aside(name, book, moment) for name in _after(said, sheet, moment) if not (talked and name == "remark")
        )
        behind = sum(after, SILENT)
        if behind:
            found = Line(ended(found.text), found.meant)
        found = sum(before, SILENT) + found + behind
    polite = any(book.courtesy.search(goal.text) for goal in sheet.goals)
    return _without_courtesies(found, book) if sheet.has_manner("rude") and not polite else found


def takes_alternatives(sheet: RoleSheet) -> bool | None:
    """Return True for a flexible user, False for one that insists, None for any other."""
    if sheet.has_manner("insistent"):
        return False
    return True if sheet.has_manner("flexible") else None


def _aside(name: str, book: Phrasebook, moment: Moment, about: str = "", *, act: UserAct = "remark") -> Line:
    wordings = book.asides.get(name, ())
    text = moment.random.choice(wordings).format(about) if wordings else ""
    return line(act, text, None, {ASIDE: name})


# Questions that are asked instead of going on


def _question_first(said: Line, sheet: RoleSheet, book: Phrasebook, moment: Moment) -> Line:
    """Return a question that comes before the line, which is said a turn later; empty if there is none."""
    needed = _TURNS_FOR_ASIDE + _TURNS_PER_GOAL * (len(sheet.goals) - moment.answered)
    room = moment.turns_left >= needed and moment.bears_asides
    if not room or moment.careful or not moment.replies:
        return SILENT
    if sheet.has_manner("sceptical") and _is_private(said, sheet) and not moment.made(WHY_NEEDED):
        return _aside(WHY_NEEDED, book, moment, act="question")
    if not all(each.act in _NEXT for each in said.meant) or _is_asked(moment):
        return SILENT
    answered = moment.answered and not any(ASIDE in each.slots for acts in moment.acts[-1:] for each in acts)
    done = any(is_completion(each.text) for each in sentences(moment.replies[-1]))
    for manner, name in (("sceptical", "sure"), ("curious", "" if done else "why")):
        if name and sheet.has_manner(manner) and answered and not moment.made(name):
            return _aside(name, book, moment, act="question")
    unknown = _unknown_word(sheet, moment) if sheet.has_manner("confused") and not moment.made("meaning") else ""
    return _aside("meaning", book, moment, unknown, act="question") if unknown else SILENT


def _is_fact(said: Line, sheet: RoleSheet) -> bool:
    """Return True if a line says facts about the user itself and nothing else."""
    own = {fact.slot for fact in sheet.facts if fact.source != "variable"}
    return bool(said.meant) and all(each.act == "value" and own.intersection(each.slots) for each in said.meant)


def _is_private(said: Line, sheet: RoleSheet) -> bool:
    """Return True if a line says facts that a person may wonder about being asked for."""
    return _is_fact(said, sheet) and not any("availability" in each.slots for each in said.meant)


def _unknown_word(sheet: RoleSheet, moment: Moment) -> str:
    """Return an abbreviation of the last reply that no goal and no fact has."""
    known = [*(goal.text for goal in sheet.goals), *(value for fact in sheet.facts for value in fact.values)]
    return next(
        (
            found[0]
            for found in _ABBREVIATION.finditer(moment.replies[-1])
            if fold(found[0]) not in _KNOWN_WORDS and not any(mentions(text, found[0]) for text in known)
        ),
        "",
    )


# Asides around a line


def _before(said: Line, sheet: RoleSheet, moment: Moment) -> Iterator[str]:
    """Yield the names of asides that come before a line."""
    acts = {each.act for each in said.meant}
    opens = not moment.acts and bool(acts & {"wish", "question"})
    if sheet.has_manner("rude") and opens:
        yield "curt"
    if sheet.has_manner("rude") and not moment.made("complaint") and (moment.careful or _denied(moment)):
        yield "complaint"
    if sheet.has_manner("impatient") and not moment.made("too_long") and _is_long(moment):
        yield "too_long"
    for manner, name in _OPENING.items():
        if sheet.has_manner(manner) and opens:
            yield name
    last = [each.text for text in moment.replies[-1:] for each in sentences(text)]
    answered = moment.answered or any(map(is_agreement, last))
    if answered and _doubts(sheet, moment) and acts <= _NEXT and not _is_asked(moment) and not _is_fact(said, sheet):
        yield "doubt"
    if sheet.has_manner("formal") and moment.made("thanks") < moment.answered and not acts & _NO_THANKS:
        yield "thanks"


def _after(said: Line, sheet: RoleSheet, moment: Moment) -> Iterator[str]:
    """Yield the names of asides that come after a line."""
    asking = all(each.act == "wish" for each in said.meant) and not moment.careful and not dictates(said.text)
    if sheet.has_manner("wordy") and not moment.made("remark") and len(moment.acts) in _REMARK_AT and asking:
        yield "remark"
    acts = {each.act for each in said.meant}
    if _doubts(sheet, moment) and acts == {"yes"}:
        yield "doubt"
    curious = sheet.has_manner("curious") and not (moment.made("why_asked") or moment.made(WHY_NEEDED))
    if curious and not moment.careful and _is_private(said, sheet):
        yield "why_asked"


def _doubts(sheet: RoleSheet, moment: Moment) -> bool:
    return bool(moment.acts) and sheet.has_manner("sceptical") and not moment.made("doubt")


def _is_asked(moment: Moment) -> bool:
    return any(each.asks for reply in moment.replies[-1:] for each in sentences(reply))


def _denied(moment: Moment) -> bool:
    return any(refuses(each.text) for reply in moment.replies[-1:] for each in sentences(reply))


def _is_long(moment: Moment) -> bool:
    return bool(moment.replies) and len(moment.replies[-1].split()) > _LONG_REPLY


# Words of a line


def _worded(said: Line, sheet: RoleSheet, book: Phrasebook, moment: Moment) -> Line:
    """Return a line in the words of talkative, terse and formal users."""
    acts = {each.act for each in said.meant}
    if sheet.has_manner("terse") and len(said.meant) == 1:
        (meant,) = said.meant
        if acts <= {"yes", "no"}:
            return Line(_first_word(said.text), said.meant)
        if acts == {"value"} and meant.slots and ASIDE not in meant.slots:
            bare = ", ".join(meant.slots.values())
            return Line(bare, said.meant) if bare in said.text else said
    if sheet.has_manner("wordy") and moment.talkative and acts == {"wish"}:
        opens_otherwise = not moment.acts and any(map(sheet.has_manner, _OPENING))
        return said if opens_otherwise or dictates(said.text) else Line(_at_length(said.text, book, moment), said.meant)
    if sheet.has_manner("terse") and acts <= {"wish", "question"}:
        return Line(_without_frame(said.text, book), said.meant)
    if sheet.has_manner("formal") and acts == {"wish"}:
        return Line(_with_please(said.text, book), said.meant)
    return said


def _at_length(text: str, book: Phrasebook, moment: Moment) -> str:
    """Return a wish with a sentence before or after it, in turn, each once.

    The first opener is said at the start of a conversation only.
    """
    wishes = sum(any(each.act == "wish" for each in acts) for acts in moment.acts)
    number, after = divmod(max(wishes, 1 if moment.acts else 0), 2)
    padding = book.closers if after else book.openers
    if number >= len(padding):
        return text
    return f"{text} {padding[number]}" if after else f"{padding[number]} {text}"


def _first_word(text: str) -> str:
    """Return "Yes" for "Yes, please."; a text without a comma stays as it is."""
    word, comma, _ = text.partition(",")
    return word if comma else text


def _without_frame(text: str, book: Phrasebook) -> str:
    """Return "A small pizza." for "I'd like a small pizza."; another text stays as it is."""
    for frame in sorted((*book.want, *book.want_to), key=len, reverse=True):
        start, _, end = frame.partition("{}")
        if start and text.startswith(start) and text.endswith(end):
            bare = text[len(start) : len(text) - len(end)]
            return f"{bare[:1].upper()}{bare[1:]}."
    return text


def _with_please(text: str, book: Phrasebook) -> str:
    please = next(iter(book.asides.get("please", ())), "")
    if not please or fold(please) in fold(text) or ": " in text or not text.endswith("."):
        return text
    return f"{text[:-1]}, {please}."


def _without_courtesies(said: Line, book: Phrasebook) -> Line:
    """Return a line without please and thanks; unchanged if nothing would be left."""
    bare = re.sub(r"\s+([.?!])", r"\1", book.courtesy.sub(" ", said.text))
    bare = re.sub(r"(?<=[.?!])[.?!]+|^[\s.?!]+", "", bare).strip()
    first = bare[:1].upper() if said.text[:1].isupper() else bare[:1]
    return Line(first + bare[1:], said.meant) if re.search(r"\w", bare) else said
