"""Processes that communicate in lines, and sessions over lines of a process or a socket."""

import asyncio
import os
import re
import shlex
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from sparring.chatbots.placeholders import PlaceholderValues, as_text
from sparring.chatbots.preset import SessionOptions, StatePlace
from sparring.chatbots.reply import parse_state
from sparring.chatbots.request import SessionState
from sparring.chatbots.response import Format, RawResponse, ResponseBody, parsed
from sparring.core.errors import ChatbotError, ChatbotTimeout, ChatbotUnreachable
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.llm.client.transport import Response
from sparring.llm.plugin_context import RawReplyListener, ignore_reply
from sparring.llm.provider_addresses import BY_URL_KEY, PROVIDERS
from sparring.llm.redaction import quote

_KEYS = {BY_URL_KEY, "CHATBOT_API_KEY", *(provider.key for provider in PROVIDERS.values())}
_LONGEST = 1_000_000  # bytes of one reply
_REMEMBERED = 2_000  # bytes of complaints
_HALF_A_WORD = re.compile(r"^\S*")
_EXIT_SECONDS = 1.0  # seconds for leaving of its own accord


def split_words(value: Any) -> Any:
    """Split a command line into words as a shell does."""
    return shlex.split(value) if isinstance(value, str) else value


@asynccontextmanager
async def running(
    words: Sequence[str],
    folder: str,
    environment: Mapping[str, str],
    secrets: Sequence[str] = (),
    *,
    longest: int = _LONGEST,
) -> AsyncIterator["Program"]:
    """Run a program inside the block, then end it and all processes it started.

    It gets `environment` and this process's environment without keys for models. A line has at most `longest` bytes.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in _KEYS}
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env={**inherited, "PYTHONUNBUFFERED": "1", **environment},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=longest,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = quote(str(error), *secrets)
        raise ChatbotUnreachable(f"{words[0]} cannot be started: {reason}", infrastructure=True) from error
    program = Program(process, secrets, longest)
    complaints = asyncio.create_task(program.remember_complaints())
    try:
        yield program
    finally:
        await _end(process, asyncio.gather(process.wait(), program.drain(), complaints))


class Program:
    """A running program. `over` is true after it ended without error."""

    over = False

    def __init__(self, process: asyncio.subprocess.Process, secrets: Sequence[str], longest: int) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._in = process.stdin
        self._out = process.stdout
        self._complaints = process.stderr
        self._secrets = secrets
        self._longest = longest
        self._complained = b""
        self._ahead: asyncio.Task[bytes | ChatbotError] | None = None

    async def send(self, line: str) -> None:
        """Write one line."""
        # That it is gone shows when it is listened to, with its reason; uvloop says so by a RuntimeError.
        with suppress(ConnectionError, RuntimeError):
            self._in.write(line.encode("utf-8", "replace") + b"\n")
            await self._in.drain()

    async def line(self) -> str:
        """Return the next line. Afterwards, the program is watched for another one."""
        ahead, self._ahead = self._ahead or asyncio.create_task(self._next()), None
        line = await ahead
        if isinstance(line, ChatbotError):
            raise line
        if line.endswith(b"\n"):
            self._ahead = asyncio.create_task(self._next())
        return (line or await self._gone()).decode("utf-8", "replace").rstrip("\r\n")

    async def said_more(self) -> bool:
        """Return True if the program has written another line."""
        await asyncio.sleep(0)
        return self._ahead is not None and self._ahead.done() and bool(self._ahead.result())

    async def _next(self) -> bytes | ChatbotError:
        try:
            return await self._out.readuntil(b"\n")
        except asyncio.IncompleteReadError as error:
            return error.partial
        except asyncio.LimitOverrunError:
            return self._endless()

    async def until(self, prompt: str) -> str:
        """Return all output before a line that equals `prompt`.

        If the program ends without error instead, return its last words.
        """
        said, end = b"", prompt.encode()
        while said != end and not said.endswith(b"\n" + end):
            more = await self._out.read(65536)
            if not more and said.strip() and await self._process.wait() == 0:
                self.over = True
                break
            said += more or await self._gone()
            if len(said) > self._longest:
                raise self._endless()
        return said.removesuffix(end).decode("utf-8", "replace").strip("\r\n")

    async def remember_complaints(self) -> None:
        """Drain standard error, so that the program never blocks, and keep the end of it."""
        while chunk := await self._complaints.read(4096):
            self._complained = (self._complained + chunk)[-_REMEMBERED:]

    async def drain(self) -> None:
        """Drain the rest of the output: a program that cannot finish writing does not end."""
        if self._ahead is not None:
            self._ahead.cancel()
            await asyncio.wait([self._ahead])
        while await self._out.read(65536):
            pass

    async def _gone(self) -> bytes:
        code = await self._process.wait()
        words = self._complained.decode("utf-8", "replace")
        if len(self._complained) == _REMEMBERED:
            words = _HALF_A_WORD.sub("", words)  # it may be half a key
        words = quote(words, *self._secrets)
        raise ChatbotError(f"the program ended (exit code {code})" + (f": {words}" if words else ""))

    def _endless(self) -> ChatbotError:
        return ChatbotError(f"the program said more than {self._longest:,} bytes at once")


async def _end(process: asyncio.subprocess.Process, over: asyncio.Future[Any]) -> None:
    """Close the input, then terminate and kill a program that does not end, and all it started."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        await asyncio.wait([over], timeout=_EXIT_SECONDS)
    finally:
        for sign in (signal.SIGTERM, signal.SIGKILL) if not over.done() else (signal.SIGKILL,):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sign)
            await asyncio.wait([over], timeout=_EXIT_SECONDS)
        over.cancel()
        await asyncio.gather(over, return_exceptions=True)


@dataclass(frozen=True)
class LineSession:
    """The state of a session over lines: its address, options, values of placeholders, and secrets."""

    where: str
    options: SessionOptions
    thread: SessionState
    environment: Mapping[str, str] = field(repr=False)
    seconds: float
    secrets: list[str] = field(repr=False)
    keys: list[str] = field(repr=False)
    overhear: RawReplyListener = ignore_reply

    def known(self, message: Message | None = None) -> PlaceholderValues:
        """Return the values of placeholders for the user's `message`."""
        return PlaceholderValues(self.thread.names(message), self.environment)

    @asynccontextmanager
    async def in_time(self, complaint: str) -> AsyncIterator[None]:
        """Limit the block to the time for one reply. Raise ChatbotTimeout."""
        try:
            async with asyncio.timeout(self.seconds):
                yield
        except TimeoutError as error:
            raise ChatbotTimeout(f"{complaint} within {self.seconds:g} s") from error

    async def state(self, asking: StatePlace, receive: Callable[[], Awaitable[str]]) -> Json:
        """Return the state in the first JSON that has one. Raise ChatbotError or ChatbotTimeout."""
        async with self.in_time("no state"):
            answer = self.understood(await receive(), "json")
            while answer.find(asking.result) is None:
                answer = self.understood(await receive(), "json")
        return parse_state(asking, answer)

    def understood(self, said: str, form: Format) -> ResponseBody:
        """Parse a line or a frame. Raise ChatbotError if it is invalid or reports a failure."""
        self.overhear(self.where, said, self.secrets)
        received = RawResponse(Response(200, {}, said.encode("utf-8", "replace")), self.secrets, self.keys)
        try:
            answer = ResponseBody((said if form == "text" else parsed(said),), received)
        except ValueError as error:
            raise ChatbotError(f"what it said {error}: {received.shown}") from None
        if admitted := answer.last(self.options.error):
            raise ChatbotError(f"the chatbot reports an error: {received.quote(as_text(admitted))}")
        return answer

    def together(self, answers: list[ResponseBody]) -> ResponseBody:
        """Return several lines or frames as one answer."""
        body = b"\n".join(answer.received.response.body for answer in answers)
        received = RawResponse(Response(200, {}, body), self.secrets, self.keys)
        return ResponseBody(tuple(says for answer in answers for says in answer.says), received)
