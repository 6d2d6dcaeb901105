"""`sparring chat CHATBOT`: a person talks to a chatbot."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.console import complain, terminal, tell
from sparring.cli.loop import run_in_loop
from sparring.core.case import Case, Limits
from sparring.core.chance import ulid
from sparring.core.conversation import Conversation, Ending
from sparring.core.message import Message
from sparring.reading.patterns import PatternReader
from sparring.reporting.transcript import lines
from sparring.runner.wiring import Choice, players
from sparring.settings import Settings, environment, load
from sparring.simulating import simulate
from sparring.users.human import Human

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
