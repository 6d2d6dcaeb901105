"""Variables as scenario files define them, and what of them never occurs together."""

from collections.abc import Mapping, Sequence

from sparring.core.text import meant
from sparring.scenarios.bounds import MAX_VARIABLES, bounded
from sparring.scenarios.data import Given, variable
from sparring.scenarios.expanding import Row
from sparring.scenarios.part import Part
from sparring.scenarios.variables import Function, Variable, problems


def definitions(parts: Sequence[Part], given: Given) -> tuple[Variable, ...]:
    """The variables of one mapping after the other; a later one replaces an earlier one of its name."""
    places = {name: item for part in parts for name, item in part.entries()}
    few = bounded(parts[-1], list(places.items()), MAX_VARIABLES, "variables") if parts else ()
    found = tuple(_definition(name, item, given) for name, item in few)
    for problem in problems(found):
        places[problem.path].wrong(problem.message, problem.hint)
    return found


def never(part: Part, variables: Sequence[Variable]) -> tuple[Row, ...]:
    """Values that never occur together, each time as a mapping from variables to values."""
    covered = {each.name: each for each in variables if each.function.name in ("pairwise", "covering")}
    return tuple(values for item in part.items() if (values := _together(item, covered)))


def _definition(name: str, part: Part, given: Given) -> Variable:
    """A value, a list that is walked through, or a mapping that says more."""
    if isinstance(part.data, dict):
        return variable(name, part, given)
    listed = part if isinstance(part.data, list) else part.with_data([part.data])
    return Variable(name, variable(name, listed, given).values, Function("forward"))


def _together(part: Part, covered: Mapping[str, Variable]) -> Row:
    """The values of one rule; none of them, with complaints, where not all can be used."""
    values: Row = {}
    complaints = len(part.problems)
    for name, item in part.entries():
        if name not in covered:
            item.wrong("is no variable of pairwise() or covering()", meant(name, covered), key=True)
        elif item.data not in covered[name].values:
            item.wrong(f"is no value of {name}", meant(str(item.data), map(str, covered[name].values)))
        else:
            values[name] = next(value for value in covered[name].values if value == item.data)
    if len({covered[name].function for name in values}) > 1:
        part.wrong("these variables are not covered together", "give them the same function")
    return values if len(part.problems) == complaints else {}
