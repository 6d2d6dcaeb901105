"""Warnings about what the user of a case cannot show, told once for all cases before a run."""

from collections.abc import Iterable

from sparring.core.case import Case
from sparring.core.errors import Problem
from sparring.reports.lines import counted
from sparring.users.idle_styles import style_warnings


def user_warnings(cases: Iterable[Case], *, file: str = "", model: bool = False) -> tuple[Problem, ...]:
    """Return each warning about users, played by a `model` or not, with its cases."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for warning in style_warnings(case, model=model):
            found.setdefault(warning, []).append(case.id)
    return tuple([_warning(warning, ids, file) for warning, ids in found.items()])


def _warning(warning: str, ids: list[str], file: str) -> Problem:
    more = f" and {counted(len(ids) - 1, 'other case')}" if len(ids) > 1 else ""
    return Problem(file=file, path=f"{ids[0]}{more}", message=warning)
