"""What the models of a conversation consumed."""

from pydantic import NonNegativeFloat, NonNegativeInt

from sparring.core.value import Value


class Usage(Value):
    """Calls, tokens and money. What nobody stated is counted as unknown, never as nothing.

    `cost` is the known part, in US dollars; `unknown_costs` and `unknown_tokens` count the calls without a figure.
    `cached_tokens` are those of the input tokens that the provider had cached.
    """

    calls: NonNegativeInt = 0
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    unknown_tokens: NonNegativeInt = 0
    cost: NonNegativeFloat = 0.0
    unknown_costs: NonNegativeInt = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(**{name: getattr(self, name) + getattr(other, name) for name in Usage.model_fields})

    @property
    def known_cost(self) -> float | None:
        """US dollars, or None where calls were made and not one of them has a known price."""
        return None if self.unknown_costs and self.unknown_costs == self.calls else self.cost
