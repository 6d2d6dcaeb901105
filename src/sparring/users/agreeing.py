"""Whether a chatbot that asks "is that right?" has it right."""

from sparring.core.case import Case
from sparring.extraction.answer_kinds import names_another
from sparring.extraction.goals import asks_for, values_of
from sparring.extraction.tokens import fold, mentions, stems
from sparring.users.phrases.phrasebook import Phrasebook


def misheard(case: Case, own: list[str], heard: str, ears: Phrasebook) -> str:
    """The wish that a chatbot got wrong, or empty.

    It did if it names another day, time or number to call than the user, or if what it wants to have confirmed has
    nothing in it of what the user said.
    """
    asked = [goal for goal in case.goals if any(asks_for(goal, case, said) for said in own)]
    wanted = {goal.text: values_of(goal, case.variables) for goal in asked}
    for text, values in wanted.items():
        if any(names_another(value, heard) for value in values):
            return text
    named = [text for text, values in wanted.items() if values]
    repeats = any(
        any(mentions(heard, value) for value in values) if values else not stems(heard).isdisjoint(stems(text))
        for text, values in wanted.items()
    )
    return named[-1] if named and not repeats and ears.correct.search(fold(heard)) else ""
