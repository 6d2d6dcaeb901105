"""A chatbot behind a WebSocket, described by a preset file: `websocket:FILE.yaml`.

    url: wss://shop.example/chat?key=${SHOP_KEY}
    start: {body: {type: hello, id: "{{session}}"}, reply: welcome}     sent first; without a body it only listens
    body: {type: say, text: "{{message}}"}                              sent for every message; a text goes as it is
    reply: text                                                         where the words are in what comes back
    until: {path: type, equals: done}                                   what comes back last; or
    quiet: 0.3                                                          nothing more for so many seconds after words

With both, what comes first ends the reply; with neither, the first thing with words in it is the whole reply. All else
is as in a preset for HTTP: headers, keep, values, tools, ended, error, usage, cost_per_turn, timeout and silence.
"""

import asyncio
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Annotated, Literal

import aiohttp
from pydantic import Field, PositiveFloat

from sparring.chatbots.chatbot import BaseChatbot
from sparring.chatbots.contact import ServerContact, refused, unanswered
from sparring.chatbots.line_process import LineSession
from sparring.chatbots.placeholders import PlaceholderValues, fill
from sparring.chatbots.preset import (
    OneOrMore,
    Part,
    Place,
    Reply,
    RequestTemplate,
    Said,
    SessionOptions,
    Sign,
    StateLine,
    WhenSo,
    session_capabilities,
)
from sparring.chatbots.preset_files import environment_of, mute, no_address, unset
from sparring.chatbots.reply import has_words, parse_event_reply, parse_reply
from sparring.chatbots.request import SessionState, as_json, filled_headers, filled_url, repeats_names
from sparring.chatbots.response import ResponseBody, is_so
from sparring.chatbots.secrets import keys_of, secrets_of, shown_address
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError
from sparring.core.json_path import JsonPath
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.llm.call_context import current_call
from sparring.llm.client.network import Network
from sparring.llm.client.proxied_requests import failure_of
from sparring.llm.client.transport import NoConnection, Response, TransportError
from sparring.llm.plugin_context import PluginContext, RawReplyListener
from sparring.llm.redaction import quote
from sparring.parsing import load, validate

_WITHOUT_TLS = re.compile(r" ssl:default \[(.*)\]$")
_CLOSE_SECONDS = 1.0  # seconds for a farewell
_AT_ONCE = 0.001  # seconds
_LONGEST = 1_000_000  # characters of one reply, with every frame around it


class Opening(Part):
    """A frame to send before the first user message, if any, and its answer."""

    body: Json = Field(None, repr=False)
    keep: dict[str, Place] = {}
    reply: Reply | None = None


class SocketPreset(SessionOptions):
    """Describes how to talk to a chatbot behind a WebSocket."""

    url: str = Field(repr=False)
    headers: dict[str, str] = Field({}, repr=False)
    body: Json = Field(repr=False)
    answer: Literal["json", "text", "deltas"] = "json"
    keep: dict[str, Place] = {}
    start: Annotated[tuple[Opening, ...], OneOrMore] = ()
    state: StateLine | None = None
    until: WhenSo | None = None
    quiet: PositiveFloat | None = None


def connect(argument: str, context: PluginContext) -> "SocketChatbot":
    """Return the chatbot of `websocket:FILE.yaml`."""
    document = load(argument)
    preset = validate(document, SocketPreset)
    problems = [
        *unset(document, context.environment),
        *no_address(document, ("url",), preset.url, context.environment, "ws"),
        *mute(document, preset.body, 'put "{{message}}" into `body`'),
    ]
    if problems:
        raise InputError(problems)
    sent: list[Json] = [preset.url, dict(preset.headers), preset.body, preset.values, *(o.body for o in preset.start)]
    sent += [preset.state.body] if preset.state else []
    return SocketChatbot(
        preset,
        environment_of(sent, context.environment),
        preset.timeout or context.llm.call_seconds,
        context.overhear,
        ServerContact(context.clock),
        Network(context.environment),
    )


class SocketChatbot(BaseChatbot):
    """A chatbot behind a WebSocket, with one connection per conversation."""

    def __init__(
        self,
        preset: SocketPreset,
        environment: Mapping[str, str],
        seconds: float,
        overhear: RawReplyListener,
        contact: ServerContact,
        network: Network,
    ) -> None:
        self._preset = preset
        self._network = network
        self._contact = contact
        self._environment = environment
        self._seconds = seconds
        self._overhear = overhear
        sessions = "resumable" if _is_resumable(preset) else "isolated"
        self.capabilities = session_capabilities(preset, preset.state, sessions=sessions)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["SocketSession"]:
        thread = SessionState(self._preset, case, self._environment)
        handshake = RequestTemplate(url=self._preset.url, headers=self._preset.headers)
        known = PlaceholderValues(thread.names(), self._environment)
        headers = filled_headers(handshake, known)
        secrets = secrets_of(handshake, headers, self._environment)
        keys = keys_of(handshake, headers, self._environment)
        where = shown_address(handshake.url, self._environment)
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar(), middlewares=[_staying]) as client:

            async def shake() -> aiohttp.ClientWebSocketResponse | Response:
                async with asyncio.timeout(self._seconds):
                    return await _opened(client, filled_url(handshake, known), headers, self._network)

            try:
                socket = await self._contact.send(shake)
            except TimeoutError as error:
                raise ChatbotTimeout(f"no connection to {where} within {self._seconds:g} s") from error
            except TransportError as error:
                raise unanswered(error, f"no connection to {where}: {quote(str(error), *secrets)}") from None
            if isinstance(socket, Response):
                raise refused(socket.status, f"HTTP {socket.status}: no WebSocket at {where}")
            try:
                talk = LineSession(
                    where, self._preset, thread, self._environment, self._seconds, secrets, keys, self._overhear
                )
                session = SocketSession(self._preset, _Line(socket, secrets), talk)
                await session.open()
                yield session
                await session.check_replies()
            finally:
                await _close(socket)


def _is_resumable(preset: SocketPreset) -> bool:
    sent: list[Json] = [preset.url, dict(preset.headers), preset.body]
    kept = [name for opening in preset.start for name in opening.keep]
    return repeats_names([*sent, *(opening.body for opening in preset.start)], kept)


async def _opened(
    client: aiohttp.ClientSession, url: str, headers: Mapping[str, str], network: Network
) -> aiohttp.ClientWebSocketResponse | Response:
    """Return an open socket, or the response of a server that refuses to open one. Raise TransportError."""
    failure: TransportError
    try:
        proxy = network.proxy(url)
        return await client.ws_connect(
            re.sub("^ws", "http", url),  # proxies know no other schemes
            headers=headers,
            timeout=aiohttp.ClientWSTimeout(ws_close=_CLOSE_SECONDS),
            max_msg_size=_LONGEST,
            proxy=proxy,
            ssl=network.tls if url.startswith("wss") else True,
        )
    except aiohttp.WSServerHandshakeError as error:
        if error.status >= 400:
            return Response(error.status, {name.lower(): value for name, value in (error.headers or {}).items()}, b"")
        failure = TransportError(_reason(error))
    except (aiohttp.ClientHttpProxyError, aiohttp.ClientProxyConnectionError) as error:
        failure = failure_of(error, proxy or "")
    except aiohttp.ClientConnectorError as error:
        failure = NoConnection(_reason(error))
    except (aiohttp.ClientError, OSError, ValueError) as error:
        if isinstance(error, TimeoutError):
            raise
        failure = TransportError(_reason(error))
    # Raised out here because the foreign exception holds the request's headers, keys and all.
    raise failure


def _reason(error: Exception) -> str:
    """Return the reason of an error. Some exceptions have no text, and some mention TLS without reason."""
    return _WITHOUT_TLS.sub(r": \1", str(error)) or type(error).__name__


async def _staying(request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType) -> aiohttp.ClientResponse:
    """Reject redirects: headers, including keys, would be sent to another server."""
    response = await handler(request)
    if 300 <= response.status < 400:
        response.close()
        raise aiohttp.ClientError(f"HTTP {response.status}: it redirects, and redirects are not followed")
    return response


async def _close(socket: aiohttp.ClientWebSocketResponse) -> None:
    # Its own patience starts a new one with every frame, and a chatbot may send them without end.
    with suppress(TimeoutError):
        async with asyncio.timeout(_CLOSE_SECONDS):
            await socket.close()


@dataclass
class _Line:
    """An open connection of frames."""

    socket: aiohttp.ClientWebSocketResponse
    secrets: list[str] = field(repr=False)

    async def send(self, template: Json, known: PlaceholderValues) -> None:
        filled = fill(template, known)
        try:
            await self.socket.send_str(filled if isinstance(filled, str) else as_json(filled))
        except (aiohttp.ClientError, OSError) as error:
            raise ChatbotError(f"the connection broke: {quote(_reason(error), *self.secrets)}") from None

    async def receive(self, max_wait: float | None = None) -> str:
        """Return the next frame as text. Raise TimeoutError after this many seconds."""
        frame = await self.socket.receive(timeout=max_wait)
        if frame.type is aiohttp.WSMsgType.TEXT:
            return str(frame.data)
        if frame.type is aiohttp.WSMsgType.BINARY:
            return bytes(frame.data).decode("utf-8", "replace")
        if self.socket.close_code == aiohttp.WSCloseCode.MESSAGE_TOO_BIG:
            raise _endless()
        raise ChatbotError(f"the chatbot closed the connection (code {self.socket.close_code})")


class ReplyCut(ChatbotError):
    """The chatbot continued after its reply was considered complete."""


class SocketSession:
    """One conversation over its own connection."""

    greeting: Message | None = None

    def __init__(self, preset: SocketPreset, line: _Line, talk: LineSession) -> None:
        self._preset = preset
        self._line = line
        self._talk = talk
        self._size = 0
        self._streamed: float | None = None
        self._pause = 0.0
        self._greeted = False
        self._ahead: list[ResponseBody] = []

    async def open(self) -> None:
        for start in self._preset.start:
            if start.body is not None:
                await self._line.send(start.body, self._talk.known())
            if start.reply is None and not start.keep:
                continue
            answer = await self._answer(start.reply, start.keep)
            if start.reply and (parts := parse_event_reply(start.reply, answer)):
                self.greeting, self._greeted = Message(role="chatbot", parts=parts), True
                self._talk.thread.add(self.greeting)

    async def check_replies(self) -> None:
        """Raise ChatbotError if replies were cut, or may have been because of long pauses within others."""
        quiet, late = self._preset.quiet, False
        with suppress(ChatbotError):  # it may hang up after its last reply
            late = await self._says_more(quiet or _AT_ONCE)
        if late:
            raise self._cut("words came after a reply that seemed complete")
        if quiet and self._pause > quiet / 2:
            raise self._cut(f"it paused for {self._pause:.2g} s within a reply")

    async def _says_more(self, max_wait: float) -> bool:
        """Return True if words come after a reply seemed complete.

        Other frames are part of the next one.
        """
        if self._preset.until and not self._preset.quiet:
            return False
        with suppress(TimeoutError):
            while not (self._ahead and has_words(self._preset.reply, self._ahead[-1])):
                await self._take(self._ahead, max_wait)
            return True
        return False

    def _cut(self, reason: str) -> "ReplyCut":
        ended = f"`quiet: {self._preset.quiet:g}` ends replies" if self._preset.quiet else "the first words are a reply"
        return ReplyCut(f"{reason}, and {ended}: choose a longer `quiet`, or name the last message by `until`")

    async def reply(self, message: Message) -> Message:
        if await self._says_more(_AT_ONCE):
            self._ahead, self._pause = [], 0.0
            raise self._cut("words came after a reply that seemed complete")
        await self._line.send(self._preset.body, self._talk.known(message))
        answer = await self._answer(self._preset.reply, self._preset.keep, until=self._preset.until)
        self._greeted = False
        if (clock := current_call().clock) is not None:
            clock.streamed = self._streamed
        parsed = parse_reply(self._preset, answer, joined=self._preset.answer == "deltas")
        self._talk.thread.add(message, parsed)
        return parsed

    async def state(self) -> Json:
        """Return the state that the preset asks for."""
        asking = self._preset.state
        assert asking is not None  # or the capabilities announce no state
        await self._line.send(asking.body, self._talk.known())
        return await self._talk.state(asking, self._line.receive)

    async def _answer(
        self, reply: Said | None, keep: Mapping[str, JsonPath], until: Sign | None = None
    ) -> ResponseBody:
        """Return all frames of an answer."""
        frames, self._ahead = self._ahead, []
        time, first = asyncio.get_running_loop().time, 0
        quiet = None if until is None and self._preset.until else self._preset.quiet
        async with self._talk.in_time("no complete reply"):
            spoken, ended = None, False
            with suppress(TimeoutError):  # of `quiet`
                while not ended:
                    begun = time()
                    await self._take(frames, None if spoken is None else quiet)
                    self._pause = self._pause if spoken is None else max(self._pause, time() - begun)
                    if spoken is None and (reply is None or has_words(reply, frames[-1])):
                        spoken, first = time(), len(frames)
                    if until is None:
                        ended = spoken is not None and quiet is None
                    else:  # the greeting ended with its first words, and what ends it may still come
                        ended = is_so(until, frames[-1]) and not (self._greeted and spoken is None)
        self._streamed = None if spoken is None or len(frames) == first else time() - spoken
        answer = self._talk.together(frames)
        self._talk.thread.keep({name: answer.last(place) for name, place in keep.items()})
        return answer

    async def _take(self, frames: list[ResponseBody], max_wait: float | None = None) -> None:
        """Add the next frame. Raise ChatbotError if the answer is endless."""
        frames.append(self._talk.understood(await self._line.receive(max_wait), self._preset.answer))
        # Each counts for one more than it has, or frames with nothing in them could go on for ever.
        self._size = len(frames[-1].received.response.body) + 1 + (self._size if len(frames) > 1 else 0)
        if self._size > _LONGEST:
            raise _endless()


def _endless() -> ChatbotError:
    return ChatbotError(f"the chatbot sent more than {_LONGEST:,} characters without completing its reply")
