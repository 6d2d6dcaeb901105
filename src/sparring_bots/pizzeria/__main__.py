"""Serve the pizzeria over Rasa's REST channel: `python -m sparring_bots.pizzeria --port 5005`."""

import argparse
import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sparring.core.clock import SystemClock
from sparring.core.plugins import find
from sparring.llm import providers
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import Model
from sparring.llm.plugin_context import PluginContext
from sparring.settings import load_config
from sparring_bots.pizzeria import chatbot
from sparring_bots.rasa_channel import RasaChannel
from sparring_bots.serving import add_address, serve, until_stopped


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until Ctrl-C. Return 2 for invalid options, with an error and a hint on stderr."""
    chosen = _parser().parse_args(arguments)
    return until_stopped(lambda: asyncio.run(_serve(chosen.host, chosen.port, chosen.model, chosen.fault)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sparring_bots.pizzeria", description=__doc__)
    add_address(parser, 5005)
    parser.add_argument("--model", default="offline", help="offline, or a model such as openai:gpt-4o-mini")
    parser.add_argument("--fault", default="", metavar="NAME", help="something to do wrong, to see which tests find it")
    return parser


async def _serve(host: str, port: int, model: str, fault: str) -> None:
    async with HttpTransport() as transport:
        config = load_config({}, directory=Path.cwd())
        context = PluginContext(
            config.llm,
            SystemClock(),
            transport,
            offline=frozenset({"chatbot"}),
            environment=config.environment,
        )
        if model != "offline":
            context = replace(context, models={"chatbot": _model(model, context)})
        channel = RasaChannel("pizzeria", chatbot(f"fault={fault}" if fault else "", context).open)
        await serve(channel.application(), host, port, lambda url: print(f"The pizzeria is open at {url}", flush=True))


def _model(name: str, context: PluginContext) -> Model:
    """Return the model called `openai:gpt-4o-mini` or `BASE_URL#model`."""
    if "://" in name:
        return providers.by_url(name, context)
    kind, _, argument = name.partition(":")
    model: Model = find("sparring.models", kind)(argument, context)
    return model


if __name__ == "__main__":
    sys.exit(main())
