"""Starts Inspect in a process of its own: it allows one evaluation in each, and importing it takes over a second."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sparring.app.wiring import OFFLINE
from sparring.core import plugins
from sparring.integrations.inspect_ai import needed

LOGS = Path("logs/experiments")
_STDERR = 2


def inspect_model(name: str) -> str:
    """The model called `name` as Inspect knows it: `openai/gpt-4o` is Inspect's own, `openai:gpt-4o` is ours."""
    kind, colon, _ = name.partition(":")
    ours = name == OFFLINE or (colon and kind in ("http", "https", *plugins.names("sparring.models")))
    return f"sparring/{name}" if ours else name


def run_inspect(
    tasks: Sequence[str],
    *,
    model: str,
    folder: Path,
    epochs: int = 1,
    format: str = "json",
    arguments: Mapping[str, object] | None = None,
) -> tuple[set[Path], bool]:
    """Run these tasks; the logs it wrote, and whether it was interrupted. What it says goes to stderr.

    Whether a task succeeded is in its log: Inspect's exit code is 0 also where it failed.
    """
    needed("an experiment")
    before = logs_in(folder)
    several = ["--epochs", str(epochs), "--no-epochs-reducer"] if epochs > 1 else []
    interrupted = _wait(
        [
            *("eval", *(f"sparring/{task}" for task in tasks), "--model", inspect_model(model)),
            *("--log-dir", str(folder), "--log-format", format, "--display", "plain", "--ctl-server", "false"),
            *("--no-log-realtime", *several),
            *(part for name, value in (arguments or {}).items() for part in ("-T", f"{name}={value}")),
        ]
    )
    return logs_in(folder) - before, interrupted


def view(folder: Path, *, port: int) -> None:
    """Show logs in a browser until Ctrl-C; only this machine may look."""
    needed("Inspect's viewer")
    _wait(["view", "start", "--log-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)])


def logs_in(folder: Path) -> set[Path]:
    """The logs in a folder and those inside it."""
    return {path for path in folder.rglob("*") if path.suffix in (".json", ".eval")}


def _wait(arguments: Sequence[str]) -> bool:
    """Call Inspect and wait for its end; whether it was interrupted.

    Ctrl-C reaches it too, and it finishes its logs; what else would end us alone is passed on to it.
    """
    process = subprocess.Popen([sys.executable, "-m", "inspect_ai", *arguments], stdout=_STDERR)
    told: list[int] = []

    def pass_on(number: int, frame: object) -> None:
        told.append(number)
        process.terminate()

    before = signal.signal(signal.SIGTERM, pass_on)
    try:
        process.wait()
    except KeyboardInterrupt:
        told.append(signal.SIGINT)
        with suppress(KeyboardInterrupt):
            process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
        if process.poll() is None:
            process.terminate()
            process.wait()
    return bool(told)
