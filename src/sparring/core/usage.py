"""Usage of models: tokens, calls and cost. Also rate limits and prices of a model."""

from collections.abc import Callable, Iterable
from operator import attrgetter, not_

from pydantic import Field, NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from sparring.core.value import Value


class Usage(Value):
    """Calls, tokens and cost. Missing figures are counted as unknown, never as zero.

    `cost` is the known part in US dollars. `unknown_costs` and `unknown_tokens` count the calls without a figure.
    `cached_tokens` are input tokens served from the provider's cache. `from_cache` counts answers from Sparring's own
    cache, which cost no call.
    """

    calls: NonNegativeInt = 0
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    unknown_tokens: NonNegativeInt = 0
    cost: NonNegativeFloat = 0.0
    unknown_costs: NonNegativeInt = 0
    from_cache: NonNegativeInt = 0

    def __add__(self, other: "Usage") -> "Usage":
        fields, more = self.__dict__, other.__dict__
        return Usage.unchecked({name: figure + more[name] for name, figure in fields.items()})

    def __sub__(self, other: "Usage") -> "Usage":
        """Return the difference, at least 0: sums of dollars in another order may differ by rounding."""
        part = other.__dict__
        left = {name: max(figure - part[name], 0) for name, figure in self.__dict__.items()}
        return Usage.unchecked({**left, "cost": left["cost"] if left["calls"] else 0.0})

    @property
    def figures(self) -> "Figures":
        """The figures as a tuple."""
        return _figures(self)

    @property
    def tokens(self) -> int:
        """Known input and output tokens."""
        return self.input_tokens + self.output_tokens

    @property
    def known_cost(self) -> float | None:
        """Cost in US dollars, or None if calls were made and none of them has a known price."""
        unknown = self.unknown_costs
        return None if unknown and unknown == self.calls else self.cost


class UnstoredUsage(Usage):
    """Usage of a run for conversations and verdicts that are not stored.

    `unconfirmed` counts the calls that were running, or about to be made, when it was written.
    """

    unconfirmed: NonNegativeInt = 0


Figures = tuple[float, ...]
"""Figures of a usage, in the order of its fields. Thousands of tuples add up faster than usages."""


def total(rows: Iterable[Figures]) -> Usage:
    """Return the sum of all rows."""
    columns = map(sum, zip(Usage().figures, *rows, strict=True))
    return Usage.unchecked(dict(zip(Usage.model_fields, columns, strict=True)))


class UsageTotal:
    """A running total of usage, cheaper to add to than a frozen `Usage`."""

    __slots__ = tuple(Usage.model_fields)

    def __init__(self) -> None:
        self.calls = self.input_tokens = self.output_tokens = self.cached_tokens = 0
        self.unknown_tokens = self.unknown_costs = self.from_cache = 0
        self.cost = 0.0

    def add(self, usage: Usage) -> None:
        figures = usage.__dict__  # attribute access of a pydantic model costs more than the additions
        self.calls += figures["calls"]
        self.input_tokens += figures["input_tokens"]
        self.output_tokens += figures["output_tokens"]
        self.cached_tokens += figures["cached_tokens"]
        self.unknown_tokens += figures["unknown_tokens"]
        self.cost += figures["cost"]
        self.unknown_costs += figures["unknown_costs"]
        self.from_cache += figures["from_cache"]

    def subtract(self, usage: Usage) -> None:
        for name, figure in usage.__dict__.items():
            setattr(self, name, getattr(self, name) - figure)

    @property
    def figures(self) -> Figures:
        """The total so far, as a tuple."""
        return _figures(self)

    @property
    def usage(self) -> Usage:
        """The total so far."""
        return Usage.unchecked({name: getattr(self, name) for name in self.__slots__})


_figures: Callable[[Usage | UsageTotal], Figures] = attrgetter(*Usage.model_fields)


class ModelCall(Value):
    """Usage of one model call. `turn` counts from 1; 0 is before the first user message.

    Unknown figures are None. The call stands for all of its `attempts`, each of which may be billed. `model` is one
    that a chatbot reports.
    """

    role: str
    turn: NonNegativeInt = 0
    attempts: PositiveInt = 1
    input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    cached_tokens: NonNegativeInt = 0
    cost: NonNegativeFloat | None = None
    model: str = Field("", exclude_if=not_)


class RateLimit(Value):
    """Rate limits of a model: concurrent calls, requests and tokens (in and out) per minute."""

    concurrency: PositiveInt | None = None
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None


class Pricing(Value):
    """Prices of a model in US dollars per million tokens; `cached` applies to cached input tokens."""

    input: NonNegativeFloat
    output: NonNegativeFloat
    cached: NonNegativeFloat | None = None

    def __call__(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1e6


class Budget(Value):
    """The most that a batch may consume; a limit that is None does not apply.

    `cost` (US dollars) and `tokens` limit the whole batch, with everything that was consumed for it before. `seconds`
    and `conversations` limit one run of it.
    """

    cost: PositiveFloat | None = None
    tokens: PositiveInt | None = None
    seconds: PositiveFloat | None = None
    conversations: PositiveInt | None = None

    def lowest(self, other: "Budget") -> "Budget":
        """Return the lower one of each limit."""
        most = {name: limit for name, limit in other if limit is not None}
        own = {name: limit for name, limit in self if limit is not None}
        return Budget(**{**most, **own, **{name: min(own[name], most[name]) for name in own.keys() & most.keys()}})
