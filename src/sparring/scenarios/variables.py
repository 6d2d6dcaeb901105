"""Variables of a scenario and the functions that pick their values."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sparring.core.errors import Problem
from sparring.core.text import suggest
from sparring.core.value import Json

_CALL = re.compile(r"(\w+)\s*(?:\(([^()]*)\))?")
_ARGUMENTS = {
    "default": "nothing",
    "random": "a count, or rand",
    "another": "a count",
    "forward": "the name of a variable",
    "pairwise": "nothing",
    "covering": "a number from 1 to 6",
}
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
_STRENGTH = re.compile(r"[1-6]")


@dataclass(frozen=True, slots=True)
class Function:
    """The function that picks a variable's values: a name and its argument."""

    name: str
    argument: str = ""

    def __str__(self) -> str:
        return f"{self.name}({self.argument})"


@dataclass(frozen=True, slots=True)
class Variable:
    """A name, the possible values, and the function that picks among them."""

    name: str
    values: tuple[Json, ...]
    function: Function = Function("default")


def function(text: str) -> Function:
    """Parse a function such as `forward(drink)`; raise a `ValueError` with a suggestion if it is unknown."""
    match = _CALL.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a function: write it like random(), random(2) or forward(size)")
    name, argument = match[1], (match[2] or "").strip()
    if name not in _ARGUMENTS:
        raise ValueError(f"unknown function {name!r}: {suggest(name, _ARGUMENTS)}")
    if not _accepts(name, argument):
        raise ValueError(f"{name}() takes {_ARGUMENTS[name]}, not {argument!r}")
    return Function(name, argument)


MAX_CHOICES = 30
"""Values of a variable above which a case does not keep them all, and its coverage is not measured."""


def choices(variables: Sequence[Variable]) -> dict[str, tuple[Json, ...]]:
    """Return the values that a case keeps of variables with several, with one too many if open."""
    return {each.name: each.values[: MAX_CHOICES + 1] for each in variables if len(each.values) > 1}


def problems(variables: Sequence[Variable]) -> list[Problem]:
    """Return the problems with references between variables; the path of each is the name of the variable."""
    by_name = {variable.name: variable for variable in variables}
    return [
        Problem(path=variable.name, message=message, hint=hint)
        for variable in variables
        for message, hint in _complaints(variable, by_name)
    ]


def _accepts(name: str, argument: str) -> bool:
    if name == "covering":
        return _STRENGTH.fullmatch(argument) is not None
    if name in ("random", "another"):
        return not argument or _COUNT.fullmatch(argument) is not None or (name, argument) == ("random", "rand")
    return name == "forward" or not argument


def _complaints(variable: Variable, by_name: Mapping[str, Variable]) -> Iterator[tuple[str, str]]:
    master = variable.function.argument
    if variable.function.name != "forward" or not master:
        return
    if master not in by_name:
        yield f"{variable.function} names a variable that does not exist", suggest(master, by_name)
    elif by_name[master].function.name != "forward":
        yield (
            f"{variable.function} can only be nested in a forward() variable",
            f"{master} is {by_name[master].function}",
        )
    elif circle := _circle(variable, by_name):
        yield "variables are nested in a circle", " -> ".join(circle)


def _circle(variable: Variable, by_name: Mapping[str, Variable]) -> list[str]:
    """Return the names on the way back to `variable` if its masters lead there, else none."""
    way = [variable.name]
    while (master := by_name.get(way[-1])) and master.function.argument:
        way.append(master.function.argument)
        if way[-1] == variable.name:
            return way
        if way[-1] in way[:-1]:
            return []
    return []
