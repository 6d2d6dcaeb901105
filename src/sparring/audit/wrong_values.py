"""Values that the user says in place of the wanted ones."""

from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.sentences_said import is_asking, is_wanted, takes_back
from sparring.audit.text_values import has_typed, typed_text
from sparring.audit.view import AskedSlot, AuditView
from sparring.audit.vocabulary import Alternative, wanted
from sparring.core.audit import Blame, Fault
from sparring.core.case import CHANGE_YOUR_MIND
from sparring.extraction import typed_values
from sparring.extraction.availability import proposed, suits
from sparring.extraction.goals import texts
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import is_denial, is_refusal
from sparring.extraction.tokens import fold, mentions, sentences, share_with_typos, singulars


def may_take(view: AuditView, at: int, variable: str, value: str) -> bool:
    """Return True if the user changes its mind to a value, or takes it for what the chatbot does not have."""
    conversation = view.conversation
    if changes_unrecorded(view):
        return True
    # An answer that the author wrote has no variable, so that it is known by its words.
    changes = [each for each in conversation.case.changes if variable in (each.variable, each.final)]
    if any(mentions(each.first, value) for each in changes):
        return True
    if mentions(conversation.settled.get(variable, ""), value):
        return True
    right = wanted(conversation.case, variable)
    return any(refuses(reply, right) for reply in view.replies_before(at))


def changes_unrecorded(view: AuditView) -> bool:
    """Return True if the user is to change its mind and the case does not record to what."""
    case = view.conversation.case
    return not case.changes and any(style.name == CHANGE_YOUR_MIND for style in case.persona.styles)


def refuses(reply: str, values: tuple[str, ...]) -> bool:
    """Return True if the chatbot said that it does not have a value."""
    denied = [sentence.text for sentence in sentences(reply) if is_refusal(sentence.text) or is_denial(sentence.text)]
    return any(mentions(sentence, value) for sentence in denied for value in values)


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
    for at, said in view.user if view.vocabulary.rivals else ():
        for other in _rivals_in(view, at, said.text):
            yield _fault(view, at, other, certain=bool(_is_stated(view, said.text, other)))
    yield from _typed_answers(view)


def _rivals_in(view: AuditView, at: int, text: str) -> Iterator[Alternative]:
    """Yield values of the user in the wrong place, such as the other one of its addresses."""
    words = singulars(text)
    for other in view.vocabulary.rivals:
        right = wanted(view.conversation.case, other.variable)
        if not other.words <= words or any(singulars(value) <= words for value in right):
            continue
        if not may_take(view, at, other.variable, other.value) and _is_stated(view, text, other) is not None:
            yield other


def _typed_answers(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each day, time or number that answers a question with another value."""
    context = view.vocabulary.context
    answers = [(at, said) for at, said in view.user if "?" in view.reply_before(at) and has_typed(said.text)]
    kinds = {value.kind for value in view.vocabulary.typed.values} if answers else frozenset[str]()
    for at, said in answers if kinds else ():
        given = [value for value in typed_text(said.text, context).values if value.kind in kinds]
        slots = asked_slots(view, at - 1) if given else []
        texts_known = [[typed_text(value, context) for value in slot.values] for slot in slots]
        right = [
            value for value in given for known in texts_known if any(each.holds(value, context.today) for each in known)
        ]
        for slot, known in zip(slots, texts_known, strict=True):
            same = [value for value in given if any(each.has(value.kind) for each in known)]
            if not same or any(value in right for value in same) or _suits(slot, said.text):
                continue
            words = said.text[same[0].start : same[0].end]
            other = Alternative(slot.slot, words, singulars(words))
            known_elsewhere = view.vocabulary.typed.holds(same[0], context.today)
            offered = any(
                typed_text(reply_text, context).holds(same[0], context.today) for reply_text in view.replies_before(at)
            )
            if (known_elsewhere or offered) and not may_take(view, at, slot.slot, words):
                yield _fault(view, at, other, certain=bool(_is_stated(view, said.text, other)))


def _suits(slot: AskedSlot, text: str) -> bool:
    """Return True if a day or time is one at which the user is free: 3 pm, if it is free after 1 pm."""
    return slot.slot == "availability" and suits(slot.values, proposed(text))


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
        if other.words <= words and not other.words.isdisjoint(new) and key not in seen and not _is_slip(view, other):
            seen.add(key)
            yield other


def _is_slip(view: AuditView, other: Alternative) -> bool:
    """Return True if another value is one slip away from the right one: "marinara", "marinera"."""
    return any(
        share_with_typos(singulars(value), other.words) == 1 for value in wanted(view.conversation.case, other.variable)
    )


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
    for reply_text in view.replies_before(at):
        if new.isdisjoint(singulars(reply_text)):
            continue
        for found in [each for sentence in sentences(reply_text) for each in typed_values.find("list", sentence.text)]:
            items = [str(item) for item in found.value] if isinstance(found.value, list) else []
            yield from _besides(view, items)


def _besides(view: AuditView, items: list[str]) -> Iterator[Alternative]:
    """Yield the items of a list besides the value of a variable that it holds."""
    named = [singulars(item) for item in items]
    for fact in view.sheet.facts:
        own = [singulars(value) for value in fact.values if not value.isdigit()]
        if any(words in own for words in named):
            for item, words in zip(items, named, strict=True):
                if words and not any(words <= value or value <= words for value in own):
                    yield Alternative(fact.slot, item, words)


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


def contradiction_stands(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each variable of which the user said its value and then settled on another one.

    It is certain if the chatbot has the other value in the end.
    """
    if view.conversation.ending is None or not view.vocabulary.declared:
        return
    last: dict[str, tuple[int, Alternative]] = {}
    for at, text, _ in view.unusual:
        words = singulars(text)
        for other in view.vocabulary.alternatives:
            if other.words <= words and _settles_on(view, text, other) and not _is_excused(view, at, other):
                last[other.variable] = at, other
    for variable, (at, other) in last.items():
        right = wanted(view.conversation.case, variable)
        if _is_list(view, variable) or not _said(view, right, before=at) or _said(view, right, after=at):
            continue
        reply_text = _last_reply_with(view, at, (other.value, *right))
        if reply_text:
            has_other = mentions(reply_text, other.value)
            yield Fault(
                kind="contradiction_stands",
                blame=Blame.USER,
                certainty="certain" if has_other else "likely",
                reason=f"the user said {right[0]!r} and settled on {other.value!r} for {variable!r}"
                + ("" if has_other else f", but the chatbot has {right[0]!r}"),
                evidence=(view.quote(at, other.value),),
                touches=view.vocabulary.touched(variable),
            )


def _settles_on(view: AuditView, text: str, other: Alternative) -> bool:
    """Return True if a message states another value, and none that the user wants after it."""
    said = fold(text)
    right = wanted(view.conversation.case, other.variable)
    after = max((said.rfind(fold(value)) for value in right), default=-1) > said.rfind(fold(other.value))
    return not after and bool(_is_stated(view, text, other))


def _is_excused(view: AuditView, at: int, other: Alternative) -> bool:
    """Return True if another value is one that the user may settle on."""
    return not changes_unrecorded(view) and may_take(view, at, other.variable, other.value)


def _is_list(view: AuditView, variable: str) -> bool:
    return isinstance(view.conversation.case.variables.get(variable), list)


def _said(view: AuditView, values: tuple[str, ...], *, before: int = -1, after: int = -1) -> bool:
    """Return True if the user said a value before or after a message."""
    return any(
        any(mentions(said.text, value) for value in values)
        for at, said in view.user
        if (before >= 0 and at < before) or (after >= 0 and at > after)
    )


def _last_reply_with(view: AuditView, at: int, values: tuple[str, ...]) -> str:
    """Return the last reply after a message that names one of the values, in words or arguments of tools."""
    for index, reply in reversed(view.chatbot):
        if index > at:
            called = " ".join(
                text for call in reply.tool_calls for each in call.arguments.values() for text in texts(each)
            )
            reply_text = f"{reply.text} {called}"
            if any(mentions(reply_text, value) for value in values):
                return reply_text
    return ""
