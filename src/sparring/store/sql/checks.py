"""Verdicts of checks and findings of rules in the database."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import chain

from pydantic import ValidationError

from sparring.core.conversation import Conversation
from sparring.core.judgements import Calibration
from sparring.core.outcome import Discrimination
from sparring.core.value import to_json
from sparring.core.verdict import Finding, Verdict
from sparring.store.sql import aggregates, listing, reads
from sparring.store.sql.connection import SqlConnection, marks, upsert, value_of
from sparring.store.sql.reads import Place, read_verdict
from sparring.store.store import ConversationFilter, RecordedChecks, RecordedResults

CheckPlace = tuple[int, int, str]
"""The place of a verdict in its batch: that of the conversation, and the hash of the check."""

FIRST: CheckPlace = (*reads.START, "")

_TOGETHER = 256
"""Conversations whose records are read at once."""

_CHECKED = upsert('checked (recording, "check")', "document")
_TRIED = upsert("tried (key)", "document")


def keep(connection: SqlConnection, recording: int, verdicts: Mapping[str, Verdict | None]) -> None:
    """Write the verdicts on a recording."""
    rows = [(recording, hash, None if verdict is None else to_json(verdict)) for hash, verdict in verdicts.items()]
    connection.executemany(_CHECKED, rows)


def record(connection: SqlConnection, batch: str, checks: Sequence[RecordedChecks]) -> None:
    """Write verdicts and rows of stored conversations; leave out those of another attempt.

    Verdicts without a row delete the old row.
    """
    for each in checks:
        place = reads.place(connection, batch, each.conversation)
        if (recording := _recording(connection, batch, place, each.attempt)) is None:
            continue
        aggregates.touch(connection, batch, place[0])
        keep(connection, recording, each.verdicts)
        if each.row is not None or each.verdicts:
            listing.forget(connection, batch, *place)
        if each.row is not None:
            listing.write(connection, (batch, *place, each.attempt), each.row)
            listing.index(connection, recording, each.row.words)


def _recording(connection: SqlConnection, batch: str, place: Place, attempt: int) -> int | None:
    query = "SELECT recording FROM conversations WHERE batch = ? AND position = ? AND repeat = ? AND attempt = ?"
    return value_of(connection, query, (batch, *place, attempt), int)


def verdicts(
    connection: SqlConnection, batch: str, after: CheckPlace, only: Place | None, limit: int
) -> list[tuple[CheckPlace, tuple[str, Verdict] | None]]:
    """Return the next verdicts with the hashes of their checks, of one conversation or of all.

    None stands for an unreadable one.
    """
    condition = "" if only is None else "AND position = ? AND repeat = ?"
    query = f"""
        SELECT position, repeat, "check", CAST(document AS BLOB)
        FROM conversations CROSS JOIN checked USING (recording)
        WHERE batch = ? AND (position, repeat, "check") > (?, ?, ?) AND document IS NOT NULL {condition}
        ORDER BY position, repeat, "check" LIMIT ?
    """
    rows = connection.execute(query, (batch, *after, *(only or ()), limit))
    read = (((position, repeat, hash), read_verdict(document)) for position, repeat, hash, document in rows)
    return [(place, None if verdict is None else (place[2], verdict)) for place, verdict in read]


def results(connection: SqlConnection, batch: str, conversations: Sequence[str]) -> list[RecordedResults]:
    """Return all records about each of these conversations."""
    found: list[RecordedResults] = []
    for first in range(0, len(conversations), _TOGETHER):
        places = reads.places(connection, batch, conversations[first : first + _TOGETHER])
        recorded = _results(connection, batch, places)
        found += [recorded[each] for each in places]
    return found


def page(
    connection: SqlConnection, batch: str, wanted: ConversationFilter, after: Place, stop: int, limit: int
) -> list[tuple[Place, str, Conversation | None, RecordedResults]]:
    """Return the next conversations before a position, with the ids of their cases and all results."""
    found = reads.page(connection, batch, wanted, after, limit, stop)
    recorded = _results(connection, batch, [each[0] for each in found])
    return [(*each, recorded[each[0]]) for each in found]


def _results(connection: SqlConnection, batch: str, places: Sequence[Place]) -> dict[Place, RecordedResults]:
    """Return all records about the conversations at these places, by statements that look up each of them."""
    if not places:
        return {}
    asked = defaultdict[Place, list[Verdict]](list)
    given = defaultdict[Place, dict[str, Verdict]](dict)
    wanted = f"WITH wanted (position, repeat) AS (VALUES {', '.join(['(?, ?)'] * len(places))})"
    values = *chain.from_iterable(places), batch
    query = f"""
        {wanted} SELECT position, repeat, NULL, CAST(verdicts.document AS BLOB)
        FROM wanted CROSS JOIN conversations USING (position, repeat) CROSS JOIN verdicts USING (recording)
        WHERE batch = ? ORDER BY position, repeat, judge, rubric, verdicts.attempt
    """
    checks = f"""
        {wanted} SELECT position, repeat, "check", CAST(document AS BLOB)
        FROM wanted CROSS JOIN conversations USING (position, repeat) CROSS JOIN checked USING (recording)
        WHERE batch = ? AND document IS NOT NULL ORDER BY position, repeat, "check"
    """
    for position, repeat, hash, document in chain(
        connection.execute(query, values), connection.execute(checks, values)
    ):
        if (verdict := read_verdict(document)) is None:
            continue
        if hash is None:
            asked[position, repeat].append(verdict)
        else:
            given[position, repeat][hash] = verdict
    decided = listing.decisions(connection, wanted, values)
    return {each: RecordedResults(each[0], tuple(asked[each]), given[each], *decided.get(each, ())) for each in places}


def unchecked(
    connection: SqlConnection,
    batch: str,
    hashes: Sequence[str],
    only: Place | None,
    after: Place,
    stop: int,
    limit: int,
) -> list[tuple[Place, Conversation | None]]:
    """Return the next conversations that lack a record of one of the checks; None for an unreadable one."""
    conditions = f"""AND position < ? AND (SELECT count(*) FROM checked
        WHERE checked.recording = conversations.recording AND "check" IN ({marks(hashes)})) < ?"""
    conditions += "" if only is None else " AND position = ? AND repeat = ?"
    values = (stop, *hashes, len(hashes), *(only or ()))
    return [(place, found) for place, _, found in reads.some(connection, batch, conditions, values, after, limit)]


def recordings(connection: SqlConnection, batch: str) -> str:
    """Return a hash of the recordings of a batch."""
    keys = connection.execute("SELECT recording FROM conversations WHERE batch = ? ORDER BY position, repeat", (batch,))
    return hashlib.sha256(b",".join(b"%d" % key for (key,) in keys)).hexdigest()


def record_findings(connection: SqlConnection, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
    """Write findings, replacing all earlier ones; delete rows if other rules are invalid than before."""
    query = "SELECT rule, CAST(document AS BLOB) FROM findings WHERE batch = ?"
    earlier = {rule: Finding.model_validate_json(document) for rule, document in connection.execute(query, (batch,))}
    if _invalid(earlier) != _invalid(findings):
        listing.forget(connection, batch)
    aggregates.touch(connection, batch)
    connection.execute("DELETE FROM findings WHERE batch = ?", (batch,))
    rows = [(batch, rule, recordings, to_json(finding)) for rule, finding in findings.items()]
    connection.executemany("INSERT INTO findings VALUES (?, ?, ?, ?)", rows)


def findings(connection: SqlConnection, batch: str) -> dict[str, Finding]:
    """Return the findings over the current data of the batch."""
    rows = connection.execute(
        "SELECT rule, CAST(document AS BLOB) FROM findings WHERE batch = ? AND recordings = ?",
        (batch, recordings(connection, batch)),
    )
    return {rule: Finding.model_validate_json(document) for rule, document in rows}


def tried(connection: SqlConnection, key: str) -> Discrimination | None:
    """Return the null bots' result under a key; None without a readable one."""
    query = "SELECT CAST(document AS BLOB) FROM tried WHERE key = ?"
    with suppress(ValidationError):
        return value_of(connection, query, (key,), Discrimination.model_validate_json)
    return None


def record_tried(connection: SqlConnection, key: str, found: Discrimination) -> None:
    """Write what null bots found."""
    connection.execute(_TRIED, (key, to_json(found)))


def _invalid(findings: Mapping[str, Finding]) -> set[str]:
    return {rule for rule, finding in findings.items() if finding.invalid}


def keep_calibration(connection: SqlConnection, found: Calibration) -> None:
    """Store a calibration, replacing an earlier one of the same judge, rubric and population."""
    place = found.judge, found.rubric, found.population
    connection.execute("DELETE FROM calibrations WHERE judge = ? AND rubric = ? AND population = ?", place)
    connection.execute("INSERT INTO calibrations VALUES (?, ?, ?, ?)", (*place, to_json(found)))
