"""Faults in what a user says: it acts as the chatbot, refuses, narrates, or works on the chatbot."""

import re
from collections.abc import Iterator

from sparring.audit.context import declared, is_declared, is_offered
from sparring.audit.misbehavior import signs
from sparring.audit.out_of_role import MisbehaviorSign
from sparring.audit.view import AuditView
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.conversation import Evidence
from sparring.extraction.tokens import fold, stems
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_REASONS = {
    "role_flip": "the user serves or speaks for the business as a chatbot does",
    "model_refusal": "the user refuses to play its part, or says that it is a model",
    "meta": "the user says something about the conversation that no person says in it",
    "speaks_for_bot": "the user writes the chatbot's part",
    "jailbreak": "the user attacks the chatbot, which the case does not ask for",
    "coaching": "the user tells the chatbot how it works",
}
_INNOCENT = {
    "role_flip": "a person may say so out of politeness",
    "model_refusal": "a person may refuse so, too",
    "meta": "a person may write so for emphasis or to think aloud",
    "speaks_for_bot": "it may be a label of its own line only",
    "coaching": "a person may know so",
    "jailbreak": "a person may say so in another sense",
}
_IN_BUSINESS = re.compile(rf"\b(?:{_WORDS['in_business']})\b")
_TASKS = re.compile(r"\b(?:goals?|objectives?|objetivos?|metas?|цел[ьи]\w*|задач\w*)\b")
_OFFICES = re.compile(rf"\b(?:{_WORDS['offices']})\b")


def spoken_faults(view: AuditView) -> Iterator[Fault]:
    """Yield role_flip, model_refusal, meta, speaks_for_bot, jailbreak, and coaching by words."""
    for at, said in view.user:
        for sign in signs(said.text):
            if not _is_excused(sign, at, view):
                yield _fault(sign, view.quote(at, sign.words))


def _fault(sign: MisbehaviorSign, evidence: Evidence) -> Fault:
    return Fault(
        kind=sign.kind,
        blame=Blame.USER,
        certainty="certain" if sign.certain else "likely",
        reason=_REASONS[sign.kind]
        + (f", by {sign.named}" if sign.named else "")
        + ("" if sign.certain else f"; {_INNOCENT[sign.kind]}"),
        evidence=(evidence,),
        touches=() if sign.kind == "meta" else (EVERYTHING,),
    )


def _is_excused(sign: MisbehaviorSign, at: int, view: AuditView) -> bool:
    """Return True if the context explains the words of a sign."""
    case = view.conversation.case
    wrote = declared(case)
    if is_declared(sign.words, case):
        return True
    match sign.excuse:
        case "attack":
            return "attack" in case.tags
        case "authority":
            held = set(_OFFICES.findall(fold(sign.words)))
            return "attack" in case.tags or bool(held & set(_OFFICES.findall(wrote.text)))
        case "business":
            return bool(_IN_BUSINESS.search(wrote.text)) or bool(stems(sign.words) & wrote.stems)
        case "goals":
            return bool(_TASKS.search(wrote.text) or _TASKS.search(fold(view.reply_before(at))))
        case "button":
            return is_offered(sign.words, at, view)
        case "heard":
            return fold(sign.words) in fold(view.reply_before(at))
    return False
