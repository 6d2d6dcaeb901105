"""Facts and variables of the role sheet that the chatbot asks for."""

from sparring.audit.phrases import patterns
from sparring.audit.text_values import counted
from sparring.audit.view import AskedSlot, AuditView
from sparring.core.case import Case
from sparring.core.value import Json
from sparring.extraction import slots
from sparring.extraction.goals import texts
from sparring.extraction.options import options
from sparring.extraction.questions import Kind, hints_about, hints_of, questions
from sparring.extraction.speech_acts import is_denial
from sparring.extraction.tokens import fold, mentions, sentences, stems

_ADDS = patterns("adds", guess=False)
_KINDS = (Kind.HINTED, Kind.VARIABLE, Kind.HOW_MANY)


def asked_slots(view: AuditView, at: int) -> list[AskedSlot]:
    """Return what the chatbot's message asks for and the role sheet has."""
    if at not in view.slots:
        view.slots[at] = _asked(view, at)
    return view.slots[at]


def option_beyond(view: AuditView, at: int) -> str:
    """Return an option that the user takes beside the one that its sheet has; else an empty text."""
    said = sentences(view.conversation.messages[at].text)
    for slot in asked_slots(view, at - 1) if len(said) > 1 else ():
        offered = options(slot.question, view.book)
        right = [each for each in offered if any(mentions(value, each) for value in slot.values)]
        if len(right) != 1 or not any(mentions(each.text, right[0]) for each in said):
            continue
        for each in said:
            extra = [option for option in offered if option not in right and mentions(each.text, option)]
            if extra and _ADDS(each.text).search(fold(each.text)) and not (each.asks or is_denial(each.text)):
                return extra[0]
    return ""


def _asked(view: AuditView, at: int) -> list[AskedSlot]:
    case = view.conversation.case
    text = view.reply_before(at + 1)
    known: dict[str, Json] = {
        fact.slot: case.variables.get(fact.slot) or list(fact.values) for fact in view.sheet.facts
    }
    hints = hints_of(case)
    if any(goal.answers for goal in case.goals):
        hints = (*hints, *hints_about(case, text, [said.text for index, said in view.user if index < at]))
    found = []
    for question in questions(text, variables=known, hints=hints, book=view.book):
        about = slots.asked_slots(question.text, view.sheet.facts).facts
        found += [AskedSlot(fact.slot, fact.values, question.text) for fact in about]
        names = question.variables or (_counted_in(case, question.text) if question.kind is Kind.HOW_MANY else ())
        for name in names if question.kind in _KINDS and not about else ():
            values = tuple(texts(known[name])) if name in known else (name,)
            if values:
                found.append(AskedSlot(name, values, question.text))
    return found


def _counted_in(case: Case, question: str) -> tuple[str, ...]:
    """Return the variables that count in a goal what a question asks the number of: "how many people?"."""
    asked = stems(question)
    numbers = {number for goal in case.goals for number, things in counted(goal.text) if asked & {*things[:1]}}
    return tuple(name for name, value in case.variables.items() if type(value) is int and value in numbers)
