"""Answers from the facts that a user knows about itself, such as its name."""

import re

from sparring.core.case import Fact
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.facts import canonical_slot
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.questions import ChatbotQuestion, Kind
from sparring.extraction.role_sheet import RoleSheet
from sparring.extraction.slots import asked_slots, fact_sentence, fit
from sparring.extraction.tokens import fold, mentions, stems
from sparring.users.lines import SILENT, Line, joined, line

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
    answer, other = fit(question.text, sheet.facts, context)
    if not answer and question.kind is Kind.CONFIRM:
        answer, other = fit(question.before, sheet.facts, context)
    if answer == "yes" and question.kind is not Kind.CONFIRM and not question.options:
        return line("yes", book.yes[0])
    if answer != "no":
        return SILENT
    said = book.facts.get("availability", "{}").format(other)
    return line("no", book.no[0]) + line("value", said, None, {"availability": other})
