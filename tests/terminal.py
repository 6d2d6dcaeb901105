"""A terminal with `sparring` in it, as a person uses it."""

import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_PATIENCE = 240.0
UP = "\x1b[A"


class Terminal:
    """What is on the screen, and a keyboard."""

    def __init__(self, screen: int) -> None:
        self._screen = screen
        self.raw = ""
        self._seen = 0

    @property
    def text(self) -> str:
        """What was printed, without its colours and the movements of the cursor."""
        return _ESCAPES.sub("", self.raw).replace("\r", "")

    def type(self, line: str) -> None:
        os.write(self._screen, f"{line}\n".encode())

    def waits(self, prompt: str = "you> ") -> str:
        """Wait for the prompt; what was printed since the last one."""
        deadline = time.monotonic() + _PATIENCE
        while prompt not in self.text[self._seen :]:
            assert time.monotonic() < deadline, f"no prompt in:\n{self.text[self._seen :]}"
            self._read()
        printed = self.text[self._seen :]
        self._seen = len(self.text)
        return printed

    def says(self, line: str) -> str:
        """Type a line and wait for the next prompt; what was printed in between."""
        self.type(line)
        return self.waits()

    def rest(self) -> str:
        """Everything that is printed until the program ends."""
        while self._read():
            pass
        return self.text[self._seen :]

    def _read(self) -> bool:
        if not select.select([self._screen], [], [], _PATIENCE)[0]:
            raise AssertionError(f"nothing more is printed after:\n{self.text[self._seen :]}")
        try:
            printed = os.read(self._screen, 65_536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.raw += printed.decode("utf-8", "replace")
        return bool(printed)


@contextmanager
def terminal(
    *arguments: str, folder: Path, env: dict[str, str] | None = None
) -> Iterator[tuple[Terminal, "subprocess.Popen[bytes]"]]:
    """`sparring` with these arguments in a terminal, in a folder and with a bare environment."""
    screen, keyboard = pty.openpty()
    bare = {name: os.environ[name] for name in ("PATH", "PYTHONPATH", "HOME") if name in os.environ}
    program = subprocess.Popen(
        [sys.executable, "-m", "sparring", *arguments],
        cwd=folder,
        env={**bare, "TERM": "xterm", "COLUMNS": "200", **(env or {})},
        stdin=keyboard,
        stdout=keyboard,
        stderr=keyboard,
        start_new_session=True,
    )
    os.close(keyboard)
    try:
        yield Terminal(screen), program
    finally:
        program.kill()
        program.wait()
        os.close(screen)
