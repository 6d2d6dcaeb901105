"""Agents that speak AG-UI: `agui:URL`.

The client keeps the conversation: every request has all messages, with the ids that the server gave them, and the last
state. The events of an answer are put together into the messages that they add.
"""

import json
import re
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from uuid import uuid4

from sparring.chatbots.approvals import BUTTONS, decision
from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.histories import chat_messages
from sparring.chatbots.preset import RequestTemplate, Said, SessionOptions
from sparring.chatbots.reply import has_text, parse_reply
from sparring.chatbots.request import RequestSender, sender_for
from sparring.chatbots.response import BROKEN_OFF, bounded, note_first_token
from sparring.chatbots.tool_calls import Asked
from sparring.core.case import Case
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, Part, Text
from sparring.core.value import Json, mapping, mappings
from sparring.llm.plugin_context import PluginContext

_READ = SessionOptions.model_validate(
    {
        "reply": {"each": "messages[?role=assistant]", "text": "content"},
        "tools": {
            "each": "messages[?role=assistant].toolCalls[*]",
            "id": "id",
            "name": "function.name",
            "arguments": "function.arguments",
            "results": {"each": "messages[?role=tool]", "id": "toolCallId", "result": "content", "error": "error"},
        },
        "usage": {
            "sum": True,
            "input_tokens": "usage[*].inputTokens",
            "output_tokens": "usage[*].outputTokens",
            "cached_tokens": "usage[*].cachedInputTokens",
        },
    }
)
"""Places in the messages of a run."""

_SPOKEN = Said.model_validate(
    {"text": [f"$[?type={kind}].delta" for kind in ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")]}
)

_FAILED = re.compile(r'"outcome": ?"(?:failed|denied|interrupted|retried)"')
"""The sentence with which Pydantic AI reports a failed tool, for which AG-UI has no field."""


def connect(argument: str, context: PluginContext) -> "AguiChatbot":
    """Return the chatbot of `agui:URL`. Its key is CHATBOT_API_KEY."""
    asking = RequestTemplate(url=argument, headers={"Authorization": "Bearer ${CHATBOT_API_KEY:-none}"}, body="{{run}}")
    return AguiChatbot(asking, sender_for("agui", asking, context))


class AguiChatbot(BaseChatbot):
    """An agent behind AG-UI."""

    capabilities = Capabilities(reports_tools=True, reports_state=True)

    def __init__(self, asking: RequestTemplate, sender: RequestSender) -> None:
        self._asking, self._sender = asking, sender

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["AguiSession"]:
        yield AguiSession(self._asking, self._sender, case)


@dataclass
class Run:
    """The effects of the events of one run on messages and state."""

    messages: list[dict[str, Any]]
    state: Json
    refused: frozenset[str] = frozenset()
    new: list[dict[str, Any]] = field(default_factory=list)
    custom: dict[str, Json] = field(default_factory=dict)
    usage: list[Json] = field(default_factory=list)
    outcome: dict[str, Any] | None = None
    _calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._before = self.messages

    def take(self, event: dict[str, Any]) -> None:
        """Take an event. Unknown ones have no effect. Raise ChatbotError for a failure."""
        kind = str(event.get("type"))
        if kind.startswith("TEXT_MESSAGE_"):
            message = self._message(self._id("messageId", event), event.get("role") or "assistant")
            message["content"] += event.get("delta") or ""
        elif kind in ("TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_CHUNK"):
            self._call(event)["arguments"] += event.get("delta") or ""
        elif kind == "TOOL_CALL_RESULT":
            names = ("toolCallId", "content", "error")
            result = {"id": event.get("messageId") or str(uuid4()), "role": "tool"}
            refused = {"error": event.get("content")} if event.get("toolCallId") in self.refused else {}
            self._add({**result, **refused, **{name: event[name] for name in names if name in event}})
        elif kind == "REASONING_ENCRYPTED_VALUE" and _FAILED.search(str(event.get("encryptedValue"))):
            for each in self.new:
                if each["id"] == event.get("entityId") and each["role"] == "tool":
                    each["error"] = each["content"]
        elif kind == "STATE_SNAPSHOT":
            self.state = event.get("snapshot")
        elif kind == "STATE_DELTA":
            self._patch(event.get("delta"))
        elif kind == "MESSAGES_SNAPSHOT":
            self.messages = [each for each in event.get("messages") or () if isinstance(each, dict)]
            self._complete_calls()
        elif kind == "CUSTOM":
            self.custom[str(event.get("name"))] = event.get("value")
        elif kind == "RUN_FINISHED":
            self.usage, self.outcome = event.get("usage") or [], event.get("outcome") or {}
            self.new += self._unstreamed()
        elif kind == "RUN_ERROR":
            raise ChatbotError(f"the chatbot reports an error: {event.get('message')}")

    def _complete_calls(self) -> None:
        """Take arguments from the snapshot: LangGraph's bridge drops those sent with a call's name."""
        for call in (call for each in self.messages for call in mappings(each.get("toolCalls"))):
            streamed = self._calls.get(str(call.get("id")))
            if streamed and not streamed["arguments"]:
                streamed["arguments"] = mapping(call.get("function")).get("arguments") or ""

    def _unstreamed(self) -> list[dict[str, Any]]:
        """Return what only a snapshot shows of this run, as LangGraph does of nodes that do not stream."""
        known = [*self._before, *self.new]
        seen = {each.get(name) for each in known for name in ("id", "content") if each.get("content")}
        seen |= {call.get("id") for each in known for call in mappings(each.get("toolCalls"))}
        answered = {each.get("toolCallId") for each in known}
        last = max((at for at, each in enumerate(self.messages) if each.get("role") == "user"), default=None)
        found = []
        for each in self.messages[last + 1 :] if last is not None else ():
            calls = [call for call in mappings(each.get("toolCalls")) if call.get("id") not in seen]
            spoken = each.get("role") == "assistant" and not {each.get("id"), str(each.get("content"))} & seen
            if spoken or calls:
                found.append({**each, "content": each.get("content") if spoken else "", "toolCalls": calls})
            elif each.get("role") == "tool" and each.get("toolCallId") not in answered:
                found.append(each)
        return found

    def _patch(self, delta: Any) -> None:
        import jsonpatch  # 25 ms, only for agents that send changes

        try:
            self.state = jsonpatch.apply_patch(self.state, [*delta])
        except (jsonpatch.JsonPatchException, jsonpatch.JsonPointerException) as error:
            raise ChatbotError(f"a change of the chatbot's state fails: {error}") from None

    def _id(self, name: str, event: dict[str, Any]) -> str:
        """Return the id in an event; a chunk without one continues the last."""
        self._last[name] = str(event.get(name) or self._last.get(name) or uuid4())
        return self._last[name]

    def _message(self, id: str, role: str = "assistant") -> dict[str, Any]:
        found = next((each for each in self.new if each["id"] == id), None)
        return found or self._add({"id": id, "role": role, "content": ""})

    def _call(self, event: dict[str, Any]) -> dict[str, Any]:
        id = self._id("toolCallId", event)
        if id not in self._calls:
            self._calls[id] = {"name": event.get("toolCallName"), "arguments": ""}
            asking = self._message(event.get("parentMessageId") or f"calls-{id}")
            call = {"id": id, "type": "function", "function": self._calls[id]}
            asking.setdefault("toolCalls", []).append(call)
        return self._calls[id]

    def _add(self, message: dict[str, Any]) -> dict[str, Any]:
        self.new.append(message)
        if message["role"] in ("assistant", "tool"):  # others repeat what the user said
            self.messages = [*self.messages, message]
        return message


class AguiSession:
    """One conversation, which is a thread."""

    greeting: Message | None = None

    def __init__(self, asking: RequestTemplate, sender: RequestSender, case: Case) -> None:
        self._asking, self._sender = asking, sender
        self._thread = str(uuid4())
        self._messages: list[dict[str, Any]] = [{"id": str(uuid4()), **each} for each in chat_messages(case.history)]  # type: ignore[dict-item]
        self._state: Json = {}
        self._custom: dict[str, Json] = {}
        self._interrupts: list[dict[str, Any]] = []
        self._asked: Asked = {}

    async def reply(self, message: Message) -> Message:
        said, refused = self._said(message.text)
        sent = {
            "threadId": self._thread,
            "runId": str(uuid4()),
            **said,
            "state": self._state,
            "tools": [],
            "context": [],
            "forwardedProps": {},
        }
        answer = await self._sender.ask(self._asking, {"run": sent}, "events")
        run = Run(self._messages, self._state, refused)
        events = [each for each in answer.says if isinstance(each, dict)]
        if not events or events[0].get("type") not in ("RUN_STARTED", "RUN_ERROR"):
            raise ChatbotError(f"the answer is not AG-UI: {answer.shown}")
        for event in events:
            try:
                run.take(event)
            except (TypeError, AttributeError, KeyError):
                raise ChatbotError(f"an event is malformed: {answer.received.quote(str(event)[:100])}") from None
        if run.outcome is None:
            raise ChatbotError(BROKEN_OFF)
        self._messages = [each for each in run.messages if each.get("content") or each.get("toolCalls")]
        self._state, self._custom = run.state, {**self._custom, **run.custom}
        self._interrupts = [each for each in run.outcome.get("interrupts") or () if isinstance(each, dict)]
        read: Json = {"messages": run.new, "usage": run.usage}  # type: ignore[dict-item]
        parsed = parse_reply(_READ, replace(answer, says=(read,)), asked=self._asked)
        note_first_token(answer.received.response, partial(has_text, _SPOKEN, "events"))
        ends = run.outcome.get("type") == "cancelled"
        return parsed.changed(parts=(*parsed.parts, *bounded(tuple(_questions(self._interrupts)))), ends=ends)

    def _said(self, text: str) -> tuple[dict[str, Any], frozenset[str]]:
        """Return the messages or the answers to what the agent asked, and the tool calls refused."""
        payloads = [_payload(each, text) for each in self._interrupts]
        resume = [
            {"interruptId": each.get("id"), "status": "cancelled"}
            if payload is None
            else {"interruptId": each.get("id"), "status": "resolved", "payload": payload}
            for each, payload in zip(self._interrupts, payloads, strict=True)
        ]
        if not resume or None in payloads:
            self._messages = [*self._messages, {"id": str(uuid4()), "role": "user", "content": text}]
        refused = [
            str(each.get("toolCallId"))
            for each, payload in zip(self._interrupts, payloads, strict=True)
            if payload in (None, {"approved": False})
        ]
        return {"messages": self._messages, **({"resume": resume} if resume else {})}, frozenset(refused)

    async def state(self) -> Json:
        """Return the agent's last state, and what its own events said under `custom`."""
        if not self._custom:
            return self._state
        return {**(self._state if isinstance(self._state, dict) else {"state": self._state}), "custom": self._custom}


def _approves(interrupt: dict[str, Any]) -> bool:
    return "approved" in json.dumps(interrupt.get("responseSchema"))


def _questions(interrupts: Iterable[dict[str, Any]]) -> Iterable[Part]:
    for each in interrupts:
        yield Text(text=str(each.get("message") or each.get("reason") or "?"))
        yield from BUTTONS if _approves(each) else ()


def _payload(interrupt: dict[str, Any], text: str) -> Json:
    """Return the answer to an interrupt, or None if the user's words give none."""
    if not _approves(interrupt):
        return text
    approved = decision(text)
    return None if approved is None else {"approved": approved}
