"""Values that the user says in place of those that it wants."""

from collections.abc import Iterator

from sparring.audit.other_values import may_take
from sparring.audit.sentences_said import is_asking, is_wanted, takes_back
from sparring.audit.view import AuditView
from sparring.audit.vocabulary import Alternative, wanted
from sparring.core.audit import Blame, Fault
from sparring.extraction import typed_values
from sparring.extraction.goals import texts
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.tokens import mentions, sentences, singulars


def wrong_value(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each other value of a variable that the user states, wishes or answers."""
    if not view.vocabulary.declared:
        return
    for at, text, new in view.unusual:
        for other in _named(view, at, text, new):
            if may_take(view, at, other.variable, other.value):
                continue
            sure = _is_stated(view, text, other)
            if sure is not None:
                yield _fault(view, at, other, certain=sure)


def _fault(view: AuditView, at: int, other: Alternative, *, certain: bool) -> Fault:
    values = ", ".join(wanted(view.conversation.case, other.variable))
    doubt = "" if certain else ", perhaps only to ask about it"
    return Fault(
        kind="wrong_value",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason=f"the user said {other.value!r} for {other.variable!r}, which is {values!r}{doubt}",
        evidence=(view.quote(at, other.value),),
        touches=view.vocabulary.touched(other.variable),
    )


def _named(view: AuditView, at: int, text: str, new: frozenset[str]) -> Iterator[Alternative]:
    """Yield the other values that a message names, of the lists of the case and of the chatbot."""
    words = singulars(text)
    seen = set()
    for other in (*view.vocabulary.alternatives, *_called(view, at), *_offered(view, at, new)):
        key = other.variable, other.words
        if other.words <= words and not other.words.isdisjoint(new) and key not in seen:
            seen.add(key)
            yield other


def _called(view: AuditView, at: int) -> Iterator[Alternative]:
    """Yield the values of arguments that are named like a variable and differ from it."""
    variables = view.conversation.case.variables
    for call in view.calls_after(at):
        for name, value in call.arguments.items():
            if name in variables and name not in view.sheet.hidden:
                right = wanted(view.conversation.case, name)
                for each in texts(value):
                    if not any(mentions(each, one) or mentions(one, each) for one in right):
                        yield Alternative(name, each, singulars(each))


def _offered(view: AuditView, at: int, new: frozenset[str]) -> Iterator[Alternative]:
    """Yield the other items of lists that the chatbot offered and that hold the value of a variable."""
    for heard in view.heard_before(at):
        if new.isdisjoint(singulars(heard)):
            continue
        for found in [each for sentence in sentences(heard) for each in typed_values.find("list", sentence.text)]:
            items = [str(item) for item in found.value] if isinstance(found.value, list) else []
            for fact in view.sheet.facts:
                if any(mentions(item, value) for item in items for value in fact.values):
                    yield from (
                        Alternative(fact.slot, item, singulars(item))
                        for item in items
                        if not any(mentions(item, value) or mentions(value, item) for value in fact.values)
                    )


def _is_stated(view: AuditView, text: str, other: Alternative) -> bool | None:
    """Return True if a message wants another value, False if it asks about it, None if it takes it back."""
    right = wanted(view.conversation.case, other.variable)
    said = [each.text for each in sentences(text) if mentions(each.text, other.value)]
    stated = [each for each in said if is_wanted(each, other.value)]
    if not stated or takes_back(text, other.value, right):
        return None
    if all(is_asking(each) for each in stated):
        goals = [goal for goal in view.conversation.case.goals if other.variable in goal.variables]
        return any(asks_information(goal.text) for goal in goals)
    return True
