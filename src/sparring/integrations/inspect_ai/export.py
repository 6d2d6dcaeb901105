"""Writes a batch as logs of Inspect's.

A part of a batch as Inspect's log.
"""

from collections.abc import AsyncIterable, Sequence
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
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.verdict import Verdict
from sparring.core.version import __version__
from sparring.integrations.inspect_ai import needed
from sparring.integrations.inspect_ai.messages import id_of, model_of, task_of
from sparring.integrations.inspect_ai.scores import results_of

MOST = 250
"""Samples in a log: Inspect builds a log in memory and writes it as a whole."""

Judged = tuple[Conversation, Sequence[Verdict]]


async def export(
    batch: Batch,
    judged: AsyncIterable[Judged],
    folder: Path,
    *,
    suffix: Literal["eval", "json"] = "eval",
    complete: bool = True,
    most: int = MOST,
) -> list[Path]:
    """Write all conversations of a batch, with the verdicts about them, into as many logs as it takes; their paths.

    The same batch is written into the same files again. `complete` says that nothing is missing that was planned.
    """
    needed("a log of Inspect's")
    written: list[Path] = []
    part: list[Judged] = []
    async for each in judged:
        part.append(each)
        if len(part) == most:
            written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
            part = []
    if part or not written:
        written.append(await _write(batch, part, folder, len(written) + 1, suffix, complete))
    return written


async def _write(
    batch: Batch, part: Sequence[Judged], folder: Path, number: int, suffix: Literal["eval", "json"], complete: bool
) -> Path:
    from inspect_ai.log import write_eval_log_async

    from sparring.integrations.inspect_ai.samples import sample_of

    samples = [sample_of(batch, conversation, verdicts) for conversation, verdicts in part]
    path = folder / file_name(batch, number, suffix)
    try:
        await write_eval_log_async(log_of(batch, samples, part=number, complete=complete), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def log_of(batch: Batch, samples: Sequence[EvalSample], *, part: int, complete: bool) -> EvalLog:
    """The `part`-th log of a batch, from 1. A batch that was not run to its end is one that was cancelled."""
    times = [time for sample in samples for time in (sample.started_at, sample.completed_at) if time]
    return EvalLog(
        version=2,
        status="success" if complete else "cancelled",
        eval=_spec(batch, samples, part),
        plan=EvalPlan(name="simulate", steps=[EvalPlanStep(solver="sparring", params=batch.who.model_dump())]),
        results=EvalResults(
            total_samples=len(samples),
            completed_samples=sum(sample.error is None for sample in samples),
            scores=results_of([sample.scores or {} for sample in samples]),
        ),
        stats=EvalStats(
            started_at=min(times, default=""),
            completed_at=max(times, default=""),
            model_usage=_added([sample.model_usage for sample in samples]),
            role_usage=_added([sample.role_usage for sample in samples]),
        ),
        samples=list(samples),
    )


def file_name(batch: Batch, part: int, suffix: Literal["eval", "json"]) -> str:
    """Inspect lists `.json` only where the name begins with a time, and sorts by it."""
    task = "".join(char if char.isalnum() else "-" for char in task_of(batch))[:60]
    return f"{batch.created.astimezone(UTC):%Y-%m-%dT%H-%M-%S}-00-00_{task}_{id_of(batch.id, part)[:22]}.{suffix}"


def _spec(batch: Batch, samples: Sequence[EvalSample], part: int) -> EvalSpec:
    ids = list(dict.fromkeys(str(sample.id) for sample in samples))
    return EvalSpec(
        eval_id=id_of(batch.id, part),
        run_id=batch.id,
        created=batch.created.astimezone(UTC).isoformat(),
        task=task_of(batch),
        task_id=id_of(batch.id, part)[:22],
        dataset=EvalDataset(name=task_of(batch), samples=len(ids), sample_ids=ids, shuffled=False),
        model=model_of("chatbot", batch.who),
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


def _added(usages: Sequence[dict[str, ModelUsage]]) -> dict[str, ModelUsage]:
    total: dict[str, ModelUsage] = {}
    for usage in usages:
        for name, each in usage.items():
            total[name] = total[name] + each if name in total else each
    return total
