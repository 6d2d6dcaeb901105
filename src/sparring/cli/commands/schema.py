"""`sparring schema KIND`: a JSON Schema, with which editors complete and check files.

`sparring personas`: the bundled personalities, by the names that scenarios use.
"""

from typing import Annotated, Any

import typer

from sparring.app.file_kinds import schemas
from sparring.app.schema import schema_of
from sparring.cli import options
from sparring.cli.console import say, say_all
from sparring.cli.process import PASSED
from sparring.core.errors import InputError
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.reports.json_report import printed
from sparring.scenarios.personas import bundled_personalities

app = options.application()


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(metavar="KIND", help="scenario, profile, playbook, rule, preset, ...")] = "",
) -> int:
    """Print the JSON Schema of a kind of file, for editors; without KIND, list the kinds."""
    known = {**schemas(), "settings": _settings}
    if not kind:
        say_all(known)
        return PASSED
    if kind not in known:
        raise InputError(f"no schema for {kind[:40]!r}", hint=suggest(kind, known))
    say(printed(known[kind]()))
    return PASSED


def _settings() -> Any:
    from sparring.settings import Settings  # only the tops read settings

    return schema_of(Settings)


personas_app = options.application()


@personas_app.command()
def personas(as_json: options.Json = False) -> int:
    """List the bundled personalities. A scenario names one as its user: `user: rude-user`."""
    if as_json:
        told: Json = [{"name": each.name, "traits": list(each.traits)} for each in bundled_personalities()]
        say(printed(told))
        return PASSED
    for each in bundled_personalities():
        say(each.name)
        say_all(f"  - {trait}" for trait in each.traits)
    return PASSED
