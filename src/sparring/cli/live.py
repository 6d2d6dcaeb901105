"""A chatbot that somebody talks to, and the slash commands of the conversation."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from inspect import getdoc

from sparring.chatbots.chatbot import Chatbot, Commands, Session, Welcomes
from sparring.cli.colours import painted
from sparring.cli.console import complain, say, tell
from sparring.core.case import Case
from sparring.core.errors import SparringError
from sparring.core.message import Message
from sparring.core.text import closest, quoted, visible
from sparring.llm.model import words
from sparring.reports.transcript import call_line

LEAVE = ("exit", "quit")
_HELP = "help"
_LONGEST = 300

Command = Callable[[str], Awaitable[str]]
ReadLine = Callable[[], str]


class Live:
    """A chatbot, as a chatbot: it keeps hold of its session, which the commands belong to.

    `read_line` gives the next line that somebody types, and raises an EOFError where there are no more.
    """

    def __init__(self, chatbot: Chatbot, read_line: ReadLine) -> None:
        self._chatbot = chatbot
        self._read_line = read_line
        self._session: Session | None = None
        self._welcomed = False

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Session]:
        async with self._chatbot.connect(case) as session:
            self._session = session
            yield session

    async def read(self) -> str:
        """What the user says next; the commands before it are done. An EOFError when it is over.

        Nothing else happens while a person thinks, so reading a line may block.
        """
        self._welcome()
        while True:
            line = self._read_line().strip()
            if line.startswith("//") or (line and not line.startswith("/")):
                return line.removeprefix("/")
            if line:
                await self._do(line[1:])

    def _welcome(self) -> None:
        if not self._welcomed:
            self._welcomed = True
            for line in _welcome(self._session).splitlines():
                tell(visible(line))

    async def _do(self, written: str) -> None:
        """One command; what goes wrong with it ends nothing."""
        name, _, text = written.partition(" ")
        commands = _commands(self._session)
        if name in LEAVE:
            raise EOFError
        if name == _HELP:
            for line in _help(commands):
                say(line)
        elif name in commands:
            await _shown(name, commands[name], text.strip())
        else:
            meant = closest(name, [*commands, _HELP, *LEAVE])
            hint = f"did you mean /{meant}?" if meant else "/help lists all commands"
            complain(f"there is no command /{name}", hint=hint)


def _welcome(session: object) -> str:
    return session.welcome if isinstance(session, Welcomes) else ""


def _commands(session: object) -> dict[str, Command]:
    """The chatbot's own commands; those that every chat has are nobody else's."""
    own: Mapping[str, Command] = session.commands() if isinstance(session, Commands) else {}
    return {name: command for name, command in own.items() if name not in (_HELP, *LEAVE)}


def show(said: Message) -> None:
    """What the chatbot said, and which tools it used for it."""
    if said.role == "user":
        return
    for call in said.tool_calls:
        line = call_line(call)
        tell(painted(line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…", "grey", sys.stderr))
    for line in quoted(words(said) or "(says nothing)"):
        say(painted(line, "cyan", sys.stdout))


async def _shown(name: str, command: Command, text: str) -> None:
    try:
        told = await command(text)
    except SparringError as error:
        complain(f"/{name}: {error}", hint=error.hint)
    except Exception as error:  # noqa: BLE001 - a chatbot's own code may raise anything, and the chat goes on
        complain(f"/{name}: {type(error).__name__}: {error}")
    else:
        for line in quoted(str(told)):
            say(line)


def _help(commands: Mapping[str, Command]) -> list[str]:
    """Every command with its first line, and how to say what looks like one."""
    told = {name: (getdoc(command) or "").partition("\n")[0] for name, command in commands.items()}
    told |= {_HELP: "this list", " or /".join(LEAVE): "ends the chat, as does the end of the input"}
    width = max(map(len, told))
    lines = [f"  /{visible(name):<{width}}  {visible(line)}".rstrip() for name, line in told.items()]
    return [*lines, "Whatever else is typed is said to the chatbot; //text says /text to it."]
