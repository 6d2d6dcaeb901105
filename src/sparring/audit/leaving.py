"""Users that leave too early: with a goal never asked, a question or a confirmation unanswered."""

from collections.abc import Iterator

from sparring.audit.asked_slots import asked_slots
from sparring.audit.confirmations import confirmation_at
from sparring.audit.phrases import added_to_no, agrees, is_leaving, takes_leave, without_farewell
from sparring.audit.text_values import has_typed
from sparring.audit.view import AuditView
from sparring.core.audit import Blame, Fault
from sparring.core.conversation import Ending, GoalStage
from sparring.core.message import Message
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.goals import distinctive_words, values_of
from sparring.extraction.questions import Kind, questions
from sparring.extraction.speech_acts import (
    is_completion,
    is_denial,
    is_failure,
    is_refusal,
    is_request,
    starts_with_yes_or_no,
)
from sparring.extraction.tokens import fold, language_of, mentions, sentences, share, stems, tokens

_MIN_TURNS = 2
"""Turns that must be left for a goal to count as never asked."""

_MIN_SHARE = 0.5


def goal_never_asked(view: AuditView) -> Iterator[Fault]:
    """Yield a fault for each goal that the user left without having brought it up."""
    conversation = view.conversation
    case, limits = conversation.case, conversation.case.limits
    by_user = user_left(view)
    idle = conversation.ending is Ending.TURN_LIMIT and all(goal.asked_at is None for goal in conversation.goals)
    if not view.user or len(conversation.goals) != len(case.goals) or not (by_user or idle):
        return
    left = min(limits.turns, limits.steps or limits.turns) - conversation.turns
    for number in _never_asked(view):
        goal = case.goals[number]
        foreign = language_of(goal.text) not in ("", *[language_of(said.text) for _, said in view.user])
        in_other_words = foreign or _talked_of(view, number)
        certain = by_user and left >= _MIN_TURNS and not in_other_words and not _hindered(view)
        yield Fault(
            kind="goal_never_asked",
            blame=Blame.USER,
            certainty="certain" if certain else "likely",
            reason=f"the user never asked for {goal.text!r}"
            + ("" if certain else ", perhaps because the chatbot did not let it, or it did so in other words"),
            evidence=(view.quote(view.user[-1][0]),),
            touches=(f"goal:{number + 1}", *goal.variables),
        )


def _never_asked(view: AuditView) -> Iterator[int]:
    """Yield the indices of goals of which the user said neither the words nor a value."""
    conversation = view.conversation
    said = [message.text for _, message in view.user]
    meant = {each.goal for _, message in view.user for each in message.meant}
    for number, (goal, known) in enumerate(zip(conversation.case.goals, conversation.goals, strict=True)):
        if known.asked_at is not None or known.stage not in _UNTOUCHED or number in meant or goal.output:
            continue
        words = frozenset[str]().union(*map(stems, said))
        own = distinctive_words(goal, conversation.case)
        values = values_of(goal, conversation.case.variables)
        said_little = share(stems(goal.text), words) < _MIN_SHARE or (bool(own) and own.isdisjoint(words))
        if said_little and not any(mentions(text, v) for v in values for text in said):
            yield number


def _talked_of(view: AuditView, number: int) -> bool:
    """Return True if a statement of the chatbot is about a goal, perhaps asked in other words."""
    case = view.conversation.case
    goal = case.goals[number]
    about, values = stems(goal.text), values_of(goal, case.variables)
    for _, said in view.chatbot:
        for sentence in sentences(said.text):
            if sentence.asks or is_request(sentence.text):
                continue
            if share(about, stems(sentence.text)) >= _MIN_SHARE or any(mentions(sentence.text, v) for v in values):
                return True
    return False


_UNTOUCHED = (GoalStage.NOT_ASKED, GoalStage.UNREAD)


def left_open(view: AuditView) -> Iterator[Fault]:
    """Yield a fault if the user left on a question that its role sheet answers, instead of answering it."""
    at = _left_on(view)
    if at is None or confirmation_at(view, at) or _is_answered(view, at):
        return
    slots = asked_slots(view, at)
    patient = [slot for slot in slots if _times_asked(view, at, slot.question) <= view.sheet.patience]
    asked = [each for each in sentences(view.conversation.messages[at].text) if each.asks]
    if not (patient or (asked and not slots)) or not _goals_at_stake(view):
        return
    others = questions(asked[-1].text, variables={}, hints=(), book=view.book) if asked else []
    if not patient and (not others or others[-1].kind in (Kind.MORE, Kind.OFFER)):
        return
    sure = bool(patient) and _leaves_surely(view, at) and not _hindered(view)
    question = patient[0].question if patient else asked[-1].text
    yield Fault(
        kind="left_open",
        blame=Blame.USER,
        certainty="certain" if sure else "likely",
        reason=f"the user left instead of answering {question[:80]!r}"
        + ("" if sure else ": give the case an answer (`answers:`), unless the chatbot did not understand it"),
        evidence=(view.quote(at, question),),
        touches=_goals_at_stake(view),
    )


def left_before_confirm(view: AuditView) -> Iterator[Fault]:
    """Yield a fault if the conversation ended while the chatbot waited for the user to confirm."""
    ending = view.conversation.ending
    at = _left_on(view)
    if at is None and ending is Ending.GOALS_ANSWERED:
        at = len(view.conversation.messages) - 1
    found = confirmation_at(view, at) if at is not None else None
    if at is None or found is None or _is_answered(view, at):
        return
    goals, sure = _goals_at_stake(view), _leaves_surely(view, at)
    if goals:
        yield Fault(
            kind="left_before_confirm",
            blame=Blame.USER,
            certainty="certain" if sure else "likely",
            reason="the user left without an answer to what the chatbot asked it to confirm"
            + ("" if sure else ", unless its last words are one"),
            evidence=(found,),
            touches=goals,
        )


def left_on_consent(view: AuditView) -> Iterator[Fault]:
    """Yield a fault if the user agreed and left in one message, and the reply asks on."""
    if not view.user or not user_left(view):
        return
    at, said = view.user[-1]
    last = len(view.conversation.messages) - 1
    if (
        last != at + 1
        or "?" not in view.reply_before(at)
        or not (_closes(said) and agrees(without_farewell(said.text)))
    ):
        return
    goals = _goals_at_stake(view)
    reply = view.reply_to(at)
    asked = next((each for each in sentences(reply) if each.asks), None)
    if asked is not None and not view.book.more.search(fold(asked.text)) and goals:
        yield Fault(
            kind="left_on_consent",
            blame=Blame.USER,
            reason=f"the user agreed and left, but the chatbot went on to ask {asked.text!r}",
            evidence=(view.quote(at),),
            touches=goals,
        )


def user_left(view: AuditView) -> bool:
    """Return True if the user ended the conversation of its own accord, with turns left."""
    conversation, limits = view.conversation, view.conversation.case.limits
    if not view.user or conversation.turns >= min(limits.turns, limits.steps or limits.turns):
        return False
    if conversation.ending is Ending.USER_DONE:
        return True
    by_farewell = view.user[-1][1].ends or conversation.case.ends == "farewell"
    return conversation.ending is Ending.GOALS_ANSWERED and by_farewell


def _left_on(view: AuditView) -> int | None:
    """Return the index of the message of the chatbot that the user left on; None if it did not leave."""
    if not user_left(view):
        return None
    at, said = view.user[-1]
    last = len(view.conversation.messages) - 1
    left_on = at - 1 if _closes(said) else last
    return left_on if left_on >= view.start and view.conversation.messages[left_on].role == "chatbot" else None


def _closes(said: Message) -> bool:
    return said.ends or takes_leave(said.text)


def _is_answered(view: AuditView, at: int) -> bool:
    """Return True if a message answers the question before it: by yes, no, a value or its words."""
    if at + 1 >= len(view.conversation.messages):
        return False
    said = view.conversation.messages[at + 1]
    if is_completion(view.reply_to(at + 1)):
        return True
    leaves = is_leaving(said.text)
    rest = without_farewell(said.text) if leaves else fold(said.text)
    if any(starts_with_yes_or_no(each.text) or added_to_no(each.text) == frozenset() for each in sentences(rest)):
        return True
    if (not leaves and agrees(said.text)) or "?" in rest or has_typed(rest):
        return True
    known = view.vocabulary.stems | stems(view.conversation.messages[at].text)
    values = (value for slot in asked_slots(view, at) for value in slot.values)
    return not stems(rest).isdisjoint(known) or any(mentions(said.text, value) for value in values)


def _leaves_surely(view: AuditView, at: int) -> bool:
    """Return True if the user said nothing after a message, or only took leave."""
    if at + 1 >= len(view.conversation.messages):
        return True
    said = view.conversation.messages[at + 1].text
    return is_leaving(said) or not tokens(without_farewell(said))


def _goals_at_stake(view: AuditView) -> tuple[str, ...]:
    """Return the goals that were asked and not refused, the open ones if there are any."""
    asked = [
        (f"goal:{number}", goal.stage)
        for number, goal in enumerate(view.conversation.goals, 1)
        if goal.asked_at is not None and goal.stage is not GoalStage.REFUSED
    ]
    still_open = tuple(name for name, stage in asked if stage is not GoalStage.DONE)
    return still_open or tuple(name for name, _ in asked)


def _times_asked(view: AuditView, at: int, question: str) -> int:
    """Return how often the chatbot asked a question before a message."""
    return sum(question in reply for reply in view.replies_before(at))


def _hindered(view: AuditView) -> bool:
    """Return True if the chatbot refused or failed, after which a user may leave."""
    fallbacks = view.conversation.case.fallbacks
    last = view.user[-1][0]
    replies = [said.text for at, said in view.chatbot if at < last or not _closes(view.user[-1][1])]
    failed = [is_fallback(text, fallbacks) or is_failure(text) for text in replies]
    refused = any(goal.stage is GoalStage.REFUSED for goal in view.conversation.goals)
    last_refuses = bool(replies) and any(is_refusal(sentence.text) for sentence in sentences(replies[-1]))
    gave_up = _corrected_in_vain(view)
    return refused or last_refuses or gave_up or failed[-1:] == [True] or sum(failed) >= max(1, view.sheet.patience)


def _corrected_in_vain(view: AuditView) -> bool:
    """Return True if the user leaves with a no, having corrected the chatbot before."""
    *before, (_, last) = view.user
    return is_denial(last.text) and any(
        is_denial(said.text) or any(meant.act == "correction" for meant in said.meant) for _, said in before
    )
