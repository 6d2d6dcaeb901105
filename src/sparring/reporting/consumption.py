"""What models took, in words."""

from sparring.core.usage import Usage
from sparring.reporting.counted import counted


def consumed(usage: Usage) -> str:
    """What models took, in one line."""
    cached = f"; {counted(usage.from_cache, 'answer')} from the cache" if usage.from_cache else ""
    if not usage.calls:
        return f"none called{cached}"
    tokens = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out"
    if usage.unknown_tokens:
        tokens += f" ({counted(usage.unknown_tokens, 'call')} without a count)"
    cost = "cost unknown" if usage.known_cost is None else f"${usage.known_cost:,.4f}"
    if usage.known_cost is not None and usage.unknown_costs:
        cost += f" and {counted(usage.unknown_costs, 'call')} of unknown price"
    return f"{counted(usage.calls, 'call')}, {tokens}, {cost}{cached}"
