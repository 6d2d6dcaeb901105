"""Conversation to Inspect sample."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.value import to_json
from sparring.integrations.inspect_ai.messages import chat_messages, model_name, stable_id
from sparring.integrations.inspect_ai.scores import to_scores, usage_by_model, usage_by_role
from sparring.integrations.inspect_ai.transcript_events import to_events
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
