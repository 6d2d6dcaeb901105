"""Stored conversations as rules see them, read without what no rule can name."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Generic, Literal, NotRequired, TypeVar, overload

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from sparring.core.case import Goal
from sparring.core.conversation import Conversation, Ending, Evidence, conversation_id
from sparring.core.message import Role, ToolCall
from sparring.core.state import StateRecord
from sparring.core.value import Json
from sparring.rules.recording import (
    RecordedGoal,
    RecordedMessage,
    Recording,
    plain_texts,
    recording_of,
    rule_names,
    rule_variables,
)
from sparring.store.store import Store


class _Named(TypedDict):
    name: str


class _Persona(TypedDict):
    name: str
    language: str
    styles: list[_Named]


class _Limits(TypedDict):
    turns: int
    steps: int | None


class _Case(TypedDict):
    id: str
    persona: _Persona
    variables: dict[str, Json]
    history: list[object]
    tags: list[str]
    limits: _Limits
    listed: tuple[str, ...] | None


class _Output(TypedDict):
    name: str
    value: Json
    evidence: Evidence | None


class _Usage(TypedDict):
    calls: int
    cost: float
    unknown_costs: int


class _Timing(TypedDict):
    seconds: float
    replies: tuple[float, ...]


class _Conversation(TypedDict):
    case: _Case
    repeat: int
    ending: Ending | None
    error: str
    outputs: list[_Output]
    reports_tools: bool
    state: NotRequired[StateRecord | None]
    usage: dict[str, _Usage]
    timing: _Timing | None


class _Part(TypedDict):
    kind: Literal["text", "image", "button", "link"]
    text: NotRequired[str]


class _Message(TypedDict):
    role: Role
    parts: NotRequired[list[_Part]]
    tool_calls: NotRequired[list[object]]
    injected: NotRequired[bool]


class _Messages(TypedDict):
    messages: list[_Message]


class _CaseGoals(TypedDict):
    goals: list[Goal]


class _Asked(TypedDict):
    asked_at: NotRequired[int | None]


class _Goals(TypedDict):
    case: _CaseGoals
    goals: list[_Asked]


_CONVERSATION, _MESSAGES, _GOALS = TypeAdapter(_Conversation), TypeAdapter(_Messages), TypeAdapter(_Goals)
_TOOL_CALLS = TypeAdapter(tuple[ToolCall, ...])
T = TypeVar("T")


class _Lazy(Sequence[T], Generic[T]):
    """A sequence that is read when it is first used."""

    __slots__ = ("_read", "_values")

    def __init__(self, read: Callable[[], Sequence[T]]) -> None:
        self._read = read
        self._values: Sequence[T] | None = None

    def _all(self) -> Sequence[T]:
        if self._values is None:
            self._values = self._read()
        return self._values

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        return self._all()[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())


async def stored_recordings(batch: str, store: Store) -> AsyncIterator[Recording]:
    """Yield the conversations of a batch as rules see them; `batch` is an id. Skip unreadable ones.

    Messages and goals are read when a rule uses them; of those that cannot be read, that rule is undecided.
    """
    async for page in store.documents(batch):
        for document in page:
            try:
                yield _recording(document)
            except ValidationError:  # an earlier version wrote it, or it was edited by hand
                with suppress(ValidationError):
                    yield recording_of(Conversation.model_validate_json(document))


def _recording(document: bytes) -> Recording:
    conversation = _CONVERSATION.validate_json(document)
    case, timing = conversation["case"], conversation["timing"]
    outputs = {output["name"]: output["value"] for output in conversation["outputs"]}
    variables, listed = case["variables"], case["listed"]
    return Recording(
        id=conversation_id(case["id"], conversation["repeat"]),
        names=rule_names(rule_variables(variables, listed), outputs, _about(conversation)),
        messages=_Lazy(partial(_messages, document, len(case["history"]))),
        outputs=outputs,
        evidence={output["name"]: said for output in conversation["outputs"] if (said := output["evidence"])},
        reports_tools=conversation["reports_tools"],
        latencies=timing["replies"] if timing else (),
        state=conversation.get("state"),
        goals=_Lazy(partial(_goals, document)),
        plain_texts=plain_texts(variables, listed),
    )


def _about(conversation: _Conversation) -> dict[str, object]:
    case, ending, timing = conversation["case"], conversation["ending"], conversation["timing"]
    persona, usages = case["persona"], conversation["usage"].values()
    calls, unknown = sum([each["calls"] for each in usages]), sum([each["unknown_costs"] for each in usages])
    return {
        "case": case["id"],
        "repeat": conversation["repeat"],
        "tags": case["tags"],
        "persona": persona["name"],
        "language": persona["language"],
        "interaction_style": [style["name"] for style in persona["styles"]],
        "limit": case["limits"]["turns"],
        "steps": case["limits"]["steps"],
        "ending": str(ending) if ending else None,
        "error": conversation["error"],
        "cost": None if unknown and unknown == calls else sum([each["cost"] for each in usages], 0.0),
        "seconds": timing["seconds"] if timing else None,
    }


def _messages(document: bytes, history: int) -> tuple[RecordedMessage, ...]:
    return tuple(
        [
            RecordedMessage(
                message["role"],
                "\n".join([part["text"] for part in message.get("parts", ()) if part["kind"] == "text"]),
                _Lazy(partial(_TOOL_CALLS.validate_python, calls)) if (calls := message.get("tool_calls")) else (),
                message.get("injected", False) or (at < history and message["role"] == "chatbot"),
            )
            for at, message in enumerate(_MESSAGES.validate_json(document)["messages"])
        ]
    )


def _goals(document: bytes) -> tuple[RecordedGoal, ...]:
    found = _GOALS.validate_json(document)
    goals, read = found["case"]["goals"], found["goals"]
    asked = [each.get("asked_at") for each in read] if len(read) == len(goals) else [None] * len(goals)
    return tuple(map(RecordedGoal, goals, asked))
