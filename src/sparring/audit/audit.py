"""The audit of one conversation, and the check of a line before a user says it."""

from typing import get_args

from sparring.audit.case_faults import (
    case_ambiguous,
    case_contradiction,
    case_missing_fact,
    case_too_short,
    reader_missed,
)
from sparring.audit.confirmations import answers_for_yes, consent_to_wrong, denies_right
from sparring.audit.foreign_values import foreign_value, hidden_value
from sparring.audit.ignored_questions import ignores_question
from sparring.audit.languages import is_in_other_language, unmeasured_language, wrong_language
from sparring.audit.leaks import coaching, prompt_leak
from sparring.audit.leaving import goal_never_asked, left_before_confirm, left_on_consent, left_open
from sparring.audit.out_of_role import Kind
from sparring.audit.repetition import empty, front_loaded, goodbye_loop, repeated_opening, self_repetition
from sparring.audit.spoken import spoken_faults
from sparring.audit.topic import obeyed_chatbot, off_topic
from sparring.audit.view import AuditRule, AuditView
from sparring.audit.wishes import wrong_item, wrong_verb
from sparring.audit.wrong_values import contradiction_stands, wrong_value
from sparring.core.audit import EVERYTHING, Audit, Blame, Fault
from sparring.core.conversation import Conversation
from sparring.core.message import Message

_RULES: tuple[AuditRule, ...] = (
    wrong_value,
    foreign_value,
    hidden_value,
    contradiction_stands,
    wrong_item,
    wrong_verb,
    consent_to_wrong,
    denies_right,
    ignores_question,
    goal_never_asked,
    left_open,
    left_before_confirm,
    left_on_consent,
    answers_for_yes,
    case_contradiction,
    case_missing_fact,
    case_ambiguous,
    case_too_short,
    reader_missed,
    spoken_faults,
    prompt_leak,
    coaching,
    empty,
    wrong_language,
    off_topic,
    obeyed_chatbot,
    repeated_opening,
    self_repetition,
    goodbye_loop,
    front_loaded,
)

KINDS = tuple(
    sorted(
        {rule.__name__.replace("case_", "case.") for rule in _RULES}.difference(
            ("spoken_faults", "reader_missed", "answers_for_yes")
        )
        | {*get_args(Kind), "judge.reader_missed", "judge.unfounded"}
    )
)
"""Kinds of faults."""

_OF_ROLE_SHEETS = (
    "wrong_value",
    "foreign_value",
    "hidden_value",
    "contradiction_stands",
    "wrong_item",
    "wrong_verb",
    "consent_to_wrong",
    "ignores_question",
)
"""Kinds of faults that only a role sheet shows."""


def audit(conversation: Conversation) -> Audit:
    """Return the faults of the simulated user and of the case in a conversation, the earliest first.

    It asks no model and does not depend on verdicts. Lines that the author of a script wrote are not audited.
    """
    if conversation.case.lines:
        return Audit()
    view = AuditView(conversation)
    found = [fault for rule in _RULES for fault in rule(view)]
    unmeasured = () if view.vocabulary.declared else _OF_ROLE_SHEETS
    faults = tuple(sorted(found, key=lambda fault: fault.evidence[0].at))
    return Audit(faults=faults, unmeasured=(*unmeasured, *unmeasured_language(view)))


_GUARDS: tuple[AuditRule, ...] = (empty, prompt_leak, spoken_faults, coaching, foreign_value)
"""Rules that need no later message."""


def fault_of_line(conversation: Conversation, said: Message) -> Fault | None:
    """Return the first certain fault of a line with which the user would go on, or None."""
    view = AuditView(conversation.with_message(said))
    view.user = [(len(conversation.messages), said)]
    for rule in _GUARDS:
        for fault in rule(view):
            if fault.certainty == "certain":
                return fault
    if is_in_other_language(said, conversation.case):
        evidence = (view.quote(len(conversation.messages)),)
        reason = "the user does not write in its language"
        return Fault(kind="wrong_language", blame=Blame.USER, reason=reason, evidence=evidence, touches=(EVERYTHING,))
    return None
