"""What a chatbot cannot do is told before anybody talks."""

from collections.abc import Iterable, Iterator

from sparring.chatbots.chatbot import Lacks, Refuses
from sparring.core.case import Case
from sparring.core.errors import InputError, Problem


def check_refusals(cases: Iterable[Case], chatbot: object, *, informed: bool = False) -> None:
    """An InputError with everything in these cases that the chatbot cannot do, as far as it knows beforehand.

    Where cases are `informed` by a webhook, what they lack may come from there, and nobody knows before it is asked.
    """
    problems = [
        Problem(path=case.id, message=reason) for case in cases for reason in _reasons(case, chatbot, informed=informed)
    ]
    if problems:
        raise InputError(problems)


def _reasons(case: Case, chatbot: object, *, informed: bool) -> Iterator[str]:
    if isinstance(chatbot, Refuses):
        yield from chatbot.refusals(case)
    if isinstance(chatbot, Lacks) and not informed:
        yield from chatbot.lacks(case)
