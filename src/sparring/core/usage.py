"""What the models of a conversation consumed.

On which terms a model may be asked: how fast, and what that costs.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.value import Value


class Usage(Value):
    """Calls, tokens and money. What nobody stated is counted as unknown, never as nothing.

    `cost` is the known part, in US dollars; `unknown_costs` and `unknown_tokens` count the calls without a figure.
    `cached_tokens` are those of the input tokens that the provider had cached. `from_cache` counts answers that came
    from a cache of ours: no calls were made for them, and nothing was paid.
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
        """What is left of it; a sum of dollars may be a hair less than its parts in another order."""
        part = other.__dict__
        left = {name: max(figure - part[name], 0) for name, figure in self.__dict__.items()}
        return Usage.unchecked({**left, "cost": left["cost"] if left["calls"] else 0.0})

    @property
    def figures(self) -> "Figures":
        """All of it in figures alone."""
        return _figures(self)

    @property
    def tokens(self) -> int:
        """Those that are known, in and out."""
        return self.input_tokens + self.output_tokens

    @property
    def known_cost(self) -> float | None:
        """US dollars, or None where calls were made and not one of them has a known price."""
        unknown = self.unknown_costs
        return None if unknown and unknown == self.calls else self.cost


Figures = tuple[float, ...]
"""The figures of a usage, in the order of its fields: thousands of them are added up sooner than as many usages."""


def total(rows: Iterable[Figures]) -> Usage:
    """All of them together."""
    columns = map(sum, zip(Usage().figures, *rows, strict=True))
    return Usage.unchecked(dict(zip(Usage.model_fields, columns, strict=True)))


class Tally:
    """A sum of what calls consume, to which another is added at each of them."""

    __slots__ = tuple(Usage.model_fields)

    def __init__(self) -> None:
        self.calls = self.input_tokens = self.output_tokens = self.cached_tokens = 0
        self.unknown_tokens = self.unknown_costs = self.from_cache = 0
        self.cost = 0.0

    def add(self, usage: Usage) -> None:
        figures = usage.__dict__  # to find the attributes of a value takes longer than to add them up
        self.calls += figures["calls"]
        self.input_tokens += figures["input_tokens"]
        self.output_tokens += figures["output_tokens"]
        self.cached_tokens += figures["cached_tokens"]
        self.unknown_tokens += figures["unknown_tokens"]
        self.cost += figures["cost"]
        self.unknown_costs += figures["unknown_costs"]
        self.from_cache += figures["from_cache"]

    @property
    def figures(self) -> Figures:
        """What was consumed so far, in figures alone."""
        return _figures(self)

    @property
    def usage(self) -> Usage:
        """What was consumed so far."""
        return Usage.unchecked({name: getattr(self, name) for name in self.__slots__})


_figures: Callable[[Usage | Tally], Figures] = attrgetter(*Usage.model_fields)


class Call(Value):
    """A call of a model: by which role, in which turn (counted from 1; 0 is before the user first speaks), and what it
    took. What nobody stated is None, and never nothing.

    It stands for all attempts that were made, of which so many may have to be paid for.
    """

    role: str
    turn: NonNegativeInt = 0
    attempts: PositiveInt = 1
    input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    cached_tokens: NonNegativeInt = 0
    cost: NonNegativeFloat | None = None


class RateLimit(Value):
    """How a model may be asked: so many calls at a time, so many requests and tokens (in and out) within a minute."""

    concurrency: PositiveInt | None = None
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None


class Pricing(Value):
    """What a model costs: US dollars for a million tokens; `cached` are input tokens that the provider had cached."""

    input: NonNegativeFloat
    output: NonNegativeFloat
    cached: NonNegativeFloat | None = None

    def __call__(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1e6
