"""Faults in what a user says, whatever the chatbot answers."""

import pytest

from audit.wordings import JAILBREAKS, META, REFUSALS, ROLE_FLIPS, SPEAKS_FOR_BOT, USERS
from sparring.audit.audit import audit
from sparring.core.audit import Blame
from sparring.core.case import Case, Goal, Persona
from sparring.core.conversation import Conversation
from sparring.core.message import message

CASE = Case(id="order/1", goals=(Goal(text="a small pizza with corn"), Goal(text="a coke")))
ALL = tuple(
    (kind, said)
    for kind, wordings in (
        ("role_flip", ROLE_FLIPS),
        ("model_refusal", REFUSALS),
        ("meta", META),
        ("speaks_for_bot", SPEAKS_FOR_BOT),
        ("jailbreak", JAILBREAKS),
    )
    for said in wordings
)


def talk(*said: str, case: Case = CASE) -> Conversation:
    lines = tuple(message("chatbot" if n % 2 else "user", text) for n, text in enumerate(said))
    return Conversation(case=case, messages=lines)


def certain(conversation: Conversation) -> set[str]:
    return {fault.kind for fault in audit(conversation).faults if fault.certainty == "certain"}


@pytest.mark.parametrize(("kind", "said"), ALL)
def test_what_only_a_model_says_is_a_certain_fault_of_the_user(kind: str, said: str):
    found = audit(talk("A small pizza with corn, please.", "Which drink?", said, "Sorry?")).faults

    assert (kind, "certain", Blame.USER) in {(fault.kind, fault.certainty, fault.blame) for fault in found}


@pytest.mark.parametrize("said", USERS)
def test_what_users_say_is_no_fault(said: str):
    spanish = any(c in said for c in "¿áéíóúñ") or said.startswith(("Gracias", "Quiero", "Mi ", "No puedo"))
    language = "Russian" if any("а" <= c <= "я" for c in said) else "Spanish" if spanish else "English"
    case = CASE.model_copy(update={"persona": Persona(language=language)})

    assert not certain(talk("Coke", "Which size?", said, "Sorry?", case=case)) - {"off_topic"}


def test_a_fault_quotes_the_sentence_and_what_it_may_have_changed():
    (fault,) = audit(talk("Hi. How can I help you today? I have time.", "Hello.")).faults

    assert [(each.at, each.text) for each in fault.evidence] == [(0, "How can I help you today?")]
    assert fault.touches == ("*",)
