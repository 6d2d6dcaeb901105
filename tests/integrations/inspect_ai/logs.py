"""Logs as Inspect writes them, made by hand."""

import json
from pathlib import Path
from typing import Any


def a_sample(case: str, value: Any = 1.0, *, epoch: int = 1, why: str = "", **more: Any) -> dict[str, Any]:
    """A sample; `error` and `limit` are Inspect's, everything else is what was measured."""
    measured = {"tokens": 100, "model_calls": 2, "tool_calls": 1, "regexes": 1, "regex_matches": 1}
    measured |= {name: more.pop(name) for name in list(more) if name in measured}
    if "error" in more:
        return {"id": case, "epoch": epoch, "scores": None, "error": {"message": more["error"]}}
    measured |= {"process_violations": more.pop("violations")} if "violations" in more else {}
    score = {"value": value, "explanation": why, "metadata": measured}
    return {"id": case, "epoch": epoch, "scores": {"expectations": score}, **more}


def write_log(
    folder: Path,
    task: str,
    *samples: dict[str, Any],
    at: str = "2026-01-02T10:00:00+00:00",
    status: str = "success",
    run: str = "R1",
    model: str = "openai/gpt-4o-mini",
    error: str = "",
    name: str = "",
    scorer: str = "expectations",
    process: tuple[str, ...] = (),
) -> Path:
    """A log in a file, called as Inspect would call it."""
    data = {
        "version": 2,
        "status": status,
        "eval": {
            "task": task if "/" in task else f"sparring/{task}",
            "created": at,
            "run_id": run,
            "model": model,
            "metadata": {"chatbot": "service", "process": [*process]},
        },
        "results": {"scores": [{"name": scorer, "scorer": scorer}]} if status == "success" else None,
        "samples": list(samples),
        "error": {"message": error} if error else None,
    }
    stamp = at[:19].replace(":", "-")
    path = folder / (name or f"{stamp}-00-00_{task.replace('/', '-')}_{run}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data))
    return path
