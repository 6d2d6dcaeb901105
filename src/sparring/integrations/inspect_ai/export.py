"""Export of a batch as Inspect logs."""

from collections.abc import AsyncIterable, Collection, Sequence
from datetime import UTC
from pathlib import Path
from typing import Literal

from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
)
from inspect_ai.model import ModelUsage

from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.core.version import __version__
from sparring.integrations.inspect_ai import require_inspect
from sparring.integrations.inspect_ai.messages import model_name, stable_id, task_name
from sparring.integrations.inspect_ai.scores import to_results
from sparring.reports.reported import ReportedConversation

MAX_SAMPLES = 250
"""Samples in a log. Inspect keeps a log in memory and writes it as a whole."""


async def export(
    batch: Batch,
    judged: AsyncIterable[ReportedConversation],
    folder: Path,
    *,
    suffix: Literal["eval", "json"] = "eval",
    complete: bool = True,
    most: int = MAX_SAMPLES,
) -> list[Path]:
    """Write all conversations of a batch with their verdicts into one or more logs, and return the paths.

    The file names depend only on the batch. `complete` is True if no planned conversation is missing.
    """
    require_inspect("an Inspect log")
    written: list[Path] = []
    part: list[ReportedConversation] = []
    async for each in judged:
        part.append(each)
        if len(part) == most:
            written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
            part = []
    if part or not written:
        written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
    return written


async def _write(
    batch: Batch,
    part: Sequence[ReportedConversation],
    folder: Path,
    number: int,
    suffix: Literal["eval", "json"],
    complete: bool,
) -> Path:
    from inspect_ai.log import write_eval_log_async

    from sparring.integrations.inspect_ai.samples import to_sample

    samples = [to_sample(batch, each) for each in part]
    path = folder / log_name(batch, number, suffix)
    try:
        await write_eval_log_async(build_log(batch, samples, part=number, complete=complete), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def build_log(batch: Batch, samples: Sequence[EvalSample], *, part: int, complete: bool) -> EvalLog:
    """Build the `part`-th log of a batch, counting from 1. An incomplete batch has the status `cancelled`."""
    times = [time for sample in samples for time in (sample.started_at, sample.completed_at) if time]
    return EvalLog(
        version=2,
        status="success" if complete else "cancelled",
        eval=_spec(batch, samples, part),
        plan=EvalPlan(name="simulate", steps=[EvalPlanStep(solver="sparring", params=batch.who.model_dump())]),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(sample.error is None for sample in samples),
            scores=to_results([(str(sample.id), sample.scores or {}) for sample in samples]),
        ),
        stats=EvalStats(
            started_at=min(times, default=""),
            completed_at=max(times, default=""),
            **_total_usages(batch, samples),
        ),
        samples=list(samples),
    )


def log_name(batch: Batch, part: int, suffix: Literal["eval", "json"]) -> str:
    """Return the file name of a log. Inspect lists `.json` files only if their names start with a time."""
    task = "".join(char if char.isalnum() else "-" for char in task_name(batch))[:60]
    return f"{batch.created.astimezone(UTC):%Y-%m-%dT%H-%M-%S}-00-00_{task}_{stable_id(batch.id, part)[:22]}.{suffix}"


def _spec(batch: Batch, samples: Sequence[EvalSample], part: int) -> EvalSpec:
    ids = list(dict.fromkeys(str(sample.id) for sample in samples))
    return EvalSpec(
        eval_id=stable_id(batch.id, part),
        run_id=batch.id,
        created=batch.created.astimezone(UTC).isoformat(),
        task=task_name(batch),
        task_id=stable_id(batch.id, part)[:22],
        dataset=EvalDataset(name=task_name(batch), samples=len(ids), sample_ids=ids, shuffled=False),
        model=model_name("chatbot", batch.who),
        config=EvalConfig(epochs=batch.repeats, fail_on_error=False),
        packages={"sparring": __version__},
        tags=list(batch.tags) or None,
        metadata={
            "batch": batch.id,
            "name": batch.name,
            "part": part,
            "who": str(batch.who),
            "seed": batch.seed,
            "planned": batch.planned,
            "rules": [rule.model_dump(mode="json", include={"name", "file", "conversations"}) for rule in batch.rules],
        },
    )


def _total_usages(batch: Batch, samples: Sequence[EvalSample]) -> dict[str, dict[str, ModelUsage]]:
    """Return the usage by model and by role, without figures that any sample lacks."""
    usages = [sample.metadata["usage"] for sample in samples]
    roles = {role for usage in usages for role, each in usage.items() if each["unknown_tokens"]}
    models = {model_name(role, batch.who) for role in roles}
    return {
        "model_usage": _total_usage([sample.model_usage for sample in samples], models),
        "role_usage": _total_usage([sample.role_usage for sample in samples], roles),
    }


def _total_usage(usages: Sequence[dict[str, ModelUsage]], unknown: Collection[str]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, each in usage.items():
            if name not in unknown:
                total[name] = total[name] + each if name in total else each
    return total
