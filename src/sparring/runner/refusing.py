"""What a chatbot cannot do is told before anybody talks."""

from collections.abc import Iterable

from sparring.chatbots.chatbot import Refuses
from sparring.core.case import Case
from sparring.core.errors import InputError, Problem


def check_refusals(cases: Iterable[Case], chatbot: object) -> None:
    """An InputError with everything in these cases that the chatbot cannot do, as far as it knows beforehand."""
    if not isinstance(chatbot, Refuses):
        return
    problems = [Problem(path=case.id, message=reason) for case in cases for reason in chatbot.refusals(case)]
    if problems:
        raise InputError(problems)
