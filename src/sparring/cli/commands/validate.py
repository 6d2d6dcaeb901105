"""`sparring validate`: list every problem in files that people write."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.api.files import SETTINGS_CHECKS
from sparring.app.dataset_lock import write_lock
from sparring.app.user_warnings import role_sheets
from sparring.app.validate import Checked, check_files, with_gate, with_weak_cases
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import BAD_INPUT, PASSED
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.lines import counted


def validate(
    files: Annotated[list[Path] | None, typer.Argument(metavar="FILE")] = None,
    lock: Annotated[bool, typer.Option("--lock")] = False,
    as_json: options.Json = False,
) -> int:
    """List every problem in scenario, rule, personality, preset and settings files."""
    found = list(check_files(files or [Path()], SETTINGS_CHECKS))
    if lock:
        found = [each for each in found if each.kind != "lock"]
        if not any(each.problems for each in found):
            write_lock(files or ())
    checked = with_gate(asyncio.run(with_weak_cases(found, SETTINGS_CHECKS)), SETTINGS_CHECKS)
    answer("validation", {"files": [_as_json(each) for each in checked]}, _lines(checked), as_json=as_json)
    return BAD_INPUT if any(each.problems for each in checked) else PASSED


def _as_json(checked: Checked) -> Json:
    errors: list[Json] = [problem.model_dump(mode="json") for problem in checked.problems]
    warnings: list[Json] = [problem.model_dump(mode="json") for problem in checked.warnings]
    kind = checked.kind or None
    body: dict[str, Json] = {"path": str(checked.path), "kind": kind, "ok": not errors}
    body |= {"errors": errors, "warnings": warnings}
    return body | ({"role_sheet": role_sheets(checked.cases)} if checked.cases else {})


def _lines(checked: list[Checked]) -> Iterator[str]:
    width = max(len(each.kind) for each in checked)
    for each in checked:
        state = "ERROR" if each.problems else "warn" if each.warnings else "ok"
        yield visible(f"{state:<5}  {each.kind:<{width}}  {each.path}")
        for problem in (*each.problems, *each.warnings):
            yield visible(f"       {problem}")
    wrong, warned = sum(bool(each.problems) for each in checked), sum(bool(each.warnings) for each in checked)
    yield f"{counted(len(checked), 'file')}, {wrong:,} with errors{f', {warned:,} with warnings' if warned else ''}"
