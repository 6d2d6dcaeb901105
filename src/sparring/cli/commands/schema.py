"""`sparring schema KIND`: JSON Schemas for editors.

`sparring personas`: the bundled personalities, by the names that scenarios use.
"""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from sparring.app.file_kinds import schemas
from sparring.app.schema import schema_of
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.reports.documents import json_schema
from sparring.reports.json_report import printed
from sparring.scenarios.personas import bundled_personalities


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
