"""Of any number who cancel one order at the same time, exactly one does."""

import asyncio
import os
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.llm.client.http_transport import HttpTransport
from sparring_bots.service.__main__ import main
from sparring_bots.service.client import OrderApi
from sparring_bots.service.orders import Status
from sparring_bots.service.policy import Code, Refusal
from sparring_bots.service.shop import sample_shop

MANY = 100


@pytest.fixture
def url(tmp_path: Path, process: None) -> Iterator[str]:
    """The order API as a program of its own."""
    command = [sys.executable, "-m", "sparring_bots.service", "serve", "--port", "0"]
    with subprocess.Popen(
        [*command, "--database", str(tmp_path / "orders.db")], stdout=subprocess.PIPE, text=True
    ) as it:
        assert it.stdout is not None
        yield it.stdout.readline().rsplit(" ", 1)[-1].strip()
        it.terminate()


async def cancelled_at_once(api: OrderApi) -> Counter[str]:
    answers = await asyncio.gather(*(api.cancel("ORD-001", "CUST-001", str(number)) for number in range(MANY)))
    return Counter(answer.code if isinstance(answer, Refusal) else "cancelled" for answer in answers)


async def test_over_sockets(url: str):
    async with HttpTransport() as transport:
        api = OrderApi(transport, url)
        outcomes = await cancelled_at_once(api)
        order = await api.order("ORD-001")

    assert outcomes == {"cancelled": 1, Code.ALREADY_CANCELLED: MANY - 1}
    assert not isinstance(order, Refusal)
    assert order.status is Status.CANCELLED


async def test_in_process(api: OrderApi):
    assert await cancelled_at_once(api) == {"cancelled": 1, Code.ALREADY_CANCELLED: MANY - 1}


def test_from_many_connections_to_one_file(tmp_path: Path):
    now = datetime(2026, 1, 15, tzinfo=UTC)
    books = [sample_shop(lambda: now, path=tmp_path / "orders.db").book for _ in range(8)]

    # All have seen it as it stood before any of them cancels, which is the moment that matters.
    with ThreadPoolExecutor(8) as threads:
        done = [*threads.map(lambda book: book.cancel("ORD-001", Status.PROCESSING, now, ""), books)]

    assert sorted(done) == [False] * 7 + [True]
    for book in books:
        book.close()


def test_a_file_keeps_its_orders(tmp_path: Path):
    now = datetime(2026, 1, 15, tzinfo=UTC)
    first = sample_shop(lambda: now, path=tmp_path / "orders.db").book
    first.cancel("ORD-001", Status.PROCESSING, now, "")
    first.close()

    again = sample_shop(lambda: now, path=tmp_path / "orders.db").book

    found = again.find("ORD-001")
    assert found is not None
    assert found.order.status is Status.CANCELLED
    again.close()


def test_a_file_that_is_no_database_is_not_kept_open(tmp_path: Path):
    notes = tmp_path / "notes.txt"
    notes.write_text("not a database, but long enough to be looked at as if it were one" * 20)

    with pytest.raises(InputError) as told:
        sample_shop(lambda: datetime(2026, 1, 15, tzinfo=UTC), path=notes)

    opened = [os.path.realpath(f"/dev/fd/{each}") for each in os.listdir("/dev/fd")]
    assert (told.value.args, str(notes) in opened) == (
        (f"cannot use {notes} as a database: file is not a database",),
        False,
    )


def test_what_cannot_be_served_is_one_sentence_and_a_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "notes.txt").write_text("not a database, but long enough to be looked at as if it were one" * 20)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        codes = [
            main(["serve", "--port", str(port)]),
            main(["serve", "--window-days", "-1", "--boundary", "weeks", "--zone", "Mars"]),
            main(["serve", "--database", str(tmp_path / "notes.txt")]),
        ]

    said = capsys.readouterr().err.replace(str(tmp_path), "").splitlines()
    assert codes == [2, 2, 2]
    assert said[0] == f"error: port {port} is already in use"
    assert [part.split(":")[0] for part in said[2].removeprefix("error: ").split("; ")] == [
        "--window-days",
        "--boundary",
        "--zone",
    ]
    assert said[4] == "error: cannot use /notes.txt as a database: file is not a database"
