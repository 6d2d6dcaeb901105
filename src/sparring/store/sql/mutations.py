"""Runs over mutants in the database."""

from contextlib import suppress

from pydantic import ValidationError

from sparring.core.errors import InputError
from sparring.core.mutation import MutantPlay, MutationRun
from sparring.core.text import did_you_mean
from sparring.core.value import to_json
from sparring.store.sql.connection import SqlConnection, upsert, value_of

_RUN = upsert("mutations (id)", "batch", "document")
_PLAY = upsert("mutant_plays (mutation, play)", "document")


def record(connection: SqlConnection, run: MutationRun) -> None:
    """Write a run, replacing an earlier one with its id."""
    connection.execute(_RUN, (run.id, run.batch, to_json(run)))


def run(connection: SqlConnection, which: str) -> MutationRun:
    """Return the run with this id, or the `latest`."""
    known = dict(connection.execute("SELECT id, CAST(document AS BLOB) FROM mutations ORDER BY id"))
    which = max(known, default=which) if which == "latest" else which
    if which not in known:
        raise InputError(f"there is no run over mutants {which!r}", hint=did_you_mean(which, known))
    return MutationRun.model_validate_json(known[which])


def record_play(connection: SqlConnection, run: str, key: str, play: MutantPlay) -> None:
    """Write a conversation of a run."""
    connection.execute(_PLAY, (run, key, to_json(play)))


def play(connection: SqlConnection, run: str, key: str) -> MutantPlay | None:
    """Return a conversation of a run; None without a readable one."""
    query = "SELECT CAST(document AS BLOB) FROM mutant_plays WHERE mutation = ? AND play = ?"
    with suppress(ValidationError):
        return value_of(connection, query, (run, key), MutantPlay.model_validate_json)
    return None
