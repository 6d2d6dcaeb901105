"""What a chatbot cannot do is told before anybody talks."""

from collections.abc import Callable, Iterable, Iterator

from sparring.chatbots.chatbot import Lacks, Refuses
from sparring.core.case import Case
from sparring.core.checks import Expectation, Rule
from sparring.core.errors import InputError, Problem


def check_refusals(
    cases: Iterable[Case], chatbot: object, *, informed: bool = False, rules: Iterable[Rule] = ()
) -> None:
    """An InputError with everything in these cases that the chatbot cannot do, as far as it knows beforehand, and with
    every tool that these rules say is not used and that it does not have.

    Where cases are `informed` by a webhook, what they lack may come from there, and nobody knows before it is asked.
    """
    asked = list(_asked(chatbot, informed=informed))
    problems = [
        Problem(path=case.id, message=reason) for case in cases for objections in asked for reason in objections(case)
    ]
    problems += [problem for rule in rules for problem in _of_rule(rule, chatbot)]
    if problems:
        raise InputError(problems)


def _of_rule(rule: Rule, chatbot: object) -> Iterator[Problem]:
    """A rule is looked at as if it were expected of a case that says nothing else."""
    if not isinstance(chatbot, Refuses):
        return
    line, column = rule.place("then", 0, 0)
    expecting = Case(id=rule.name, expectations=(Expectation(rule=rule),))
    anyway = chatbot.refusals(Case(id=rule.name))
    for reason in chatbot.refusals(expecting):
        if reason not in anyway:
            yield Problem(file=rule.file, line=line, column=column, path=rule.name, message=reason)


def _asked(chatbot: object, *, informed: bool) -> Iterator[Callable[[Case], tuple[str, ...]]]:
    """What a chatbot can be asked about each of many cases."""
    if isinstance(chatbot, Refuses):
        yield chatbot.refusals
    if isinstance(chatbot, Lacks) and not informed:
        yield chatbot.lacks
