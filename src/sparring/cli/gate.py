"""`sparring gate`: may the chatbot go live?"""

from pathlib import Path
from typing import Annotated

import typer

from sparring.app.report import report
from sparring.cli import options
from sparring.cli.console import say, unreadable
from sparring.cli.exits import of_gate
from sparring.cli.loop import run_in_loop
from sparring.cli.naming import batch_called
from sparring.core.checks import Gate
from sparring.reports.gate import Gated, gate_json, gate_text
from sparring.reports.json_report import printed
from sparring.settings import load as load_settings
from sparring.store.sqlite.store import SqliteStore

gate_app = options.application()


@gate_app.command()
def gate(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id, its name, or latest.")] = "latest",
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """Hold a batch against the gate of sparring.yaml: 0 if it gets through, 1 if not, 4 if that cannot be told."""
    settings = load_settings({"store": store}, directory=Path.cwd())
    result = run_in_loop(_gated(settings.store, which, settings.gate or Gate()))
    if as_json:
        say(printed(gate_json(result)))
    else:
        for line in gate_text(result):
            say(line)
    return of_gate(result.came)


async def _gated(path: Path, which: str, gate: Gate) -> Gated:
    async with SqliteStore(path, must_exist=True) as store:
        batch = await batch_called(which, store)
        made = await report(batch, store, gate=gate, unreadable=unreadable)
    assert made.gated is not None, "there is a gate"
    return made.gated
