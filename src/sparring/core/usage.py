"""What the models of a conversation consumed."""

from pydantic import NonNegativeFloat, NonNegativeInt

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
        # Both were checked, and so is their sum: this happens at every call of a model.
        return Usage.model_construct(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            unknown_tokens=self.unknown_tokens + other.unknown_tokens,
            cost=self.cost + other.cost,
            unknown_costs=self.unknown_costs + other.unknown_costs,
            from_cache=self.from_cache + other.from_cache,
        )

    @property
    def known_cost(self) -> float | None:
        """US dollars, or None where calls were made and not one of them has a known price."""
        return None if self.unknown_costs and self.unknown_costs == self.calls else self.cost
