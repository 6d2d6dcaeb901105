"""Writing secrets into `.env`, which only its owner can read."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sparring.cli.console import notify
from sparring.core.errors import InputError, Problem
from sparring.settings import environment

ENV = Path(".env")


def add_to_env(secrets: Mapping[str, str]) -> list[str]:
    """Add secrets to `.env` of the current folder, and return the names that were new.

    Raise InputError before anything is written if one of them has another value there.
    """
    known = environment(Path(), {})
    if others := [name for name, value in secrets.items() if known.get(name, value) != value]:
        problems = [Problem(file=str(ENV), message=f"{name} has another value already") for name in others]
        raise InputError(problems, hint=f"remove it from {ENV}, if it is not needed any more")
    new = {name: value for name, value in secrets.items() if name not in known}
    if new:
        try:
            before = ENV.read_bytes() if ENV.exists() else b""
            with os.fdopen(os.open(ENV, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
                os.chmod(ENV, 0o600)
                lines = "".join(f"{name}={_quoted(value)}\n" for name, value in new.items())
                file.write((b"\n" if before and not before.endswith(b"\n") else b"") + lines.encode())
        except OSError as error:
            raise InputError(Problem(file=str(ENV), message=f"cannot be written: {error.strerror}")) from error
    return list(new)


def notify_moved(names: Sequence[str]) -> None:
    """Report which variables were written, without their values."""
    if names:
        ignored = Path(".gitignore")
        known = ignored.is_file() and str(ENV) in ignored.read_text(encoding="utf-8", errors="replace").split()
        hint = "" if known or not Path(".git").exists() else f"; add {ENV} to .gitignore"
        notify(f"written: {ENV}: {', '.join(names)}{hint}")


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
