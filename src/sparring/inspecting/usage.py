"""What models consumed, as Inspect counts it."""

from collections.abc import Mapping

from inspect_ai.model import ModelUsage

from sparring.core.batch import Who
from sparring.core.usage import Usage
from sparring.inspecting.names import model_of


def model_usage(usage: Usage) -> ModelUsage | None:
    """The known part, or None where nobody stated a single token: Inspect knows no figure that is missing."""
    if usage.unknown_tokens and usage.unknown_tokens >= usage.calls:
        return None
    return ModelUsage(
        input_tokens=usage.input_tokens - usage.cached_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.tokens,
        input_tokens_cache_read=usage.cached_tokens or None,
        total_cost=usage.known_cost,
    )


def by_role(usage: Mapping[str, Usage]) -> dict[str, ModelUsage]:
    """What each role consumed, as far as anybody knows."""
    found = {role: model_usage(each) for role, each in usage.items()}
    return {role: each for role, each in found.items() if each is not None}


def by_model(usage: Mapping[str, Usage], who: Who) -> dict[str, ModelUsage]:
    """The same by model: one that plays several roles is counted once."""
    found: dict[str, ModelUsage] = {}
    for role, each in by_role(usage).items():
        model = model_of(role, who)
        found[model] = found[model] + each if model in found else each
    return found
