import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

ORDER = "goals: [a small custom pizza with ham]\nvariables: {size: {function: random(2), data: any(3 sizes)}}\n"
COMMANDS = [
    ("run", "order.yml", "--chatbot", "pizzeria", "--model", "offline"),
    ("demo",),
    ("show",),
    ("report",),
    ("gate",),
    ("status", "latest"),
    ("check", "--rule", "turns() < 9"),
    ("serve", "--port", "0"),
    ("tokens", "add", "a"),
]


@pytest.fixture
def order(tmp_path: Path) -> Path:
    path = tmp_path / "order.yml"
    path.write_text(ORDER, encoding="utf-8")
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_that_is_no_store_is_bad_input_and_stays_unchanged(
    inside: Sparring, order: Path, tmp_path: Path, command: tuple[str, ...]
):
    done = inside(*command, "--store", "order.yml")

    assert (done.returncode, order.read_text(), [path.name for path in tmp_path.iterdir()]) == (
        2,
        ORDER,
        ["order.yml"],
    )
    assert "error: order.yml is not a Sparring store, and stays as it is\n" in done.stderr


def test_an_unusable_store_is_reported_before_the_first_call(inside: Sparring, order: Path, bot: Any):
    done = inside("run", "order.yml", "--chatbot", "pizzeria", "--model", f"{bot.url}#m", "--store", "order.yml")

    assert (done.returncode, bot.asked) == (2, [])


def test_a_folder_and_the_database_of_another_program_are_bad_input_too(inside: Sparring, tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection, connection:
        connection.execute("CREATE TABLE notes (text)")
    connection.close()

    folder, other = inside("show", "--store", "."), inside("demo", "--store", "other.db")

    assert (folder.returncode, other.returncode) == (2, 2)
    assert "is a folder, not a Sparring store" in folder.stderr
    assert "other.db is another program's database" in other.stderr
