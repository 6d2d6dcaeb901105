"""Export of a batch as Inspect logs."""

from collections.abc import AsyncIterable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.log import (
    EvalConfig,
    EvalDataset,
    EvalError,
    EvalLog,
    EvalPlan,
    EvalPlanStep,
    EvalResults,
    EvalSample,
    EvalSpec,
    EvalStats,
)
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput, ModelUsage

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.value import to_json
from sparring.core.version import __version__
from sparring.integrations.inspect_ai import require_inspect
from sparring.integrations.inspect_ai.messages import chat_messages, model_name, stable_id, task_name, to_events
from sparring.integrations.inspect_ai.scores import to_results, to_scores, usage_by_model, usage_by_role
from sparring.llm.model import words
from sparring.reports.reported import ReportedConversation


def to_sample(batch: Batch, reported: ReportedConversation) -> EvalSample:
    """Convert a conversation and its verdicts. A void one becomes a sample with an error and no score."""
    conversation = reported.conversation
    case, id, model = conversation.case, f"{batch.id}/{conversation.id}", model_name("chatbot", batch.who)
    error = _error(conversation)
    scores = {} if error else to_scores(reported)
    messages = chat_messages(conversation.messages, id, model)
    started = _started(batch, conversation)
    sample = Sample(id=case.id, input=_input(conversation), target=_target(conversation))
    seconds = conversation.timing.seconds if conversation.timing else None
    return EvalSample(
        id=case.id,
        epoch=conversation.repeat,
        uuid=stable_id(id),
        input=sample.input,
        target=sample.target,
        messages=messages,
        output=_output(messages, model),
        scores=scores,
        metadata=_metadata(batch, conversation),
        events=to_events(conversation, sample, scores, id=id, model=model, started=started),
        model_usage=usage_by_model(conversation.usage, batch.who),
        role_usage=usage_by_role(conversation.usage),
        started_at=started.isoformat(),
        completed_at=(started + timedelta(seconds=seconds or 0)).isoformat(),
        total_time=seconds,
        working_time=seconds,
        error=error,
        turn_count=conversation.turns,
    )


def _error(conversation: Conversation) -> EvalError | None:
    ending = conversation.ending
    if ending is not None and not ending.void:
        return None
    message = ": ".join(part for part in (ending or "did not end", conversation.error) if part)
    return EvalError(message=message, traceback=message, traceback_ansi=message)


def _input(conversation: Conversation) -> str:
    """Return the goals of the user, or its first message if it has none."""
    goals = "; ".join(goal.text for goal in conversation.case.goals)
    return goals or next((words(said) for said in conversation.messages if said.role == "user"), "")


def _target(conversation: Conversation) -> list[str]:
    return [expectation.rule.then for expectation in conversation.case.expectations]


def _output(messages: Sequence[ChatMessage], model: str) -> ModelOutput:
    last = next((line for line in reversed(messages) if isinstance(line, ChatMessageAssistant)), None)
    return ModelOutput(model=model) if last is None else ModelOutput.from_message(last)


def _metadata(batch: Batch, conversation: Conversation) -> dict[str, Any]:
    """Return everything that has no field in a sample. Only the position of images in a message is lost."""
    case = conversation.case
    about = conversation.model_dump(
        mode="json", include={"ending", "goals", "outputs", "reports_tools", "warnings", "usage"}
    )
    return {
        "batch": batch.id,
        "conversation": conversation.id,
        "persona": case.persona.name,
        "language": case.persona.language,
        "tags": list(case.tags),
        "seed": case.seed,
        **about,
        "case": case.model_dump(mode="json"),
        "case_sha256": sha256(to_json(case)).hexdigest(),
    }


def _started(batch: Batch, conversation: Conversation) -> datetime:
    return (conversation.timing.started if conversation.timing else batch.created).astimezone(UTC)


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
