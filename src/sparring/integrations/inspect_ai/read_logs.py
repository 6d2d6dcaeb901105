"""What is in the logs of experiments, read without Inspect where they are JSON: importing it takes over a second."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from sparring.core.value import Value
from sparring.core.verdict import CheckOutcome

SCORER = "expectations"
"""What our scorer is called in a log, and how a log of ours is told from any other."""


class Result(Value):
    """A sample: how it came out, why, and what it took; what nobody stated is None."""

    case: str
    epoch: int = 1
    outcome: CheckOutcome
    why: str = ""
    tokens: int | None = None
    tool_calls: int | None = None
    patterns: int = 0
    patterns_found: int = 0


class Log(Value):
    """A log of one of our tasks. `model_calls` is None where no result says how many there were."""

    file: str
    task: str
    status: str
    created: datetime
    run: str
    model: str
    chatbot: str = ""
    model_calls: int | None = None
    error: str = ""
    results: tuple[Result, ...] = ()

    @property
    def outcome(self) -> CheckOutcome:
        """How the task came out: fail if anything failed, pass only if everything was played and passed."""
        found = {each.outcome for each in self.results}
        if CheckOutcome.FAIL in found:
            return CheckOutcome.FAIL
        whole = self.status == "success" and found == {CheckOutcome.PASS}
        return CheckOutcome.PASS if whole else CheckOutcome.ERROR


class Unreadable(Value):
    """A file among the logs that is none of ours, or cannot be read, and why."""

    file: str
    why: str


class Found(Value):
    """What is in a folder of logs: ours, the newest first, and what was passed over."""

    logs: tuple[Log, ...] = ()
    passed_over: tuple[Unreadable, ...] = ()

    @property
    def latest(self) -> dict[str, Log]:
        """The newest successful log of every task, by task."""
        newest: dict[str, Log] = {}
        for log in self.logs:
            if log.status == "success":
                newest.setdefault(log.task, log)
        return dict(sorted(newest.items()))

    @property
    def unsuccessful(self) -> tuple[Log, ...]:
        """Logs of runs that did not succeed and are newer than the one that is reported, or the only ones there are."""
        latest = self.latest
        return tuple(
            log
            for log in self.logs
            if log.status != "success" and (log.task not in latest or log.created > latest[log.task].created)
        )


def find(folder: Path) -> Found:
    """All logs in a folder and those inside it."""
    read = [read_log(path) for path in sorted(folder.rglob("*")) if path.suffix in (".json", ".eval")]
    logs = sorted((each for each in read if isinstance(each, Log)), key=lambda log: (log.created, log.file))
    over = tuple(each for each in read if isinstance(each, Unreadable))
    return Found(logs=tuple(reversed(logs)), passed_over=over)


def read_log(path: Path) -> Log | Unreadable:
    """One log, or why it is none. Inspect writes NaN for what has no score, which not every reader of JSON takes."""
    try:
        data = json.loads(path.read_bytes()) if path.suffix == ".json" else _converted(path)
        return _log(path, data) if _is_ours(data) else Unreadable(file=str(path), why="no log of an experiment of ours")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return Unreadable(file=str(path), why=str(error).splitlines()[0] if str(error) else type(error).__name__)


def _converted(path: Path) -> Any:
    """What is in an `.eval`, which only Inspect reads."""
    if find_spec("inspect_ai") is None:
        raise ValueError('an .eval is read by Inspect: pip install "sparring[inspect]"')
    from inspect_ai.log import read_eval_log

    log = read_eval_log(str(path), exclude_fields={"events", "store", "attachments", "messages"})
    return log.model_dump(mode="python")


def _is_ours(data: Any) -> bool:
    """A log that failed early has no scores: then the name of its task has to do."""
    if not isinstance(data, dict) or not isinstance(data.get("eval"), dict) or "status" not in data:
        return False
    results = data.get("results") or {}
    scored = any(score.get("scorer") == SCORER for score in results.get("scores", ()))
    return scored or (not results.get("scores") and str(data["eval"].get("task", "")).startswith("sparring/"))


def _log(path: Path, data: dict[str, Any]) -> Log:
    spec = data["eval"]
    samples = data.get("samples") or []
    calls = [number for sample in samples if isinstance(number := _measured(sample).get("model_calls"), int)]
    return Log(
        file=str(path),
        task=str(spec["task"]).removeprefix("sparring/"),
        status=str(data["status"]),
        created=_time(spec["created"]),
        run=str(spec.get("run_id", "")),
        model=str(spec.get("model", "")),
        chatbot=str((spec.get("metadata") or {}).get("chatbot", "")),
        model_calls=sum(calls) if calls else None,
        error=str((data.get("error") or {}).get("message", "")),
        results=tuple(sorted(_results(samples), key=lambda each: (each.case, each.epoch))),
    )


def _results(samples: Iterable[dict[str, Any]]) -> Iterator[Result]:
    for sample in samples:
        measured = _measured(sample)
        outcome, why = _outcome(sample)
        yield Result(
            case=str(sample["id"]),
            epoch=sample["epoch"],
            outcome=outcome,
            why=why,
            tokens=measured.get("tokens"),
            tool_calls=measured.get("tool_calls"),
            patterns=measured.get("regexes") or 0,
            patterns_found=measured.get("regex_matches") or 0,
        )


def _outcome(sample: dict[str, Any]) -> tuple[CheckOutcome, str]:
    """Only 1.0 passes and only 0.0 fails; everything else is no decision."""
    if sample.get("error"):
        return CheckOutcome.ERROR, str(sample["error"].get("message", ""))
    if sample.get("limit"):
        return CheckOutcome.ERROR, f"stopped at its {sample['limit'].get('type', '')} limit"
    score = (sample.get("scores") or {}).get(SCORER)
    if score is None:
        return CheckOutcome.ERROR, "it has no score"
    value, why = score.get("value"), str(score.get("explanation") or "")
    if not isinstance(value, int | float) or isnan(value) or value not in (0, 1):
        return CheckOutcome.ERROR, why or "it could not be decided"
    return (CheckOutcome.PASS, "") if value == 1 else (CheckOutcome.FAIL, why)


def _measured(sample: dict[str, Any]) -> dict[str, Any]:
    return ((sample.get("scores") or {}).get(SCORER) or {}).get("metadata") or {}


def _time(text: object) -> datetime:
    """A time with its zone; one without is read as UTC."""
    time = datetime.fromisoformat(str(text))
    return time if time.tzinfo else time.replace(tzinfo=UTC)
