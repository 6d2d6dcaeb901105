"""Data given as a range instead of a list: `{min: 1, max: 6, step: 2}`.

The largest value always belongs to a range, also where the steps do not meet it: 1 to 6 by 2 is 1, 3, 5, 6. Without
a step, whole numbers go by 1. SENSEI treats ranges like this where they have a step, and leaves out the largest value
where they have none; its README calls the step of decimal numbers `steps`, which means the same here.
"""

from decimal import Decimal

MAX_VALUES = 10_000


def number_range(first: float, last: float, step: float) -> list[int | float]:
    """From `first` to `last` by `step`, with `last` at the end; in whole numbers if all three are."""
    whole = all(isinstance(number, int) for number in (first, last, step))
    start, stop, by = (Decimal(str(number)) for number in (first, last, step))
    _check_range(start, stop)
    if by <= 0:
        raise ValueError("step should be greater than 0")
    if (stop - start) / by > MAX_VALUES:
        raise ValueError(f"a range may hold {MAX_VALUES:,} values, not more")
    numbers = [start + by * i for i in range(int((stop - start) / by) + 1)]
    numbers += [stop] if numbers[-1] != stop else []
    return [int(number) if whole else float(number) for number in numbers]


def spread(first: float, last: float, number: int, *, whole: bool) -> list[int | float]:
    """`number` values from `first` to `last` at equal distances; whole ones are rounded, each given once."""
    start, stop = Decimal(str(first)), Decimal(str(last))
    _check_range(start, stop)
    if not 1 <= number <= MAX_VALUES:
        raise ValueError(f"linspace should be from 1 to {MAX_VALUES:,}")
    distance = (stop - start) / (number - 1) if number > 1 else Decimal(0)
    numbers = [start + distance * i for i in range(number)]
    return list(dict.fromkeys(round(n) for n in numbers)) if whole else [round(float(n), 12) for n in numbers]


def _check_range(first: Decimal, last: Decimal) -> None:
    if first > last:
        raise ValueError(f"min is greater than max: {first} and {last}")
