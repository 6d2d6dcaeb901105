"""Prices of model calls in US dollars. An unknown price is None, never 0."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache, cached_property
from typing import Any, TypeVar

from sparring.core.usage import Usage
from sparring.llm.provider_addresses import plain

Price = Callable[[int, int, int], float | None]
"""The cost of a call by input tokens, output tokens, and cached input tokens.

Models with another source of prices, such as the `prices` setting, have another function of this type.
"""


P = TypeVar("P")


def unknown_price(input_tokens: int, output_tokens: int, cached_tokens: int) -> None:
    """Return None: the model is on no price list, such as a local model."""


def rate_of(prices: Mapping[str, P], model: str) -> P | None:
    """Return the configured price of a model, by its full name or without its provider or address."""
    own = {plain(name): price for name, price in prices.items()}
    mark = "#" if model.startswith(("http://", "https://")) else ":"
    return own.get(plain(model)) or own.get(model.partition(mark)[2])


def at_list_price(usage: Usage, provider: str, model: str) -> Usage:
    """Return usage of unknown cost with the cost that the provider lists for its model, if it does."""
    if not model or not provider or not usage.unknown_costs or usage.unknown_tokens:
        return usage
    rate = _listed(_PROVIDERS.get(provider, provider), model)
    cost = rate(usage.input_tokens, usage.output_tokens, min(usage.cached_tokens, usage.input_tokens))
    return usage if cost is None else usage.model_copy(update={"cost": usage.cost + cost, "unknown_costs": 0})


_PROVIDERS = {
    "google_genai": "google",
    "google_vertexai": "google",
    "google-gla": "google",
    "google-vertex": "google",
    "gcp.gemini": "google",
    "gcp.gen_ai": "google",
    "gcp.vertex_ai": "google",
    "vertexai": "google",
    "aws.bedrock": "aws",
    "azure.ai.inference": "azure",
    "azure.ai.openai": "azure",
    "mistral_ai": "mistral",
    "mistralai": "mistral",
    "x_ai": "x-ai",
    "xai": "x-ai",
}
"""Names of providers as the price list writes them, from those of frameworks, OpenTelemetry and OpenInference."""


class ListedPrice:
    """A price from genai-prices, looked up at the first call, without network access.

    Prices that depend on the time of day are those of that moment, so that a run has one price.
    """

    def __init__(self, provider: str, model: str) -> None:
        self.provider = provider
        self.model = model

    def __call__(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float | None:
        rates = self._rates
        return None if rates is None else rates.cost(input_tokens, output_tokens, cached_tokens)

    @cached_property
    def _rates(self) -> "_Rates | None":
        from genai_prices import Usage as Tokens
        from genai_prices import calc_price  # 0.3 s

        now = datetime.now(UTC)
        try:
            found = calc_price(
                Tokens(input_tokens=0), self.model, provider_id=self.provider, genai_request_timestamp=now
            )
        except LookupError:
            return None
        listed: Any = found.model.get_prices(now)
        if listed.input_mtok is None or listed.output_mtok is None:
            return None
        cached = listed.input_mtok if listed.cache_read_mtok is None else listed.cache_read_mtok
        return _Rates(
            input=_Rate.of(listed.input_mtok),
            cached=_Rate.of(cached),
            output=_Rate.of(listed.output_mtok),
            request=float(listed.requests_kcount or 0) / 1_000,
        )


@cache
def _listed(provider: str, model: str) -> ListedPrice:
    return ListedPrice(provider, model)


@dataclass(frozen=True, slots=True)
class _Rate:
    """Dollars per token: `base`, or the price of the highest tier that the input tokens exceed."""

    base: float
    steps: tuple[tuple[int, float], ...]

    @classmethod
    def of(cls, listed: Any) -> "_Rate":
        """Create from dollars per million tokens: a plain number, or one with tiers."""
        if isinstance(listed, Decimal):
            return cls(float(listed) / 1e6, ())
        steps = sorted(((tier.start, float(tier.price) / 1e6) for tier in listed.tiers), reverse=True)
        return cls(float(listed.base) / 1e6, tuple(steps))

    def at(self, input_tokens: int) -> float:
        return next((rate for start, rate in self.steps if input_tokens > start), self.base)


@dataclass(frozen=True, slots=True)
class _Rates:
    """Prices of one model. The sum is computed here, because genai-prices takes longer than a call may."""

    input: _Rate
    cached: _Rate
    output: _Rate
    request: float

    def cost(self, input_tokens: int, output_tokens: int, cached_tokens: int) -> float:
        return (
            (input_tokens - cached_tokens) * self.input.at(input_tokens)
            + cached_tokens * self.cached.at(input_tokens)
            + output_tokens * self.output.at(input_tokens)
            + self.request
        )
