"""Values that the user makes up, or that it must not say."""

import re
from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.sentences_said import has_no_answer, is_asking, is_wanted, sentence_at
from sparring.audit.text_values import (
    ALL_NUMBERS,
    TypedValue,
    counted,
    has_typed,
    same_things,
    typed_text,
    without_typed,
)
from sparring.audit.view import AuditView
from sparring.audit.wrong_values import changes_unrecorded, may_take
from sparring.core.audit import Blame, Fault
from sparring.extraction.goals import texts
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import is_request
from sparring.extraction.tokens import fold, mentions, pattern, sentences, singulars, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)


def foreign_value(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each value and count that neither the role sheet nor the chatbot has."""
    if not view.vocabulary.declared:
        return
    for at, said in view.user:
        if has_typed(said.text):
            yield from _typed_faults(view, at, said.text)
            yield from _count_faults(view, at, said.text)
    for at, text, new in view.unusual:
        yield from _stated_facts(view, at, text, new)


def _typed_faults(view: AuditView, at: int, text: str) -> Iterator[Fault]:
    for value in typed_text(text, view.vocabulary.context).values:
        if _is_known(view, at, value):
            continue
        sentence = sentence_at(sentences(text), value.start).text
        words = text[value.start : value.end]
        if is_wanted(sentence, words):
            yield _typed_fault(view, at, words, value.kind, sentence)


def _is_known(view: AuditView, at: int, value: TypedValue) -> bool:
    vocabulary, today = view.vocabulary, view.vocabulary.context.today
    if vocabulary.typed.holds(value, today):
        return True
    if value.kind == "money" and _is_reckoned(view, at, float(value.value)):
        return True
    return any(typed_text(reply, vocabulary.context).holds(value, today) for reply in view.replies_before(at))


_MIN_NAMES = 2
_MAX_ANSWER = 8
"""Maximum number of words in an answer that is only a name or an address."""


def _is_reckoned(view: AuditView, at: int, amount: float) -> bool:
    """Return True if an amount is a sum, difference, multiple or part of amounts that the user knows."""
    vocabulary = view.vocabulary
    texts_known = (vocabulary.typed, *(typed_text(reply, vocabulary.context) for reply in view.replies_before(at)))
    amounts = {float(each.value) for known in texts_known for each in known.values if each.kind == "money"}
    numbers = {float(each) for each in vocabulary.counts[ALL_NUMBERS] if each}
    return any(
        abs(amount - result) < _CENT
        for one in amounts
        for results in (
            (one + other for other in amounts),
            (abs(one - other) for other in amounts),
            (one * number for number in numbers),
            (one / number for number in numbers),
        )
        for result in results
    )


_CENT = 0.01
_WISHED = pattern(_WORDS["wished"])
"""Words of sentences in which the user says what it wants, or something about itself."""

_ASKED_BY = {
    "email": r"(?:e-?mail|mail|correo|почт|contact|reach)",
    "phone": r"(?:phone|number|telefono|movil|numero|телефон|номер|contact|reach|call)",
    "code": r"(?:number|code|id\b|reference|account|numero|codigo|номер|код)",
    "date": r"(?:when|what day|which day|date|day|cuando|fecha|dia|когда|дат|день|числ|birth|born)",
    "weekday": r"(?:when|what day|which day|date|day|cuando|fecha|dia|когда|дат|день|числ)",
    "time": r"(?:when|time|hour|cuando|hora|когда|во сколько|врем)",
    "money": r"(?:how much|budget|price|amount|spend|cuanto|presupuesto|importe|сколько|бюджет|сумм)",
}
"""Words of questions that ask for a kind of value."""

_PRECISE = ("email", "phone", "code")
"""Kinds of values that do not occur in small talk."""


def _typed_fault(view: AuditView, at: int, words: str, kind: str, sentence: str) -> Fault:
    """Return the fault for a value of a kind that is not known.

    It is certain if it stands in place of a fact or in a wish, unless the chatbot asked for what the case does not say.
    """
    slots = _slots(view, at, kind, sentence)
    goals = _goals_about(view, sentence)
    asked = not slots and re.search(rf"\b{_ASKED_BY.get(kind, '$^')}", _questions_in(view.reply_before(at)))
    wished = bool(slots or goals) or kind in _PRECISE or bool(_WISHED.search(fold(sentence)))
    only_asks = is_asking(sentence) and not _asks_information(view, goals)
    doubt = ", perhaps only to ask about it" if only_asks else ""
    if asked:
        doubt = ", but the chatbot asked for it and the case does not say it"
    elif not wished:
        doubt = ", perhaps not about what it wants"
    touched = (*view.vocabulary.touched(*slots), *(goals or _goals_about(view, view.conversation.messages[at].text)))
    return Fault(
        kind="foreign_value",
        blame=Blame.USER,
        certainty="likely" if doubt else "certain",
        reason=f"the user said {words!r}, a value ({kind}) that it was not given{doubt}",
        evidence=(view.quote(at, words),),
        touches=tuple(dict.fromkeys(touched)) or (kind,),
    )


def _asks_information(view: AuditView, goals: tuple[str, ...]) -> bool:
    """Return True if any of the goals that a fault touches is a question."""
    numbered = enumerate(view.conversation.case.goals, 1)
    return any(f"goal:{number}" in goals and asks_information(goal.text) for number, goal in numbered)


def _slots(view: AuditView, at: int, kind: str, sentence: str) -> tuple[str, ...]:
    """Return the slots of a kind of value: those that the sentence or the question before names, else all."""
    slots = view.vocabulary.slots(kind)
    if len(slots) < 2:
        return slots
    words = stems(sentence) | stems(view.reply_before(at))
    named = tuple(slot for slot in slots if stems(slot.replace("_", " ")) & words)
    return named or slots


def _goals_about(view: AuditView, sentence: str) -> tuple[str, ...]:
    """Return the goals of which a sentence has words."""
    words = stems(sentence)
    return tuple(
        f"goal:{number}"
        for number, goal in enumerate(view.conversation.case.goals, 1)
        if {word for word in stems(goal.text) & words if not word.isdigit()}
    )


def _questions_in(reply: str) -> str:
    """Return the questions and requests of a reply, folded."""
    return " ".join(fold(each.text) for each in sentences(reply) if each.asks or is_request(each.text))


def _count_faults(view: AuditView, at: int, text: str) -> Iterator[Fault]:
    """Yield a fault for each number of things that the user does not want that many of."""
    counts = view.vocabulary.counts
    for sentence in sentences(without_typed(text, view.vocabulary.context)):
        for number, things in counted(sentence.text):
            same = same_things(things, counts)
            if not same and (things or not view.book.how_many.search(fold(view.reply_before(at)))):
                continue
            if not same and str(number) in view.vocabulary.words:
                continue
            allowed = frozenset[int]().union(*(counts[thing] for thing in same)) if same else counts[ALL_NUMBERS]
            changes = view.conversation.case.changes
            allowed |= {each for change in changes for each, _ in counted(f"{change.first}; {change.final}")}
            said = (pair for reply in view.replies_before(at) for pair in counted(reply))
            if number in allowed or any(number == other and set(things) & set(them) for other, them in said):
                continue
            if is_wanted(sentence.text, str(number)) and not changes_unrecorded(view):
                fault = _count_fault(view, at, number, same, sentence.text, allowed)
                if not any(may_take(view, at, name, str(number)) for name in fault.touches):
                    yield fault


def _count_fault(
    view: AuditView, at: int, number: int, things: list[str], sentence: str, allowed: frozenset[int]
) -> Fault:
    case = view.conversation.case
    goals = [goal for goal in case.goals if stems(goal.text) & set(things)] if things else list(case.goals)
    names = dict.fromkeys(name for goal in goals for name in goal.variables if type(case.variables.get(name)) is int)
    places = tuple(f"goal:{number}" for number, goal in enumerate(case.goals, 1) if goal in goals)
    elsewhere = any(number == each for goal in case.goals if goal not in goals for each, _ in counted(goal.text))
    certain = not (elsewhere or is_asking(sentence))
    word = next((word for word in tokens(sentence) if word == str(number) or stems(word) == {str(number)}), "")
    return Fault(
        kind="wrong_value" if names else "foreign_value",
        blame=Blame.USER,
        certainty="certain" if certain else "likely",
        reason=f"the user said {number}, and it wants {' or '.join(map(str, sorted(allowed)[:_FEW]))}"
        + ("" if certain else ", perhaps of something else" if elsewhere else ", perhaps only to ask about it"),
        evidence=(view.quote(at, word),),
        touches=(*names, *places),
    )


_NAMES = re.compile(_WORDS["names"])


def _stated_facts(view: AuditView, at: int, text: str, new: frozenset[str]) -> Iterator[Fault]:
    """Yield a fault for a name or an address that the user states in place of its own."""
    named = _NAMES.search(fold(text))
    own = view.sheet.values("name") or view.sheet.values("CLIENT_NAME")
    if named and own and not any(view.says(named[1], name) for name in own):
        yield _fact_fault(view, at, text[named.start(1) : named.end(1)], ("name",), own)
        return
    if not at or not _is_particular(text, new) or has_no_answer(text):
        return
    slots = asked_slots(view, at - 1) if view.reply_before(at) else []
    own_values = [value for each in slots for value in each.values if _is_name(value)]
    if own_values and not any(view.says(text, value) for value in own_values):
        yield _fact_fault(view, at, "", tuple(each.slot for each in slots), slots[0].values)


def _is_name(value: str) -> bool:
    """Return True if a value is written as a name or an address, not as a plain number."""
    return value[:1].isupper() or (value[:1].isdigit() and not value.isdigit())


def _is_particular(text: str, new: frozenset[str]) -> bool:
    """Return True if an answer consists of a name or address that is not known, such as "14 Elm Street"."""
    words = text.split()
    names = [word for word in words if not word[0].islower() and stems(word) and not singulars(word).isdisjoint(new)]
    return len(words) <= _MAX_ANSWER and not text.rstrip().endswith("?") and len(names) >= _MIN_NAMES


def _fact_fault(view: AuditView, at: int, words: str, slots: tuple[str, ...], own: tuple[str, ...]) -> Fault:
    said = view.quote(at, words)
    return Fault(
        kind="foreign_value",
        blame=Blame.USER,
        reason=f"the user said {said.text!r} for {' and '.join(slots)!r}, which is {', '.join(own)!r}",
        evidence=(said,),
        touches=view.vocabulary.touched(*slots),
    )


def hidden_value(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each hidden value that the user says before the chatbot does."""
    case = view.conversation.case
    hidden = [(name, text) for name in view.sheet.hidden for text in texts(case.variables.get(name))]
    answers = [(f"goal:{n}", answer.text) for n, goal in enumerate(case.goals, 1) for answer in goal.answer]
    for at, said, _ in view.unusual:
        for name, text in (*hidden, *answers):
            if not mentions(said, text) or not _is_secret(view, text):
                continue
            if not any(mentions(reply, text) for reply in view.replies_before(at)):
                yield Fault(
                    kind="hidden_value",
                    blame=Blame.USER,
                    reason=f"the user said {text!r}, which it must not know ({name})",
                    evidence=(view.quote(at, text),),
                    touches=(name,) if name.startswith("goal:") else view.vocabulary.touched(name),
                )


def _is_secret(view: AuditView, text: str) -> bool:
    """Return True if a hidden value can be recognized and stands nowhere else on the role sheet."""
    letters = sum(letter.isalpha() for letter in text)
    return (letters >= _MIN_SECRET or has_typed(text)) and not singulars(text) <= view.vocabulary.words


_FEW = 4
"""Maximum number of numbers that a reason lists."""

_MIN_SECRET = 4
"""Minimum number of letters in a hidden value that is no typed value."""
