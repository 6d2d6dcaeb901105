"""Result rows in the documented format of the simulation service, from stored batches.

Names and values are those of the service. Fields that Sparring adds never replace one of its fields.
"""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveInt

from sparring.core.audit import Blame
from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.case import Case
from sparring.core.conversation import Conversation, Ending, conversation_id
from sparring.core.listing import ResultFields
from sparring.core.message import Message
from sparring.core.outcome import Outcome, Reason
from sparring.core.seeding import hashed_session, session_id
from sparring.core.usage import Usage
from sparring.core.value import Json, Value
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.reports.reported import ReportedConversation
from sparring.reports.scores import speaking
from sparring.reports.usage import Costs
from sparring.scenarios.file_names import slug
from sparring.store.derived import StoredResult


class Status(StrEnum):
    """State of a batch. A completed batch is finished, however its conversations ended."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        return self not in (Status.PENDING, Status.RUNNING)


class BatchStatus(Value):
    """State and progress (in percent) of a batch.

    A conversation is completed if it did not break off, and failed by its outcome, as in the summary; it may be both.
    `prompts` are the hashes of what its players are told, `datasets` the versions of what its cases were loaded from.
    """

    batch_id: str
    status: Status
    prompt_version: str
    progress: NonNegativeFloat
    total_scenarios: NonNegativeInt
    completed_scenarios: NonNegativeInt
    failed_scenarios: NonNegativeInt
    created_at: datetime
    started_at: datetime | None = None
    completed_at: datetime | None = None
    error_message: str | None = None
    name: str = ""
    seed: NonNegativeInt = 0
    repeats: NonNegativeInt = 1
    tags: tuple[str, ...] = ()
    who: dict[str, str] = {}
    prompts: dict[str, str] = {}
    datasets: dict[str, str] = {}


class ToolUse(Value):
    """A tool call of the chatbot."""

    name: str
    arguments: dict[str, Json] = {}


class TranscriptTurn(Value):
    """One message, with its time if recorded; `turn` counts from 1.

    `agent` is the agent that said it, in conversations that were handed over.
    """

    turn: NonNegativeInt
    speaker: Literal["client", "agent"]
    agent: str = ""
    content: str
    timestamp: datetime | None = None
    tool_calls: tuple[ToolUse, ...] = ()
    tool_results: tuple[Json, ...] = ()


class ScenarioResult(Value):
    """The result of one scenario. `score` is null if no judge gave one.

    `outcome` is that of the last of `attempts`; rates count `first_outcome`.
    """

    scenario_index: NonNegativeInt
    scenario: str
    session_id: str
    status: Literal["completed", "failed", "timeout"]
    total_turns: NonNegativeInt
    duration_seconds: NonNegativeFloat | None = None
    score: int | float | None = None
    comment: str = ""
    evaluation_status: Literal["success", "failed", "not_evaluated"] = "not_evaluated"
    start_time: datetime | None = None
    end_time: datetime | None = None
    error: str | None = None
    conversation_id: str
    repeat: NonNegativeInt = 1
    ending: str | None = None
    outcome: Outcome
    first_outcome: Outcome
    attempts: PositiveInt = 1
    blame: Blame | None = None
    reasons: tuple[str, ...] = ()
    conversation_history: tuple[TranscriptTurn, ...] | None = None


class Cost(Value):
    """The cost of a batch. Null means unknown, not zero; `unknown_costs` counts the calls without a price.

    `by_role` and `by_model` add up to the total: `dropped` are attempts that were interrupted, retried or judged again.
    """

    batch_id: str
    total_cost_usd: NonNegativeFloat | None
    total_tokens: NonNegativeInt
    total_requests: NonNegativeInt
    average_cost_per_request: NonNegativeFloat | None
    generated_at: datetime
    unknown_costs: NonNegativeInt = 0
    by_role: dict[str, Usage] = {}
    by_model: dict[str, Usage] = {}


def status_of(job: BatchExecution | None, progress: Progress) -> Status:
    """Derive the state of a batch from its stored execution and progress.

    A batch that ended before all its conversations were run counts as cancelled, also if a limit stopped it.
    """
    if job is not None and job.error:
        return Status.FAILED
    if job is None or not job.is_running:
        return Status.CANCELLED if progress.left else Status.COMPLETED
    return Status.PENDING if job.started is None else Status.RUNNING


def batch_status(batch: Batch, job: BatchExecution | None, progress: Progress) -> BatchStatus:
    """Return the state and progress of a batch."""
    completed = sum(count for ending, count in progress.endings.items() if ending is not None and ending.completed)
    return BatchStatus(
        batch_id=batch.id,
        status=status_of(job, progress),
        prompt_version=job.prompt_version if job else "",
        progress=round(100 * progress.stored / progress.planned, 1) if progress.planned else 100.0,
        total_scenarios=progress.planned,
        completed_scenarios=completed,
        failed_scenarios=progress.failed,
        created_at=batch.created,
        started_at=job.started if job else None,
        completed_at=job.ended if job else None,
        error_message=(job.error or job.stopped or None) if job else None,
        name=batch.name,
        seed=batch.seed,
        repeats=batch.repeats,
        tags=batch.tags,
        who=batch.who.model_dump(),
        prompts=batch.prompts,
        datasets=batch.datasets,
    )


def scenario_name(case: Case) -> str:
    """Return the author's name for a case: its first tag in scenarios JSON, else the id of the case."""
    return _named(case.id, case.tags[0] if case.tags else "")


@lru_cache(maxsize=1024)  # repeats of a case come one after the other
def _named(case: str, tag: str) -> str:
    last = case.rpartition("/")[2].partition("~")[0]
    return tag if tag and slug(tag) in ("", last) else case


def scenario_result(index: int, reported: ReportedConversation, *, transcript: bool = False) -> ScenarioResult:
    """Return the result row of one conversation."""
    conversation, decision = reported.conversation, reported.decision
    timing, scored = conversation.timing, speaking(reported.verdicts)
    status = conversation.ending.status if conversation.ending else "failed"
    return ScenarioResult(
        scenario_index=index,
        scenario=scenario_name(conversation.case),
        session_id=session_id(conversation.case),
        status=status,
        total_turns=conversation.turns,
        duration_seconds=round(timing.seconds, 3) if timing else None,
        score=_whole(scored.score) if scored and conversation.ending and conversation.ending.completed else None,
        comment=scored.reason if scored else "",
        evaluation_status=_evaluation_status(scored),
        start_time=timing.started if timing else None,
        end_time=timing.started + timedelta(seconds=timing.seconds) if timing else None,
        error=conversation.error or None,
        conversation_id=conversation.id,
        repeat=conversation.repeat,
        ending=conversation.ending,
        outcome=decision.outcome,
        first_outcome=reported.first or decision.outcome,
        attempts=reported.attempt,
        blame=decision.blame,
        reasons=_reason_texts(decision.reasons),
        conversation_history=tuple(turns(conversation)) if transcript else None,
    )


def result_fields(conversation: Conversation, scored: Verdict | None) -> ResultFields:
    """Return what rows of lists lack of result rows. `scored` is the speaking verdict."""
    return ResultFields(
        session=conversation.case.session,
        seed=conversation.case.seed,
        comment=scored.reason if scored else "",
        evaluation_status=_evaluation_status(scored),
        start_time=conversation.timing.started if conversation.timing else None,
        error=conversation.error or None,
    )


def listed_result(found: StoredResult) -> ScenarioResult:
    """Return the result row of a conversation from what is stored of it."""
    _, _, case, tags, ending, score, turns, seconds, attempt, decision, first, result = found
    ended = Ending(ending) if ending else None
    started = datetime.fromisoformat(result["start_time"]) if result["start_time"] else None
    return ScenarioResult.unchecked(
        {
            "scenario_index": found.position,
            "scenario": _named(case, tags[0] if tags else ""),
            "session_id": result["session"] or hashed_session(result["seed"], case),
            "status": ended.status if ended else "failed",
            "total_turns": turns,
            "duration_seconds": None if seconds is None else round(seconds, 3),
            "score": _whole(score),
            "comment": result["comment"],
            "evaluation_status": result["evaluation_status"],
            "start_time": started,
            "end_time": started + timedelta(seconds=seconds or 0) if started else None,
            "error": result["error"],
            "conversation_id": conversation_id(case, found.repeat),
            "repeat": found.repeat,
            "ending": ended,
            "outcome": decision.outcome,
            "first_outcome": first or decision.outcome,
            "attempts": attempt,
            "blame": decision.blame,
            "reasons": _reason_texts(decision.reasons),
            "conversation_history": None,
        }
    )


def row_without_result(position: int, reported: ReportedConversation) -> StoredResult:
    """Return the row of a conversation without its score, times and result."""
    conversation = reported.conversation
    return StoredResult(
        position=position,
        repeat=conversation.repeat,
        case=conversation.case.id,
        tags=list(conversation.case.tags),
        ending=conversation.ending,
        score=None,
        turns=conversation.turns,
        seconds=None,
        attempt=reported.attempt,
        decision=reported.decision,
        first=reported.first,
        result={},
    )


@lru_cache(maxsize=1024)  # most conversations fail for few reasons
def _reason_texts(reasons: tuple[Reason, ...]) -> tuple[str, ...]:
    return tuple(map(str, reasons))


def cost(costs: Costs, now: datetime) -> Cost:
    """Return the total cost of a batch, with usage by role and by model for its stored conversations."""
    total = costs.total
    known = total.known_cost
    priced = total.calls - total.unknown_costs
    return Cost(
        batch_id=costs.batch,
        total_cost_usd=known,
        total_tokens=total.tokens,
        total_requests=total.calls,
        average_cost_per_request=known / priced if known is not None and priced else None,
        generated_at=now.astimezone(UTC),
        unknown_costs=total.unknown_costs,
        by_role=costs.by_role,
        by_model=costs.by_model,
    )


def _whole(score: float | None) -> int | float | None:
    """Return the score, as an integer if it is whole."""
    return int(score) if score is not None and float(score).is_integer() else score


def _evaluation_status(scored: Verdict | None) -> Literal["success", "failed", "not_evaluated"]:
    if scored is None or not scored.by:  # not judged yet
        return "not_evaluated"
    return "failed" if scored.outcome is CheckOutcome.ERROR else "success"


def turns(conversation: Conversation) -> Iterable[TranscriptTurn]:
    """Yield the messages of a conversation as result rows list them."""
    columns = zip(conversation.messages, _message_times(conversation), _agents(conversation), strict=True)
    for number, (said, received, agent) in enumerate(columns, 1):
        yield TranscriptTurn(
            turn=number,
            speaker="client" if said.role == "user" else "agent",
            agent=agent,
            content=said.text,
            timestamp=received,
            tool_calls=tuple(ToolUse(name=call.name, arguments=call.arguments) for call in said.tool_calls),
            tool_results=tuple({"error": call.error} if call.error else call.result for call in said.tool_calls),
        )


def _agents(conversation: Conversation) -> Iterator[str]:
    """Yield the agent that said each message: the one that the last handover names."""
    handovers = [_handover(message) for message in conversation.messages]
    now = next((each[0]["from"] for each in handovers if each), "")
    for message, done in zip(conversation.messages, handovers, strict=True):
        now = done[-1]["to"] if done else now
        yield "" if message.role == "user" else now


def _handover(said: Message) -> list[dict[str, str]]:
    """Return the handovers in a message: from which agent to which."""
    results = [call.result for call in said.tool_calls if call.name == "hand_off" and isinstance(call.result, dict)]
    return [{"from": str(each["from"]), "to": str(each["to"])} for each in results if {"from", "to"} <= each.keys()]


def _message_times(conversation: Conversation) -> list[datetime | None]:
    """Return the time of each message: None for history and for recordings without times."""
    before, timing = len(conversation.case.history), conversation.timing
    times: list[datetime | None] = [None] * len(conversation.messages)
    if timing is not None and len(timing.said) == len(times) - before:
        times[before:] = [timing.started + timedelta(seconds=seconds) for seconds in timing.said]
    return times
