"""All operators, by module: each a line in a table, or an entry point of another package."""

from collections.abc import Iterable

from sparring.core import plugins
from sparring.core.errors import InputError
from sparring.core.text import did_you_mean
from sparring.mutation.operator import MutationOperator
from sparring.mutation.operators import calls, flow, prompts, values, words

OPERATORS: tuple[MutationOperator, ...] = (
    *values.OPERATORS,
    *words.OPERATORS,
    *calls.OPERATORS,
    *flow.OPERATORS,
    *prompts.OPERATORS,
)

_GROUP = "sparring.mutations"


def chosen_operators(names: Iterable[str]) -> tuple[MutationOperator, ...]:
    """Return the operators of these names or classes, or all. Raise InputError for an unknown name."""
    wanted = [each.strip() for name in names for each in name.split(",") if each.strip()]
    every = (*OPERATORS, *map(_plugin, plugins.names(_GROUP)))
    known = {each.name for each in every} | {each.kind for each in every}
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise InputError(f"there is no operator {unknown[0]!r}", hint=did_you_mean(unknown[0], sorted(known)))
    return tuple(each for each in every if not wanted or each.name in wanted or each.kind in wanted)


def _plugin(name: str) -> MutationOperator:
    """Return an operator that another package provides."""
    found = plugins.find(_GROUP, name)
    if not isinstance(found, MutationOperator) or "." not in found.name:
        raise InputError(
            f"{_GROUP}: {name} is no operator", hint='MutationOperator("reply.NAME", "what it does", says=...)'
        )
    if any(each.name == found.name for each in OPERATORS):
        raise InputError(f"{_GROUP}: {name} has the name of a built-in operator, {found.name}")
    return found
