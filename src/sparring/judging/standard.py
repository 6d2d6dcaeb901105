"""What a judge is asked where nobody says what to ask."""

from collections.abc import Iterable
from functools import cache

from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.judging.rubric_files import GENERAL, ORDER, find_rubric
from sparring.judging.wanted import wanted


def standard(cases: Iterable[Case]) -> Rubric:
    """The rubric for orders where every case wants one, else the general one."""
    cases = tuple(cases)
    return _shipped(ORDER if cases and all(map(wanted, cases)) else GENERAL)


@cache
def _shipped(name: str) -> Rubric:
    return find_rubric(name)
