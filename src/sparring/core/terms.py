"""On which terms a model may be asked: how fast, and what that costs."""

from pydantic import NonNegativeFloat, PositiveInt

from sparring.core.value import Value


class Limit(Value):
    """How a model may be asked: so many calls at a time, so many requests and tokens (in and out) within a minute."""

    concurrency: PositiveInt | None = None
    requests_per_minute: PositiveInt | None = None
    tokens_per_minute: PositiveInt | None = None


class Rate(Value):
    """What a model costs: US dollars for a million tokens; `cached` are input tokens that the provider had cached."""

    input: NonNegativeFloat
    output: NonNegativeFloat
    cached: NonNegativeFloat | None = None

    def __call__(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        cached = self.input if self.cached is None else self.cached
        fresh = input_tokens - cached_tokens
        return (fresh * self.input + cached_tokens * cached + output_tokens * self.output) / 1e6
