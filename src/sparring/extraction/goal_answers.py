"""Search for the words that answered a goal.

Patterns err on the side of "unanswered": denials, ignorance, questions, promises to check, errors and repetitions of
the user answer nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparring.core.conversation import Evidence
from sparring.extraction.answer_kinds import answers_kind, asks_amount_or_time, is_code, names_other_value
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.speech_acts import (
    is_agreement,
    is_change_request,
    is_completion,
    is_denial,
    is_question,
    is_retraction,
    is_revocation,
    is_yes_or_no_question,
    starts_with_yes_or_no,
)
from sparring.extraction.tokens import Sentence, cached, fold, mentions, sentences, share, stems, tokens

_MIN_NEW_WORDS = 4
"""Minimum number of new words in a direct answer that has no number and no word of the question."""

_MIN_SHARE = 0.5

_LISTED = re.compile(
    r" *(?!(?:you|your|we|it|i|they|this|that|please|thanks?|in)\b)[a-z0-9].*?(?:,| and ).*", re.ASCII | re.DOTALL
)
"""Several English items after a colon that form no sentence of their own."""

_MIN_WORDS = 2
"""Minimum number of words in a reply that promises something; "OK." promises nothing."""


@dataclass(frozen=True, slots=True)
class GoalChoice:
    """Chosen values of a goal's variable, and its alternatives."""

    chosen: tuple[str, ...]
    others: tuple[str, ...]

    def is_another(self, text: str) -> bool:
        """Return True if `text` names an alternative and no chosen value."""
        if any(mentions(text, value) for value in self.chosen):
            return False
        return any(mentions(text, other) for other in self.others)


@dataclass(slots=True)
class GoalRequest:
    """A goal as the search sees it: its words, values, and words that no other goal of the case contains.

    `asked_alone` are the indexes of messages that ask for this goal only, `until` is the index of the message with
    which the user moved on to another goal.
    """

    text: str
    values: tuple[str, ...]
    variables: tuple[str, ...]
    own: frozenset[str]
    choices: tuple[GoalChoice, ...] = ()
    about: frozenset[str] = field(init=False)
    asked_alone: set[int] = field(default_factory=set)
    until: float = math.inf

    def __post_init__(self) -> None:
        self.about = stems(self.text)


class AnswerSearch:
    """Incremental search for the words that answer a request.

    Without values, a reply that grants or retracts a request does so whatever follows. With values, all replies are
    searched again: a later reply that names the values is the better answer.
    """

    def __init__(self, request: GoalRequest) -> None:
        self._request = request
        self._found: Evidence | None = None
        self._searched = 0
        self._upheld = 0

    def resume(self, replies: Sequence[ChatbotReply], user_messages: Mapping[int, str]) -> Evidence | None:
        """Return the result of `answer`. The replies begin with those of the last call."""
        if self._request.values:
            return answer(self._request, replies, user_messages)
        asks_information = is_question(self._request.text)
        while found := self._find(replies, asks_information):
            after = None if asks_information else _retraction(self._request, found, replies[self._upheld :])
            if after is None:
                self._upheld = len(replies)
                return found
            self._searched, self._found = self._upheld + after, None
        return None

    def _find(self, replies: Sequence[ChatbotReply], asks_information: bool) -> Evidence | None:
        if self._found is None and self._searched < len(replies):
            unread = replies[self._searched :]
            found = self._found = (
                _find_information(self._request, unread)
                if asks_information
                else _find_confirmation(self._request, unread)
            )
            self._upheld = next((n for n, reply in enumerate(replies) if found and reply.at == found.at), 0)
            self._searched = len(replies)
        return self._found


def answer(request: GoalRequest, replies: Sequence[ChatbotReply], user_messages: Mapping[int, str]) -> Evidence | None:
    """Return the words that answered `request`, given the user's messages by index.

    A confirmation can be retracted; then only later replies count.
    """
    if is_question(request.text) and not request.values:
        return _find_information(request, replies)
    found = _find(request, replies, user_messages)
    while found is not None:
        after = _retraction(request, found, replies)
        if after is None:
            return found
        found = _find(request, replies[after:], user_messages)
    return None


def _find(request: GoalRequest, replies: Sequence[ChatbotReply], user_messages: Mapping[int, str]) -> Evidence | None:
    if request.values:
        return (
            _find_all_values(request, replies)
            or _find_acceptance(request, replies, user_messages)
            or _find_code_answer(request, replies)
        )
    return _find_confirmation(request, replies)


def _retraction(request: GoalRequest, found: Evidence, replies: Sequence[ChatbotReply]) -> int | None:
    """Return the number of replies up to the one that retracts an answer, or None.

    A reply retracts it by saying that the same thing was not done or is no longer valid, or by saying so right after
    the user's yes.
    """
    if is_retraction(request.text):
        return None
    about = request.about | stems(found.text)
    for number, reply in enumerate(replies, 1):
        for sentence in _retractions_in(reply.text) if reply.at >= found.at else ():
            later = reply.at > found.at or sentence.start >= found.end
            same = stems(sentence.text) & about or starts_with_yes_or_no(reply.asked)
            if later and (same or (reply.at == found.at and is_revocation(sentence.text))):
                return number
    return None


@cached
def _retractions_in(text: str) -> tuple[Sentence, ...]:
    """Return sentences that say that something is not done or no longer valid."""
    if not is_retraction(text):
        return ()
    return tuple(sentence for sentence in sentences(text) if is_retraction(sentence.text))


def _find_all_values(request: GoalRequest, replies: Sequence[ChatbotReply]) -> Evidence | None:
    """Return the statement that completes the repetition of every value, in one reply or several."""
    missing = set(request.values)
    for reply in replies:
        if is_change_request(request.text) and not _reports_action(request, reply):
            continue
        for sentence in reply.stated:
            if is_denial(sentence.text) or _names_other_value(request, sentence):
                continue
            missing -= {value for value in missing if _names(sentence.text, value, request)}
            if not missing:
                return _evidence(reply, sentence)
    return None


def _reports_action(request: GoalRequest, reply: ChatbotReply) -> bool:
    """Return True if a reply says that something is done, or uses the verb of the request."""
    verb = stems(request.text.split()[0])
    return any(is_agreement(s.text) or is_completion(s.text) or stems(s.text) & verb for s in reply.stated)


def _names_other_value(request: GoalRequest, sentence: Sentence) -> bool:
    """Return True if a sentence names another day, time, amount or code than the request."""
    return any(names_other_value(value, sentence.text) for value in request.values)


def _names(text: str, value: str, request: GoalRequest) -> bool:
    """Return True if a text names the value; a bare number counts only near words of the goal.

    "2 pizzas" names the 2 of a pizza order, "in 2 hours" does not.
    """
    if not mentions(text, value):
        return False
    return not re.fullmatch(r"\d{1,3}|\w{1,2}", value) or bool(stems(text) & (request.about - stems(value)))


def _find_acceptance(
    request: GoalRequest, replies: Sequence[ChatbotReply], user_messages: Mapping[int, str]
) -> Evidence | None:
    """Return the reply that confirms after the user stated every value, without asking for any of them."""
    about = request.about | stems(" ".join(request.variables))
    for reply in replies:
        stated = " ".join(text for at, text in user_messages.items() if at < reply.at)
        if not all(mentions(stated, value) for value in request.values) or _rejects(request, reply):
            continue
        says = sum(len(tokens(sentence.text)) for sentence in reply.stated)
        if says >= _MIN_WORDS and reply.agrees and not any(stems(s.text) & about for s in reply.asks):
            return _evidence(reply, _most_relevant(about, reply.stated))
    return None


def _rejects(request: GoalRequest, reply: ChatbotReply) -> bool:
    """Return True if a reply denies the request or grants another one.

    A denial about something else does not count if the reply also reports completion.
    """
    if _names_other_choice(request, reply):
        return True
    done = any(is_completion(sentence.text) for sentence in reply.stated)
    return any(
        _names_other_value(request, sentence)
        or (is_denial(sentence.text) and (not done or bool(stems(sentence.text) & request.about)))
        for sentence in reply.stated
    )


def _names_other_choice(request: GoalRequest, reply: ChatbotReply) -> bool:
    """Return True if a reply states an alternative: a small pizza instead of a large one."""
    said = " ".join(sentence.text for sentence in reply.stated)
    return any(choice.is_another(said) for choice in request.choices)


def _find_confirmation(request: GoalRequest, replies: Sequence[ChatbotReply]) -> Evidence | None:
    """Return a statement on the topic, a direct agreement, or a completion before the user moved on."""
    for reply in replies:
        stated = [sentence for sentence in reply.stated if not is_denial(sentence.text)]
        if not stated:
            continue
        best = _most_relevant(request.about, stated)
        done = next((s for s in stated if is_completion(s.text) and not _lists_something_else(request, s)), None)
        if _is_on_topic(request, best) or (_answers_directly(request, reply) and reply.agrees):
            return _evidence(reply, best)
        if done and reply.at < request.until:
            return _evidence(reply, done)
    return None


def _lists_something_else(request: GoalRequest, sentence: Sentence) -> bool:
    """Return True if a sentence lists completed things without this goal: "It is placed: a pizza"."""
    listed = sentence.text.partition(":")[2]
    return bool(_LISTED.fullmatch(fold(listed))) and stems(listed).isdisjoint(request.own or request.about)


def _is_on_topic(request: GoalRequest, sentence: Sentence) -> bool:
    """Return True if a sentence contains most of the goal's words, or little else."""
    said, key = stems(sentence.text), request.own or request.about
    return share(key, said) >= _MIN_SHARE or (bool(key & said) and share(said, request.about) >= _MIN_SHARE)


def _find_information(request: GoalRequest, replies: Sequence[ChatbotReply]) -> Evidence | None:
    """Return a statement on the topic of the question, or a direct answer to it.

    "No" answers "do you deliver?", but "what does it cost?" only if it is about just that.
    """
    key = request.own or request.about
    for reply in replies:
        stated = [] if reply.markup else [s for s in reply.stated if not names_other_value(request.text, s.text)]
        if not stated:
            continue
        whole = " ".join(sentence.text for sentence in stated)
        best = _most_relevant(key, stated)
        part = share(key, stems(best.text))
        on_it = part > _MIN_SHARE or (part and (is_yes_or_no_question(request.text) or not is_denial(best.text)))
        if on_it and answers_kind(request.text, whole):
            return _evidence(reply, best)
        if _answers_directly(request, reply) and _fits_question(request, stated[0].text, whole, reply):
            return _evidence(reply, stated[0])
    return None


def _find_code_answer(request: GoalRequest, replies: Sequence[ChatbotReply]) -> Evidence | None:
    """Return a direct answer to a question about an order: "$40" answers "how much did ORD-1 cost?"."""
    if not (is_question(request.text) and asks_amount_or_time(request.text) and all(map(is_code, request.values))):
        return None
    for reply in replies:
        whole = " ".join(sentence.text for sentence in reply.stated)
        wrong = (
            reply.markup or is_denial(whole) or any(_names_other_value(request, sentence) for sentence in reply.stated)
        )
        if reply.stated and not wrong and _answers_directly(request, reply) and answers_kind(request.text, whole):
            return _evidence(reply, reply.stated[0])
    return None


def _fits_question(request: GoalRequest, first: str, whole: str, reply: ChatbotReply) -> bool:
    if is_yes_or_no_question(request.text):
        return starts_with_yes_or_no(first)
    if asks_amount_or_time(request.text):
        return answers_kind(request.text, whole)
    new = stems(whole) - stems(reply.asked)
    return not is_denial(whole) and (len(new) >= _MIN_NEW_WORDS or any(c.isdigit() for c in whole))


def _answers_directly(request: GoalRequest, reply: ChatbotReply) -> bool:
    return reply.at - 1 in request.asked_alone


def _most_relevant(about: frozenset[str], stated: Sequence[Sentence]) -> Sentence:
    return max(stated, key=lambda sentence: len(stems(sentence.text) & about))


def _evidence(reply: ChatbotReply, sentence: Sentence) -> Evidence:
    place = {"at": reply.at, "start": sentence.start, "end": sentence.end, "text": sentence.text}
    return Evidence.unchecked(place)
