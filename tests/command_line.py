"""The command line as a person has it: a process of its own, in a folder of its own, with a bare environment.

`called` is the same in this process, for what needs none of its own: there is much of it, and it begins without delay.
"""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from sparring import cli
from sparring.cli import call

Sparring = Callable[..., "subprocess.CompletedProcess[str]"]
_PROGRAM = str(Path(cli.__file__).parents[1] / "__main__.py")


@pytest.fixture
def sparring(tmp_path: Path, process: None) -> Sparring:
    """Call `sparring` with these arguments, in `tmp_path`; `env` adds to an environment without any keys."""

    def started(
        *arguments: str, env: dict[str, str] | None = None, stdin: str = ""
    ) -> "subprocess.CompletedProcess[str]":
        bare = {
            name: os.environ[name]
            for name in ("PATH", "PYTHONPATH", "HOME", "SPARRING_NULL_BOTS")
            if name in os.environ
        }
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "sparring", *map(str, arguments)],
            cwd=tmp_path,
            env={**bare, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )

    return started


def called(
    *arguments: str, folder: Path, env: Mapping[str, str], stdin: str = ""
) -> "subprocess.CompletedProcess[str]":
    """What `sparring` does in a folder with this environment, without a process of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.chdir(folder)
        patch.setattr("sys.argv", [_PROGRAM, *map(str, arguments)])  # as `python -m sparring` sets it
        patch.setattr("sys.stdin", io.StringIO(stdin))
        for name in {*os.environ} - {*env}:
            patch.delenv(name)
        for name, value in env.items():
            patch.setenv(name, value)
        code = call([str(argument) for argument in arguments])
    said = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
    return subprocess.CompletedProcess(arguments, code, *said)


PROFILE = """\
test_name: order
user:
  role: You order a pizza.
  goals:
    - "a {{size}} custom pizza with ham and corn"
    - "the following drink: coke"
    - size: {function: forward(), type: string, data: [small, medium, big]}
chatbot:
  is_starter: false
  fallback: I'm sorry, I did not get what you said.
  output:
    - order_id: {type: string, description: the order ID}
conversation:
  number: 3
  goal_style: {all_answered: {limit: 10}}
  interaction_style: [default]
"""


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A profile of three conversations."""
    path = tmp_path / "order.yml"
    path.write_text(PROFILE, encoding="utf-8")
    return path
