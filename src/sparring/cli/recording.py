"""The recording behind --record and --replay."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sparring.cli.console import tell
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.llm.recording import Recording
from sparring.llm.redaction import secrets_in
from sparring.llm.replay import Mode, Recorder
from sparring.settings import environment


@contextmanager
def taped(
    record: Path | None, replay: Path | None, *, loose: bool, sequence: bool, more: bool = False
) -> Iterator[Recorder | None]:
    """The tape that the options ask for, open inside the block; `more` may be recorded to one that is there already.

    A recording that nothing came into is told at the end: only then is it known that nobody asked a model.
    """
    path = replay or record
    if record and replay:
        raise InputError("--record and --replay exclude each other", hint="--replay FILE --loose adds what is missing")
    if (loose or sequence) and not replay:
        raise InputError(f"--{'loose' if loose else 'sequence'} says how to --replay FILE, and none is given")
    if loose and sequence:
        raise InputError("--loose and --sequence exclude each other")
    if path is None:
        yield None
        return
    mode: Mode = "record" if record else "loose" if loose else "sequence" if sequence else "strict"
    hidden = secrets_in(environment(Path.cwd()))
    new = mode == "record" and not more
    with Recording(path, secrets=hidden, must_exist=mode in ("strict", "sequence"), new=new) as recording:
        if recording.cut_off:
            tell(f"warning: {visible(str(path))} ends in the middle of a line: what stood there is missing")
        yield Recorder(recording, mode)
        if mode == "record" and not recording.added:
            tell(f"warning: nothing was recorded into {visible(str(path))}: no model was asked anything")


def over(tape: Recorder) -> str:
    """The options that ask for this tape again."""
    path = shlex.quote(visible(str(tape.recording.path)))
    if tape.mode == "record":
        return f"--record {path}"
    return f"--replay {path}" + ("" if tape.mode == "strict" else f" --{tape.mode}")
