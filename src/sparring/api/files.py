"""Functions over files that people write: scenarios, rules, rubrics, presets and settings."""

from pathlib import Path

from sparring.app.validate import SettingsChecks, check_files
from sparring.core.case import Case
from sparring.core.checks import Gate, require_possible
from sparring.core.errors import InputError, Problem
from sparring.scenarios import loading
from sparring.scenarios.external_values import ExternalValues, compute_values
from sparring.settings import load as load_settings


def validate(*sources: str | Path) -> tuple[Problem, ...]:
    """Return every problem in files, and in all files of folders, with file, line and column.

    Nothing is run or sent, and no exception is raised: a file that does not exist is a problem, too.
    """
    found = check_files(map(Path, sources), SETTINGS_CHECKS)
    return tuple(problem for checked in found for problem in checked.problems)


def load(*sources: str | Path, seed: int = 0, allow_code: bool = False) -> tuple[Case, ...]:
    """Return the cases of scenario files, profiles, playbooks and scenarios JSON, or of folders of them.

    The same `seed` gives the same cases. Python functions named in profiles run only with `allow_code`. Values that a
    model makes up require `run` or `plan`. Raise InputError with all problems of all files.
    """
    outside = ExternalValues(compute=compute_values) if allow_code else ExternalValues()
    return loading.load([Path(source) for source in sources], seed=seed, outside=outside).cases


def _check_settings(file: Path) -> None:
    gate = load_settings({}, directory=file.parent, environ={}).gate
    if gate is not None:
        require_possible(gate)


def _informed() -> bool:
    try:
        return bool(load_settings({}, directory=Path.cwd()).webhook.url)
    except InputError:  # settings that cannot be read may name a webhook
        return True


def _judge() -> str | None:
    try:
        settings = load_settings({}, directory=Path.cwd())
    except InputError:
        return None
    return settings.judge or "checklist" if settings.null_bots else None


def _gate() -> Gate | None:
    try:
        return load_settings({}, directory=Path.cwd()).gate
    except InputError:
        return None


SETTINGS_CHECKS = SettingsChecks(_check_settings, _informed, _judge, _gate)
"""The checks of files that read settings."""
