"""The suite catches what it says it catches: each chatbot here breaks one rule."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from scripted import ScriptedChatbot
from sparring.chatbots.chatbot import EVERYTHING, BaseChatbot, Capabilities
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, message
from sparring.testing import check_chatbot
from tables import table

WORDS = frozenset({"reply", "tool"})


class Remembering:
    """Repeats everything it was told in this conversation. What follows are its faulty relatives."""

    greeting: Message | None = None

    def __init__(self) -> None:
        self.told: list[str] = []

    async def reply(self, said: Message) -> Message:
        self.told.append(said.text)
        await asyncio.sleep(0)
        return message("chatbot", " / ".join(self.told))


class Chatbot(BaseChatbot):
    def __init__(self, make: Callable[[], Any] = Remembering, **capabilities: Any) -> None:
        self.make = make
        self.capabilities = Capabilities(**capabilities)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Any]:
        yield self.make()


class Swallowing(Chatbot):
    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Any]:
        with suppress(RuntimeError):
            yield self.make()


class Fragile(Chatbot):
    """Is never the same again once a reply was cancelled."""

    cancelled = False

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Any]:
        session = self.make()
        session.told += ["broken"] * self.cancelled
        try:
            yield session
        except asyncio.CancelledError:
            self.cancelled = True
            raise


class Injectable(Remembering):
    async def inject(self, step: Any) -> None:
        self.told.append(step.text)


class Stubbable(Injectable):
    async def stub(self, tool: Any) -> None:
        raise InputError("there is no such tool")


class Overhearing(Injectable):
    async def stub(self, tool: Any) -> None:
        self.told.append(tool.name)


class Confused(Injectable):
    async def reply(self, said: Message) -> Message:
        return (await super().reply(said)).model_copy(update={"injected": any("never" in told for told in self.told)})


class Spreading(Remembering):
    """What is put into one conversation is put into all of them."""

    def __init__(self, everywhere: list[str]) -> None:
        self.told = everywhere.copy()
        self.everywhere = everywhere

    async def inject(self, step: Any) -> None:
        self.everywhere.append(step.text)


class Commanding(Remembering):
    welcome = "Try: /count"

    def commands(self) -> dict[str, Any]:
        return {}


class Changing(Chatbot):
    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Any]:
        self.capabilities = Capabilities(reports_tools=True)
        yield self.make()


class SpeakingForTheUser(Remembering):
    async def reply(self, said: Message) -> Message:
        return said


class Wordless(Remembering):
    async def reply(self, said: Message) -> Any:
        return said.text


class Translating(Remembering):
    async def reply(self, said: Message) -> Message:
        try:
            return await super().reply(said)
        except asyncio.CancelledError as error:
            raise ChatbotError("cancelled") from error


class Overlapping(Chatbot):
    """Forgets everything after its last conversation, but mixes up those who talk to it at the same time."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = Remembering()
        self.open = 0

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Any]:
        self.open += 1
        try:
            yield self.shared
        finally:
            self.open -= 1
            self.shared = self.shared if self.open else Remembering()


class Stateful(Remembering):
    async def state(self) -> object:
        return {"told": self.told}


class Counting(Remembering):
    opened = 0

    async def state(self) -> object:
        Counting.opened += 1
        return {"opened": Counting.opened}


async def test_a_chatbot_that_keeps_the_rules_passes():
    def failing() -> ScriptedChatbot:
        return ScriptedChatbot(ChatbotError("HTTP 502"))

    await check_chatbot(Chatbot, failing=failing)
    await check_chatbot(lambda: Chatbot(Injectable, injects=WORDS), failing=failing)
    await check_chatbot(lambda: Chatbot(Stubbable, injects=EVERYTHING), failing=failing)
    await check_chatbot(lambda: Chatbot(Stateful, reports_state=True), failing=failing)
    await check_chatbot(lambda: ScriptedChatbot("Hello", "And you?", greeting="Welcome"), failing=failing)


def spreading() -> Chatbot:
    everywhere: list[str] = []
    return Chatbot(lambda: Spreading(everywhere), injects=WORDS)


def sharing() -> Chatbot:
    session = Remembering()
    return Chatbot(lambda: session)


@table(
    ("make", "fault"),
    [
        (lambda: Chatbot(injects=WORDS), "sessions do not accept injected replies or tool calls"),
        (
            lambda: Chatbot(Injectable),
            r"sessions accept injected replies or tool calls .* but the capabilities do not say so",
        ),
        (lambda: Chatbot(Injectable, injects=EVERYTHING), "sessions do not accept stubs of tools"),
        (lambda: Chatbot(Stubbable, injects=WORDS), "sessions accept stubs of tools"),
        (lambda: Chatbot(commands=True), "sessions do not have slash commands"),
        (lambda: Chatbot(Commanding), "sessions have slash commands"),
        (Changing, "the capabilities change"),
        (sharing, "remembers the first one"),
        (Overlapping, "two overlapping conversations are not isolated"),
        (Swallowing, "an error inside a conversation did not propagate"),
        (Fragile, "replies differ after a cancelled reply"),
        (lambda: Chatbot(SpeakingForTheUser), "the reply is a user message"),
        (lambda: Chatbot(Wordless), "the reply is str, expected Message"),
        (lambda: Chatbot(Translating), "cancellation raised ChatbotError"),
        (lambda: Chatbot(Confused, injects=WORDS), "the chatbot marks its own replies as injected"),
        (
            lambda: Chatbot(Overhearing, injects=EVERYTHING),
            "the stub of an unused tool changes",
        ),
        (spreading, "an injected reply affects another conversation"),
        (lambda: Chatbot(Counting, reports_state=True), "two equal conversations begin with different states"),
    ],
)
async def test_a_chatbot_that_breaks_a_rule_is_caught(make: Callable[[], Any], fault: str):
    with pytest.raises(AssertionError, match=fault):
        await check_chatbot(make)


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        ("all is well", "the chatbot replied, expected ChatbotError"),
        (OSError("no"), "the chatbot raised OSError, expected ChatbotError"),
        (ChatbotError("two\nlines"), "the reason is not one line"),
        (ChatbotError(""), "the reason is not one line"),
    ],
)
async def test_a_failure_of_the_wrong_type_is_caught(reply: Any, fault: str):
    with pytest.raises(AssertionError, match=fault):
        await check_chatbot(Chatbot, failing=lambda: ScriptedChatbot(reply, reply))
