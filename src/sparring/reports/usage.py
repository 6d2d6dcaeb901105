"""Usage and cost of a batch, of each call, and of each message. Unknown costs are counted and never 0."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic import Field, NonNegativeInt

from sparring.core.batch import Batch, Players
from sparring.core.clock import in_seconds
from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.core.usage import Figures, ModelCall, Pricing, Usage, total
from sparring.core.value import Json, Value
from sparring.core.verdict import Verdict
from sparring.llm.pricing import rate_of
from sparring.reports.lines import counted


class Prices(Value):
    """Custom prices by model, as in sparring.yaml."""

    prices: dict[str, Pricing]


class Costs(Value):
    """Cost of a batch in total, by role, by model, and by conversation; `others` counts the rest.

    `unkept` is the usage of replaced or interrupted attempts and verdicts, at the prices of that time.
    """

    batch: str
    total: Usage = Usage()
    roles: dict[str, Usage] = {}
    models: dict[str, Usage] = {}
    conversations: dict[str, Usage] = {}
    others: NonNegativeInt = 0
    unkept: Usage = Usage()

    @property
    def by_role(self) -> dict[str, Usage]:
        """Usage by role, which adds up to the total: `dropped` is what is not kept."""
        return self.roles | self._dropped

    @property
    def by_model(self) -> dict[str, Usage]:
        """Usage by model, which adds up to the total: `dropped` is what is not kept."""
        return self.models | self._dropped

    @property
    def _dropped(self) -> dict[str, Usage]:
        return {"dropped": self.unkept} if self.unkept.calls else {}


_KEPT = 1000

_ByModel = tuple[tuple[str, Figures], ...]
"""Usage of a conversation by model."""


@dataclass
class Adding:
    """Collects the usage of a batch; custom `prices` by model override recorded costs.

    With `dearest`, the costs list this many conversations.
    """

    batch: Batch
    prices: Mapping[str, Pricing] = field(default_factory=dict)
    dearest: int | None = None
    _others: int = 0
    _used: dict[tuple[str, str], Usage] = field(default_factory=dict)
    _conversations: dict[str, dict[str, Usage]] = field(default_factory=dict)
    _priced: dict[str, Usage] = field(default_factory=dict)

    def add(self, conversation: Conversation, verdicts: Sequence[Verdict]) -> None:
        """Add a conversation, with the usage of its judges."""
        named = {call.role for call in conversation.calls if call.model}
        for role, usage in conversation.usage.items():
            if role not in named:
                self._count(conversation.id, role, model_of(self.batch.who, role), usage)
        for call in calls_of(conversation, self.batch.who) if named else ():
            if call.role in named:
                self._count(conversation.id, call.role, call.model, call.usage)
        for verdict in verdicts:
            if verdict.usage.calls or verdict.usage.from_cache:
                self._count(conversation.id, "judge", verdict.judge or verdict.by, verdict.usage)

    def _count(self, conversation: str, role: str, model: str, usage: Usage) -> None:
        self._used[role, model] = self._used.get((role, model), Usage()) + usage
        models = self._conversations.setdefault(conversation, {})
        models[model] = models.get(model, Usage()) + usage

    def state(self) -> dict[str, Any]:
        """Return what was collected as JSON, from which `join` adds it to that of other cases of the batch.

        It does not depend on prices.
        """
        kinds: dict[_ByModel, int] = {}
        conversations = {
            id: kinds.setdefault(tuple((model, each.figures) for model, each in models.items()), len(kinds))
            for id, models in self._conversations.items()
        }
        used = [(*names, usage.figures) for names, usage in self._used.items()]
        return {"used": used, "kinds": list(kinds), "conversations": conversations}

    def join(self, state: dict[str, Any]) -> None:
        """Add what was collected of other cases."""
        for role, model, figures in state["used"]:
            self._used[role, model] = self._used.get((role, model), Usage()) + total([figures])
        kinds = [self._price({model: total([figures]) for model, figures in kind}) for kind in state["kinds"]]
        self._priced.update({id: kinds[kind] for id, kind in state["conversations"].items()})
        if self.dearest is not None and len(self._priced) > _KEPT + self.dearest:
            self._keep_dearest(self.dearest)

    def _price(self, models: Mapping[str, Usage]) -> Usage:
        """Return usage by model as one at today's prices."""
        rates = {model: rate_of(self.prices, model) for model in models} if self.prices else {}
        return sum(
            (_priced(each, rate) if (rate := rates.get(model)) else each for model, each in models.items()), Usage()
        )

    def _keep_dearest(self, number: int) -> None:
        found = self._priced
        self._priced = dict(dearest(found)[:number])
        self._others += len(found) - len(self._priced)

    def costs(self, whole: Usage) -> Costs:
        """Return the costs; `whole` is the stored usage of the whole batch, including replaced attempts."""
        unkept = whole - sum(self._used.values(), Usage())
        self._priced.update({id: self._price(models) for id, models in self._conversations.items()})
        if self.dearest is not None:
            self._keep_dearest(self.dearest)
        roles, models = (self._by(each) for each in (0, 1))
        return Costs(
            batch=self.batch.id,
            total=sum(roles.values(), unkept),
            roles=roles,
            models=models,
            conversations=self._priced,
            others=self._others,
            unkept=unkept,
        )

    def _by(self, part: int) -> dict[str, Usage]:
        """Return the usage by the role or the model."""
        found: dict[str, Usage] = {}
        for names, usage in sorted(self._used.items()):
            found[names[part]] = found.get(names[part], Usage()) + self._price({names[1]: usage})
        return dict(sorted(found.items()))


def dearest(conversations: Mapping[str, Usage]) -> list[tuple[str, Usage]]:
    """Return conversations with their usage, the dearest first."""
    return sorted(conversations.items(), key=lambda each: (-each[1].cost, -each[1].tokens))


def _priced(usage: Usage, rate: Pricing) -> Usage:
    """Return usage at this price; calls without token counts still have no price."""
    cached = min(usage.cached_tokens, usage.input_tokens)
    dollars = rate(usage.input_tokens, usage.output_tokens, cached)
    return usage.model_copy(update={"cost": dollars, "unknown_costs": usage.unknown_tokens})


def read_prices(path: Path | None) -> Mapping[str, Pricing]:
    """Read a file of prices. Raise InputError with all problems."""
    if path is None:
        return {}
    from sparring import parsing  # who has no such file does not wait for what reads it

    return parsing.validate(parsing.load(path), Prices).prices


def model_of(who: Players, role: str) -> str:
    """Return the name of the model of a role, or the chatbot's own name if the model is unknown."""
    if role == "chatbot":
        return who.chatbot_model or who.chatbot
    named = {"user": who.user, "reader": who.reader, "judge": who.judge}.get(role, role)
    return named.removeprefix("simulated (").removesuffix(")") if named.startswith("simulated (") else named


class TimedCall(ModelCall):
    """A call with its model, and, if known, its duration and the number of the message it led to."""

    seconds: float | None = None
    message: int | None = Field(None, exclude=True)

    @property
    def usage(self) -> Usage:
        """The same as what consumption is counted in."""
        uncounted = self.attempts if self.input_tokens is None else 0
        return Usage(
            calls=self.attempts,
            input_tokens=self.input_tokens or 0,
            output_tokens=self.output_tokens or 0,
            cached_tokens=self.cached_tokens,
            unknown_tokens=uncounted,
            cost=self.cost or 0.0,
            unknown_costs=self.attempts if self.cost is None else 0,
        )


def calls_of(
    conversation: Conversation, who: Players | None = None, prices: Mapping[str, Pricing] | None = None
) -> list[TimedCall]:
    """Return all calls in order; custom `prices` override recorded costs."""
    seconds = conversation.timing.calls if conversation.timing else ()
    known = seconds if len(seconds) == len(conversation.calls) else (None,) * len(conversation.calls)
    said, last = _places(conversation)
    found = []
    for call, took in zip(conversation.calls, known, strict=True):
        model = call.model or (model_of(who, call.role) if who else "")
        message = said.get((call.turn, call.role)) if call.role in _SPEAKERS else last.get(call.turn)
        timed = TimedCall(**{**dict(call), "model": model, "seconds": took, "message": message})
        found.append(_priced_call(timed, prices or {}))
    return found


def call_json(call: TimedCall) -> dict[str, Json]:
    """Return a call as JSON."""
    return call.model_dump(mode="json")


def call_lines(calls: Sequence[TimedCall], verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield a line for each call, then one for each judge."""
    for call in calls:
        again = f", {counted(call.attempts, 'attempt')}" if call.attempts > 1 else ""
        yield visible(f"turn {call.turn}, {call.role}, {call.model}: {_usage_text([call])}{again}")
    for verdict in verdicts:
        if verdict.usage.calls or verdict.usage.from_cache:
            yield visible(f"judge, {verdict.judge or verdict.by}, about {verdict.check}: {usage_text(verdict.usage)}")


def turn_lines(conversation: Conversation) -> Iterator[str]:
    """Yield a line for each turn with calls: role, duration, and usage."""
    calls = calls_of(conversation)
    for turn, made in groupby(calls, key=lambda call: call.turn):
        these = list(made)
        roles = [f"{role} {counted(sum(call.role == role for call in these), 'call')}" for role in _roles(these)]
        yield visible(f"turn {turn}: {', '.join(roles)}: {_usage_text(these)}")


def usage_text(usage: Usage) -> str:
    """Return usage in words; unknown values are counted and never 0."""
    cached = f", {counted(usage.from_cache, 'answer')} from the cache" if usage.from_cache else ""
    if not usage.calls:
        return f"no calls{cached}"
    return f"{_dollars(usage)}, {counted(usage.calls, 'call')}, {_tokens(usage)}{cached}"


def unconfirmed_line(calls: int) -> Iterator[str]:
    """Yield a line about calls that may have been made, if there are any."""
    if calls:
        yield f"{counted(calls, 'call')} of these may have been made: under way now, or when a process was killed"


def _roles(calls: Sequence[TimedCall]) -> list[str]:
    return list(dict.fromkeys(call.role for call in calls))


def _usage_text(calls: Sequence[TimedCall]) -> str:
    usage = sum((call.usage for call in calls), Usage())
    known = [call.seconds for call in calls if call.seconds is not None]
    seconds = f"{in_seconds(sum(known))}, " if len(known) == len(calls) else ""
    return f"{seconds}{_tokens(usage)}, {_dollars(usage)}"


def _tokens(usage: Usage) -> str:
    uncounted = f", {usage.unknown_tokens:,} without a count" if usage.unknown_tokens else ""
    return f"{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out{uncounted}"


def _dollars(usage: Usage) -> str:
    if usage.known_cost is None:
        return "cost unknown"
    known = f"${usage.known_cost:,.4f}"
    return f"{known} and {usage.unknown_costs:,} of unknown price" if usage.unknown_costs else known


def _priced_call(call: TimedCall, prices: Mapping[str, Pricing]) -> TimedCall:
    rate = rate_of(prices, call.model)
    if rate is None or call.input_tokens is None or call.output_tokens is None:
        return call
    cached = min(call.cached_tokens, call.input_tokens)
    return call.model_copy(update={"cost": rate(call.input_tokens, call.output_tokens, cached)})


@dataclass(frozen=True, slots=True)
class MessageUsage:
    """Usage of one role for one message: calls, and calls without a price. None if not reported."""

    role: str
    calls: int
    seconds: float | None
    tokens: int | None
    cost: float | None
    unpriced: int = 0


def taken(conversation: Conversation) -> Mapping[int, Sequence[MessageUsage]]:
    """Return usage by message number: of its speaker, and of other roles called in its turn."""
    calls: defaultdict[tuple[int, str], list[TimedCall]] = defaultdict(list)
    for each in calls_of(conversation):
        if each.message is not None:
            calls[each.message, each.role].append(each)
    found: defaultdict[int, list[MessageUsage]] = defaultdict(list)
    for (message, role), made in calls.items():
        found[message].append(_sum(role, made))
    return found


def consumed(conversation: Conversation, verdicts: Sequence[Verdict]) -> dict[str, Usage]:
    """Return usage by role, including judges."""
    judges = sum((verdict.usage for verdict in verdicts), Usage())
    return dict(conversation.usage) | ({"judge": judges} if judges.calls else {})


_SPEAKERS = ("user", "chatbot")


def _places(conversation: Conversation) -> tuple[dict[tuple[int, str], int], dict[int, int]]:
    """Return the first message of each speaker in each turn, and the last message of each turn."""
    turn = 0
    said: dict[tuple[int, str], int] = {}
    last: dict[int, int] = {}
    for number, message in enumerate(conversation.messages):
        if number >= len(conversation.case.history) and not message.injected:
            turn += message.role == "user"
            said.setdefault((turn, message.role), number)
            last[turn] = number
    return said, last


def _sum(role: str, calls: Sequence[TimedCall]) -> MessageUsage:
    seconds = [each.seconds for each in calls if each.seconds is not None]
    tokens = [
        each.input_tokens + each.output_tokens
        for each in calls
        if each.input_tokens is not None and each.output_tokens is not None
    ]
    costs = [each.cost for each in calls if each.cost is not None]
    return MessageUsage(
        role,
        len(calls),
        sum(seconds) if seconds else None,
        sum(tokens) if tokens else None,
        sum(costs) if costs else None,
        len(calls) - len(costs),
    )
