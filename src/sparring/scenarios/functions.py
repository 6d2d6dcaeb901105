"""Runs a Python function that lists values: in a process of its own, without our environment, and not for long."""

import os
import subprocess
import sys
from pathlib import Path

from sparring.core.errors import InputError
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.outside import Call
from sparring.scenarios.ranges import MAX_VALUES

MAX_CHARACTERS = 1_000_000

_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")
_PROGRAM = Path(__file__).with_name("function_runner.py")


def computed(call: Call, *, seconds: float = 10) -> tuple[Data, ...]:
    """What the function lists; a ValueError if it does not, with the last line of what it complained about."""
    if call.folder is None or Path(call.file).is_absolute():
        raise ValueError(f"there is no file {call.file!r} in the folder of this file, or in one above it")
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {"PYTHONHASHSEED": "0"}
    command = [
        sys.executable,
        "-P",
        "-s",
        str(_PROGRAM),
        str((call.folder / call.file).resolve()),
        call.function,
        call.seed,
    ]
    try:
        done = subprocess.run(
            command,
            input=call.arguments,
            env=environment,
            cwd=call.folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"{call.function}() took longer than {seconds} s") from error
    if done.returncode:
        told = done.stderr.strip().splitlines() or ["no reason given"]
        raise ValueError(f"{call.function}() failed: {told[-1][:200]}")
    return _listed(call, done.stdout)


def _listed(call: Call, output: str) -> tuple[Data, ...]:
    try:
        values = JsonDocument(output[:MAX_CHARACTERS]).data
    except InputError as error:
        raise ValueError(f"{call.function}() listed something that cannot be used") from error
    if not isinstance(values, list) or len(values) > MAX_VALUES:
        raise ValueError(f"{call.function}() should list up to {MAX_VALUES:,} values")
    return tuple(values)
