"""A pizzeria that takes orders: the reference bot that the published pizza profiles can talk to."""

from pathlib import Path

from sparring.chatbots import prompted
from sparring.core.errors import InputError
from sparring.models.context import Context
from sparring_bots.pizzeria.tools import Tools

FOLDER = Path(__file__).parent


def chatbot(argument: str, context: Context) -> prompted.Prompted:
    """The plug-in: `pizzeria`."""
    if argument:
        raise InputError(f"pizzeria takes no argument, and was given {argument!r}")
    return prompted.from_folder(FOLDER, context, tools=Tools, temperature=0)
