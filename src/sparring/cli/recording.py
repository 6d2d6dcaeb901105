"""The recording behind --record and --replay."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from sparring.cli.console import notify
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.llm.recording import CallRecording
from sparring.llm.redaction import secrets_in
from sparring.llm.replay import Mode, Recorder
from sparring.settings import environment

ReplayMode = Literal["strict", "update", "sequence"]


@contextmanager
def taped(
    record: Path | None, replay: Path | None, *, replay_mode: ReplayMode | None, more: bool = False
) -> Iterator[Recorder | None]:
    """Open the recorder of the options; with `more`, an existing recording may grow.

    Warn at the end if nothing was recorded.
    """
    path = replay or record
    if record and replay:
        raise InputError(
            "--record and --replay exclude each other", hint="--replay FILE --replay-mode update adds missing calls"
        )
    if replay_mode and not replay:
        raise InputError(f"--replay-mode {replay_mode} requires --replay FILE")
    if path is None:
        yield None
        return
    mode: Mode = "record" if record else replay_mode or "strict"
    hidden = secrets_in(environment(Path.cwd()))
    new = mode == "record" and not more
    with CallRecording(path, secrets=hidden, must_exist=mode in ("strict", "sequence"), new=new) as recording:
        if recording.cut_off:
            notify(f"warning: {visible(str(path))} ends in the middle of a line, so its last call is missing")
        yield Recorder(recording, mode)
        if mode == "record" and not recording.added:
            notify(f"warning: nothing was recorded into {visible(str(path))}: no model was called")


def over(recorder: Recorder) -> str:
    """Return the options that open this recording again."""
    path = shlex.quote(visible(str(recorder.recording.path)))
    if recorder.mode == "record":
        return f"--record {path}"
    return f"--replay {path}" + ("" if recorder.mode == "strict" else f" --replay-mode {recorder.mode}")
