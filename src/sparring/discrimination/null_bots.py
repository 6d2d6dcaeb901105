"""The dozen null bots in three attitudes. None reads its input, calls a tool, or knows an answer."""

import tomllib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Literal

from sparring.chatbots.chatbot import BREAKABLE, BaseChatbot, Capabilities
from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.message import Message, message
from sparring.core.outcome import REFUSING
from sparring.extraction.goals import texts

VERSION = 1
"""Raise it when a null bot says something else: kept results of another version are not used."""

DRAWS = 3
"""How often made-up prices and ids are drawn: a short pattern may meet one draw by accident."""

Attitude = Literal["refusing", "compliant", "idle"]


@dataclass(frozen=True, slots=True)
class Phrases:
    """What null bots say in one language. Words in braces are placeholders."""

    greeting: str
    ok: str
    sorry: str
    elsewhere: str
    question: str
    done: str
    values: str
    made_up: str
    cannot: str
    support: str


@cache
def phrases_of(language: str) -> Phrases:
    """Return what null bots say in a language, or in English."""
    known = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))
    return Phrases(**known.get(language.casefold(), known["english"]))


@dataclass(frozen=True, slots=True)
class Turn:
    """What a null bot has to make a reply of: the user's message, and the chatbot's own history."""

    case: Case
    phrases: Phrases
    said: str
    random: Random

    @property
    def values(self) -> str:
        """The values of the case's goals, or of all variables if it has no goals."""
        variables = self.case.variables
        names = [name for goal in self.case.goals for name in goal.variables] if self.case.goals else list(variables)
        found = (text for name in names if name in variables for text in texts(variables[name]))
        return ", ".join(dict.fromkeys(found))

    @property
    def done(self) -> str:
        """A claim that all is done, with the values of the case's goals if they have any."""
        return self.phrases.values.format(values=self.values) if self.values else self.phrases.done

    @property
    def history(self) -> str:
        """The chatbot's last message in the history of the case."""
        own = (each.text for each in reversed(self.case.history) if each.role == "chatbot" and each.text)
        return next(own, self.phrases.greeting)


@dataclass(frozen=True, slots=True)
class NullBot:
    """A null bot: its name, its attitude, a description for people, and its reply."""

    name: str
    attitude: Attitude
    description: str
    reply: Callable[[Turn], str]
    draws: int = 1


def _made_up(turn: Turn) -> str:
    random = turn.random
    price, id = f"{random.randint(3, 99)}.{random.randint(1, 99):02}", f"Q{random.randint(10_000, 99_999)}"
    return f"{turn.done} {turn.phrases.made_up.format(price=price, id=id)}"


def _elsewhere(turn: Turn) -> str:
    time = f"{turn.random.randint(10, 23)}:{turn.random.randint(10, 59)}"
    return turn.phrases.elsewhere.format(time=time, number=turn.random.randint(31, 399))


NULL_BOTS: tuple[NullBot, ...] = (
    NullBot(REFUSING, "refusing", "refuses everything", lambda turn: turn.phrases.cannot),
    NullBot("support", "refusing", "sends everyone to support", lambda turn: turn.phrases.support),
    NullBot("made-up", "compliant", "says 'done' and makes up a price and an ID", _made_up, DRAWS),
    NullBot("values", "compliant", "repeats your words and says 'done'", lambda turn: turn.done),
    NullBot("yes-man", "compliant", "says 'done' to everything", lambda turn: turn.phrases.done),
    NullBot("echo", "compliant", "repeats your words", lambda turn: turn.said),
    NullBot("ok", "idle", "says 'OK' to everything", lambda turn: turn.phrases.ok),
    NullBot("sorry", "idle", "apologizes for everything", lambda turn: turn.phrases.sorry),
    NullBot("elsewhere", "idle", "always talks about a train", _elsewhere, DRAWS),
    NullBot("question", "idle", "always asks for more", lambda turn: turn.phrases.question),
    NullBot("history", "idle", "repeats its own last sentence", lambda turn: turn.history),
    NullBot("silent", "idle", "is silent", lambda turn: ""),
)
"""All null bots, those that pass most often first within an attitude."""

Reply = Callable[[str], Message]


class ConstantSession:
    """A session of a chatbot that makes its reply of the user's message alone."""

    greeting: Message | None = None

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    async def reply(self, message: Message) -> Message:
        return self._reply(message.text)

    async def inject(self, step: InjectReply | InjectTool) -> None:
        """Take a step of a script, which changes nothing."""

    async def stub(self, tool: InjectTool) -> None:
        """Take a stub, which is never used."""

    async def break_tools(self, faults: ToolFaults) -> None:
        """Take faults of tools, which are never called."""


class ConstantChatbot(BaseChatbot):
    """A chatbot that makes its reply of the user's message alone."""

    capabilities = Capabilities(reports_tools=True, injects=BREAKABLE, trusted=True)

    def __init__(self, reply: Reply) -> None:
        self._reply = reply

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[ConstantSession]:
        yield ConstantSession(self._reply)


def chatbot(bot: NullBot, case: Case, draw: int = 0) -> ConstantChatbot:
    """Return a null bot as the chatbot of a case, with the made-up values of one draw."""
    phrases = phrases_of(case.persona.language)

    def reply(said: str) -> Message:
        return message("chatbot", bot.reply(Turn(case, phrases, said, Random(f"{bot.name}/{draw}"))))

    return ConstantChatbot(reply)
