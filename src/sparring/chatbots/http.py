"""Any chatbot that is reached over HTTP, described by a preset file instead of code."""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from uuid import UUID

from sparring.chatbots.answers import Answer
from sparring.chatbots.asking import Wire
from sparring.chatbots.hearing import consumed, hear, listen
from sparring.chatbots.json_paths import JsonPath
from sparring.chatbots.preset import Exchange, Preset
from sparring.chatbots.preset_files import environment_of, read_preset
from sparring.chatbots.templates import Known, fill
from sparring.core.case import Case
from sparring.core.chance import session_id
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Button, Message
from sparring.core.value import Json
from sparring.documents import Document, load
from sparring.models.context import Context
from sparring.models.metering import consume

_PRESETS = Path(__file__).parent / "presets"


def connect(argument: str, context: Context) -> "HttpChatbot":
    """`http:FILE.yaml`: the chatbot that this preset describes."""
    if not argument or argument.startswith(("http://", "https://")):
        raise InputError("http: needs a preset file", hint="http:my-chatbot.yaml; a Rasa server is rasa:URL")
    return _chatbot(load(argument), "", context)


def rasa(argument: str, context: Context) -> "HttpChatbot":
    """`rasa:URL`: a Rasa server by its REST channel, such as rasa:http://localhost:5005."""
    return shipped("rasa", argument, context)


def shipped(name: str, address: str, context: Context) -> "HttpChatbot":
    """The chatbot of a preset that comes with Sparring, at `address` or at the one where everybody finds it."""
    document = load(_PRESETS / f"{name}.yaml")
    settled = not address and isinstance(document.data, dict) and "address" in document.data
    if not settled and not address.startswith(("http://", "https://")):
        raise InputError(f"{name}: needs the address of a server", hint=f"{name}:http://localhost:5005")
    return _chatbot(document, address, context)


def _chatbot(document: Document, address: str, context: Context) -> "HttpChatbot":
    preset = read_preset(document, os.environ, address=address)
    seconds = preset.timeout or context.settings.call_seconds
    wire = Wire(context.transport, environment_of(preset, os.environ), seconds, preset.ok, preset.error)
    return HttpChatbot(preset, wire)


class HttpChatbot:
    """A chatbot behind a preset; a conversation with it is a `HttpSession`."""

    def __init__(self, preset: Preset, wire: Wire) -> None:
        self._preset = preset
        self._wire = wire
        self._alone = asyncio.Lock() if preset.one_at_a_time else None

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["HttpSession"]:
        async with self._alone or nullcontext():
            session = HttpSession(self._preset, self._wire, case)
            await session.open()
            yield session


class HttpSession:
    """One conversation, and what the server asked us to remember of it."""

    def __init__(self, preset: Preset, wire: Wire, case: Case) -> None:
        values = {name: fill(value, Known({}, wire.environment)) for name, value in preset.values.items()}
        self._preset = preset
        self._wire = wire
        self._names: dict[str, Json] = {**values, **case.variables, **_sessions(case)}
        self._said = list(case.history)
        self.greeting: Message | None = None

    @property
    def reports_tools(self) -> bool:
        return self._preset.tools is not None and self._preset.tools.complete

    async def open(self) -> None:
        """Make the server forget, where it has to be told, and begin."""
        if self._preset.reset:
            await self._wire.ask(self._preset.reset, self._names, form="text")
        for start in self._preset.start:
            answer = await self._ask(start, self._said)
            missing = [str(place) for name, place in _places(start).items() if self._lacks(name, answer, place)]
            if missing:
                raise ChatbotError(f"there is no {missing[0]} in the answer to the start: {answer.shown}")
            if start.reply and (parts := listen(start.reply, answer)):
                self.greeting = Message(role="chatbot", parts=parts)
                self._said.append(self.greeting)

    async def reply(self, message: Message) -> Message:
        answer = await self._ask(self._preset, [*self._said, message], {"message": self._spoken(message)})
        heard = hear(self._preset, answer, joined=self._preset.answer == "deltas")
        if usage := consumed(self._preset, answer):
            consume("chatbot", usage)
        self._said += [message, heard]
        return heard

    async def _ask(self, exchange: Exchange, said: list[Message], names: Mapping[str, Json] | None = None) -> Answer:
        told: list[Json] = [{"role": _ROLES[message.role], "content": message.text} for message in said]
        answer = await self._wire.ask(exchange, {**self._names, **(names or {}), "messages": told}, exchange.answer)
        kept = {name: _kept(answer, place) for name, place in _places(exchange).items()}
        self._names.update({name: value for name, value in kept.items() if value is not None})
        return answer

    def _lacks(self, name: str, answer: Answer, place: JsonPath | str) -> bool:
        return name not in self._preset.values and _kept(answer, place) is None

    def _spoken(self, message: Message) -> str:
        """The user's words; or what stands behind them where they are the title of a button just offered."""
        offered = self._said[-1].parts if self._said else ()
        titles = {part.title.strip().casefold(): part for part in offered if isinstance(part, Button)}
        pressed = next((part for part in message.parts if isinstance(part, Button)), None)
        pressed = pressed or titles.get(message.text.strip().casefold())
        return (pressed.payload or pressed.title) if pressed else message.text


def _sessions(case: Case) -> dict[str, Json]:
    """The names of this conversation, in the shapes in which chatbots want them."""
    id = session_id(case)
    return {"session": id, "session_uuid": str(UUID(bytes=sha256(id.encode()).digest()[:16], version=4))}


_ROLES = {"user": "user", "chatbot": "assistant"}


def _places(exchange: Exchange) -> dict[str, JsonPath | str]:
    """What is kept under which name: a place in the answer, or the name of a header."""
    return {**exchange.keep, **exchange.keep_headers}


def _kept(answer: Answer, place: JsonPath | str) -> Json:
    return answer.last(place) if isinstance(place, JsonPath) else answer.received.response.headers.get(place.lower())
