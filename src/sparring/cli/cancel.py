"""`sparring cancel BATCH`: stop a batch that a server plays."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import say
from sparring.cli.exits import PASSED
from sparring.cli.loop import run_in_loop
from sparring.cli.naming import head_called
from sparring.cli.remote import ApiUrl, Remote, TokenFile
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.settings import load as load_settings
from sparring.store.sqlite.locks import is_held
from sparring.store.sqlite.store import SqliteStore
from sparring.web.service import status as status_of

cancel_app = options.application()


@cancel_app.command()
def cancel(
    which: Annotated[str, typer.Argument(metavar="BATCH", help="A batch: its id or latest; in a store, its name too.")],
    api_url: ApiUrl = None,
    token_file: TokenFile = None,
    store: options.Store = None,
) -> int:
    """Stop a batch. What is stored stays, and it can be resumed.

    Without --api-url the server must be down: it does not go on with the batch then when it starts again.
    """
    if api_url is not None:
        say(run_in_loop(_cancel_remote(Remote(api_url, token_file), which)))
    else:
        say(run_in_loop(_cancel_local(load_settings({"store": store}, directory=Path.cwd()).store, which)))
    return PASSED


async def _cancel_remote(server: Remote, which: str) -> str:
    told = await server.ask("POST", f"{await server.batch(which)}/cancel")
    return f"batch {told['batch_id']}: {told['status']}"


async def _cancel_local(path: Path, which: str) -> str:
    async with SqliteStore(path, must_exist=True) as store:
        batch = await head_called(which, store)
        job = await store.job(batch.id)
        if job is None or (await status_of(store, batch)).status.final:
            raise InputError(f"batch {batch.id} is not under way")
        if is_held(path):
            raise InputError(f"a server plays the batches of {path}", hint="ask it: --api-url http://localhost:5000")
        if not job.served:
            raise InputError(f"batch {batch.id} is played by a command, not by a server", hint="Ctrl-C there stops it")
        await store.keep_job(job.model_copy(update={"cancelled": True, "ended": SystemClock().now()}))
    return f"batch {batch.id}: cancelled"
