"""Rule functions over messages, reply times and extracted outputs of a conversation."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from sparring.core.conversation import Evidence
from sparring.core.message import Role
from sparring.parsing.regex import compiled
from sparring.rules.functions.function import EvidenceNotes, function
from sparring.rules.recording import Recording

_SIDES: dict[str, Role] = {"user": "user", "chatbot": "chatbot", "assistant": "chatbot"}


@function()
def turns(conversation: Recording) -> int:
    """The number of user messages: `turns() < 12`."""
    return sum(said.role == "user" for said in conversation.messages)


@function()
def in_scenario(conversation: Recording, names: Sequence[str]) -> bool:
    """True if the conversation is of one of these scenarios: `in_scenario(['orders', 'pizza*'])`.

    A name is the file of a scenario, its own name, or both with a slash between them; * and ? match anything.
    """
    return conversation.is_of([names] if isinstance(names, str) else list(names))


@function()
def conversation_length(conversation: Recording, who: Literal["both", "user", "chatbot", "assistant"] = "both") -> int:
    """The number of messages of both sides, or of one side."""
    if who == "both":
        return sum(not said.injected for said in conversation.messages)
    if who not in _SIDES:
        raise ValueError(f"conversation_length() expects 'both', 'user' or 'chatbot', got {who!r}")
    return len(conversation.texts(_SIDES[who]))


@function()
def chatbot_returns(conversation: Recording, notes: EvidenceNotes, what: str, and_not: str | None = None) -> list[int]:
    """Indexes, from 0, of the chatbot messages that contain `what` and no `and_not` after it.

    `not chatbot_returns('LINK: <empty>')` holds if there are none.
    """
    found = []
    for index, (at, text) in enumerate(_messages_of(conversation, "chatbot")):
        start = text.find(what) if and_not is None else text.rfind(what)
        if start >= 0 and (and_not is None or and_not not in text[start + len(what) :]):
            found.append(index)
            notes.append(Evidence(at=at, start=start, end=start + len(what), text=what))
    return found


@function(patterns=("pattern",))
def chatbot_says(conversation: Recording, notes: EvidenceNotes, pattern: str) -> bool:
    """True if a regular expression matches in a chatbot message: `not chatbot_says('(?i)as an ai')`."""
    return _search(conversation, notes, "chatbot", pattern)


@function()
def last_reply(conversation: Recording) -> str:
    """The reply to the user's last message, or empty: `'refund' in last_reply()`."""
    said = conversation.since_last_user
    return "\n".join(each.text for each in said if each.role == "chatbot" and not each.injected)


@function(patterns=("pattern",))
def last_reply_says(conversation: Recording, notes: EvidenceNotes, pattern: str) -> bool:
    """True if a regular expression matches in the reply to the user's last message."""
    start = len(conversation.messages) - len(conversation.since_last_user)
    return _search(conversation, notes, "chatbot", pattern, start)


@function(patterns=("pattern",))
def last_reply_repeats(conversation: Recording, notes: EvidenceNotes, pattern: str) -> bool:
    """True if what a regular expression matches in the last reply is in an earlier one too.

    `last_reply_repeats('ORD-[0-9]+')` holds if the chatbot names the same order number again.
    """
    start = len(conversation.messages) - len(conversation.since_last_user)
    if not _search(conversation, notes, "chatbot", pattern, start):
        return False
    said = notes[-1].text
    return any(said in text for at, text in _messages_of(conversation, "chatbot") if at < start)


@function(patterns=("pattern",))
def replies_to(conversation: Recording, pattern: str) -> list[str]:
    """The replies to user messages in which a regular expression matches.

    `all(states(each, '$20') for each in replies_to('(?i)price of a tire'))` holds if each such answer states the price.
    """
    found: list[str] = []
    asked = False
    for each in conversation.messages:
        if each.role == "user":
            asked = compiled(pattern).search(each.text) is not None
        elif asked and not each.injected:
            found.append(each.text)
    return found


@function(patterns=("pattern",))
def user_says(conversation: Recording, notes: EvidenceNotes, pattern: str) -> bool:
    """True if a regular expression matches in a user message."""
    return _search(conversation, notes, "user", pattern)


def _search(conversation: Recording, notes: EvidenceNotes, role: Role, pattern: str, start: int = 0) -> bool:
    for at, text in _messages_of(conversation, role):
        match = compiled(pattern).search(text) if at >= start else None
        if match is not None:
            notes.append(Evidence(at=at, start=match.start(), end=match.end(), text=match.group()))
            return True
    return False


def _messages_of(conversation: Recording, role: Role) -> Iterator[tuple[int, str]]:
    said = enumerate(conversation.messages)
    return ((at, each.text) for at, each in said if each.role == role and not each.injected)


@function()
def missing_slots(conversation: Recording) -> list[str]:
    """The names of outputs that were never stated: `not missing_slots()`."""
    return [name for name, value in conversation.outputs.items() if _unstated(value)]


@function()
def data_collected(conversation: Recording) -> bool:
    """True if every output was stated."""
    return not missing_slots.call(conversation)


def _unstated(value: Any) -> bool:
    return value is None or value == "None"


@function()
def latency(conversation: Recording, quantile: float = 0.5) -> float:
    """The quantile of reply times in seconds: `latency(0.95) < 3` holds if 95 % took under 3 s."""
    if not 0 <= quantile <= 1:
        raise ValueError("latency() expects a share from 0 to 1")
    times = sorted(conversation.latencies)
    if not times:
        raise ValueError("no reply times were recorded")
    return times[max(math.ceil(quantile * len(times)) - 1, 0)]
