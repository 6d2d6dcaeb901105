"""Warnings about users without a model, and what they take from the sentences about them."""

from collections.abc import Iterable
from dataclasses import asdict

from sparring.core.case import Case
from sparring.core.errors import Problem
from sparring.core.value import Json
from sparring.extraction.role_sheet import role_sheet
from sparring.reports.lines import counted
from sparring.users.warnings import style_warnings, unread_warnings


def user_warnings(cases: Iterable[Case], *, file: str = "", model: bool = False) -> tuple[Problem, ...]:
    """Return each warning about users, played by a `model` or not, with its cases."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for warning in (*style_warnings(case, model=model), *(() if model else unread_warnings(case))):
            found.setdefault(warning, []).append(case.id)
    return tuple([_warning(warning, ids, file) for warning, ids in found.items()])


def used_sentences(cases: Iterable[Case]) -> str:
    """Return how many sentences about users have an effect without a model."""
    sheets = [role_sheet(case) for case in cases if not case.script]
    stated = {text for sheet in sheets for text in sheet.sentences}
    unread = {text for sheet in sheets for text in sheet.unread}
    return f"{len(stated - unread)} of {counted(len(stated), 'sentence')} about the user used" if stated else ""


def role_sheets(cases: Iterable[Case]) -> list[Json]:
    """Return the role sheets of users without a model, by the first case of each scenario."""
    first: dict[str, Case] = {}
    for case in cases:
        first.setdefault(case.id.rpartition("/")[0] or case.id, case)
    return [_role_sheet(name, case) for name, case in first.items()]


def _role_sheet(name: str, case: Case) -> Json:
    sheet = role_sheet(case)
    facts: list[Json] = [fact.model_dump(mode="json") for fact in sheet.facts]
    manners: list[Json] = [asdict(manner) for manner in sheet.manners]
    return {
        "scenario": name,
        "case": case.id,
        "facts": facts,
        "manners": manners,
        "hidden": list(sheet.hidden),
        "unread": list(sheet.unread),
    }


def _warning(warning: str, ids: list[str], file: str) -> Problem:
    more = f" and {counted(len(ids) - 1, 'other case')}" if len(ids) > 1 else ""
    return Problem(file=file, path=f"{ids[0]}{more}", message=warning)
