"""`sparring validate`: list every problem in files that people write.

`sparring schema KIND`: JSON Schemas for editors.
"""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from sparring.api.files import SETTINGS_CHECKS
from sparring.app.file_kinds import schema_of, schemas
from sparring.app.fingerprint import write_lock
from sparring.app.user_warnings import role_sheets
from sparring.app.validate import Checked, check_files, with_gate, with_weak_cases
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import BAD_INPUT, PASSED
from sparring.core.errors import InputError
from sparring.core.text import suggest, visible
from sparring.core.value import Json
from sparring.reports.documents import json_schema
from sparring.reports.json_report import printed
from sparring.reports.lines import counted
from sparring.scenarios.personas import bundled_personalities


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


def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND")] = "",
    as_json: options.Json = False,
) -> int:
    """Print the JSON Schema of a kind of file, for editors; without KIND, list the kinds.

    `json` is what commands print with --json.
    """
    known: dict[str, Callable[[], Any]] = {**schemas(), "settings": _settings, "json": json_schema}
    if kind and kind not in known:
        raise InputError(f"no schema for {kind[:40]!r}", hint=suggest(kind, known))
    found = known[kind]() if kind else None
    lines = [printed(found)] if kind else known
    answer("schemas", {"kinds": [kind] if kind else list(known), "document": found}, lines, as_json=as_json)
    return PASSED


def _settings() -> Any:
    from sparring.settings import Settings  # only the tops read settings

    return schema_of(Settings)


def personas(as_json: options.Json = False) -> int:
    """List the bundled personalities. A scenario names one as its user: `user: rude-user`."""
    found = bundled_personalities()
    body: list[Json] = [{"name": each.name, "traits": list(each.traits)} for each in found]
    lines = (line for each in found for line in (each.name, *(f"  - {trait}" for trait in each.traits)))
    answer("personas", {"personas": body}, lines, as_json=as_json)
    return PASSED
