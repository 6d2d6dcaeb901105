"""Sentences of the agenda user: goals that an author wrote as phrases, and facts that the user knows."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random

from sparring.core.case import Fact
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.facts import canonical_slot
from sparring.extraction.languages import LANGUAGES
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.phrasebooks.phrasebook import FirstWords, Phrasebook
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.questions import ChatbotQuestion, Kind, has_known_kind
from sparring.extraction.role_sheet import RoleSheet
from sparring.extraction.slots import asked_slots, fact_sentence, fit
from sparring.extraction.speech_acts import is_open_question, is_question, is_yes_or_no_question
from sparring.extraction.tokens import fold, mentions, pattern, sentences, stems
from sparring.extraction.word_tables import words_of_module
from sparring.users.lines import SILENT, Line, dictates, joined, line

_WORDS = words_of_module(__name__)

_MAX_PHRASE_WORDS = 12
"""Maximum number of words in a phrase that is built into a sentence."""

_FOLLOWING = re.compile(_WORDS["following"])
"""Words that announce what comes after a colon: "the following drink: water"."""

_GERUND = re.compile(r"\w{2,}ing (?:an?|the|my|our)\b")
_NO_INFINITIVE = re.compile(rf"\w+ of\b|{_GERUND.pattern}")
"""First words that are no infinitive in English: "return of a parcel", "booking a table"."""

_OF_USER = re.compile(
    r"(?:(?<=[,;] )|(?<= and ))your(?= (?:\w+ ){1,4}(?:is|are) )"
    r"|\byour(?= (?:\w+ )?(?:accounts?|balance|bill|bookings?|cards?|car|cat|dog|parcel|pet|reservations?)\b)",
    re.IGNORECASE,
)
"""English `your` by which an author addresses the user: "a table, your name is Ann", "the balance of your account"."""

_SEVERAL = re.compile(r"[^\d]\. ")
"""The end of a sentence in a phrase; a full stop after a digit is that of a date: "am 3. Mai"."""

_ARTICLE = re.compile(r"(?:The|An?|My|Our|Some) ")
_LABELLED = re.compile(r"\w+(?: \w+)? ?:")
"""A thing with its value: "the drink: water"."""

_INDEFINITE = pattern(r"(?:an?|un[aeo]?|uma?|ein\w*|some|any|\d+|information|informacion|infos?)\b", start="^")
"""First words of a thing to have, rather than of something to be told, such as "the opening hours"."""

_INDIRECT = pattern("whether", "if", "ob", "si", "se", "если", start="^", end=r"\b")
_DO = pattern("do", "have", start="^", end=r" (?:an?|the|my|some)\b")
_DIRECT = re.compile(_WORDS["direct"])
"""A question in its own words, "how long does it take"; "what it costs" is a part of another sentence."""


def join_words(values: Sequence[str], and_: str) -> str:
    """Return `a`, `a and b`, or `a, b and c`."""
    if len(values) < 2:
        return "".join(values)
    return f"{', '.join(values[:-1])} {and_} {values[-1]}"


def goal_sentence(goal: str, book: Phrasebook, random: Random) -> str:
    """Return `goal` as a sentence."""
    words = _phrase(goal, book)
    plain = fold(words)
    if words.endswith("?"):
        return capital(words)
    is_act = book.verbs.match(plain) or _DO.match(plain)  # "know how long it takes", "have a test drive"
    if _DIRECT.match(plain) or (is_yes_or_no_question(words) and not (is_act or _INDIRECT.match(plain))):
        start = "¿" if book is phrasebook("spanish") else ""
        return capital(f"{start}{_bare(words)}?")
    if is_question(words) and not is_act:
        return random.choice(book.tell).format(_small(_bare(words)))
    if book.imperative.search(plain):
        return capital(f"{_bare(words)}, {book.asides['please'][0]}.")
    if _GERUND.match(plain):
        return f"I am interested in {_small(_bare(words))}."
    if _is_act(plain, book):
        frames = book.want_to
        if dictates(words):
            frames = tuple(each for each in frames if each.endswith("{}.")) or frames
        return random.choice(frames).format(_small(_bare(words)))
    if book.statement.match(plain) or len(words.split()) > _MAX_PHRASE_WORDS or _SEVERAL.search(words):
        return capital(f"{_bare(words)}.")
    if _LABELLED.match(words):
        return capital(book.labelled.format(_bare(words)))
    if is_statement(words):
        return thing_question(words, book, random)
    return random.choice(book.want).format(_small(_bare(words)) if _ARTICLE.match(words) else _bare(words))


def labelled_value(goal: str, asked: str, book: Phrasebook) -> str:
    """Return "Coke, please." for "the drink: coke" if its label is asked for; an empty text otherwise."""
    label, _, value = _phrase(goal, book).partition(":")
    questions = [stems(each.text) for each in sentences(asked) if each.asks]
    if not value.strip() or not _LABELLED.match(f"{label}:") or not any(stems(label) & each for each in questions):
        return ""
    return capital(f"{_bare(value.strip())}, {book.asides['please'][0]}.")


def thing_question(words: str, book: Phrasebook, random: Random) -> str:
    """Return a question for a thing that is named by a noun."""
    return random.choice(book.tell_thing).format(_small(_bare(words)))


def reworded(goal: str, frame: str, book: Phrasebook) -> str:
    """Return `goal` in a frame that announces it; an indirect question as a whole one."""
    words = _phrase(goal, book)
    whole = words.endswith("?") or _is_act(fold(words), book) or _DIRECT.match(fold(words))
    if is_question(words) and not whole:
        words = _small(book.tell[0].format(_small(_bare(words))))
    return frame.format(f"{_bare(words)}{'?' if words.endswith('?') else '.'}")


def _phrase(goal: str, book: Phrasebook) -> str:
    """Return a goal as the user says it.

    That is without "first" or "following", and with "my" for what is the user's and not the chatbot's.
    """
    words = _OF_USER.sub(lambda found: "My" if found[0][0] == "Y" else "my", " ".join(goal.split()))
    order = book.order_words.match(fold(words))
    words = words[order.end() :].lstrip(" ,") if order else words
    found = _FOLLOWING.search(words) if ":" in words else None
    if found is None:
        return words
    words = f"{words[: found.start()]}{words[found.end() :]}".strip()
    return words.replace(":", "", 1).replace("  ", " ") if _is_act(fold(words), book) else words


def _is_act(plain: str, book: Phrasebook) -> bool:
    """Return True if a phrase begins with a verb, perhaps of a language other than the user's."""
    if _NO_INFINITIVE.match(plain):
        return False
    return bool(book.determiners.match(plain) or book.verbs.match(plain) or any(v.match(plain) for v in _verbs()))


@cache
def _verbs() -> tuple[FirstWords, ...]:
    return tuple(phrasebook(language.name).verbs for language in LANGUAGES)


def _bare(words: str) -> str:
    return words.rstrip(" .;,?!")


def _small(words: str) -> str:
    """Lower the first letter, unless it begins an abbreviation."""
    return words[:1].lower() + words[1:] if words[1:2].islower() else words


def capital(words: str) -> str:
    """Return words with a capital at their beginning, after a sign such as `¿`."""
    at = next((place for place, letter in enumerate(words[:2]) if letter.isalnum()), 0)
    return words[:at] + words[at : at + 1].upper() + words[at + 1 :]


def is_statement(goal: str) -> bool:
    """Return True if a goal asks for information, such as "the opening hours"."""
    return asks_information(goal) and not _INDEFINITE.match(fold(goal))


_TO_WHOM = re.compile(
    r"^\W*(?:and |so |y |und |et )?(?:(?:to|for) whom\b|who\b(?! am i\b).*\b(?:to|for)\W*$|(?:an|fur) wen\b"
    r"|(?:a|para) quien\b|(?:a|pour) qui\b|(?:a|per) chi\b|para quem\b|кому\b|для кого\b)"
)
_PERSON = re.compile(r"(?<!\w)(?:to|for|an|für|a|para|à|pour|per|для) ((?:[A-ZÀ-ÞА-Я][\w'-]+ ?){1,3})(?<! )")
"""A person in a goal: "send $20 to Maria Gold"."""

_ANSWERED_BY_FACTS = frozenset({Kind.VARIABLE, Kind.OFFER, Kind.OTHER})


def known_facts(
    question: ChatbotQuestion, sheet: RoleSheet, book: Phrasebook, context: ExtractionContext = NO_CONTEXT
) -> Line:
    """Return the facts that a question asks for, or yes or no to a proposed time, if the user knows any.

    A variable whose name stands in the question is asked for, rather than a fact.
    """
    proposal = _to_proposal(question, sheet, book, context)
    if proposal or question.kind not in _ANSWERED_BY_FACTS:
        return proposal
    facts = asked_slots(question.text, sheet.facts).facts
    if question.kind is Kind.VARIABLE:
        facts = tuple(fact for fact in facts if not _means_variable(fact, question, sheet))
    return joined(line("value", fact_sentence(fact, book), None, {fact.slot: ", ".join(fact.values)}) for fact in facts)


def recipient(question: ChatbotQuestion, goal: str) -> Line:
    """Return the person whom a goal names, to a question who something is for or goes to."""
    found = _PERSON.search(goal) if _TO_WHOM.search(fold(question.text)) else None
    return line("value", found[1], None, {"recipient": found[1]}) if found else SILENT


def _means_variable(fact: Fact, question: ChatbotQuestion, sheet: RoleSheet) -> bool:
    """Return True if the question is about a variable, or about the same thing as the fact.

    A question that names the value of a variable does not ask for it.
    """
    said = stems(question.text)
    return any(
        stems(name.replace("_", " ")) <= said or canonical_slot(name) == fact.slot or fact.slot == "availability"
        for name in question.variables
        if not any(mentions(question.text, value) for value in sheet.values(name))
    )


def _to_proposal(question: ChatbotQuestion, sheet: RoleSheet, book: Phrasebook, context: ExtractionContext) -> Line:
    if question.kind not in (Kind.CONFIRM, Kind.OFFER, Kind.OTHER):
        return SILENT
    if is_open_question(question.text) and has_known_kind(question.text):
        return SILENT  # "which weekday suits you?" names days, but proposes none
    answer, other = fit(question.text, sheet.facts, context)
    if not answer and question.kind is Kind.CONFIRM:
        answer, other = fit(question.before, sheet.facts, context)
    if answer == "yes" and question.kind is not Kind.CONFIRM and not question.options:
        return line("yes", book.yes[0])
    if answer != "no":
        return SILENT
    said = book.facts.get("availability", "{}").format(other)
    return line("no", book.no[0]) + line("value", said, None, {"availability": other})
