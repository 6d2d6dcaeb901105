"""`sparring chat CHATBOT`: talk to a chatbot yourself."""

import signal
import sys
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import complain, say, tell
from sparring.cli.exits import PASSED, UNDECIDED
from sparring.cli.loop import run_in_loop
from sparring.core.case import Case, Limits
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.terminal import quoted, visible
from sparring.models.views import words
from sparring.runner.wiring import Choice, players
from sparring.settings import Settings, environment
from sparring.settings import load as load_settings
from sparring.simulating import simulate
from sparring.users.human import Human

app = options.application()

_PROMPT = "you> "
_LEAVE = ("/exit", "/quit")
_PATIENT = 10**9


@app.command()
def chat(
    chatbot: Annotated[str, typer.Argument(help="The chatbot: pizzeria, rasa:URL, http:FILE.yaml, prompted:DIR, ...")],
    model: options.Model = None,
    chatbot_model: options.ChatbotModel = None,
    seed: options.Seed = None,
) -> int:
    """Talk to a chatbot yourself; /exit or the end of the input ends it. Nothing is kept."""
    settings = load_settings({"model": model, "chatbot_model": chatbot_model}, directory=Path.cwd())
    conversation = run_in_loop(_talk(chatbot, settings, SystemRandom().getrandbits(32) if seed is None else seed))
    if conversation.error:
        complain(f"{conversation.ending}: {visible(conversation.error)}")
    return PASSED if conversation.ending and conversation.ending.counts else UNDECIDED


async def _talk(chatbot: str, settings: Settings, seed: int) -> Conversation:
    choice = Choice(chatbot, settings.chatbot_model or settings.model, "agenda")
    limits = Limits(turns=_PATIENT, fallbacks=_PATIENT, reply_seconds=settings.retry_seconds)
    async with players(choice, settings, environment(Path.cwd())) as (cast, who):
        # The default handler, so that Ctrl-C ends the input too, for which the loop's own would wait.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        tell(f"{who.chatbot} ({who.chatbot_model or 'model unknown'}); {' or '.join(_LEAVE)} ends it")
        return await simulate(
            Case(id="chat", seed=seed, limits=limits),
            Human(_read),
            cast.chatbot,
            reader=cast.reader,
            clock=cast.clock,
            listen=_show,
        )


async def _read() -> str:
    """A line that is not empty. Nothing else happens while a person thinks, so it may block."""
    while True:
        line = (input(_PROMPT) if sys.stdin.isatty() else _next_line()).strip()
        if line in _LEAVE:
            raise EOFError
        if line.startswith("/"):
            tell(f"unknown command {visible(line)}; {' or '.join(_LEAVE)} ends the chat")
        elif line:
            return line


def _next_line() -> str:
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _show(said: Message) -> None:
    if said.role == "user":
        return
    for call in said.tool_calls:
        tell(f"  ({visible(call.name)}{': ' + visible(call.error) if call.error else ''})")
    for line in quoted(words(said) or "(says nothing)"):
        say(line)
