"""Batches in shards, and the jobs that workers find them by. Each function runs inside a transaction."""

from collections.abc import Iterator
from datetime import UTC, datetime

from sparring.core.batch import Batch, BatchExecution
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.events import BatchFinished
from sparring.core.prompts import Prompts
from sparring.store.remote import Control, Shard
from sparring.store.sql import reads, writes
from sparring.store.sql.connection import SqlConnection

QUEUE, TASK = "sparring", "sparring.shard"

_SIZES = 10, 100
"""The fewest and the most conversations of a shard, if a batch has that many."""

_FEWEST = 16
"""Shards of a small batch, so that several workers have some."""


_REPEAT = "place / remote.cases + 1"
_CONVERSATIONS = f"""
    FROM shards JOIN remote USING (batch) JOIN generate_series(first, last - 1) AS place ON true
        JOIN batch_cases ON batch_cases.batch = shards.batch AND position = place % remote.cases
        {{}} conversations ON conversations.batch = shards.batch AND conversations.repeat = {_REPEAT}
            AND conversations.position = batch_cases.position
"""
"""The planned conversations of shards, joined in one of two ways with the stored ones."""


def submit(
    connection: SqlConnection, batch: Batch, prompts: tuple[Prompts, ...], job: BatchExecution, options: bytes
) -> bool:
    """Write a batch with its shards and their jobs; return False and change nothing if its id exists."""
    if not writes.create(connection, batch, prompts=prompts):
        return False
    row = (batch.id, len(batch.cases), options)
    connection.execute("INSERT INTO remote (batch, cases, options) VALUES (?, ?, ?)", row)
    connection.executemany(
        "INSERT INTO shards (batch, number, first, last) VALUES (?, ?, ?, ?)",
        ((batch.id, number, *shard) for number, shard in enumerate(_shards(batch))),
    )
    writes.keep_job(connection, job)
    _enqueue(connection, "batch = ? AND NOT ended", (batch.id,))
    return True


def _shards(batch: Batch) -> Iterator[tuple[int, int]]:
    whole = len(batch.cases) * batch.repeats
    fewest, most = _SIZES
    size = min(most, max(fewest, whole // _FEWEST))
    for first in range(0, whole, size):
        yield first, min(first + size, whole)


def resume_batch(connection: SqlConnection, batch: str, *, whole: bool = False) -> None:
    """Give jobs to the shards that lack conversations, or to all of the `whole` batch.

    The first one always has a job, so that a worker ends a batch that lacks none. A shard that has ended gets one even
    while its last job is still there, because that job only finishes.
    """
    used, _ = reads.consumed(connection, batch)  # what a lost worker reserved is free again
    connection.execute(
        "UPDATE remote SET cancelled = false, stopped = '', cost_reserved = ?, tokens_reserved = ? WHERE batch = ?",
        (used.cost, float(used.tokens), batch),
    )
    lacking = "(? OR stored < last - first OR number = 0)"
    _enqueue(connection, f"batch = ? AND ended AND {lacking}", (batch, whole), unless="'todo'")
    connection.execute(
        f"UPDATE shards SET ended = false, error = '', failures = 0 WHERE batch = ? AND {lacking}", (batch, whole)
    )
    _enqueue(connection, "batch = ? AND NOT ended", (batch,))
    _edit(connection, _locked(connection, batch), ended=None, cancelled=False, stopped="", error="")


def logged(connection: SqlConnection, batch: str) -> tuple[int, int]:
    """Return the id of the last event of a batch, and the number of conversations whose end is logged."""
    query = """
        SELECT coalesce(max(id), 0), count(DISTINCT conversations.recording) FROM events
            LEFT JOIN conversations USING (batch, recording) WHERE batch = ?
    """
    last, ended = connection.execute(query, (batch,)).fetchone()
    return last, ended


def _enqueue(
    connection: SqlConnection, where: str, parameters: tuple[object, ...], *, unless: str = "'todo', 'doing'"
) -> None:
    """Add jobs for the shards that match a condition, unless one of these statuses is there."""
    connection.execute(
        f"""
        INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args)
        SELECT '{QUEUE}', '{TASK}', -number, jsonb_build_object('batch', batch, 'number', number)
        FROM shards WHERE {where} AND NOT EXISTS (
            SELECT 1 FROM procrastinate_jobs WHERE status IN ({unless}) AND task_name = '{TASK}'
            AND args ->> 'batch' = shards.batch AND CAST(args ->> 'number' AS INTEGER) = shards.number
        ) ORDER BY number
        """,
        parameters,
    )


def cancel_batch(connection: SqlConnection, batch: str) -> None:
    """Mark a batch as cancelled, so that no shard starts; workers poll the column and drop what they play."""
    connection.execute("UPDATE remote SET cancelled = true WHERE batch = ?", (batch,))
    connection.execute(
        f"DELETE FROM procrastinate_jobs WHERE status = 'todo' AND task_name = '{TASK}' AND args ->> 'batch' = ?",
        (batch,),
    )
    _edit(connection, _locked(connection, batch), cancelled=True, ended=due(connection))


def stop_batch(connection: SqlConnection, batch: str, reason: str) -> None:
    """Record that a limit stopped a batch."""
    connection.execute("UPDATE remote SET stopped = ? WHERE batch = ? AND stopped = ''", (reason, batch))


def controls(connection: SqlConnection) -> dict[str, Control]:
    """Return the control flags of the batches that have not ended."""
    rows = connection.execute(
        "SELECT batch, cancelled, stopped FROM remote"
        " WHERE EXISTS (SELECT 1 FROM shards WHERE shards.batch = remote.batch AND NOT ended)"
    )
    return {batch: Control(cancelled, stopped) for batch, cancelled, stopped in rows}


def remote_options(connection: SqlConnection, batch: str) -> bytes:
    """Return the submitter's configuration of a batch. Raise InputError if workers do not play it."""
    row = connection.execute("SELECT options FROM remote WHERE batch = ?", (batch,)).fetchone()
    if row is None:
        raise InputError(
            f"batch {batch} was not submitted to workers", hint="sparring run --workers remote submits one"
        )
    return bytes(row[0])


def shard(connection: SqlConnection, batch: str, number: int) -> Shard | None:
    """Return a shard; None if it is gone, or if its batch was cancelled or stopped."""
    rows = connection.execute(
        f"SELECT batch_cases.id, {_REPEAT}, CASE WHEN conversations.batch IS NULL THEN document END"
        f" {_CONVERSATIONS.format('LEFT JOIN')} JOIN cases ON key = case_key"
        " WHERE shards.batch = ? AND number = ? AND NOT cancelled AND stopped = '' ORDER BY place",
        (batch, number),
    ).fetchall()
    if not rows:
        return None
    missing = tuple((Case.model_validate_json(document), repeat) for _, repeat, document in rows if document)
    return Shard(batch, number, missing, tuple((id, repeat) for id, repeat, document in rows if not document))


def fail_shard(connection: SqlConnection, batch: str, number: int) -> int:
    """Count that the players of a shard failed; return how often they did."""
    query = "UPDATE shards SET failures = failures + 1 WHERE batch = ? AND number = ? RETURNING failures"
    row = connection.execute(query, (batch, number)).fetchone()
    return int(row[0]) if row else 0


def end_shard(connection: SqlConnection, batch: str, number: int, error: str = "") -> bool:
    """Record the end of a shard and what it stored; return True if it was the last of its batch."""
    # Of two shards that end at the same time, the later one must see the other's end.
    connection.execute("SELECT 1 FROM remote WHERE batch = ? FOR UPDATE", (batch,))
    connection.execute(
        f"UPDATE shards SET ended = true, error = ?, stored = (SELECT count(*) {_CONVERSATIONS.format('JOIN')}"
        " WHERE shards.batch = ? AND number = ?) WHERE batch = ? AND number = ?",
        (error, batch, number, batch, number),
    )
    return not _has_open_shards(connection, batch)


def _has_open_shards(connection: SqlConnection, batch: str) -> bool:
    query = "SELECT EXISTS (SELECT 1 FROM shards WHERE batch = ? AND NOT ended)"
    return bool(connection.execute(query, (batch,)).fetchone()[0])


def begin_batch(connection: SqlConnection, batch: str) -> None:
    """Record the start of a batch, unless it has started before."""
    if (job := _locked(connection, batch)) is not None and job.started is None:
        _edit(connection, job, started=due(connection))


def end_batch(connection: SqlConnection, batch: str) -> None:
    """Log the end of a batch and record it, unless it has ended or was resumed meanwhile."""
    job = _locked(connection, batch)
    if job is None or job.ended is not None or _has_open_shards(connection, batch):
        return
    (stopped,) = connection.execute("SELECT stopped FROM remote WHERE batch = ?", (batch,)).fetchone()
    query = "SELECT DISTINCT error FROM shards WHERE batch = ? AND error <> '' ORDER BY error LIMIT 3"
    errors = "; ".join(error for (error,) in connection.execute(query, (batch,)))
    writes.log_endings(connection, batch)
    progress = reads.progress(connection, batch)
    stored = sum(progress.endings.values())
    event = BatchFinished(
        batch=batch,
        stored=stored,
        not_run=progress.planned - stored,
        reason=stopped or errors,
        failed=bool(errors),
    )
    writes.log(connection, batch, event)
    _edit(connection, job, ended=due(connection), stopped=stopped, error=errors)


def _locked(connection: SqlConnection, batch: str) -> BatchExecution | None:
    """Return the execution state of a batch, which no other process changes until this transaction ends."""
    connection.execute("SELECT 1 FROM jobs WHERE batch = ? FOR UPDATE", (batch,))
    return reads.job(connection, batch)


def _edit(connection: SqlConnection, job: BatchExecution | None, **fields: object) -> None:
    if job is not None:
        writes.keep_job(connection, job.model_copy(update=fields))


def due(connection: SqlConnection, seconds: float = 0) -> datetime:
    """Return the time after so many seconds by the database's clock, which all workers share."""
    query = "SELECT clock_timestamp() + make_interval(secs => CAST(? AS FLOAT))"
    time: datetime = connection.execute(query, (seconds,)).fetchone()[0]
    return time.astimezone(UTC)


def retry_at(connection: SqlConnection, batch: str, number: int, most: float) -> datetime:
    """Return when to try a shard again: pauses double; workers that drain or are lost add none."""
    row = connection.execute("SELECT failures FROM shards WHERE batch = ? AND number = ?", (batch, number)).fetchone()
    return due(connection, min(2.0 ** (row[0] if row else 0), most))


def rescue(connection: SqlConnection, silent_seconds: float) -> int:
    """Give back the jobs of workers that have been silent for so long; one process at a time does it."""
    mine = "SELECT pg_try_advisory_xact_lock(hashtextextended(current_schema() || ' rescue', 0))"
    if not connection.execute(mine).fetchone()[0]:
        return 0
    lost = connection.execute(
        f"""
        SELECT procrastinate_retry_job_v2(job.id, now(), NULL, NULL, NULL) FROM procrastinate_jobs AS job
            LEFT JOIN procrastinate_workers AS worker ON worker.id = job.worker_id
        WHERE job.status = 'doing' AND job.task_name = '{TASK}'
            AND (worker.id IS NULL OR worker.last_heartbeat < now() - make_interval(secs => CAST(? AS FLOAT)))
        """,
        (silent_seconds,),
    ).fetchall()
    return len(lost)


def unattended(connection: SqlConnection, silent_seconds: float) -> int:
    """Return the number of shards to play while no worker has been heard for so long."""
    query = f"""
        SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing') AND task_name = '{TASK}'
            AND NOT EXISTS (SELECT 1 FROM procrastinate_workers
                            WHERE last_heartbeat > now() - make_interval(secs => CAST(? AS FLOAT)))
        """
    return int(connection.execute(query, (silent_seconds,)).fetchone()[0])
