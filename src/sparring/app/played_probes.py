"""What a probe played, what its user wanted, and the bugs that it found."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from statistics import median

from sparring.core.conversation import Conversation
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.speech_acts import refuses, starts_with_yes_or_no
from sparring.extraction.tokens import sentences, tokens
from sparring.judges.builtin import built_in_failures
from sparring.probes.acts import asks_to_confirm, cancels, final_question, ids_in, masked, report_of, says_done
from sparring.probes.arithmetic import free_from, speaks_of_nights
from sparring.probes.battery import Probe
from sparring.probes.checks import find
from sparring.probes.domain import Domain
from sparring.probes.found import Found, exactly, finding, questions_in, replies_in, without_echo
from sparring.probes.invitations import Purpose, buttons_in, invitations
from sparring.probes.limits import limits_of_options
from sparring.probes.lines import lines_of
from sparring.probes.notes import Notes
from sparring.probes.result import REPLAYS, Tried

_VALUES = re.compile(r"“[^”]*”|[^\W_]*\d\S*")
"""Values in titles of findings, without which two of them are the same."""

_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_MOST_CRASHES = 3
"""Crashes with one error that are reported separately."""

_LEAST_REPLIES = 20
"""Fewest replies for the finding that all are the same."""

MOST_AT_ONCE = 80
"""Conversations that run side by side."""

_LEAST_AT_ONCE, _BY_SECOND, _FEWEST = 8, 50, 4
"""Conversations with a chatbot that replies at once, more of them for each second, and with one that is slow."""

_QUEUES = 1.8
"""A chatbot answers one message at a time if replies to several conversations take this many times longer."""

_LONGEST_WAIT = 8.0
"""Seconds that a message may wait for others."""

_MOST_MENU_TASKS = 6
_FIRST_MENU = 2
"""Reply up to which a menu is one of tasks."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user of a probe wants: a line to say, and the option of the first menu, if it has one."""

    line: str
    task: str = ""


@dataclass(frozen=True, slots=True)
class PlayedProbe:
    """One conversation of a probe."""

    probe: Probe
    conversation: Conversation
    notes: Notes
    wish: Wish

    @property
    def depth(self) -> tuple[int, ...]:
        """Measures of progress, to compare conversations."""
        tasks = self.notes.domain.tasks
        choices = [each for each in self.notes.choices if each.options != tasks]
        others = sum(each.asked in tasks for each in replies_in(self.conversation)) - 1
        return (bool(self.notes.recalled), -max(others, 0), len(choices), len(self.notes.given))

    @property
    def menu(self) -> tuple[str, ...]:
        """Options of the menu of tasks with which the chatbot greets or replies to a wish, or none."""
        first = next((each for each in self.notes.choices if each.turn <= _FIRST_MENU), None)
        answers = list(replies_in(self.conversation))[1 : first.turn] if first else []
        return first.options if first and all(each.asked == self.wish.line for each in answers) else ()


@dataclass(frozen=True, slots=True)
class Learned:
    """Walks through a chatbot, the longest first, and the options that the first one took.

    `unreachable` is the error if it did not reply.
    """

    walks: tuple[Conversation, ...] = ()
    taken: tuple[str, ...] = ()
    unreachable: str = ""


def menu_tasks(walk: PlayedProbe) -> list[str]:
    """Return the options that a walk left of the menu of tasks."""
    tasks = walk.notes.domain.tasks
    taken = next((each for each in walk.notes.choices if tasks and each.options == tasks), None)
    if taken is None:
        return []
    said = [invitation for each in replies_in(walk.conversation) for invitation in invitations(each.text)]
    away = {each.said for each in said if each.purpose in (Purpose.STOP, Purpose.AWAY)}
    return [each for each in taken.others if each not in away and not starts_with_yes_or_no(each)][:_MOST_MENU_TASKS]


def is_cancelled(played: PlayedProbe) -> bool:
    """Return True if the chatbot acknowledged a cancellation of what was not done."""
    at = played.notes.cancelled if not played.notes.kept else None
    return at is not None and any(
        each.turn >= at and each.turn != played.notes.recalled and cancels(each.text)
        for each in replies_in(played.conversation)
    )


def is_slow(conversation: Conversation) -> bool:
    """Return True if most replies took more than a second."""
    return conversation.timing is not None and median(conversation.timing.replies or (0,)) > 1


def at_once(alone: Conversation, together: Sequence[Conversation]) -> int:
    """Return how many conversations to hold at once: the more, the longer a reply takes.

    Small servers refuse many connections at once. A chatbot that answers one message at a time takes longer when
    several conversations run together, and gets no more than it answers within some seconds.
    """
    times = [
        [seconds for each in some if each.timing for seconds in each.timing.replies] for some in ([alone], together)
    ]
    if not all(times):
        return MOST_AT_ONCE
    one, many = map(median, times)
    wanted = min(MOST_AT_ONCE, _LEAST_AT_ONCE + int(_BY_SECOND * one))
    return wanted if many < _QUEUES * one else max(_FEWEST, min(wanted, int(_LONGEST_WAIT / one)))


def findings(conversation: Conversation, notes: Notes) -> list[Found]:
    built_in = [verdict for _, verdict in built_in_failures(conversation, trial=True)]
    found = find(conversation, notes, built_in)
    seen = {each.turn for each in found if not each.built_in}
    return [each for each in found if not (each.built_in and each.turn in seen)]


def first_of_each(played: Sequence[PlayedProbe]) -> Iterator[tuple[PlayedProbe, Found, int]]:
    """Yield the first finding of each kind and title, with the number of other probes that saw it."""
    seen: dict[str, list[tuple[PlayedProbe, Found]]] = {}
    errors: dict[str, list[str]] = {}
    for one in played:
        for each in findings(one.conversation, one.notes):
            error = one.conversation.error.partition(" (in reply to")[0] if each.kind in ("crash", "silence") else ""
            error = error if error.startswith("HTTP") else _QUOTED.sub("…", error)  # "KeyError: 'hello'"
            alike = each.title if error else _VALUES.sub("", each.title)
            seen.setdefault(f"{each.kind} {alike}", []).append((one, each))
            errors.setdefault(error, []).append(f"{each.kind} {alike}")
    for error, keys in errors.items():
        if error and len(set(keys)) > _MOST_CRASHES:  # no matter what is said
            seen[keys[0]] = [found for key in dict.fromkeys(keys) for found in seen.pop(key)]
    for found in seen.values():
        best = min(found, key=lambda each: (not each[1].certain, each[1].turn))
        yield (*best, len({one.probe.name for one, _ in found}) - 1)


def constant_reply(played: Sequence[Conversation], walk: PlayedProbe, *, certain: bool) -> Tried | None:
    """Return a finding if all replies are the same.

    Unless `certain`, it is doubtful if the chatbot asks or says that it did not understand.
    """
    replies = [reply for each in played for reply in replies_in(each) if reply.asked.strip()]
    said = {masked(each.text) for each in replies if each.text.strip()}
    if len(replies) < _LEAST_REPLIES or len(said) != 1:
        return None
    title = f"The reply to all {len(replies)} messages is the same"
    shown, text = list(replies_in(walk.conversation))[:2], replies[0].text
    certain = certain or not (questions_in(text) or is_fallback(text))
    found = finding("loop", title, *shown, certain=certain, unwanted=exactly(text))
    return Tried(found, walk.probe.name, tuple(each.asked for each in shown), REPLAYS)


def learn_from(domain: Domain, conversation: Conversation, language: str, notes: Notes | None = None) -> None:
    """Take over what a conversation tells of a chatbot."""
    domain.learn(replies_of(conversation), language)
    for reply in replies_of(conversation):
        domain.free_from = domain.free_from or free_from(reply)
        domain.limits |= limits_of_options(reply)
        domain.stays = domain.stays or speaks_of_nights(reply)
        domain.add_menu(buttons_in(reply), reply)
        domain.learn_recap([each.said for each in invitations(reply)])
    replies = list(replies_in(conversation))
    own = "\n".join(each.asked for each in replies)
    for before, after in pairwise(replies):
        for question in questions_in(before.text, True)[-1:]:
            if question not in questions_in(after.text, True):
                domain.accepted.add((question, after.asked))
        same = final_question(before.text) == final_question(after.text)  # it did not take the yes
        if notes is not None and after.turn in notes.yeses and not (asks_to_confirm(after.text) or same):
            domain.done.add(report_of(after.text))
            if notes.reports(after.text) and (says_done(after.text) or ids_in(after.text)):
                domain.finals.add(final_question(before.text))
            new = {each for each in ids_in(after.text) - ids_in(before.text) if each not in own}
            domain.ids |= new
            if len(new) == 1:
                domain.numbers.setdefault(after.text.replace(min(new), ""), set()).update(new)
    if notes is not None:
        domain.given |= set(notes.given.values())
        domain.recap = domain.recap or notes.recap
        for choice in notes.choices:
            domain.add_menu(choice.options, choice.question)


def answered_in(conversation: Conversation, language: str) -> str:
    """Return the first of the usual questions that a chatbot answered; empty if it answered none."""
    asked = [first for first, _ in lines_of(language)["facts"]]
    for each in replies_in(conversation):
        stated = [said.text for said in sentences(each.text) if not said.asks]
        if (
            each.asked in asked
            and any(map(tokens, stated))
            and not any(is_fallback(said) or refuses(said) for said in stated)
        ):
            return each.asked
    return ""


def replies_of(conversation: Conversation) -> list[str]:
    """Return the replies of the chatbot, without longer messages of the user that they repeat."""
    said = [each.text for each in conversation.messages if each.role == "user"]
    replies = [each.text for each in conversation.messages if each.role == "chatbot"]
    return [reduce(without_echo, said, each) for each in replies]
