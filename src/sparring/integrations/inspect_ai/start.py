"""Check an experiment before its first message, and run Inspect in a subprocess.

Inspect allows one evaluation per process and is slow to import.
"""

import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.models import OFFLINE, model_called
from sparring.app.preflight import check_expectations, check_refusals
from sparring.app.wiring import connect, plugin_context
from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.errors import ModelUnavailable
from sparring.integrations.inspect_ai import require_inspect
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import Completion, Model, Request, UnpricedModel
from sparring.scenarios import loading

LOG_FOLDER = Path("logs/experiments")
_STDERR = 2


def inspect_model(name: str) -> str:
    """Return Inspect's name of a model: `openai/gpt-4o` is Inspect's own, `openai:gpt-4o` is Sparring's."""
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
    """Run tasks. Return the new logs, and True if the run was interrupted.

    Inspect's output goes to stderr.

    The log tells if a task succeeded: Inspect's exit code is 0 even if it failed.
    """
    require_inspect("an experiment")
    before = find_log_files(folder)
    several = ["--epochs", str(epochs), "--no-epochs-reducer"] if epochs > 1 else []
    interrupted = _run(
        [
            *("eval", *(f"sparring/{task}" for task in tasks), "--model", inspect_model(model)),
            *("--log-dir", str(folder), "--log-format", format, "--display", "plain", "--ctl-server", "false"),
            *("--no-log-realtime", *several),
            *(part for name, value in (arguments or {}).items() for part in ("-T", f"{name}={value}")),
        ]
    )
    return find_log_files(folder) - before, interrupted


def view(folder: Path, *, port: int) -> None:
    """Serve Inspect's log viewer on this machine only, until Ctrl-C."""
    require_inspect("Inspect's viewer")
    _run(["view", "start", "--log-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)])


def find_log_files(folder: Path) -> set[Path]:
    """Return the paths of all logs in a folder and its subfolders."""
    return {path for path in folder.rglob("*") if path.suffix in (".json", ".eval")}


def _run(arguments: Sequence[str]) -> bool:
    """Run Inspect and wait for it. Return True if it was interrupted.

    Ctrl-C reaches Inspect directly, which then completes its logs; SIGTERM is forwarded.
    """
    process = subprocess.Popen([sys.executable, "-m", "inspect_ai", *arguments], stdout=_STDERR)
    signals: list[int] = []

    def forward(number: int, frame: object) -> None:
        signals.append(number)
        process.terminate()

    before = signal.signal(signal.SIGTERM, forward)
    try:
        process.wait()
    except KeyboardInterrupt:
        signals.append(signal.SIGINT)
        with suppress(KeyboardInterrupt):
            process.wait()
    finally:
        signal.signal(signal.SIGTERM, before)
        if process.poll() is None:
            process.terminate()
            process.wait()
    return bool(signals)


def load_cases(experiment: Experiment, config: AppConfig) -> tuple[Case, ...]:
    """Return the cases of an experiment. Raise `InputError` with all their problems."""
    cases = loading.load(experiment.files, seed=config.seed, limits=config.case_limits).cases
    check_expectations(cases, informed=config.informed)
    return cases


def check_chatbot(name: str, cases: Iterable[Case], *, model: str, config: AppConfig) -> None:
    """Raise `InputError` if the chatbot is unknown, cannot use the model, or refuses any of the cases.

    Sends nothing. Inspect's own models and their keys are not checked.
    """
    context = plugin_context(config, HttpTransport(config.environment))
    own = model.removeprefix("sparring/")
    if own == OFFLINE:
        context = replace(context, offline=frozenset({"chatbot"}))
    else:
        # Inspect's models are written PROVIDER/NAME. All others are looked up in Sparring, which lists the known ones.
        inspects = own == inspect_model(model) and "/" in own
        played_by: Model = _InspectOnlyModel() if inspects else model_called(own, context)
        context = replace(context, models={"chatbot": played_by})
    check_refusals(cases, connect(name, context), informed=config.informed)


class _InspectOnlyModel(UnpricedModel):
    """A placeholder for a model that only Inspect can call."""

    async def complete(self, request: Request) -> Completion:
        raise ModelUnavailable("only Inspect can call this model")
