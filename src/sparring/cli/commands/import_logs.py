"""`sparring import LOGS`: bring logs of real conversations into the store, for rules and judges."""

import shlex
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.cli import options
from sparring.cli.arguments import tell_taken
from sparring.cli.console import IMPORTED, say, tell_skipped, warn_of_people
from sparring.cli.process import PASSED, run_in_loop
from sparring.core.batch import Batch, Players
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.seeding import ulid
from sparring.core.text import visible
from sparring.rules.inputs.chat_logs import ChatLog, columns_of, read_log
from sparring.settings import load_config
from sparring.store.redaction import Redaction
from sparring.store.sqlite.store import SqliteStore

app = options.application()


@app.command("import")
def import_logs(
    logs: Annotated[Path, typer.Argument(metavar="LOGS", help="A log, one message a row: .csv, or JSON line by line.")],
    columns: Annotated[
        str, typer.Option("--map", help="Which column holds what: id=COLUMN,role=COLUMN,text=COLUMN.")
    ] = "id=id,role=role,text=text",
    name: Annotated[str, typer.Option("--name", help="A name to find the batch by, instead of its id.")] = "",
    store: options.Store = None,
) -> int:
    """Bring logs of real conversations into the store, so that rules and judges run over them."""
    config = load_config({"store": store}, directory=Path.cwd())
    log = read_log(logs, columns_of(columns))
    tell_skipped(log.skipped, "rows")
    if not log.conversations:
        raise InputError(f"{logs} holds no conversations", hint="--map id=COLUMN,role=COLUMN,text=COLUMN")
    batch = run_in_loop(_keep(config, log, name))
    say(f"imported: {len(log.conversations):,} conversations")
    say(f"Look closer: sparring check --rule 'turns() < 12' --conversations {shlex.quote(visible(name or batch))}")
    return PASSED


async def _keep(config: AppConfig, log: ChatLog, name: str) -> str:
    now = SystemClock().now()
    batch = Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=Players(chatbot=IMPORTED, user=IMPORTED, reader="none"),
        cases=tuple(conversation.case for conversation in log.conversations),
        name=name,
    )
    async with SqliteStore(config.store, hiding=Redaction(config.redact)) as store:
        await tell_taken(name, store)
        await store.create(batch)
        warn_of_people(batch, config)
        for conversation in log.conversations:
            await store.add(batch.id, conversation)
    return batch.id
