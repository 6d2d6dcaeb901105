"""`sparring chat CHATBOT`: talk to a chatbot yourself."""

import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from typing import Annotated

import typer

from sparring.app.preflight import check_refusals
from sparring.app.wiring import players
from sparring.cli import options
from sparring.cli.console import complain, tell
from sparring.cli.exits import PASSED, UNDECIDED
from sparring.cli.live import LEAVE, Live, ReadLine, show
from sparring.cli.loop import run_in_loop
from sparring.core.batch import Choice
from sparring.core.case import Case, Limits
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, Problem
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.settings import Settings, environment
from sparring.settings import load as load_settings
from sparring.simulation.simulate import simulate
from sparring.users.human import Human

app = options.application()

_PROMPT = "you> "
_PATIENT = 10**9


@app.command()
def chat(
    chatbot: Annotated[str, typer.Argument(help="The chatbot: pizzeria, rasa:URL, http:FILE.yaml, prompted:DIR, ...")],
    model: options.Model = None,
    chatbot_model: options.ChatbotModel = None,
    var: Annotated[
        list[str] | None,
        typer.Option("--var", metavar="NAME=VALUE", help="A variable, as of a case: customer_id=C-1. May be repeated."),
    ] = None,
    seed: options.Seed = None,
) -> int:
    """Talk to a chatbot yourself. /help lists what else there is; /exit or the end of the input ends it. Nothing is
    kept."""
    settings = load_settings({"model": model, "chatbot_model": chatbot_model}, directory=Path.cwd())
    case = Case(
        id="chat",
        variables=_variables(var or ()),
        seed=SystemRandom().getrandbits(32) if seed is None else seed,
        limits=Limits(turns=_PATIENT, fallbacks=_PATIENT, reply_seconds=settings.retry_seconds),
    )
    conversation = run_in_loop(_talk(chatbot, settings, case))
    if conversation.error:
        complain(f"{conversation.ending}: {visible(conversation.error)}")
    return PASSED if conversation.ending and conversation.ending.counts else UNDECIDED


async def _talk(chatbot: str, settings: Settings, case: Case) -> Conversation:
    choice = Choice(chatbot, settings.chatbot_model or settings.model, "agenda")
    async with players(choice, settings, environment(Path.cwd())) as (cast, who):
        check_refusals([case], cast.chatbot, informed=cast.webhook is not None)
        prepared = await cast.prepared(case)
        for warning in prepared.warnings:
            tell(f"warning: {visible(warning)}")
        check_refusals([prepared.case], cast.chatbot)  # nobody else will say now what it lacks
        # The default handler, so that Ctrl-C ends the input too, for which the loop's own would wait.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        leave = " or ".join(f"/{name}" for name in LEAVE)
        tell(visible(f"{who.chatbot} ({who.chatbot_model or 'model unknown'}); {leave} ends it, /help says more"))
        live = Live(cast.chatbot, _line_reader())
        talking = simulate(prepared.case, Human(live.read), live, reader=cast.reader, clock=cast.clock, listen=show)
        return prepared.noted(await talking)


def _variables(written: Iterable[str]) -> dict[str, Json]:
    """What `--var NAME=VALUE` says, each of them."""
    found: dict[str, Json] = {}
    problems = []
    for each in written:
        name, equals, value = each.partition("=")
        if not equals or not name.strip():
            problems.append(Problem(message=f"--var {each!r}: is no NAME=VALUE", hint="--var customer_id=C-1"))
        elif name in found:
            problems.append(Problem(message=f"--var {name}: is given twice"))
        found[name.strip()] = value
    if problems:
        raise InputError(problems)
    return found


def _line_reader() -> ReadLine:
    """How lines are read: with the arrow keys and what was typed before on a terminal, plainly otherwise."""
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
