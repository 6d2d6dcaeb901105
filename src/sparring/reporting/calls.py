"""What every call of a model in a conversation took, one by one and turn by turn."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from sparring.core.batch import Who
from sparring.core.clock import in_seconds
from sparring.core.conversation import Conversation
from sparring.core.text import visible
from sparring.core.usage import Call, Rate, Usage
from sparring.core.value import Json
from sparring.core.verdict import Verdict
from sparring.llm.pricing import rate_of
from sparring.reporting.costs import model_of
from sparring.reporting.counted import counted


class TimedCall(Call):
    """A call with the model that answered it, and how long that took, if anybody knows."""

    model: str = ""
    seconds: float | None = None

    @property
    def usage(self) -> Usage:
        """The same as what consumption is counted in."""
        untold = self.attempts if self.input_tokens is None else 0
        return Usage(
            calls=self.attempts,
            input_tokens=self.input_tokens or 0,
            output_tokens=self.output_tokens or 0,
            cached_tokens=self.cached_tokens,
            unknown_tokens=untold,
            cost=self.cost or 0.0,
            unknown_costs=self.attempts if self.cost is None else 0,
        )


def calls_of(conversation: Conversation, who: Who | None, prices: Mapping[str, Rate] | None = None) -> list[TimedCall]:
    """Every call in its order; `prices` of one's own beat what it was said to cost."""
    seconds = conversation.timing.calls if conversation.timing else ()
    timed = seconds if len(seconds) == len(conversation.calls) else (None,) * len(conversation.calls)
    return [
        _priced_calls(
            TimedCall(**dict(call), model=model_of(who, call.role) if who else "", seconds=took), prices or {}
        )
        for call, took in zip(conversation.calls, timed, strict=True)
    ]


def told(call: TimedCall) -> dict[str, Json]:
    """A call as a program reads it."""
    return call.model_dump(mode="json")


def call_lines(calls: Sequence[TimedCall], verdicts: Sequence[Verdict]) -> Iterator[str]:
    """A line for each call, then one for each judge that was asked."""
    for call in calls:
        again = f", {counted(call.attempts, 'attempt')}" if call.attempts > 1 else ""
        yield visible(f"turn {call.turn}, {call.role}, {call.model}: {_took([call])}{again}")
    for verdict in verdicts:
        if verdict.usage.calls or verdict.usage.from_cache:
            yield visible(f"judge, {verdict.judge or verdict.by}, about {verdict.check}: {usage_text(verdict.usage)}")


def turn_lines(conversation: Conversation) -> Iterator[str]:
    """A line for each turn in which models were asked: who, how long, and what it took."""
    calls = calls_of(conversation, None)
    for turn, made in groupby(calls, key=lambda call: call.turn):
        these = list(made)
        roles = [f"{role} {counted(sum(call.role == role for call in these), 'call')}" for role in _roles(these)]
        yield visible(f"turn {turn}: {', '.join(roles)}: {_took(these)}")


def usage_text(usage: Usage) -> str:
    """What was consumed, in words; what nobody knows is counted, and is never 0."""
    cached = f", {counted(usage.from_cache, 'answer')} from the cache" if usage.from_cache else ""
    if not usage.calls:
        return f"no calls{cached}"
    return f"{_dollars(usage)}, {counted(usage.calls, 'call')}, {_tokens(usage)}{cached}"


def _roles(calls: Sequence[TimedCall]) -> list[str]:
    return list(dict.fromkeys(call.role for call in calls))


def _took(calls: Sequence[TimedCall]) -> str:
    usage = sum((call.usage for call in calls), Usage())
    known = [call.seconds for call in calls if call.seconds is not None]
    seconds = f"{in_seconds(sum(known))}, " if len(known) == len(calls) else ""
    return f"{seconds}{_tokens(usage)}, {_dollars(usage)}"


def _tokens(usage: Usage) -> str:
    untold = f", {usage.unknown_tokens:,} without a count" if usage.unknown_tokens else ""
    return f"{usage.input_tokens:,} tokens in and {usage.output_tokens:,} out{untold}"


def _dollars(usage: Usage) -> str:
    if usage.known_cost is None:
        return "cost unknown"
    known = f"${usage.known_cost:,.4f}"
    return f"{known} and {usage.unknown_costs:,} of unknown price" if usage.unknown_costs else known


def _priced_calls(call: TimedCall, prices: Mapping[str, Rate]) -> TimedCall:
    rate = rate_of(prices, call.model)
    if rate is None or call.input_tokens is None or call.output_tokens is None:
        return call
    cached = min(call.cached_tokens, call.input_tokens)
    return call.model_copy(update={"cost": rate(call.input_tokens, call.output_tokens, cached)})
