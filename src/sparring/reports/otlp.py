"""Conversations as spans of OpenTelemetry, in JSON: a trace a line."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from itertools import pairwise
from typing import Any

import orjson

from sparring.core.batch import Batch
from sparring.core.conversation import Conversation
from sparring.core.message import Message, Text, ToolCall
from sparring.core.verdict import Verdict
from sparring.core.version import __version__
from sparring.reports.reported import ReportedConversation

_INTERNAL, _CLIENT = 1, 3
_STEP = 1_000_000
"""Nanoseconds from one span to the next where times are not known."""

Turn = tuple[Message | None, tuple[Message, ...]]
"""A message of the user, none before the first, and the chatbot's messages after it."""


def otlp_line(batch: Batch, reported: ReportedConversation, *, content: bool = True) -> bytes:
    """Return a conversation as a line of JSON.

    Without `content`, it has no words, arguments or results.
    """
    writer = _TraceWriter(batch, reported.conversation, content)
    scope = {"scope": {"name": "sparring", "version": __version__}, "spans": list(writer.spans(reported))}
    resource = {"attributes": _attributes({"service.name": "sparring"})}
    return orjson.dumps({"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}) + b"\n"


class _TraceWriter:
    """Writes the spans of one conversation, whose ids follow from its batch, its id and its attempt."""

    def __init__(self, batch: Batch, conversation: Conversation, content: bool) -> None:
        timing = conversation.timing
        self._batch, self._conversation, self._content = batch, conversation, content
        self._key = f"{batch.id}/{conversation.id}/{timing.attempt if timing else 1}"
        self._begun = _nanoseconds(timing.started if timing else batch.created)
        self._at, self._number, self._turns = self._begun, 0, 0
        self._said = dict(enumerate(timing.said, len(conversation.case.history))) if timing else {}

    def spans(self, reported: ReportedConversation) -> Iterator[Mapping[str, Any]]:
        """Yield the root, the turns with their tool calls, and the usage of each player."""
        root = self._id()
        inner: list[Mapping[str, Any]] = []
        at = 0
        for turn in _turns(self._conversation.messages):
            inner += self._turn(turn, at, root)
            at += len(turn[1]) + (turn[0] is not None)
        inner += [self._usage(role, root) for role in self._conversation.usage]
        yield {
            **self._span(root, "", "invoke_workflow sparring", _INTERNAL, self._about(reported), start=self._begun),
            "endTimeUnixNano": str(self._at + _STEP),
            "events": list(map(self._verdict, reported.verdicts)),
        }
        yield from inner

    def _about(self, reported: ReportedConversation) -> dict[str, Any]:
        found, decision = self._conversation, reported.decision
        return {
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.conversation.id": found.id,
            "sparring.batch": self._batch.id,
            "sparring.case": found.case.id,
            "sparring.repeat": found.repeat,
            "sparring.seed": found.case.seed,
            "sparring.ending": str(found.ending or ""),
            "sparring.error": found.error,
            "sparring.outcome": str(decision.outcome),
            "sparring.blame": str(decision.blame or ""),
            "sparring.tags": list(found.case.tags),
            "sparring.user": self._batch.who.user,
            "sparring.chatbot": self._batch.who.chatbot,
            "sparring.reports_tools": found.reports_tools,
            "sparring.usage": {role: usage.model_dump(exclude_defaults=True) for role, usage in found.usage.items()},
            **({"sparring.variables": found.case.variables} if self._content else {}),
        }

    def _turn(self, turn: Turn, at: int, root: str) -> Iterator[Mapping[str, Any]]:
        asked, replies = turn
        name, id = self._batch.who.chatbot, self._id()
        about: dict[str, Any] = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
        if self._content and asked:
            about["gen_ai.input.messages"] = _written([asked], "user")
        if self._content and replies:
            about["gen_ai.output.messages"] = _written(replies, "assistant")
        traces = self._conversation.timing.traces if self._conversation.timing else ()
        self._turns += asked is not None
        if asked and self._turns <= len(traces):
            about["sparring.chatbot.trace"] = traces[self._turns - 1]
        begun = self._moment(at)
        calls = [self._call(call, id) for each in replies for call in each.tool_calls]
        end = self._moment(at + (asked is not None) + len(replies) - 1)
        span = self._span(id, root, f"invoke_agent {name}", _CLIENT, about, start=begun)
        yield {**span, "endTimeUnixNano": str(max(end, begun))}
        yield from calls

    def _call(self, call: ToolCall, turn: str) -> Mapping[str, Any]:
        about: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "sparring.tool.status": call.status,
        }
        if self._content:
            about["gen_ai.tool.call.arguments"] = call.arguments
        if self._content and call.result is not None:
            about["gen_ai.tool.call.result"] = call.result
        self._at += _STEP
        span = self._span(self._id(), turn, f"execute_tool {call.name}", _INTERNAL, about, start=self._at)
        if not call.error:
            return span
        return {**span, "status": {"code": 2, "message": call.error if self._content else "error"}}

    def _usage(self, role: str, root: str) -> Mapping[str, Any]:
        used = self._conversation.usage[role]
        about = {
            "gen_ai.operation.name": "chat",
            "sparring.role": role,
            "gen_ai.usage.input_tokens": used.input_tokens,
            "gen_ai.usage.output_tokens": used.output_tokens,
        }
        return self._span(self._id(), root, f"chat {role}", _CLIENT, about, start=self._at)

    def _verdict(self, verdict: Verdict) -> Mapping[str, Any]:
        score = {} if verdict.score is None else {"gen_ai.evaluation.score.value": verdict.score}
        about = {
            "gen_ai.evaluation.name": verdict.check,
            "gen_ai.evaluation.score.label": str(verdict.outcome),
            **score,
            **({"gen_ai.evaluation.explanation": verdict.reason} if self._content else {}),
        }
        return {
            "name": "gen_ai.evaluation.result",
            "timeUnixNano": str(self._at),
            "attributes": _attributes(about),
        }

    def _span(
        self, id: str, parent: str, name: str, kind: int, about: Mapping[str, Any], *, start: int
    ) -> dict[str, Any]:
        return {
            "traceId": sha256(self._key.encode()).hexdigest()[:32],
            "spanId": id,
            **({"parentSpanId": parent} if parent else {}),
            "name": name,
            "kind": kind,
            "startTimeUnixNano": str(start),
            "endTimeUnixNano": str(start),
            "attributes": _attributes(about),
        }

    def _id(self) -> str:
        self._number += 1
        return sha256(f"{self._key}/{self._number}".encode()).hexdigest()[:16]

    def _moment(self, at: int) -> int:
        """Return the time of message `at`, which is after all times before it."""
        known = self._begun + int(self._said[at] * 1e9) if at in self._said else 0
        self._at = max(self._at + _STEP, known)
        return self._at


def _turns(messages: Sequence[Message]) -> Iterator[Turn]:
    starts = [0, *(at for at, each in enumerate(messages) if each.role == "user" and at), len(messages)]
    for begin, end in pairwise(starts):
        some = messages[begin:end]
        if some:
            asked = some[0] if some[0].role == "user" else None
            yield asked, tuple(some[1:] if asked else some)


def _written(messages: Sequence[Message], role: str) -> str:
    said = [
        {
            "role": role,
            "parts": [{"type": "text", "content": part.text} for part in each.parts if isinstance(part, Text)],
        }
        for each in messages
    ]
    return orjson.dumps(said).decode()


def _attributes(values: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items()]


def _value(value: Any) -> dict[str, Any]:
    match value:
        case None:
            return {}
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case dict():
            return {"kvlistValue": {"values": [{"key": name, "value": _value(each)} for name, each in value.items()]}}
        case list() | tuple():
            return {"arrayValue": {"values": list(map(_value, value))}}
    return {"stringValue": str(value)}


def _nanoseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1_000_000) * 1000
