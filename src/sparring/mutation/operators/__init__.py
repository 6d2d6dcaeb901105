"""All operators, by module. A new one is a line in the table of its module."""

from sparring.mutation.operator import MutationOperator
from sparring.mutation.operators import calls, flow, prompts, values, words

OPERATORS: tuple[MutationOperator, ...] = (
    *values.OPERATORS,
    *words.OPERATORS,
    *calls.OPERATORS,
    *flow.OPERATORS,
    *prompts.OPERATORS,
)
