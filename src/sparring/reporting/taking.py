"""What the models took for each message of a conversation."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from sparring.core.conversation import Conversation
from sparring.core.usage import Call, Usage
from sparring.core.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Measured:
    """A call of a model, how many seconds it took if anybody knows, and the number of the message that it was made for:
    None where nothing was said in the end."""

    call: Call
    seconds: float | None
    message: int | None


@dataclass(frozen=True, slots=True)
class Took:
    """What one role took for one message: how many calls, and how many of them have no known price; None is what nobody
    stated of any of them.
    """

    role: str
    calls: int
    seconds: float | None
    tokens: int | None
    cost: float | None
    unpriced: int = 0


def measured(conversation: Conversation) -> list[Measured]:
    """Every call of a model, as they were made."""
    seconds = conversation.timing.calls if conversation.timing else ()
    known: Iterable[float | None] = seconds if len(seconds) == len(conversation.calls) else repeat(None)
    said, last = _places(conversation)
    return [
        Measured(call, took, said.get((call.turn, call.role)) if call.role in _SPEAKERS else last.get(call.turn))
        for call, took in zip(conversation.calls, known, strict=False)
    ]


def taken(conversation: Conversation) -> Mapping[int, Sequence[Took]]:
    """What was taken for each message, by its number: by whoever said it, and by who else was asked in its turn."""
    calls: defaultdict[tuple[int, str], list[Measured]] = defaultdict(list)
    for each in measured(conversation):
        if each.message is not None:
            calls[each.message, each.call.role].append(each)
    found: defaultdict[int, list[Took]] = defaultdict(list)
    for (message, role), made in calls.items():
        found[message].append(_sum(role, made))
    return found


def consumed(conversation: Conversation, verdicts: Sequence[Verdict]) -> dict[str, Usage]:
    """What each role consumed, and those who judged it."""
    judges = sum((verdict.usage for verdict in verdicts), Usage())
    return dict(conversation.usage) | ({"judge": judges} if judges.calls else {})


_SPEAKERS = ("user", "chatbot")


def _places(conversation: Conversation) -> tuple[dict[tuple[int, str], int], dict[int, int]]:
    """The first message of each speaker in each turn, and the last of each turn."""
    turn = 0
    said: dict[tuple[int, str], int] = {}
    last: dict[int, int] = {}
    for number, message in enumerate(conversation.messages):
        if number >= len(conversation.case.history) and not message.injected:
            turn += message.role == "user"
            said.setdefault((turn, message.role), number)
            last[turn] = number
    return said, last


def _sum(role: str, calls: Sequence[Measured]) -> Took:
    seconds = [each.seconds for each in calls if each.seconds is not None]
    tokens = [
        each.call.input_tokens + each.call.output_tokens
        for each in calls
        if each.call.input_tokens is not None and each.call.output_tokens is not None
    ]
    costs = [each.call.cost for each in calls if each.call.cost is not None]
    return Took(
        role,
        len(calls),
        sum(seconds) if seconds else None,
        sum(tokens) if tokens else None,
        sum(costs) if costs else None,
        len(calls) - len(costs),
    )
