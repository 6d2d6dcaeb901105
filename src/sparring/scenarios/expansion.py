"""Input and output of every scenario kind, and the expansion of variables to values.

The expansion is a pure function of the file and a seed. A variable has a list if its function can pick several values
(`default`, `random(n)`, `random(rand)`, `another(n)`), and else a single value.

Variables that are walked through form cycles: an un-nested `forward` with all variables nested in it, and all variables
that are covered together (`pairwise`, `covering(n)`). All others draw independently.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from itertools import count, islice
from math import prod
from random import Random

from sparring.core.case import Case, Limits
from sparring.core.errors import Problem
from sparring.core.value import Json
from sparring.scenarios.external_values import ExternalValues
from sparring.scenarios.pairwise import covering
from sparring.scenarios.variables import Function, Variable


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """Options of a load: seed, today's date, default limits, and the source of external values.

    Documents may have `extra_keys` at the top; they are ignored.
    """

    seed: int
    today: date
    limits: Limits = field(default_factory=Limits)
    outside: ExternalValues = field(default_factory=ExternalValues)
    extra_keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Expansion:
    """The cases of a file, and its settings for the run: model, temperature and budget.

    `left_out` has the reason for each conversation that the file describes and that cannot be played.
    """

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
    max_cost: float | None = None
    left_out: tuple[Problem, ...] = ()


Row = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Share:
    """A share of all combinations in place of a number of conversations; 1 is all.

    `over` restricts the combinations to one kind of cycle, `forward` or `pairwise`; the other cycles advance in
    parallel.
    """

    of: float = 1.0
    over: str = ""


@dataclass(frozen=True, slots=True)
class _Cycle:
    """Rows that repeat after `length`, and a function that returns the n-th."""

    kind: str
    length: int
    row: Callable[[int], Row]


def combinations(variables: Sequence[Variable], share: Share = Share(), *, never: Sequence[Row] = ()) -> int:
    """Return the number of combinations: the product over all cycles, 1 without any."""
    return prod(cycle.length for cycle in _cycles(variables, never) if share.over in ("", cycle.kind))


def expand(variables: Sequence[Variable], number: int | Share, *, seed: str, never: Sequence[Row] = ()) -> list[Row]:
    """Return the values of every conversation, in order.

    With a number, every cycle advances on its own and starts again at its end, so a larger number only adds
    conversations. With a share, combinations of all cycles are drawn without repetition, in order. Values that occur in
    one row of `never` are not combined; they belong to variables that are covered together.
    """
    cycles = _cycles(variables, never)
    combined = [cycle for cycle in cycles if isinstance(number, Share) and number.over in ("", cycle.kind)]
    alone = [cycle for cycle in cycles if cycle not in combined]
    walk = range(number) if isinstance(number, int) else _drawn(number, prod(c.length for c in combined), seed)
    picks = {variable.name: _picks(variable, Random(f"{seed}/{variable.name}")) for variable in variables}
    return [
        _row(variables, _combined(combined, index) | _side_by_side(alone, turn), picks)
        for turn, index in enumerate(walk)
    ]


def _row(variables: Sequence[Variable], walked: Row, picks: Mapping[str, Iterator[Json]]) -> Row:
    return {v.name: walked[v.name] if v.name in walked else next(picks[v.name]) for v in variables}


def _drawn(share: Share, total: int, seed: str) -> Sequence[int]:
    size = max(1, round(total * share.of))
    return range(total) if size >= total else sorted(Random(f"{seed}/sample").sample(range(total), size))


def _side_by_side(cycles: Iterable[_Cycle], index: int) -> Row:
    return _merged(cycle.row(index % cycle.length) for cycle in cycles)


def _combined(cycles: Sequence[_Cycle], index: int) -> Row:
    digits = _digits(index, [cycle.length for cycle in cycles])
    return _merged(cycle.row(digit) for cycle, digit in zip(cycles, digits, strict=True))


def _merged(rows: Iterable[Row]) -> Row:
    return {name: value for row in rows for name, value in row.items()}


def _cycles(variables: Sequence[Variable], never: Sequence[Row]) -> list[_Cycle]:
    """Return the cycles in the order in which their first variables are declared."""
    cycles = []
    for variable in variables:
        if variable.function == Function("forward"):
            cycles.append(_chain(_family(variable, variables)))
        elif variable.function.name in ("pairwise", "covering"):
            group = [other for other in variables if other.function == variable.function]
            if variable is group[0]:
                cycles.append(_covered(group, never))
    return cycles


def _family(root: Variable, variables: Sequence[Variable]) -> list[Variable]:
    """Return a variable and all nested in it, the deepest first.

    The un-nested one is last and varies fastest.
    """
    generations = [[root]]
    while generations[-1]:
        masters = {variable.name for variable in generations[-1]}
        generations.append([variable for variable in variables if _master(variable) in masters])
    return [variable for generation in reversed(generations) for variable in generation]


def _chain(members: Sequence[Variable]) -> _Cycle:
    sizes = [len(member.values) for member in members]

    def row(index: int) -> Row:
        digits = _digits(index, sizes)
        return {member.name: member.values[digit] for member, digit in zip(members, digits, strict=True)}

    return _Cycle("forward", prod(sizes), row)


@lru_cache(maxsize=64)
def _rows(
    sizes: tuple[int, ...], strength: int, never: tuple[tuple[tuple[int, int], ...], ...]
) -> list[tuple[int, ...]]:
    """Return a covering array. It is cached because its length is needed before its rows."""
    return covering(sizes, strength, [dict(rule) for rule in never])


def _covered(members: Sequence[Variable], never: Sequence[Row]) -> _Cycle:
    strength = 2 if members[0].function.name == "pairwise" else int(members[0].function.argument)
    places = {member.name: (place, member.values) for place, member in enumerate(members)}
    rules = [
        {places[name][0]: places[name][1].index(value) for name, value in together.items()}
        for together in never
        if together.keys() <= places.keys()
    ]
    rows = _rows(tuple(len(member.values) for member in members), strength, tuple(tuple(r.items()) for r in rules))

    def row(index: int) -> Row:
        return {member.name: member.values[digit] for member, digit in zip(members, rows[index], strict=True)}

    return _Cycle("pairwise", len(rows), row)


def _master(variable: Variable) -> str | None:
    return (variable.function.argument or None) if variable.function.name == "forward" else None


def _digits(index: int, sizes: Sequence[int]) -> list[int]:
    """Return the digits of `index` in the mixed radix `sizes`; the last digit varies fastest."""
    digits = []
    for size in reversed(sizes):
        index, digit = divmod(index, size)
        digits.append(digit)
    return digits[::-1]


def _picks(variable: Variable, random: Random) -> Iterator[Json]:
    """Yield the values that a variable outside of all cycles takes, conversation by conversation."""
    values, call = list(variable.values), variable.function
    if call.name == "another":
        return _others(values, call.argument, random)
    return (_pick(values, call, random) for _ in count())


def _pick(values: list[Json], call: Function, random: Random) -> Json:
    if call.name == "default":
        return values
    if not call.argument:
        return random.choice(values)
    size = random.randint(1, len(values)) if call.argument == "rand" else int(call.argument)
    return random.sample(values, min(size, len(values)))


def _others(values: list[Json], argument: str, random: Random) -> Iterator[Json]:
    """Shuffle and deal the values, so that none repeats before all were dealt.

    `argument` is the size of a hand.
    """
    size = min(int(argument), len(values)) if argument else 1
    for hand in _deal(len(values), size, random):
        yield [values[index] for index in hand] if argument else values[hand[0]]


def _deal(cards: int, size: int, random: Random) -> Iterator[list[int]]:
    deck: list[int] = []
    while True:
        hand, deck = deck[:size], deck[size:]
        if len(hand) < size:
            fresh = random.sample(range(cards), cards)
            new = list(islice((card for card in fresh if card not in hand), size - len(hand)))
            hand, deck = hand + new, [card for card in fresh if card not in new]
        yield hand
