import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

import sparring.store.sqlite
from sparring.core.errors import InputError, SparringError, StoreError
from sparring.core.events import ConversationEnded
from sparring.core.message import ToolCall, message
from sparring.core.value import Json
from sparring.store.sqlite import database
from sparring.store.sqlite.store import SqliteStore
from sparring.store.store import ConversationFilter
from sparring.testing.factories import RUBRIC, a_batch, a_case, a_conversation, a_verdict, all_conversations
from store_durability import check_durable
from store_facts import EVERY
from store_suite import all_in, ids, refusal


@pytest.mark.slow
@pytest.mark.parametrize("fact", EVERY, ids=lambda fact: fact.__name__)
async def test_a_sqlite_store_does_what_every_store_must(fact, tmp_path: Path):
    await fact(lambda: SqliteStore(tmp_path / "sparring.db"))


@pytest.mark.process
@pytest.mark.parametrize("after", [1, 90, 400])
async def test_stored_conversations_survive_sigkill(after: int, tmp_path: Path):
    found = await check_durable("sparring.store.sqlite.store:SqliteStore", str(tmp_path / "sparring.db"), after=after)

    assert found >= after


async def test_the_directory_is_made_on_demand_and_kept_out_of_version_control(tmp_path: Path):
    async with SqliteStore(tmp_path / ".sparring" / "sparring.db"):
        pass

    files = {path.name: path.read_text() for path in (tmp_path / ".sparring").glob(".*")}
    assert (files, (tmp_path / ".sparring" / "sparring.db").exists()) == ({".gitignore": "*\n"}, True)


async def test_many_may_open_a_new_file_at_once(tmp_path: Path):
    stores = [SqliteStore(tmp_path / "new" / f"{n // 8}.db") for n in range(40)]

    await asyncio.gather(*(store.__aenter__() for store in stores))
    batches = await asyncio.gather(*(store.batches() for store in stores))
    await asyncio.gather(*(store.__aexit__() for store in stores))

    assert batches == [[]] * 40


async def test_readers_do_not_wait_for_a_writer(tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path, busy_seconds=0) as store:
        await store.create(a_batch("a"))
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN EXCLUSIVE")
        read = await store.batch("latest")
        other.close()

    assert read == a_batch("a")


async def test_a_directory_that_was_there_is_left_alone(tmp_path: Path):
    async with SqliteStore(tmp_path / "sparring.db"):
        pass

    assert os.listdir(tmp_path) == ["sparring.db"]


async def test_a_reader_creates_no_file(tmp_path: Path):
    said = await failure(SqliteStore(tmp_path / "no" / "sparring.db", must_exist=True))

    assert (said, os.listdir(tmp_path)) == (
        (f"there is no store at {tmp_path}/no/sparring.db", "`sparring run` and `sparring demo` make one"),
        [],
    )


async def test_nothing_run_yet_says_how_to_begin(tmp_path: Path):
    async with SqliteStore(tmp_path / "sparring.db") as store:
        assert await refusal(store.batch("latest")) == ("nothing has been run yet", "`sparring demo` shows an example")


@pytest.mark.parametrize("what", ["latest\udcff", "a#99999999999999999999999"])
async def test_a_name_that_sqlite_cannot_hold_is_bad_input(what: str, tmp_path: Path):
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(a_batch("a"))
        with pytest.raises(InputError):
            await store.conversation("latest", what)


async def test_half_an_emoji_is_kept_as_a_question_mark(tmp_path: Path):
    batch = a_batch("a")
    conversation = a_conversation(batch.cases[0]).with_message(message("chatbot", "Hi \ud83c"))
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        await store.add(batch.id, conversation)
        kept = await store.conversation(batch.id, "a")

    assert [each.text for each in kept.messages] == [*(each.text for each in conversation.messages[:-1]), "Hi ?"]


async def test_a_case_that_many_batches_share_is_kept_once(tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path) as store:
        for batch in (a_batch("a", "b", id="B1"), a_batch("a", "c", id="B2")):
            await store.create(batch)
            for conversation in all_conversations(batch):
                await store.add(batch.id, conversation)

    assert counted(path, "cases") == 3


async def test_the_order_of_variables_survives_though_another_case_differs_only_in_it(tmp_path: Path):
    one = a_case("a").model_copy(update={"variables": {"x": 1, "y": 2}})
    other = a_case("a").model_copy(update={"variables": {"y": 2, "x": 1}})
    async with SqliteStore(tmp_path / "sparring.db") as store:
        for id, case in (("B1", one), ("B2", other)):
            await store.create(a_batch(id=id).model_copy(update={"cases": (case,)}))
        read = [list((await store.batch(id)).cases[0].variables) for id in ("B1", "B2")]

    assert read == [["x", "y"], ["y", "x"]]


@pytest.mark.slow
async def test_more_than_one_page_is_read_in_order(tmp_path: Path):
    batch = a_batch("b", "a", repeats=230)
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        await asyncio.gather(*(store.add(batch.id, each) for each in all_conversations(batch)))
        read = ids(await all_in(store.conversations("latest", limit=450)))

    assert read == [each.id for each in all_conversations(batch)][:450]


async def test_the_store_waits_for_writes_that_are_on_their_way(tmp_path: Path):
    batch = a_batch("a", repeats=100)
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        writing = [asyncio.create_task(store.add(batch.id, each)) for each in all_conversations(batch)]
        await asyncio.sleep(0)

    assert (await asyncio.gather(*writing), counted(tmp_path / "sparring.db", "conversations")) == ([True] * 100, 100)


async def test_a_closed_store_says_so(tmp_path: Path):
    async with SqliteStore(tmp_path / "sparring.db") as store:
        pass

    with pytest.raises(StoreError, match="is not open"):
        await store.create(a_batch("a"))


def newest_schema() -> int:
    schema = Path(sparring.store.sqlite.__file__).parent / "schema"
    return max(int(file.stem) for file in schema.glob("*.sql"))


async def test_a_newer_schema_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path):
        pass
    pragma(path, "user_version = 99")

    said = await failure(SqliteStore(path))

    assert said == (
        f"{path} was written by a newer Sparring (schema 99; this one knows up to {newest_schema()})",
        "pip install --upgrade sparring",
    )


async def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("Remember the milk.\n" * 100)

    said = await failure(SqliteStore(path))

    assert (said, path.read_text()) == (
        (f"{path} is not a Sparring store, and stays as it is", "SPARRING_STORE=FILE names another place"),
        "Remember the milk.\n" * 100,
    )


@pytest.mark.parametrize("text", ["name: order\n", "SQLite format 3", "\0" * 100])
async def test_short_files_are_refused_and_left_alone(text: str, tmp_path: Path):
    path = tmp_path / "order.yml"
    path.write_text(text)

    said, _ = await failure(SqliteStore(path))

    assert (said, path.read_text()) == (f"{path} is not a Sparring store, and stays as it is", text)


@pytest.mark.process
async def test_checking_a_store_keeps_the_locks_of_this_process(tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path) as store:
        await store.create(a_batch("a"))
        async with SqliteStore(path):
            pass
        database.check(path)
        other = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT id FROM batches'); c.close()"
        program = await asyncio.create_subprocess_exec(sys.executable, "-c", other, str(path))
        assert await program.wait() == 0

        # The last program that uses a file deletes its log. The other one was not the last.
        assert path.with_name("sparring.db-wal").exists()
        await store.create(a_batch("b", id="B2"))

    assert counted(path, "batches") == 2


async def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path):
    path = tmp_path / "places.sqlite"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    before = path.read_bytes()

    said, _ = await failure(SqliteStore(path))

    assert (said, path.read_bytes()) == (f"{path} is another program's database, not a Sparring store", before)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("file/sparring.db", "cannot be opened"),
        ("file/deep/sparring.db", "cannot be made: Not a directory"),
        ("directory", "is a folder, not a Sparring store"),
    ],
)
async def test_a_place_where_no_file_can_be_is_one_sentence(place: str, says: str, tmp_path: Path):
    (tmp_path / "file").write_text("")
    (tmp_path / "directory").mkdir()

    said = await failure(SqliteStore(tmp_path / place))

    assert said == (f"{tmp_path / place} {says}", "SPARRING_STORE=FILE names another place")


async def test_a_file_that_another_program_locks_loses_nothing(tmp_path: Path):
    path, batch = tmp_path / "sparring.db", a_batch("a")
    async with SqliteStore(path, busy_seconds=0.05) as store:
        await store.create(batch)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        told = await asyncio.gather(
            *(store.add(batch.id, each) for each in all_conversations(batch)), return_exceptions=True
        )
        other.execute("ROLLBACK")
        other.close()
        again = await store.add(batch.id, a_conversation(batch.cases[0]))

    assert ([str(each) for each in told], again) == ([f"{path} is in use by another program"], True)


async def test_a_document_edited_by_hand_is_one_sentence(tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path) as store:
        await store.create(a_batch("a"))
        await store.add("B1", a_conversation(a_case("a")))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("UPDATE recordings SET document = ?", (b'{"bogus":1}',))
        connection.close()
        with pytest.raises(StoreError, match="holds a Conversation that cannot be read"):
            await store.conversation("B1", "a")


SPOILED = {
    "bogus": "UPDATE recordings SET document = CAST('{\"bogus\": 1}' AS BLOB) WHERE key = 2",
    "text": "UPDATE recordings SET document = 'nothing' WHERE key = 2",
    "no text": "UPDATE recordings SET document = CAST(x'ff' AS TEXT) WHERE key = 2",
    "number": "UPDATE recordings SET document = 17 WHERE key = 2",
    "case": "UPDATE cases SET document = 17 WHERE key = (SELECT case_key FROM recordings WHERE key = 2)",
    "nested": 'UPDATE recordings SET document = replace(CAST(document AS TEXT), \'"error":""\', \'"error":'
    + "[" * 300
    + "]" * 300
    + "') WHERE key = 2",
}


@pytest.mark.slow
@pytest.mark.parametrize("spoil", SPOILED.values(), ids=SPOILED)
async def test_a_conversation_that_cannot_be_read_keeps_no_other_from_being_read(spoil: str, tmp_path: Path):
    batch, told = a_batch("a", "b", "c", repeats=2), list[str]()
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
            await store.log(batch.id, ConversationEnded(conversation=conversation))
        edit(tmp_path / "sparring.db", spoil)
        read = ids(await all_in(store.conversations("latest", limit=3, unreadable=told.append)))
        heard = len(await all_in(store.events("latest")))
        with pytest.raises(StoreError, match="holds a Conversation that cannot be read"):
            await store.conversation("latest", "a#2")

    assert (read, told, heard) == (["a", "b", "b#2"], ["a#2"], 5)


async def test_a_document_that_an_editor_left_as_text_is_still_read(tmp_path: Path):
    batch = a_batch("a")
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        await store.add(batch.id, a_conversation(batch.cases[0]))
        for table in ("recordings", "cases", "batches"):
            edit(tmp_path / "sparring.db", f"UPDATE {table} SET document = CAST(document AS TEXT)")
        read = await store.batch("latest"), await all_in(store.conversations("latest"))

    assert read == (batch, all_conversations(batch))


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE batch_cases SET position = 'first'",
        "UPDATE batch_cases SET id = x'00'",
        "UPDATE batches SET document = 17",
    ],
)
async def test_a_batch_edited_by_hand_is_one_sentence(spoil: str, tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path) as store:
        await store.create(a_batch("a"))
        edit(path, spoil)
        with pytest.raises(StoreError, match=r"^\S+ holds (a Batch|something) that cannot be read$"):
            await store.conversation((await store.batch("latest")).id, "a")


async def test_tags_edited_by_hand_keep_no_other_case_from_being_found(tmp_path: Path):
    tagged = [a_case(id).model_copy(update={"tags": ("smoke",)}) for id in ("a", "b")]
    batch = a_batch().model_copy(update={"cases": tuple(tagged)})
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
        edit(tmp_path / "sparring.db", "UPDATE batch_cases SET tags = '[' WHERE id = 'a'")
        found = ids(await all_in(store.conversations("latest", wanted=ConversationFilter(tag="smoke"))))

    assert found == ["b"]


@pytest.mark.parametrize("result", [json.loads("[" * 200 + "]" * 200), 10**4999], ids=["nested", "large"])
async def test_a_conversation_that_could_not_be_read_back_is_not_kept(result: Json, tmp_path: Path):
    batch = a_batch("a")
    call = ToolCall.model_construct(name="look", arguments={}, result=result, error="")  # as no check would let it be
    answer = message("chatbot", "Here").model_copy(update={"tool_calls": (call,)})
    async with SqliteStore(tmp_path / "sparring.db") as store:
        await store.create(batch)
        with pytest.raises(StoreError, match=r"^conversation 'a' could not be read back, and is not kept$"):
            await store.add(batch.id, a_conversation(batch.cases[0]).with_message(answer))
        stored = await store.stored("latest")

    assert stored == set()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW notes AS SELECT * FROM batches",
        "CREATE TRIGGER gone AFTER INSERT ON batches BEGIN DELETE FROM batches; END",
        "CREATE VIRTUAL TABLE notes USING fts5(text)",
    ],
)
async def test_a_file_that_would_do_more_than_keep_is_refused(statement: str, tmp_path: Path):
    path = tmp_path / "sparring.db"
    async with SqliteStore(path):
        pass
    edit(path, statement)

    assert await failure(SqliteStore(path)) == (
        f"{path} has views or triggers, which no Sparring store has",
        "SPARRING_STORE=FILE names another place",
    )


@pytest.mark.process
def test_a_disk_that_is_full_is_one_sentence_and_keeps_what_was_kept(tmp_path: Path):
    path = tmp_path / "sparring.db"

    said = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=True)

    kept, sentence = said.stdout.splitlines()
    assert (sentence, said.stderr) == (f"{path} could not be read or written by the disk", "")
    assert counted(path, "conversations") >= int(kept) > 0


FULL_DISK = """
import asyncio, resource, sys
from sparring.core.errors import StoreError
from sparring.store.sqlite.store import SqliteStore
from sparring.testing.factories import a_batch, a_conversation

async def main():
    batch, kept = a_batch("a", repeats=10**6), 0
    async with SqliteStore(sys.argv[1]) as store:
        await store.create(batch)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, resource.RLIM_INFINITY))
        try:
            for repeat in range(1, batch.repeats):
                kept += await store.add(batch.id, a_conversation(batch.cases[0], repeat=repeat))
        except StoreError as error:
            print(kept, error, sep="\\n")
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

asyncio.run(main())
"""


async def failure(store: SqliteStore) -> tuple[str, str]:
    """What opening it fails with."""
    with pytest.raises(SparringError) as caught:
        await store.__aenter__()
    return str(caught.value), caught.value.hint


def counted(path: Path, table: str) -> int:
    connection = sqlite3.connect(path)
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    connection.close()
    return int(count)


def pragma(path: Path, setting: str) -> None:
    edit(path, f"PRAGMA {setting}")


def edit(path: Path, statement: str) -> None:
    """Change the file as another program does."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = off")
        connection.execute(statement)
    connection.close()


async def test_nothing_that_was_said_is_left_of_a_deleted_batch(tmp_path: Path):
    path = tmp_path / "sparring.db"
    batch = a_batch("a", "b")
    async with SqliteStore(path) as store:
        await store.create(batch)
        for conversation in all_conversations(batch):
            await store.add(batch.id, conversation)
            await store.judge(batch.id, a_verdict(conversation.id), rubric=RUBRIC)
            await store.log(batch.id, ConversationEnded(conversation=conversation))
        await store.delete(batch.id)

    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        left = {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
    assert {name: count for name, count in left.items() if count and name != "sqlite_sequence"} == {}


@pytest.mark.parametrize("reading", [SqliteStore.batch, SqliteStore.progress], ids=lambda read: read.__name__)
async def test_a_batch_deleted_during_a_read_is_read_as_it_was(
    reading: Callable[[SqliteStore, str], Awaitable[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, connect = tmp_path / "sparring.db", database.connect

    def delete(statement: str) -> None:
        if "FROM batches WHERE id = 'B1'" in statement:
            edit(path, "DELETE FROM batches")

    def watched(path: Path, *, busy_seconds: float) -> sqlite3.Connection:
        connection = connect(path, busy_seconds=busy_seconds)
        connection.set_trace_callback(delete)
        return connection

    async with SqliteStore(path) as store:
        await store.create(a_batch("a"))
        before = await reading(store, "B1")
    monkeypatch.setattr(database, "connect", watched)
    async with SqliteStore(path) as store:
        now = await reading(store, "latest")

    assert (now, counted(path, "batches")) == (before, 0)


async def test_verdicts_go_with_the_recording_they_are_about(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as store:
        await store.create(a_batch("a"))
        await store.add("B1", a_conversation(a_case("a")))
        await store.judge("B1", a_verdict("a"), rubric=RUBRIC)
        with closing(sqlite3.connect(tmp_path / "a.db")) as other, other:
            document = other.execute("SELECT document FROM recordings").fetchone()[0]
            other.execute("INSERT INTO recordings VALUES (9, 1, ?)", (document,))
            other.execute("UPDATE conversations SET recording = 9")

        assert await all_in(store.verdicts("B1")) == []
        assert await store.judged("B1", a_verdict("a").judge) == {}


async def test_a_hand_edited_verdict_is_skipped(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as store:
        await store.create(a_batch("a", "b"))
        for each in all_conversations(a_batch("a", "b")):
            await store.add("B1", each)
            await store.judge("B1", a_verdict(each.id))
        with closing(sqlite3.connect(tmp_path / "a.db")) as other, other:
            other.execute("UPDATE verdicts SET document = '{' WHERE recording = 1")

        assert await all_in(store.verdicts("B1")) == [a_verdict("b")]


@pytest.mark.parametrize("again", [False, True], ids=["deleted", "replaced"])
async def test_a_file_that_is_taken_away_under_a_run_is_missed(tmp_path: Path, again: bool):
    path = tmp_path / "a.db"
    async with SqliteStore(path) as store:
        await store.create(a_batch("a", "b"))
        (tmp_path / "before.db").write_bytes(path.read_bytes())
        path.unlink()
        if again:
            (tmp_path / "before.db").rename(path)

        with pytest.raises(StoreError, match=r"a\.db was deleted or replaced while it was written$"):
            await store.add("B1", a_conversation(a_case("a")))


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir()}


async def test_a_store_beside_which_nothing_may_be_written_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    batch, path = a_batch("a", "b"), tmp_path / "a b?.db"
    async with SqliteStore(path) as store:
        await store.create(batch)
        for each in all_conversations(batch):
            await store.add(batch.id, each)
    before = contents(tmp_path)
    monkeypatch.setattr("os.access", lambda name, mode: Path(name) != tmp_path)  # root may write anywhere

    async with SqliteStore(path, must_exist=True) as store:
        assert ids(await all_in(store.conversations(batch.id))) == ["a", "b"]
        with pytest.raises(StoreError, match=r"is read-only$"):
            await store.delete(batch.id)

    assert contents(tmp_path) == before


async def test_a_store_whose_log_may_not_be_written_back_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "a.db"
    async with SqliteStore(path):
        (tmp_path / "a.db-wal").write_bytes(b"not moved yet")
    (tmp_path / "a.db-wal").write_bytes(b"not moved yet")
    monkeypatch.setattr("os.access", lambda name, mode: Path(name) != tmp_path)

    with pytest.raises(StoreError, match=r"a\.db is read-only, and a part of it is in a\.db-wal$"):
        async with SqliteStore(path, must_exist=True):
            pass


async def test_locks_are_for_their_owner_alone(tmp_path: Path):
    async with SqliteStore(tmp_path / "a.db") as store:
        await store.create(a_batch("a", id="B1"))
        with store.playing("B1"):
            modes = {name: os.stat(tmp_path / name).st_mode & 0o777 for name in contents(tmp_path) if "playing" in name}

    assert modes.keys() >= {"a.db-playing", "a.db-playing-B1"}
    assert set(modes.values()) == {0o600}
