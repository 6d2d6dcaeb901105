"""Variables of a scenario: which value each conversation gets.

A pure function of what the author wrote and a seed. A variable holds a list exactly where its function can pick
several values (`default`, `random(n)`, `random(rand)`, `another(n)`), and one plain value otherwise.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from math import prod
from random import Random

from sparring.core.errors import Problem
from sparring.core.value import Json
from sparring.scenarios.spelling import meant

Row = dict[str, Json]

_CALL = re.compile(r"\s*(\w+)\s*(?:\(\s*([^()]*?)\s*\))?\s*")
_ARGUMENTS = {"default": "", "random": "a count, or rand", "another": "a count", "forward": "the name of a variable"}


@dataclass(frozen=True, slots=True)
class Function:
    """How a variable picks among its values: a name and what stands in its brackets."""

    name: str
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.argument})"


@dataclass(frozen=True, slots=True)
class Variable:
    """A name, the values it may take, and the function that picks among them."""

    name: str
    values: tuple[Json, ...]
    function: Function = Function("default")


@dataclass(frozen=True, slots=True)
class Share:
    """A share of all combinations, instead of a number of conversations; 1 is every one of them."""

    of: float = 1.0


@dataclass(frozen=True, slots=True)
class _Cycle:
    """Rows that come round again, and how to get the n-th."""

    length: int
    row: Callable[[int], Row]


def function(text: str) -> Function:
    """What `forward(drink)` says; a ValueError that says what was meant where it says nothing known."""
    match = _CALL.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a function: write it like random(), random(2) or forward(size)")
    name, argument = match[1], match[2] or ""
    if name not in _ARGUMENTS:
        raise ValueError(f"unknown function {name!r}: {meant(name, _ARGUMENTS)}")
    if not _accepts(name, argument):
        raise ValueError(f"{name}() takes {_ARGUMENTS[name] or 'nothing'}, not {argument!r}")
    return Function(name, argument)


def problems(variables: Sequence[Variable]) -> list[Problem]:
    """What is wrong with how variables refer to each other; the path of a problem is the name of the variable."""
    by_name = {variable.name: variable for variable in variables}
    return [
        Problem(path=variable.name, message=message, hint=hint)
        for variable in variables
        for message, hint in _complaints(variable, by_name)
    ]


def combinations(variables: Sequence[Variable]) -> int:
    """How many combinations `forward` walks through: the product over all chains, one if there is none."""
    return prod(cycle.length for cycle in _cycles(variables))


def expand(variables: Sequence[Variable], number: int | Share, *, seed: str) -> list[Row]:
    """The values of every conversation, in order.

    With a number, every chain of `forward` goes its own way and starts again at its end; a larger number only adds
    conversations. With a share, combinations of all chains are drawn without repeating one, and stay in order.
    """
    cycles = _cycles(variables)
    walk = range(number) if isinstance(number, int) else _drawn(number, prod(c.length for c in cycles), seed)
    place = _side_by_side if isinstance(number, int) else _combined
    picks = {variable.name: _picks(variable, Random(f"{seed}/{variable.name}")) for variable in variables}
    return [_row(variables, place(cycles, index), picks) for index in walk]


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


def _cycles(variables: Sequence[Variable]) -> list[_Cycle]:
    """One for every un-nested `forward` variable, together with all that are nested in it."""
    forward = [variable for variable in variables if variable.function.name == "forward"]
    return [_chain(_family(root, forward)) for root in forward if not root.function.argument]


def _family(root: Variable, forward: Sequence[Variable]) -> list[Variable]:
    """A variable and all nested in it, the deepest first: the un-nested one comes last and varies fastest."""
    generations = [[root]]
    while generations[-1]:
        masters = {variable.name for variable in generations[-1]}
        generations.append([variable for variable in forward if variable.function.argument in masters])
    return [variable for generation in reversed(generations) for variable in generation]


def _chain(members: Sequence[Variable]) -> _Cycle:
    sizes = [len(member.values) for member in members]

    def row(index: int) -> Row:
        digits = _digits(index, sizes)
        return {member.name: member.values[digit] for member, digit in zip(members, digits, strict=True)}

    return _Cycle(prod(sizes), row)


def _digits(index: int, sizes: Sequence[int]) -> list[int]:
    """`index` as an odometer with wheels of these sizes shows it; the last wheel turns fastest."""
    digits = []
    for size in reversed(sizes):
        index, digit = divmod(index, size)
        digits.append(digit)
    return digits[::-1]


def _picks(variable: Variable, random: Random) -> Iterator[Json]:
    """What a variable that is not walked through takes, conversation by conversation."""
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
    """Shuffled and dealt, and nothing twice before all were dealt; `argument` is how many at a time."""
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


def _accepts(name: str, argument: str) -> bool:
    if name == "random" and argument == "rand":
        return True
    if name in ("random", "another") and argument:
        return argument.isascii() and argument.isdigit() and int(argument) > 0
    return name == "forward" or not argument


def _complaints(variable: Variable, by_name: Mapping[str, Variable]) -> Iterator[tuple[str, str]]:
    master = variable.function.argument
    if variable.function.name != "forward" or not master:
        return
    if master not in by_name:
        yield f"{variable.function} names a variable that does not exist", meant(master, by_name)
    elif by_name[master].function.name != "forward":
        yield (
            f"{variable.function} can only be nested in a forward() variable",
            f"{master} is {by_name[master].function}",
        )
    elif circle := _circle(variable, by_name):
        yield "variables are nested in a circle", " -> ".join(circle)


def _circle(variable: Variable, by_name: Mapping[str, Variable]) -> list[str]:
    """The names on the way back to `variable`, if following its masters leads there."""
    way = [variable.name]
    while (master := by_name.get(way[-1])) and master.function.argument:
        way.append(master.function.argument)
        if way[-1] == variable.name:
            return way
        if way[-1] in way[:-1]:
            return []
    return []
