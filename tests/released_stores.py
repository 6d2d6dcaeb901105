"""Writes a store as the Sparring that runs this writes it, as SQL: what later versions have to be able to open.

`python tests/released_stores.py > tests/store/released/NNN.sql`, with the code of the last commit of schema NNN.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from sparring.core.conversation import Ending
from sparring.core.events import BatchStarted, ConversationEnded
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import CREATED, a_batch, a_conversation

NIGHTLY = a_batch("pizza/1", "pizza/2", id="01J0000000000000000000000A", name="nightly", repeats=2)
KEPT = [
    a_conversation(NIGHTLY.cases[0]),
    a_conversation(NIGHTLY.cases[0], repeat=2, ending=Ending.TIMEOUT),
    a_conversation(NIGHTLY.cases[1]),
]
MENDED = a_batch("pizza/3", id="01J0000000000000000000000B", name="mended")


async def write(path: Path) -> None:
    """A batch with three of its four conversations, and whatever else this version keeps."""
    async with SqliteStore(path) as store:
        await store.create(NIGHTLY)
        await store.log(NIGHTLY.id, BatchStarted(batch=NIGHTLY))
        for conversation in KEPT:
            await store.add(NIGHTLY.id, conversation)
            await store.log(NIGHTLY.id, ConversationEnded(conversation=conversation))
        if hasattr(store, "keep_job"):
            await store.keep_job(job())
        if hasattr(store, "judge"):
            from sparring.testing.factories import RUBRIC, a_verdict

            await store.judge(NIGHTLY.id, a_verdict("pizza/2"), rubric=RUBRIC)
        if hasattr(store, "replace"):
            await _mended(store)
        if hasattr(store, "keep_briefs"):
            await store.keep_briefs(NIGHTLY.id, [brief()])
        if hasattr(store, "record_tried"):
            from sparring.core.outcome import Discrimination

            await store.record_tried("k1", Discrimination(kind="guard"))
        if hasattr(store, "record_checks"):
            from sparring.store.store import RecordedChecks

            await store.record_checks(NIGHTLY.id, [RecordedChecks("pizza/1", verdicts=checked(), row=brief())])
            await store.record_findings(NIGHTLY.id, await store.recordings(NIGHTLY.id), {"r1": finding()})


async def _mended(store: SqliteStore) -> None:
    """A batch that was begun with a failure, held again, and broken off once."""
    from sparring.core.usage import Usage
    from sparring.testing.factories import attempt

    told = {}
    if hasattr(store, "prompts"):
        from sparring.core.prompts import Agent, Prompts

        prompts = Prompts(name="bot", entry="a", agents={"a": Agent(prompt="Sell pizza.")})
        told = {"prompts": (prompts,)}
        mended = MENDED.model_copy(update={"prompts": {"bot": prompts.hash}})
    else:
        mended = MENDED
    await store.create(mended, **told)
    await store.add(MENDED.id, a_conversation(MENDED.cases[0], ending=Ending.CHATBOT_FAILED))
    if hasattr(store, "record_checks"):
        from sparring.core.outcome import Outcome
        from sparring.store.store import RecordedChecks

        await store.record_checks(MENDED.id, [RecordedChecks("pizza/3", 1, row=brief("pizza/3", Outcome.FAILED))])
    await store.replace(MENDED.id, attempt(a_conversation(MENDED.cases[0]), 2))
    await store.drop(MENDED.id, Usage(calls=3, input_tokens=30))


def job():
    """How the first batch is played: by a server, which has not finished with it."""
    from sparring.core.batch import BatchExecution, PlayerNames

    chosen = {"choice": PlayerNames("pizzeria", "offline", "agenda")} if "choice" in BatchExecution.model_fields else {}
    return BatchExecution(batch=NIGHTLY.id, served=True, started=CREATED, **chosen)


def brief(conversation="pizza/1", outcome="passed"):
    """A conversation in short, such as the first one."""
    from sparring.core.listing import ConversationRow
    from sparring.core.outcome import Decision

    return ConversationRow(
        conversation=conversation,
        ending=Ending.GOALS_ANSWERED,
        decision=Decision(outcome=outcome),
        turns=2,
        seconds=1.5,
        words="a large pizza, please.",
    )


def checked():
    """What checks found in the first conversation."""
    from sparring.core.verdict import CheckOutcome, Verdict

    return {"c1": Verdict(check="short", outcome=CheckOutcome.PASS, conversation="pizza/1"), "all": None}


def finding():
    """What a rule found in the first batch."""
    from sparring.core.verdict import Finding

    return Finding(rule="short", total=3, applicable=3, satisfied=3)


def dump(path: Path) -> Iterator[str]:
    """The store as SQL, with what makes SQLite know it again."""
    with closing(sqlite3.connect(path)) as connection:
        yield "-- A store as an earlier version wrote it: the test opens it with today's code."
        for pragma in ("application_id", "user_version"):
            (number,) = connection.execute(f"PRAGMA {pragma}").fetchone()
            yield f"PRAGMA {pragma} = {number};"
        yield from connection.iterdump()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(write(Path(folder) / "a.db"))
        sys.stdout.write("\n".join(dump(Path(folder) / "a.db")) + "\n")
