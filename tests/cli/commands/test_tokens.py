import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from web.serving import Server


def files(folder: Path) -> str:
    return "".join(path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())


def test_a_token_is_made_once_listed_without_itself_and_revoked(inside: Sparring, tmp_path: Path):
    made = inside("tokens", "add", "nightly", "--role", "run", "--days", "30")
    token = made.stdout.strip()
    listed, as_json = inside("tokens", "list"), inside("tokens", "list", "--json")
    revoked, after = inside("tokens", "revoke", "nightly"), inside("tokens", "list")

    assert (made.returncode, token.startswith("sparring_"), len(token) > 50) == (0, True, True)
    assert "token nightly may run, until " in made.stderr
    assert listed.stdout.startswith("nightly  run    made ")
    told = json.loads(as_json.stdout)["tokens"]
    assert [(each["name"], each["role"], each["holds"]) for each in told] == [("nightly", "run", True)]
    assert (revoked.returncode, "that was the last" in revoked.stderr, after.stdout) == (0, True, "")
    assert token not in files(tmp_path) + listed.stdout + as_json.stdout + made.stderr


def test_an_invalid_token_is_refused_with_its_reason(inside: Sparring):
    inside("tokens", "add", "a")
    again, name, role = (
        inside("tokens", "add", "a"),
        inside("tokens", "add", "../a"),
        inside("tokens", "add", "b", "--role", "root"),
    )
    nobody = inside("tokens", "revoke", "b")

    assert [each.returncode for each in (again, name, role, nobody)] == [2] * 4
    assert "there is a token named a already" in again.stderr
    assert "'../a' is not a valid token name" in name.stderr
    assert (nobody.stderr) == "error: there is no token named b\nhint: there are: a\n"


def test_files_of_tokens_are_for_their_owner_alone(inside: Sparring, tmp_path: Path):
    inside("tokens", "add", "a")

    (folder,) = (tmp_path / ".sparring").glob("*-tokens")
    (file,) = folder.iterdir()

    assert (folder.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.process
def test_commands_that_ask_a_server_may_what_their_token_may(inside: Sparring, tmp_path: Path):
    folder = tmp_path / "served"
    folder.mkdir()
    reader = inside("tokens", "add", "reader", "--store", "served/.sparring/sparring.db").stdout
    runner = inside("tokens", "add", "runner", "--role", "run", "--store", "served/.sparring/sparring.db").stdout
    (tmp_path / "reader").write_text(reader)
    with Server(folder, "--chatbot", "pizzeria", "--host", "0.0.0.0", "--log-level", "debug") as server:
        there = "--api-url", server.address.replace("0.0.0.0", "127.0.0.1")
        nobody = inside("status", "latest", *there)
        empty = inside("status", "latest", *there, "--token-file", "reader")
        refused = inside("cancel", "01J0000000000000000000000A", *there, "--token-file", "reader")
        let_in = inside("cancel", "01J0000000000000000000000A", *there, env={"SPARRING_SERVE_TOKEN": runner.strip()})
        server.process.terminate()
        said = "".join(server.process.communicate(timeout=240)) + "".join(server.said)

    assert [each.returncode for each in (nobody, empty, refused, let_in)] == [2] * 4
    assert "token required" in nobody.stderr
    assert "the server has no batches yet" in empty.stderr
    assert "role run required; your token has the role read" in refused.stderr
    assert "not found" in let_in.stderr
    assert reader.strip() not in said + files(folder)


@pytest.mark.process
def test_a_token_is_made_and_shown_once_on_a_terminal(tmp_path: Path):
    said = [_watched(tmp_path) for _ in range(2)]

    token = next(word for word in said[0].split() if word.startswith("sparring_"))
    assert "It is shown only this once" in " ".join(said[0].split())
    assert ("sparring_" in said[1], "serving at http://0.0.0.0:" in said[1]) == (False, True)
    assert token not in files(tmp_path)


def _watched(folder: Path) -> str:
    """What a server says on a terminal until it serves."""
    ours, theirs = pty.openpty()
    bare = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    call = [sys.executable, "-m", "sparring", "serve", "--chatbot", "pizzeria", "--host", "0.0.0.0", "--port", "0"]
    with subprocess.Popen(call, cwd=folder, env=bare, stderr=theirs, stdout=theirs, stdin=theirs) as server:
        os.close(theirs)
        said = b""
        while b"Ctrl-C stops" not in said:
            said += os.read(ours, 1000)
        server.terminate()
        server.wait(timeout=240)
    os.close(ours)
    return said.decode()
