import sqlite3
from pathlib import Path

import pytest

from sparring.core.errors import StoreError
from sparring.store.sqlite import database
from sparring.store.sqlite.database import connect, transaction, translated


@pytest.fixture
def connection(tmp_path: Path):
    connection = connect(tmp_path / "a.db", busy_seconds=0)
    connection.execute("CREATE TABLE lines (text TEXT)")
    yield connection
    connection.close()


def test_a_full_disk_is_one_sentence_and_undoes_only_what_did_not_fit(connection: sqlite3.Connection):
    with transaction(connection):
        connection.execute("INSERT INTO lines VALUES ('kept')")
    connection.execute("PRAGMA max_page_count = 3")

    with pytest.raises(StoreError) as caught, translated(Path("a.db")), transaction(connection):
        connection.execute("INSERT INTO lines VALUES (zeroblob(100000))")

    assert (str(caught.value), connection.execute("SELECT text FROM lines").fetchall()) == (
        "a.db cannot grow: the disk is full",
        [("kept",)],
    )


def test_a_file_that_may_only_be_read_is_one_sentence(connection: sqlite3.Connection):
    connection.execute("PRAGMA query_only = on")

    with pytest.raises(StoreError, match=r"^a.db may not be written$"), translated(Path("a.db")):
        connection.execute("INSERT INTO lines VALUES ('x')")


def test_a_file_where_nothing_may_be_written_beside_it_says_what_to_do(
    connection: sqlite3.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path = tmp_path / "a.db"
    path.touch()
    monkeypatch.setattr("os.access", lambda name, mode: Path(name) != tmp_path)  # whoever is root may write anywhere
    connection.execute("PRAGMA query_only = on")

    with pytest.raises(StoreError) as caught, translated(path):
        connection.execute("INSERT INTO lines VALUES ('x')")

    assert str(caught.value) == f"{path} is read-only"
    assert caught.value.hint == "copy it to where you may write"


def test_what_has_no_sentence_of_its_own_says_what_sqlite_said(connection: sqlite3.Connection):
    with pytest.raises(StoreError, match=r"^a.db could not be used: no such table: nowhere$"), translated(Path("a.db")):
        connection.execute("SELECT * FROM nowhere")


def test_nothing_in_a_file_is_trusted(connection: sqlite3.Connection):
    assert connection.execute("PRAGMA trusted_schema").fetchone() == (0,)


def test_commits_are_on_disk_when_they_return(connection: sqlite3.Connection):
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_only_usage_of_running_calls_does_not_wait_for_the_disk(tmp_path: Path):
    connection = database.connect(tmp_path / "s.db", busy_seconds=1)

    def level(connection: database.SqliteConnection) -> int:
        return int(connection.execute("PRAGMA synchronous").fetchone()[0])

    database.prepare(connection, tmp_path / "s.db", busy_seconds=1)
    usage = database.Unsynced(level)

    assert [database.commit(connection, each) for each in ([usage], [usage, level], [usage])] == [[1], [2, 2], [1]]
    connection.close()
