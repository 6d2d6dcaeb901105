"""What the models took for each message of a conversation."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat

from sparring.core.conversation import Conversation
from sparring.core.usage import Call


@dataclass(frozen=True, slots=True)
class Measured:
    """A call of a model, and how many seconds it took, if anybody knows."""

    call: Call
    seconds: float | None


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
    return [Measured(*pair) for pair in zip(conversation.calls, known, strict=False)]


def taken(conversation: Conversation) -> Mapping[int, Sequence[Took]]:
    """What was taken for each message, by its number: by whoever said it, and by who else was asked in its turn."""
    by_turn: defaultdict[int, list[Measured]] = defaultdict(list)
    for each in measured(conversation):
        by_turn[each.call.turn].append(each)
    found: defaultdict[int, list[Took]] = defaultdict(list)
    given: set[tuple[int, str]] = set()
    for number, turn, role, last in _places(conversation):
        for whose in dict.fromkeys(each.call.role for each in by_turn[turn]):
            if (turn, whose) not in given and (whose == role or (last and whose not in ("user", "chatbot"))):
                given.add((turn, whose))
                found[number].append(_sum(whose, [each for each in by_turn[turn] if each.call.role == whose]))
    return found


def _places(conversation: Conversation) -> Iterator[tuple[int, int, str, bool]]:
    """Every message that somebody made: its number, its turn, who said it, and whether it is the last of its turn."""
    turn, places = 0, []
    for number, message in enumerate(conversation.messages):
        if number < len(conversation.case.history) or message.injected:
            continue
        turn += message.role == "user"
        places.append((number, turn, message.role))
    following = [turn for _, turn, _ in places[1:]] + [-1]
    for (number, turn, role), after in zip(places, following, strict=True):
        yield number, turn, role, turn != after


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
