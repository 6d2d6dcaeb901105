"""A pizzeria that takes orders: the reference chatbot for the published pizza profiles."""

from dataclasses import replace
from pathlib import Path

from sparring.chatbots.prompted import chatbot as prompted
from sparring.core.errors import InputError
from sparring.core.text import did_you_mean
from sparring.llm.plugin_context import PluginContext
from sparring_bots.pizzeria.faults import FAULTS, Fault, ReplacingModel
from sparring_bots.pizzeria.tools import Tools

FOLDER = Path(__file__).parent


def chatbot(argument: str, context: PluginContext) -> prompted.Prompted:
    """Create the plug-in `pizzeria`, or `pizzeria:fault=NAME` with a planted fault."""
    fault = _fault(argument) if argument else Fault("nothing", Tools)
    bot = prompted.from_folder(FOLDER, context, tools=fault.tools, temperature=0)
    return replace(bot, model=ReplacingModel(bot.model, *fault.says)) if fault.says else bot


def _fault(argument: str) -> Fault:
    what, _, name = argument.partition("=")
    if what != "fault":
        raise InputError(f"expected pizzeria:fault=NAME, got argument {argument!r}")
    if name not in FAULTS:
        hint = did_you_mean(name, FAULTS) or f"there are: {', '.join(FAULTS)}"
        raise InputError(f"unknown fault {name!r} of pizzeria", hint=hint)
    return FAULTS[name]
