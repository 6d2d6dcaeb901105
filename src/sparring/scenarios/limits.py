"""Limits as scenario files set them."""

from sparring.core.case import Limits
from sparring.scenarios.part import Part

_COUNTS = ("turns", "steps", "fallbacks")
_AMOUNTS = ("reply_seconds", "seconds", "cost")


def limits(part: Part, common: Limits) -> Limits:
    """The common limits, with what `part` says in their place."""
    fields = part.fields((*_COUNTS, *_AMOUNTS))
    counts = {name: fields[name].whole() for name in _COUNTS if name in fields}
    amounts = {name: amount for name in _AMOUNTS if name in fields and (amount := fields[name].positive()) is not None}
    set_here = common.model_copy(update={**counts, **amounts})
    return set_here.model_copy(update={"turns": max(set_here.turns, set_here.steps or 1)})
