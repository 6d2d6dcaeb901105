"""Which words answered a goal, if any did.

A reading by patterns errs on the side of the unanswered: what denies, does not know, asks back, has to look, broke, or
only gives the user's words back answers nothing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sparring.core.conversation import Evidence
from sparring.extraction.answer_kinds import fits, is_code, names_another, wants_a_kind
from sparring.extraction.chatbot_reply import Reply
from sparring.extraction.speech_acts import (
    agrees,
    asks_yes_or_no,
    changes,
    completes,
    denies,
    interrogative,
    revokes,
    undoes,
    yes_or_no,
)
from sparring.extraction.tokens import Sentence, fold, mentions, remembered, sentences, share, stems, tokens

_NEWS = 4
"""A direct answer that shares no word with the question must say so many words that are new, or a number."""

_MOST = 0.5

_LISTED = re.compile(
    r" *(?!(?:you|your|we|it|i|they|this|that|please|thanks?|in)\b)[a-z0-9].*?(?:,| and ).*", re.ASCII | re.DOTALL
)
"""Several things after a colon, and no sentence of its own; in English."""

_SAYS = 2
"""A reply of fewer words, such as "OK.", promises nothing."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What a variable of a goal holds, and what it could have held instead."""

    chosen: tuple[str, ...]
    others: tuple[str, ...]

    def is_another(self, text: str) -> bool:
        """Whether `text` names what was not chosen, and nothing that was."""
        if any(mentions(text, value) for value in self.chosen):
            return False
        return any(mentions(text, other) for other in self.others)


@dataclass(slots=True)
class GoalRequest:
    """A goal as a reader sees it: its words, its values, and what sets it apart from the other goals of its case.

    As the conversation goes on, there are more messages that asked for it and for nothing else, and one with which the
    user went on to another goal.
    """

    text: str
    values: tuple[str, ...]
    variables: tuple[str, ...]
    own: frozenset[str]
    choices: tuple[Choice, ...] = ()
    about: frozenset[str] = field(init=False)
    asked_alone: set[int] = field(default_factory=set)
    until: float = math.inf

    def __post_init__(self) -> None:
        self.about = stems(self.text)


class Search:
    """The search for the words that answer a wish, which goes on where it stopped.

    Whether a reply grants a wish, or takes it back, stays so whatever is said later. Only where a wish has values are
    all replies looked at anew: one that names the values is the better answer, also if it comes after another.
    """

    def __init__(self, wish: GoalRequest) -> None:
        self._wish = wish
        self._found: Evidence | None = None
        self._searched = 0
        self._upheld = 0

    def go_on(self, replies: Sequence[Reply], said: Mapping[int, str]) -> Evidence | None:
        """What `answer` says; the replies begin with those of the last time."""
        if self._wish.values:
            return answer(self._wish, replies, said)
        told = interrogative(self._wish.text)
        while found := self._find(replies, told):
            after = None if told else _taken_back(self._wish, found, replies[self._upheld :])
            if after is None:
                self._upheld = len(replies)
                return found
            self._searched, self._found = self._upheld + after, None
        return None

    def _find(self, replies: Sequence[Reply], told: bool) -> Evidence | None:
        if self._found is None and self._searched < len(replies):
            unread = replies[self._searched :]
            found = self._found = _told(self._wish, unread) if told else _granted(self._wish, unread)
            self._upheld = next((n for n, reply in enumerate(replies) if found and reply.at == found.at), 0)
            self._searched = len(replies)
        return self._found


def answer(wish: GoalRequest, replies: Sequence[Reply], said: Mapping[int, str]) -> Evidence | None:
    """The words that answered `wish` in replies to a user that `said` these things, by their places.

    What was granted can be taken back: then only what comes after counts.
    """
    if interrogative(wish.text) and not wish.values:
        return _told(wish, replies)
    found = _found(wish, replies, said)
    while found is not None:
        after = _taken_back(wish, found, replies)
        if after is None:
            return found
        found = _found(wish, replies[after:], said)
    return None


def _found(wish: GoalRequest, replies: Sequence[Reply], said: Mapping[int, str]) -> Evidence | None:
    if wish.values:
        return _echoed(wish, replies) or _accepted(wish, replies, said) or _told_of_a_code(wish, replies)
    return _granted(wish, replies)


def _taken_back(wish: GoalRequest, found: Evidence, replies: Sequence[Reply]) -> int | None:
    """How many replies there are up to the one that takes an answer back, or None.

    It does if it says that something was not done or is no more, of the same thing, or right after the user's yes.
    """
    if undoes(wish.text):
        return None
    about = wish.about | stems(found.text)
    for number, reply in enumerate(replies, 1):
        for sentence in _undoing(reply.text) if reply.at >= found.at else ():
            later = reply.at > found.at or sentence.start >= found.end
            same = stems(sentence.text) & about or yes_or_no(reply.asked)
            if later and (same or (reply.at == found.at and revokes(sentence.text))):
                return number
    return None


@remembered
def _undoing(text: str) -> tuple[Sentence, ...]:
    """The sentences that say of something that it is not done, or no more."""
    if not undoes(text):  # nor does any sentence of it
        return ()
    return tuple(sentence for sentence in sentences(text) if undoes(sentence.text))


def _echoed(wish: GoalRequest, replies: Sequence[Reply]) -> Evidence | None:
    """The chatbot repeated every value in statements of its own, in one reply or over several."""
    missing = set(wish.values)
    for reply in replies:
        if changes(wish.text) and not _acts(wish, reply):
            continue
        for sentence in reply.stated:
            if denies(sentence.text) or _wrong(wish, sentence):
                continue
            missing -= {value for value in missing if _names(sentence.text, value, wish)}
            if not missing:
                return _evidence(reply, sentence)
    return None


def _acts(wish: GoalRequest, reply: Reply) -> bool:
    """Whether a reply says that something is done, or uses the verb of the wish."""
    verb = stems(wish.text.split()[0])
    return any(agrees(s.text) or completes(s.text) or stems(s.text) & verb for s in reply.stated)


def _wrong(wish: GoalRequest, sentence: Sentence) -> bool:
    """Whether a sentence names another day, time, amount or code than the wish does."""
    return any(names_another(value, sentence.text) for value in wish.values)


def _names(text: str, value: str, wish: GoalRequest) -> bool:
    """A bare number is named only where the goal is spoken of: "2 pizzas", and not "in 2 hours"."""
    if not mentions(text, value):
        return False
    return not re.fullmatch(r"\d{1,3}|\w{1,2}", value) or bool(stems(text) & (wish.about - stems(value)))


def _accepted(wish: GoalRequest, replies: Sequence[Reply], said: Mapping[int, str]) -> Evidence | None:
    """The user said every value, and the chatbot said that it is done without asking for any of them again."""
    about = wish.about | stems(" ".join(wish.variables))
    for reply in replies:
        heard = " ".join(text for at, text in said.items() if at < reply.at)
        if not all(mentions(heard, value) for value in wish.values) or _objects(wish, reply):
            continue
        says = sum(len(tokens(sentence.text)) for sentence in reply.stated)
        if says >= _SAYS and reply.agrees and not any(stems(s.text) & about for s in reply.asks):
            return _evidence(reply, _best(about, reply.stated))
    return None


def _objects(wish: GoalRequest, reply: Reply) -> bool:
    """Whether a reply says no to a wish, or grants another one: a no that is about something else does not count where
    the reply says in so many words that it is done."""
    if _another_choice(wish, reply):
        return True
    done = any(completes(sentence.text) for sentence in reply.stated)
    return any(
        _wrong(wish, sentence) or (denies(sentence.text) and (not done or bool(stems(sentence.text) & wish.about)))
        for sentence in reply.stated
    )


def _another_choice(wish: GoalRequest, reply: Reply) -> bool:
    """Whether a reply states another of the values there were to choose from: a small pizza for a large one."""
    said = " ".join(sentence.text for sentence in reply.stated)
    return any(choice.is_another(said) for choice in wish.choices)


def _granted(wish: GoalRequest, replies: Sequence[Reply]) -> Evidence | None:
    """The chatbot stated something on the subject of a wish, agreed right away, or did it before anything else."""
    for reply in replies:
        stated = [sentence for sentence in reply.stated if not denies(sentence.text)]
        if not stated:
            continue
        best = _best(wish.about, stated)
        done = next((s for s in stated if completes(s.text) and not _lists_without(wish, s)), None)
        if _on_the_subject(wish, best) or (_direct(wish, reply) and reply.agrees):
            return _evidence(reply, best)
        if done and reply.at < wish.until:
            return _evidence(reply, done)
    return None


def _lists_without(wish: GoalRequest, sentence: Sentence) -> bool:
    """Whether a sentence lists what was done, and nothing of the wish: "It is placed: a pizza, and a sprite."."""
    listed = sentence.text.partition(":")[2]
    return bool(_LISTED.fullmatch(fold(listed))) and stems(listed).isdisjoint(wish.own or wish.about)


def _on_the_subject(wish: GoalRequest, sentence: Sentence) -> bool:
    """Whether a sentence says most of what the wish says, or says little else."""
    said, key = stems(sentence.text), wish.own or wish.about
    return share(key, said) >= _MOST or (bool(key & said) and share(said, wish.about) >= _MOST)


def _told(wish: GoalRequest, replies: Sequence[Reply]) -> Evidence | None:
    """The chatbot told what was asked: said something on the subject, or answered the question right away.

    A no is an answer to "do you deliver?"; it is none to "what does it cost?", unless it is about just that.
    """
    key = wish.own or wish.about
    for reply in replies:
        stated = [] if reply.markup else [s for s in reply.stated if not names_another(wish.text, s.text)]
        if not stated:
            continue
        whole = " ".join(sentence.text for sentence in stated)
        best = _best(key, stated)
        part = share(key, stems(best.text))
        on_it = part > _MOST or (part and (asks_yes_or_no(wish.text) or not denies(best.text)))
        if on_it and fits(wish.text, whole):
            return _evidence(reply, best)
        if _direct(wish, reply) and _to_the_point(wish, stated[0].text, whole, reply):
            return _evidence(reply, stated[0])
    return None


def _told_of_a_code(wish: GoalRequest, replies: Sequence[Reply]) -> Evidence | None:
    """The chatbot answered a question about an order right away: "how much did ORD-1 cost?" is answered by "$40"."""
    if not (interrogative(wish.text) and wants_a_kind(wish.text) and all(map(is_code, wish.values))):
        return None
    for reply in replies:
        whole = " ".join(sentence.text for sentence in reply.stated)
        wrong = reply.markup or denies(whole) or any(_wrong(wish, sentence) for sentence in reply.stated)
        if reply.stated and not wrong and _direct(wish, reply) and fits(wish.text, whole):
            return _evidence(reply, reply.stated[0])
    return None


def _to_the_point(wish: GoalRequest, first: str, whole: str, reply: Reply) -> bool:
    if asks_yes_or_no(wish.text):
        return yes_or_no(first)
    if wants_a_kind(wish.text):
        return fits(wish.text, whole)
    new = stems(whole) - stems(reply.asked)
    return not denies(whole) and (len(new) >= _NEWS or any(c.isdigit() for c in whole))


def _direct(wish: GoalRequest, reply: Reply) -> bool:
    return reply.at - 1 in wish.asked_alone


def _best(about: frozenset[str], stated: Sequence[Sentence]) -> Sentence:
    return max(stated, key=lambda sentence: len(stems(sentence.text) & about))


def _evidence(reply: Reply, sentence: Sentence) -> Evidence:
    place = {"at": reply.at, "start": sentence.start, "end": sentence.end, "text": sentence.text}
    return Evidence.unchecked(place)
