"""One program at a time plays a batch: real processes, which wait until they are told to go on."""

import json
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from command_line import Sparring
from web.conftest import scenarios
from web.serving import Server

pytestmark = pytest.mark.process

WAITING = """\
import asyncio
from pathlib import Path


async def reply(messages, variables):
    Path("begun").touch()
    while not Path("go").exists():
        await asyncio.sleep(0.01)
    return "Goodbye."
"""
CHATBOT = ("--chatbot", "python:waiting:reply")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "waiting.py").write_text(WAITING, encoding="utf-8")
    (tmp_path / "all.yml").write_text("scenarios: [{script: [a]}, {script: [b]}, {script: [c]}]\n", encoding="utf-8")
    return tmp_path


@contextmanager
def playing(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """A program that plays a batch and waits in the middle of it."""
    (folder / "begun").unlink(missing_ok=True)
    command = [sys.executable, "-u", "-m", "sparring", "run", *arguments]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        while not (folder / "begun").exists():
            assert program.poll() is None, program.communicate()
            time.sleep(0.02)
        yield program
        program.kill()
        program.communicate()


def stored(inside: Sparring) -> list[str]:
    return [each["id"] for each in json.loads(inside("show", "latest", "--json").stdout)["conversations"]]


def test_a_batch_that_is_played_is_not_played_by_another_program(inside: Sparring, folder: Path):
    with playing(folder, "all.yml", *CHATBOT, "--user", "scripted") as first:
        refused = inside("run", "--resume", "latest")
        under_way = inside("status", "latest")
        (folder / "go").touch()
        told, _ = first.communicate()
        later = inside("run", "--resume", "latest", "--json")

    assert refused.returncode == 2
    assert "is already being run by another program or a server" in refused.stderr
    assert (under_way.returncode, ": running" in under_way.stdout) == (0, True)
    assert "none of 3 could be decided" in told
    assert (first.returncode, json.loads(later.stdout)["not_run"]) == (3, 0), "nobody judges them"
    assert stored(inside) == ["all/1", "all/2", "all/3"]
    assert list((folder / ".sparring").glob("*-playing-*")) == []


def test_a_killed_process_releases_its_batch(inside: Sparring, folder: Path):
    with playing(folder, "all.yml", *CHATBOT, "--user", "scripted") as first:
        first.kill()
        first.wait()
        killed, cancelled = inside("status", "latest"), inside("cancel", "latest")
        (folder / "go").touch()
        resumed = inside("run", "--resume", "latest", "--json")

    assert (killed.returncode, killed.stdout.splitlines()[0].rpartition(": ")[2]) == (3, "cancelled")
    assert "the process that ran this batch was killed" in killed.stdout
    assert (cancelled.returncode, "is not running" in cancelled.stderr) == (2, True)
    assert json.loads(resumed.stdout)["not_run"] == 0, resumed.stderr
    assert inside("status", "latest").returncode == 0
    assert stored(inside) == ["all/1", "all/2", "all/3"]


def test_another_batch_of_the_same_store_is_played_meanwhile(inside: Sparring, folder: Path):
    with playing(folder, "all.yml", *CHATBOT, "--user", "scripted"):
        other = inside("run", "all.yml", "--chatbot", "pizzeria", "--model", "offline", "--json")

    assert json.loads(other.stdout)["not_run"] == 0, other.stderr


def test_a_batch_is_run_by_a_server_or_a_command_and_never_by_both(inside: Sparring, folder: Path):
    with Server(folder, *CHATBOT, "--concurrency", "2") as server:
        id = server.post("/api/batches", scenarios(4))["batch_id"]
        refused = inside("run", "--resume", id)
        server.post(f"/api/batches/{id}/cancel", {})

        with playing(folder, "--resume", id) as command:
            with pytest.raises(urllib.error.HTTPError) as conflict:
                server.post(f"/api/batches/{id}/resume", {})
            answer = json.load(conflict.value)
            (folder / "go").touch()
            command.communicate()

        told = server.get(f"/api/batches/{id}")

    assert (refused.returncode, "is already being run" in refused.stderr) == (2, True)
    assert (conflict.value.code, "a command or another server plays the batch" in answer["error"]) == (409, True)
    assert (told["status"], told["completed_scenarios"]) == ("completed", 4)
