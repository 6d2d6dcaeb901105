"""Pages whose commands are typed as they are printed: files by their names, servers started, all in one folder."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import SystemRandom

from command_line import called

_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NEEDS_A_MODEL = "openai:"
_FEW_PLUGINS = "-p no:schemathesis -p no:anyio -p no:hypothesispytest"  # which take most of the time pytest starts in


def commands(text: str) -> Iterator[str]:
    for language, _, block in _FENCE.findall(text):
        if language != "sh":
            continue
        for line in block.replace("\\\n", " ").splitlines():
            command = line.strip().replace(".venv/bin/", "").replace("make demo", "sparring demo")
            if (
                command
                and not command.startswith(("#", "make ", "pip install ", "uvx "))
                and _NEEDS_A_MODEL not in command
            ):
                yield command


def write_files(text: str, folder: Path) -> None:
    for _, name, block in _FENCE.findall(text):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block, encoding="utf-8")


def type_in(text: str, folder: Path, *, tools: Path | None = None, patience: float = 240) -> None:
    """Type every command of a page, one after the other; what has a port is a server that runs until the end.

    `tools` is a folder of programs that come before ours.
    """
    servers = []
    try:
        for command in commands(text):
            if " --port " in command:
                servers.append(_serve(command, folder, tools, patience))
                continue
            done = typed(command, folder, tools, patience=patience)
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    finally:
        for server in servers:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(patience)


def typed(
    command: str, folder: Path, tools: Path | None = None, *, patience: float = 240
) -> "subprocess.CompletedProcess[str]":
    """What a command does in a folder; one of ours that needs no shell does it in this process, without delay."""
    if tools is None and (words := _plain(command)):
        return called(*words[1:], folder=folder, env=environment(tools))
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment(tools),
        capture_output=True,
        text=True,
        timeout=patience,
        input="",
        check=False,
    )


def _plain(command: str) -> list[str]:
    """The words of `sparring ...`, unless a shell has something to do with them."""
    if not command.startswith("sparring ") or re.search(r"[*$`~]|\S#", command):
        return []
    words = [*shlex.shlex(command, posix=True, punctuation_chars=True)]
    return [] if any({*word} <= {*"();<>|&"} for word in words) else shlex.split(command, comments=True)


def _serve(command: str, folder: Path, tools: Path | None, patience: float) -> "subprocess.Popen[bytes]":
    server = subprocess.Popen(
        command,
        shell=True,
        cwd=folder,
        env=environment(tools),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    port, until = int(command.rpartition(" ")[2]), time.monotonic() + patience
    while time.monotonic() < until and server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.05)
    server.kill()
    raise AssertionError(f"nothing answers: {command}")


def environment(tools: Path | None = None) -> dict[str, str]:
    """An environment without keys, in which `sparring` and `python` are ours."""
    kept = {name: os.environ[name] for name in ("HOME", "PYTHONPATH") if name in os.environ}
    folders = [str(folder) for folder in (tools, Path(sys.executable).parent) if folder]
    return {**kept, "PATH": os.pathsep.join([*folders, os.environ["PATH"]]), "PYTEST_ADDOPTS": _FEW_PLUGINS}


def free_port() -> int:
    """A port that nothing listens at, and which the system gives to no client before a server of ours has it."""
    while True:
        port = SystemRandom().randrange(10_000, 32_000)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
