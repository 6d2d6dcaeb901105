"""`sparring status BATCH`: progress of a batch. `sparring cancel BATCH`: stop a batch on a server."""

from collections.abc import Iterator

from sparring.app.config import AppConfig
from sparring.app.results import batch_status as status_of
from sparring.app.stores import is_served
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import FAILED, PASSED, UNDECIDED
from sparring.cli.remote import ApiUrl, Remote, TokenFile
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.reports.service_results import BatchStatus, Status
from sparring.store.remote import RemoteStore

WAITS = "no server is running it; the next one that starts with this store will resume it"
_CODES = {Status.FAILED: FAILED, Status.CANCELLED: UNDECIDED}


@options.configured("store")
async def status(
    which: options.Batch,
    api_url: ApiUrl = None,
    token_file: TokenFile = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Show the progress of a batch. Exit code: 1 if it failed, 3 if it was cancelled, else 0."""
    found = await (_local(config, which) if api_url is None else _remote(Remote(api_url, token_file), which))
    answer("status", found.model_dump(mode="json"), _lines(found), as_json=as_json)
    return _CODES.get(found.status, PASSED)


async def _remote(server: Remote, which: str) -> BatchStatus:
    return BatchStatus.model_validate(await server.ask("GET", await server.batch(which)))


async def _local(config: AppConfig, which: str) -> BatchStatus:
    async with opened(config, which, head=True) as (batch, store):
        found = await status_of(store, batch)
        if found.status.final or is_served(config.store) or await store.is_played(found.batch_id):
            return found
        job = await store.job(found.batch_id)
    if job is None or not job.served or not job.is_running:
        return found  # its playing came to an end between two looks
    return found.model_copy(update={"status": Status.PENDING, "error_message": WAITS})


def _lines(found: BatchStatus) -> Iterator[str]:
    yield visible(f"batch {found.batch_id} {found.name}".rstrip() + f": {found.status}")
    yield (
        f"  {found.progress:g}%: {found.completed_scenarios:,} completed, {found.failed_scenarios:,} failed,"
        f" of {found.total_scenarios:,}"
    )
    times = {"created": found.created_at, "started": found.started_at, "ended": found.completed_at}
    yield "  " + ", ".join(f"{name} {time:%Y-%m-%d %H:%M:%S}" for name, time in times.items() if time) + " UTC"
    if found.error_message:
        yield visible(f"  {found.error_message}")


@options.configured("store")
async def cancel(
    which: options.Batch,
    api_url: ApiUrl = None,
    token_file: TokenFile = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Stop a batch. Stored conversations stay, and the batch can be resumed.

    Without --api-url the server must be down; it does not resume the batch when it starts again.
    """
    remote = None if api_url is None else Remote(api_url, token_file)
    batch, state = await (_cancel_local(config, which) if remote is None else _cancel_remote(remote, which))
    answer("cancelled", {"batch": batch, "status": state}, [f"batch {batch}: {state}"], as_json=as_json)
    return PASSED


async def _cancel_remote(server: Remote, which: str) -> tuple[str, str]:
    answered = await server.ask("POST", f"{await server.batch(which)}/cancel")
    return answered["batch_id"], answered["status"]


async def _cancel_local(config: AppConfig, which: str) -> tuple[str, str]:
    async with opened(config, which, head=True) as (batch, store):
        job = await store.job(batch.id)
        if job is None or (await status_of(store, batch)).status.final:
            raise InputError(f"batch {batch.id} is not running")
        if is_served(config.store):
            raise InputError(f"a server runs the batches of {config.store}", hint="name the server: --api-url URL")
        if isinstance(store, RemoteStore):
            await store.cancel_batch(batch.id)
            return batch.id, "cancelled"
        if not job.served:
            raise InputError(f"batch {batch.id} is run by a command, not by a server", hint="Ctrl-C there stops it")
        await store.keep_job(job.model_copy(update={"cancelled": True, "ended": SystemClock().now()}))
    return batch.id, "cancelled"
