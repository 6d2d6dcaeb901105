"""Answers to confirmations: consent to something wrong, and denial of what is right."""

from collections.abc import Iterator

from sparring.audit.phrases import added_to_no, agrees, answer, patterns, takes_leave
from sparring.audit.text_values import counted, has_typed, same_things, typed_text, without_typed
from sparring.audit.view import AuditView
from sparring.audit.vocabulary import wanted
from sparring.audit.wrong_values import changes_unrecorded
from sparring.core.audit import EVERYTHING, Blame, Fault
from sparring.core.conversation import Evidence, GoalStage
from sparring.extraction import typed_values
from sparring.extraction.goals import is_misspelling, texts
from sparring.extraction.numbers import number
from sparring.extraction.pending import pending_confirmation, says_already
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.speech_acts import is_completion, is_open_question, is_refusal
from sparring.extraction.tokens import fold, mentions, sentences, singulars, stems, tokens

_MAX_WORDS = 10
"""Maximum number of words in a message that only answers a confirmation."""

_COMPARED = ("date", "weekday", "time", "phone", "email")
_OTHER_ACTS = patterns("other_acts")
"""Questions to which a no is no denial of what was ordered."""


def confirmation_at(view: AuditView, at: int) -> Evidence | None:
    """Return the confirmation that a message of the chatbot asks for."""
    if at not in view.confirmations:
        found = pending_confirmation(view.conversation, at) if at >= view.start else None
        view.confirmations[at] = None if found is None or is_open_question(found.text) else found
    return view.confirmations[at]


def consent_to_wrong(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each answer to a confirmation that lets another value stand than the user wants.

    It touches nothing, because the chatbot was wrong first.
    """
    for at, said in view.user if view.vocabulary.declared else ():
        if "?" not in view.reply_before(at) or answer(said.text) in ("no", "doubt") or takes_leave(said.text):
            continue
        sure = agrees(said.text)
        if len(tokens(said.text)) > _MAX_WORDS or not (sure or stems(said.text).isdisjoint(view.vocabulary.stems)):
            continue
        wrong = _wrong_value_in(view, view.reply_before(at)) if confirmation_at(view, at - 1) else ""
        if wrong and not _names_value(view, said.text):
            yield Fault(
                kind="consent_to_wrong",
                blame=Blame.USER,
                certainty="certain" if sure else "likely",
                reason=f"the user agreed to {wrong!r}, which it does not want"
                + ("" if sure else ", if its answer is a yes"),
                evidence=(view.quote(at), view.quote(at - 1, wrong)),
            )


def _names_value(view: AuditView, text: str) -> bool:
    """Return True if a text has a value of the user, or any number, day or time."""
    return has_typed(text) or any(mentions(text, value) for fact in view.sheet.facts for value in fact.values)


def denies_right(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each plain no to a confirmation in which everything is right, if no yes follows.

    A no that adds words may have a reason that is not read here.
    """
    conversation = view.conversation
    if conversation.ending is None or conversation.case.changes or changes_unrecorded(view):
        return
    for at, said in view.user:
        added = added_to_no(said.text) if view.reply_before(at) else None
        if added is None or len(tokens(said.text)) > _MAX_WORDS or _names_value(view, said.text):
            continue
        if added and (is_misspelling(conversation.case) or not added.isdisjoint(view.vocabulary.stems)):
            continue
        if any(other.words <= singulars(said.text) for other in view.vocabulary.alternatives):
            continue
        asked = confirmation_at(view, at - 1)
        if asked is None or _OTHER_ACTS(asked.text).search(fold(asked.text)) or _made_up_for(view, at):
            continue
        reply = view.reply_before(at)
        goals = _goals_in(view, reply)
        if not goals or _wrong_value_in(view, reply) or _over_budget(view, reply) or _was_refused(view, at):
            continue
        certain = not added and not _asks_more(reply, asked, view.book)
        yield Fault(
            kind="denies_right",
            blame=Blame.USER,
            certainty="certain" if certain else "likely",
            reason=f"the user denied {asked.text!r}, in which everything is right"
            + ("" if certain else ", perhaps to answer something else or for a reason that it names"),
            evidence=(view.quote(at), asked),
            touches=goals,
        )


def answers_for_yes(view: AuditView) -> Iterator[Fault]:
    """Yield a fault if the user never agreed, but repeated declared answers to confirmations with them."""
    case = view.conversation.case
    declared = {fold(" ".join(texts(case.variables.get(each, each)))) for each in case.answers.values()}
    asked = [(at, said, confirmation_at(view, at - 1)) for at, said in view.user]
    if any(found is not None and agrees(said.text) for _, said, found in asked):
        return
    for at, said, found in asked:
        if found is not None and fold(said.text) in declared and says_already(found.text, said.text):
            yield Fault(
                kind="denies_right",
                blame=Blame.CASE,
                reason=f"the answer {said.text!r} was declared for a question, and the user gave it instead of a yes",
                evidence=(view.quote(at), found),
                touches=(EVERYTHING,),
            )
            return


def _wrong_value_in(view: AuditView, reply: str) -> str:
    """Return a value in a reply that stands in place of one that the user wants; empty if there is none."""
    case, words = view.conversation.case, singulars(reply)
    for other in view.vocabulary.alternatives:
        right = wanted(case, other.variable)
        changed = any(change.variable == other.variable for change in case.changes)
        taken = mentions(view.conversation.settled.get(other.variable, ""), other.value)
        if other.words <= words and not changed and not taken and not any(mentions(reply, value) for value in right):
            return other.value
    counts = view.vocabulary.counts
    said = counted(without_typed(reply, view.vocabulary.context))
    for amount, things in said:
        same = same_things(things[:1], counts)
        if not same or any(amount in counts[thing] for thing in same) or changes_unrecorded(view):
            continue
        # "5 milk" may come in boxes, of which another goal has 3.
        others = [thing for thing in stems(reply) & counts.keys() if amount in counts[thing]]
        if sum(number == amount and bool(same_things(its[:1], counts)) for number, its in said) > len(others):
            return str(amount)
    return _other_typed_value_in(view, reply)


def _other_typed_value_in(view: AuditView, reply: str) -> str:
    """Return a day, time or number in a reply in place of one that the user has said."""
    context = view.vocabulary.context
    if not any(view.vocabulary.typed.has(kind) for kind in _COMPARED):
        return ""
    named = typed_text(reply, context).values
    for fact in view.sheet.facts if named else ():
        own = [typed_text(value, context) for value in fact.values]
        others = [value for value in named if value.kind in _COMPARED and any(each.has(value.kind) for each in own)]
        if not others or any(each.holds(value, context.today) for each in own for value in others):
            continue
        if any(mentions(said.text, value) for _, said in view.user for value in fact.values):
            return reply[others[0].start : others[0].end]
    return ""


def _goals_in(view: AuditView, reply: str) -> tuple[str, ...]:
    """Return the goals that the user has asked for, and those that a reply names."""
    goals = enumerate(zip(view.conversation.case.goals, view.conversation.goals, strict=False), 1)
    said = stems(reply)
    return tuple(
        f"goal:{place}" for place, (goal, known) in goals if known.asked_at is not None or stems(goal.text) & said
    )


def _made_up_for(view: AuditView, at: int) -> bool:
    """Return True if the user agreed to a later confirmation, or the goals were reached nevertheless."""
    later = [(index, said) for index, said in view.user if index > at]
    if any(agrees(said.text) and confirmation_at(view, index - 1) for index, said in later):
        return True
    done = all(goal.stage is GoalStage.DONE for goal in view.conversation.goals)
    return done and any(is_completion(view.reply_to(index)) for index, _ in later)


def _was_refused(view: AuditView, at: int) -> bool:
    """Return True if the chatbot refused something of what the user wants, which a no may be about."""
    wanted_words = frozenset[str]().union(*(stems(goal.text) for goal in view.conversation.case.goals))
    said = [sentence.text for reply in view.replies_before(at) for sentence in sentences(reply)]
    return any(is_refusal(each) and not stems(each).isdisjoint(wanted_words) for each in said)


def _over_budget(view: AuditView, reply: str) -> bool:
    """Return True if a reply names more money than the user wants to spend."""
    limits = [number(value) for value in view.sheet.values("budget")]
    amounts = [number(str(found.value)) for found in typed_values.find("money", reply)] if limits else []
    return any(amount > limit for amount in amounts for limit in limits if amount is not None and limit is not None)


def _asks_more(reply: str, asked: Evidence, book: Phrasebook) -> bool:
    """Return True if a reply also asks something else that a no may answer."""
    others = [fold(each.text) for each in sentences(reply) if each.asks and each.text != asked.text]
    return any(book.more.search(other) or book.offer.search(other) for other in others)
