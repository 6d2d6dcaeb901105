"""Read the logs of experiments. JSON logs are read without Inspect, whose import takes over a second."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from sparring.core.outcome import Outcome
from sparring.core.plugins import install
from sparring.core.value import Value

SCORER = "expectations"
"""Name of Sparring's scorer, which identifies the logs of experiments."""


class SampleResult(Value):
    """Outcome, reason, usage and process of a sample. Unknown figures are None."""

    case: str
    epoch: int = 1
    outcome: Outcome
    why: str = ""
    tokens: int | None = None
    tool_calls: int | None = None
    patterns: int = 0
    patterns_found: int = 0
    process_violations: tuple[str, ...] | None = None


class ExperimentLog(Value):
    """A log of an experiment.

    `model_calls` is None if no sample states it; `process` has the prescribed steps.
    """

    file: str
    task: str
    status: str
    created: datetime
    run: str
    model: str
    chatbot: str = ""
    model_calls: int | None = None
    process: tuple[str, ...] = ()
    error: str = ""
    results: tuple[SampleResult, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Outcome of the task: fail if any sample failed, pass only if all samples ran and passed."""
        found = {each.outcome for each in self.results}
        if Outcome.FAILED in found:
            return Outcome.FAILED
        whole = self.status == "success" and found == {Outcome.PASSED}
        return Outcome.PASSED if whole else Outcome.UNDECIDED


class UnreadableLog(Value):
    """A file that is not a readable log of an experiment, with the reason."""

    file: str
    why: str


class LogFolder(Value):
    """Logs in a folder, newest first, and the files that were skipped."""

    logs: tuple[ExperimentLog, ...] = ()
    passed_over: tuple[UnreadableLog, ...] = ()

    @property
    def latest(self) -> dict[str, ExperimentLog]:
        """Newest successful log of every task, by task."""
        newest: dict[str, ExperimentLog] = {}
        for log in self.logs:
            if log.status == "success":
                newest.setdefault(log.task, log)
        return dict(sorted(newest.items()))

    @property
    def unsuccessful(self) -> tuple[ExperimentLog, ...]:
        """Logs of failed runs that are newer than the newest successful log of their task."""
        latest = self.latest
        return tuple(
            log
            for log in self.logs
            if log.status != "success" and (log.task not in latest or log.created > latest[log.task].created)
        )


def find_logs(folder: Path) -> LogFolder:
    """Read all logs in a folder and its subfolders."""
    read = [read_log(path) for path in sorted(folder.rglob("*")) if path.suffix in (".json", ".eval")]
    logs = sorted((each for each in read if isinstance(each, ExperimentLog)), key=lambda log: (log.created, log.file))
    over = tuple(each for each in read if isinstance(each, UnreadableLog))
    return LogFolder(logs=tuple(reversed(logs)), passed_over=over)


def read_log(path: Path) -> ExperimentLog | UnreadableLog:
    """Read one log. Uses the standard JSON parser, as Inspect writes NaN for missing scores."""
    try:
        data = json.loads(path.read_bytes()) if path.suffix == ".json" else _read_eval(path)
        return (
            _log(path, data)
            if _is_experiment_log(data)
            else UnreadableLog(file=str(path), why="not a log of a Sparring experiment")
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return UnreadableLog(file=str(path), why=str(error).splitlines()[0] if str(error) else type(error).__name__)


def _read_eval(path: Path) -> Any:
    """Return the content of an `.eval` file, read by Inspect."""
    if find_spec("inspect_ai") is None:
        raise ValueError(f".eval files need Inspect: {install('inspect')}")
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path), exclude_fields={"events", "store", "attachments", "messages"})
    return log.model_dump(mode="python")


def _is_experiment_log(data: Any) -> bool:
    """Return True for the log of an experiment, by its scorer, or by its task name if it has no scores."""
    if not isinstance(data, dict) or not isinstance(data.get("eval"), dict) or "status" not in data:
        return False
    results = data.get("results") or {}
    scored = any(score.get("scorer") == SCORER for score in results.get("scores", ()))
    return scored or (not results.get("scores") and str(data["eval"].get("task", "")).startswith("sparring/"))


def _log(path: Path, data: dict[str, Any]) -> ExperimentLog:
    spec = data["eval"]
    samples = data.get("samples") or []
    calls = [number for sample in samples if isinstance(number := _metadata(sample).get("model_calls"), int)]
    return ExperimentLog(
        file=str(path),
        task=str(spec["task"]).removeprefix("sparring/"),
        status=str(data["status"]),
        created=_time(spec["created"]),
        run=str(spec.get("run_id", "")),
        model=str(spec.get("model", "")),
        chatbot=str((spec.get("metadata") or {}).get("chatbot", "")),
        process=tuple(map(str, (spec.get("metadata") or {}).get("process", ()))),
        model_calls=sum(calls) if calls else None,
        error=str((data.get("error") or {}).get("message", "")),
        results=tuple(sorted(_results(samples), key=lambda each: (each.case, each.epoch))),
    )


def _results(samples: Iterable[dict[str, Any]]) -> Iterator[SampleResult]:
    for sample in samples:
        measured = _metadata(sample)
        outcome, why = _outcome(sample)
        yield SampleResult(
            case=str(sample["id"]),
            epoch=sample["epoch"],
            outcome=outcome,
            why=why,
            tokens=measured.get("tokens"),
            tool_calls=measured.get("tool_calls"),
            patterns=measured.get("regexes") or 0,
            patterns_found=measured.get("regex_matches") or 0,
            process_violations=measured.get("process_violations"),
        )


def _outcome(sample: dict[str, Any]) -> tuple[Outcome, str]:
    """Return outcome and reason of a sample: 1.0 passed, 0.0 failed, and any other score is undecided.

    A sample with an error, or that a limit stopped, is void.
    """
    if sample.get("error"):
        return Outcome.VOID, str(sample["error"].get("message", ""))
    if sample.get("limit"):
        return Outcome.VOID, f"stopped at its {sample['limit'].get('type', '')} limit"
    score = (sample.get("scores") or {}).get(SCORER)
    if score is None:
        return Outcome.UNDECIDED, "no score"
    value, why = score.get("value"), str(score.get("explanation") or "")
    if not isinstance(value, int | float) or isnan(value) or value not in (0, 1):
        return Outcome.UNDECIDED, why or "undecided"
    return (Outcome.PASSED, "") if value == 1 else (Outcome.FAILED, why)


def _metadata(sample: dict[str, Any]) -> dict[str, Any]:
    return ((sample.get("scores") or {}).get(SCORER) or {}).get("metadata") or {}


def _time(text: object) -> datetime:
    """Parse a time; without a zone it is UTC."""
    time = datetime.fromisoformat(str(text))
    return time if time.tzinfo else time.replace(tzinfo=UTC)
