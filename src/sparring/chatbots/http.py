"""Chatbots behind HTTP, described by preset files, and the shipped presets of some technologies."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Literal

from sparring.chatbots import approvals
from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.contact import ServerContact
from sparring.chatbots.placeholders import asked
from sparring.chatbots.preset import Exchange, Preset
from sparring.chatbots.preset_files import environment_of, read_preset, templates
from sparring.chatbots.reply import (
    News,
    has_text,
    noted,
    parse_event_reply,
    parse_reply,
    parse_state,
    questions,
    state_parts,
    waiting_calls,
)
from sparring.chatbots.request import RequestSender, SessionState, repeats_names
from sparring.chatbots.response import ResponseBody, cleaned_reply, is_at_once, is_so, note_first_token
from sparring.chatbots.tool_calls import Asked
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, ToolCall
from sparring.core.value import Json
from sparring.llm.plugin_context import PluginContext
from sparring.parsing import Document, load

_PRESETS = Path(__file__).parent / "presets"


def connect(argument: str, context: PluginContext) -> "HttpChatbot":
    """Return the chatbot of `http:FILE.yaml`."""
    if not argument or argument.startswith(("http://", "https://")):
        raise InputError("http: needs a preset file", hint="http:my-chatbot.yaml; a Rasa server is rasa:URL")
    return _chatbot(load(argument), "", context)


def shipped(name: str, address: str, context: PluginContext) -> "HttpChatbot":
    """Return the chatbot of a shipped preset, at `address` or at the address in the preset."""
    document = load(_PRESETS / f"{name}.yaml")
    settled = not address and isinstance(document.data, dict) and "address" in document.data
    if not settled and not address.startswith(("http://", "https://")):
        raise InputError(f"{name}: needs the address of a server", hint=f"{name}:http://localhost:5005")
    return _chatbot(document, address, context)


def _chatbot(document: Document, address: str, context: PluginContext) -> "HttpChatbot":
    preset = read_preset(document, context.environment, address=address)
    sent: list[Json] = [*map(templates, preset.requests), preset.values]
    seconds = preset.timeout or context.llm.call_seconds
    environment, contact = environment_of(sent, context.environment), ServerContact(context.clock)
    wire = RequestSender(context.transport, contact, environment, seconds, preset.ok, preset.error)
    return HttpChatbot(preset, wire)


class HttpChatbot(BaseChatbot):
    """A chatbot behind a preset. Each conversation is an `HttpSession`."""

    def __init__(self, preset: Preset, wire: RequestSender) -> None:
        self._preset = preset
        self._wire = wire
        self._alone = asyncio.Lock() if preset.one_at_a_time else None
        self.capabilities = Capabilities(
            reports_tools=preset.reports_tools,
            tools=preset.known_tools,
            reports_state=preset.state is not None or preset.state_parts is not None,
            settle=preset.state.settle if preset.state else 0.0,
            state_required=preset.state is not None and preset.state.required,
            sends_traces=preset.traces,
            sessions=_sessions(preset),
        )

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["HttpSession"]:
        async with self._alone or nullcontext():
            session = HttpSession(self._preset, self._wire, case)
            await session.open()
            yield session


def _sessions(preset: Preset) -> Literal["isolated", "resumable", "shared"]:
    """Return how requests of a preset distinguish conversations."""
    requests: list[Json] = [*map(templates, preset.requests)]
    kept = any(each.keep or each.keep_headers for each in (preset, *preset.start)) or preset.append
    same = {name for name, value in preset.values.items() if "new_uuid" not in asked(value)}
    if not (kept or preset.one_at_a_time or asked(requests) - {"message", "turn", "new_uuid", *same}):
        return "shared"
    names = [name for start in preset.start for name in (*start.keep, *start.keep_headers)]
    return "resumable" if preset.reset is None and repeats_names(requests, names) else "isolated"


_UNANSWERED = (
    "{} tool call(s) of the turns before have no result: they wait for a browser to run them, or to approve them as "
    "with AI SDK 5, whose approvals only the pages of the chatbot know; from version 6 on, they are questions"
)
_NOT_STORED = ("HTTP 400", "HTTP 404", "HTTP 422")
"""Start of the errors with which a server refuses to continue what it does not have."""

_INVALID = ("HTTP 400", "HTTP 422", "HTTP 501")
"""Start of the errors with which a server refuses what it does not know."""


class HttpSession:
    """One conversation over HTTP."""

    greeting: Message | None = None

    def __init__(self, preset: Preset, wire: RequestSender, case: Case) -> None:
        self._preset = preset
        self._wire = wire
        self._facts = preset.facts
        self._thread = SessionState(preset, case, wire.environment)
        self._news = News(preset.new)
        self._asked: Asked = {}
        self._resume: Json = None
        self._stored = preset.stored
        self._is_stored = False
        self._state: dict[str, Json] = {}
        self._has_replied = False

    async def open(self) -> None:
        """Send the reset and start requests of the preset."""
        if self._preset.reset:
            await self._wire.ask(self._preset.reset, self._thread.names(), form="text")
        for start in self._preset.start:
            answer = await self._wire.ask(start, self._thread.names(), start.answer)
            kept = _kept(start, answer)
            for name, place in {**start.keep, **start.keep_headers}.items():
                if kept[name] is None and name not in self._preset.values:
                    raise ChatbotError(f"there is no {place} in the answer to the start: {answer.shown}")
            self._thread.keep(kept)
            if start.reply and (parts := parse_event_reply(start.reply, answer)):
                self.greeting = cleaned_reply(Message(role="chatbot", parts=parts))
                self._thread.add(self.greeting)

    async def reply(self, message: Message) -> Message:
        interrupt = self._preset.interrupt
        unanswered = len(self._asked) if interrupt and interrupt.call and self._resume is None else 0
        try:
            return await self._reply(message)
        except ChatbotError as error:
            if unanswered:
                error.args = (f"{error}; {_UNANSWERED.format(unanswered)}",)
            raise

    async def _reply(self, message: Message) -> Message:
        preset = self._preset
        whole = await self._sent(message)
        answer = self._news.cut(whole)
        reply = parse_reply(
            preset, answer, joined=preset.answer == "deltas", asked=self._asked, whole=is_at_once(preset.answer, whole)
        )
        note_first_token(whole.received.response, partial(has_text, preset.reply, preset.answer))
        if asks := questions(preset.interrupt, answer):
            reply = reply.model_copy(update={"parts": (*reply.parts, *asks)})
        self._thread.waiting = waiting = [*waiting_calls(preset, answer, self._asked)]
        self._resume = preset.interrupt.body if preset.interrupt and (asks or waiting) else None
        self._is_stored = self._stored is not None and is_so(self._stored, whole)
        self._thread.keep(_kept(preset, whole))
        if preset.state_parts:
            self._state |= state_parts(preset.state_parts, answer)
        self._has_replied = True
        self._thread.append(preset.append, message)
        if facts := await self._noted():
            reply = reply.model_copy(update={"tool_calls": (*reply.tool_calls, facts)})
        self._thread.add(message, reply)  # without questions that are ours, not the chatbot's
        return reply.model_copy(update={"parts": (*reply.parts, *approvals.questions(waiting))}) if waiting else reply

    async def _sent(self, message: Message) -> ResponseBody:
        """Return the answer to a message, which is sent again if the server no longer has what came before."""
        preset, names, body = self._preset, self._thread.names(message), self._resume
        if body is None and self._stored is not None and self._is_stored:
            asking = preset.model_copy(update={"body": self._stored.body})
            try:
                return await self._wire.ask(asking, names, preset.answer)
            except ChatbotError as error:
                if not str(error).startswith(_NOT_STORED):
                    raise
                self._stored = None
        asking = preset if body is None else preset.model_copy(update={"body": body})
        try:
            return await self._wire.ask(asking, names, preset.answer)
        except ChatbotError as error:
            if preset.refused is None or body is not None or not str(error).startswith(_INVALID):
                raise
        self._preset = preset.model_copy(update={"body": preset.refused.body, "refused": None})
        return await self._wire.ask(self._preset, names, preset.answer)

    async def state(self) -> Json:
        """Return the state that the preset asks for, or that was in the answers so far."""
        if where := self._preset.state_parts:
            if self._has_replied and not self._state:
                raise ChatbotError(f"no answer had a part that begins with {where.prefix!r}")
            return {where.under: dict(self._state)} if self._state else {}
        asking = self._preset.state
        assert asking is not None  # or the capabilities announce no state
        return parse_state(asking, await self._wire.ask(asking, self._thread.names()))

    async def _noted(self) -> ToolCall | None:
        """Return the facts that the chatbot reports after a reply, if the preset asks for them."""
        if self._facts is None:
            return None
        try:
            return noted(self._facts, await self._wire.ask(self._facts, self._thread.names()))
        except ChatbotError:
            if not self._facts.optional:
                raise
            self._facts = None
            return None


def _kept(exchange: Exchange, answer: ResponseBody) -> dict[str, Json]:
    """Return the values to keep from an answer, by name; null for missing ones."""
    headers = answer.received.response.headers
    found: dict[str, Json] = {name: answer.last(place) for name, place in exchange.keep.items()}
    return found | {name: _header(headers, header.lower()) for name, header in exchange.keep_headers.items()}


def _header(headers: Mapping[str, str], name: str) -> str | None:
    """Return a header; of a cookie, only the part that is sent back."""
    value = headers.get(name)
    return value.partition(";")[0] if value and name == "set-cookie" else value


def __getattr__(name: str) -> Callable[[str, PluginContext], HttpChatbot]:
    """Return the plug-in of a shipped preset, such as `rasa`, named after its file."""
    if (_PRESETS / f"{name}.yaml").is_file():
        return partial(shipped, name)
    raise AttributeError(name)
