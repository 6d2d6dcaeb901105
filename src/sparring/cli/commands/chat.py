"""`sparring chat CHATBOT`: talk to a chatbot yourself.

A conversation of a person with a chatbot, and its slash commands.
"""

import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, nullcontext, redirect_stdout, suppress
from inspect import getdoc
from random import SystemRandom
from typing import Annotated, cast

import typer

from sparring.app.config import AppConfig
from sparring.app.probe import open_chat
from sparring.chatbots.chatbot import BaseChatbot, Chatbot, LiveSession, Session
from sparring.cli import options
from sparring.cli.color import painted
from sparring.cli.console import answer, complain, notify, say, say_all, warn
from sparring.cli.process import PASSED, UNDECIDED
from sparring.core.case import Case, Limits
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem, SparringError
from sparring.core.message import Message
from sparring.core.text import closest_name, quoted, visible
from sparring.core.value import Json
from sparring.llm.model import words
from sparring.reports.json_report import conversation_json
from sparring.reports.transcript import call_line
from sparring.users.human import Human

LEAVE = ("exit", "quit")
_HELP = "help"
_LONGEST = 300
_CYAN, _GREY = "36", "90"

Command = Callable[[str], Awaitable[str]]
ReadLine = Callable[[], str]


class Live(BaseChatbot):
    """Wraps a chatbot to keep its session for slash commands.

    `read_line` returns the next line that the person types, and raises EOFError at the end of the input.
    """

    def __init__(self, chatbot: Chatbot, read_line: ReadLine) -> None:
        self._chatbot = chatbot
        self.capabilities = chatbot.capabilities
        self._read_line = read_line
        self._session: Session | None = None
        self._welcomed = False

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Session]:
        async with self._chatbot.connect(case) as session:
            self._session = session
            yield session

    async def read(self) -> str:
        """Return the next message of the user, after its commands. Raise EOFError at the end.

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
            live = self._live
            for line in live.welcome.splitlines() if live else ():
                notify(visible(line))

    @property
    def _live(self) -> LiveSession | None:
        """The session, if it has a welcome and commands."""
        return cast("LiveSession", self._session) if self._session and self.capabilities.commands else None

    async def _do(self, written: str) -> None:
        """Run one slash command; its errors do not end the chat."""
        name, _, text = written.partition(" ")
        commands = _commands(self._live)
        if name in LEAVE:
            raise EOFError
        if name == _HELP:
            say_all(_help(commands))
        elif name in commands:
            await _shown(name, commands[name], text.strip())
        else:
            meant = closest_name(name, [*commands, _HELP, *LEAVE])
            hint = f"did you mean /{meant}?" if meant else "/help lists all commands"
            complain(f"there is no command /{name}", hint=hint)


def _commands(session: LiveSession | None) -> dict[str, Command]:
    """Return the chatbot's own commands, without names that every chat has."""
    own: Mapping[str, Command] = session.commands() if session else {}
    return {name: command for name, command in own.items() if name not in (_HELP, *LEAVE)}


def show(said: Message) -> None:
    """Print the chatbot's message and the tools it used."""
    if said.role == "user":
        return
    for call in said.tool_calls:
        line = call_line(call)
        shown = line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
        notify(painted(shown, sys.stderr, _GREY))
    for line in quoted(words(said) or "(says nothing)"):
        say(painted(line, sys.stdout, _CYAN))


async def _shown(name: str, command: Command, text: str) -> None:
    try:
        answer_text = await command(text)
    except SparringError as error:
        complain(f"/{name}: {error}", hint=error.hint)
    except Exception as error:  # noqa: BLE001 - a chatbot's own code may raise anything, and the chat goes on
        complain(f"/{name}: {type(error).__name__}: {error}")
    else:
        say_all(quoted(str(answer_text)))


def _help(commands: Mapping[str, Command]) -> list[str]:
    """Print every command with its first line, and how to send a line that looks like a command."""
    described = {name: (getdoc(command) or "").partition("\n")[0] for name, command in commands.items()}
    described |= {_HELP: "this list", " or /".join(LEAVE): "ends the chat, as does the end of the input"}
    width = max(map(len, described))
    lines = [f"  /{visible(name):<{width}}  {visible(line)}".rstrip() for name, line in described.items()]
    return [*lines, "Everything else goes to the chatbot; //text sends /text."]


_PROMPT = "you> "
_PATIENT = 10**9


@options.configured("model", "chatbot_model", "seed")
async def chat(
    chatbot: Annotated[str, typer.Argument()],
    var: Annotated[list[str] | None, typer.Option("--var", metavar="NAME=VALUE")] = None,
    *,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Talk to a chatbot yourself. Nothing is stored.

    /help lists commands; /exit or the end of the input ends the chat.
    """
    case = Case(
        id="chat",
        variables=_variables(var or ()),
        seed=SystemRandom().getrandbits(32) if chosen["seed"] is None else config.seed,
        limits=Limits(turns=_PATIENT, fallbacks=_PATIENT, reply_seconds=config.llm.retry_seconds),
    )
    with redirect_stdout(sys.stderr) if as_json else nullcontext():
        conversation = await _talk(chatbot, config, case)
    answer("chat", conversation_json(conversation) if as_json else {}, as_json=as_json)
    if conversation.error:
        complain(f"{conversation.ending}: {visible(conversation.error)}")
    return PASSED if conversation.ending and conversation.ending.completed else UNDECIDED


async def _talk(name: str, config: AppConfig, case: Case) -> Conversation:
    async with open_chat(name, case, config) as (chatbot, who, notices, talk):
        for notice in notices:
            warn(notice.message)
        # The default handler, so that Ctrl-C ends the input too, for which the loop's own would wait.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        leave = " or ".join(f"/{name}" for name in LEAVE)
        notify(visible(f"{who.chatbot} ({who.chatbot_model or 'model unknown'}); {leave} ends it, /help says more"))
        live = Live(chatbot, _line_reader())
        return await talk(Human(live.read), live, show)


def _variables(written: Iterable[str]) -> dict[str, Json]:
    """Return the variables in `--var NAME=VALUE` options."""
    found: dict[str, Json] = {}
    problems = []
    for each in written:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            problems.append(Problem(message=f"--var {each!r}: expected NAME=VALUE", hint="--var customer_id=C-1"))
        elif name in found:
            problems.append(Problem(message=f"--var {name}: is given twice"))
        found[name.strip()] = value
    if problems:
        raise InputError(problems)
    return found


def _line_reader() -> ReadLine:
    """Return a function that reads lines: on a terminal, with arrow keys and history."""
    if not sys.stdin.isatty():
        return _next_line
    with suppress(ImportError):  # Windows has none
        import readline  # noqa: F401 - input() has the arrow keys where it is loaded
    return lambda: input(_PROMPT)


def _next_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line
