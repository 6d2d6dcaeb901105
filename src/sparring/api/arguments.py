"""Arguments of the public API: a store (a path, `:memory:` or open), settings, players as objects."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from os import environ
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sparring import settings as sources
from sparring.app.config import AppConfig
from sparring.app.stores import open_store_at
from sparring.chatbots.chatbot import Chatbot
from sparring.core import plugins
from sparring.core.addresses import Address, address
from sparring.core.errors import InputError, Problem
from sparring.core.message import Message
from sparring.settings import Settings
from sparring.store.redaction import Redaction
from sparring.store.store import Store

MEMORY = ":memory:"
"""The name of a store that is discarded when the program ends."""

StoreLike = str | Path | Store | None
"""A path, a `postgresql://` address, `:memory:`, an open store, or None for the store of the settings."""


@dataclass(frozen=True)
class StorePlace:
    """A store that is opened for each use, or an open one."""

    path: Address | None = None
    given: Store | None = None
    redaction: Redaction = field(default_factory=Redaction)

    @asynccontextmanager
    async def open(self, *, must_exist: bool = True) -> AsyncIterator[Store]:
        """Open the store. Raise InputError if it `must_exist` and does not."""
        if self.given is not None:
            yield self.given
            return
        assert self.path is not None, "a store has a path or is given"
        async with open_store_at(self.path, must_exist=must_exist, redaction=self.redaction) as store:
            yield store


def place_of(store: StoreLike, default: Address, redaction: Redaction) -> StorePlace:
    """Return the place that `store` means; `default` if it is None."""
    if store == MEMORY:
        from sparring.testing.memory_store import MemoryStore

        return StorePlace(given=MemoryStore(redaction=redaction))
    if store is None or isinstance(store, str | Path):
        path = address(default if store is None else store)
        if isinstance(path, str):
            return StorePlace(path=path, redaction=redaction)
        if path.is_dir():
            raise InputError(f"the store {str(path)!r} is a folder", hint="name a file, such as .sparring/sparring.db")
        return StorePlace(path=path.absolute(), redaction=redaction)
    return StorePlace(given=store)


def config_of(settings: Settings | None, **options: Any) -> AppConfig:
    """Return the configuration of a call; `options` that are not None replace settings.

    Players may be objects. Without `settings`, read sparring.yaml, .env and the environment. Raise InputError if an
    option is invalid.
    """
    objects = PlayerObjects()
    given = {name: objects.named(name, value) for name, value in options.items() if value is not None}
    if settings is None:
        return replace(sources.load_config(given, directory=Path.cwd()), objects=objects.by_name)
    fields = {name: getattr(settings, name) for name in Settings.model_fields}
    try:
        config = Settings.model_validate({**fields, **given}).app_config(environment=environ)
        return replace(config, objects=objects.by_name)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        raise InputError(Problem(path=str(each["loc"][0]), message=each["msg"]) for each in found) from None


def store_of(store: StoreLike, config: AppConfig) -> StorePlace:
    """Return the place of `store`, by default that of the configuration."""
    return place_of(store, config.store, Redaction(config.redact))


ChatbotLike = str | Chatbot | Callable[[list[Message], dict[str, Any]], str | Message | Awaitable[str | Message]]
"""A name as on the command line, a chatbot, or a function `reply(messages, variables)`, sync or async."""


@dataclass
class PlayerObjects:
    """Objects by the names under which batches refer to them."""

    by_name: dict[str, Any] = field(default_factory=dict)

    def named(self, option: str, value: Any) -> Any:
        """Return the name of a player that is an object, and the value of any other option as it is."""
        if option not in plugins.ROLES or isinstance(value, str):
            return value
        return self._chatbot(value) if option == "chatbot" else self._noted(value, type(value))

    def _chatbot(self, chatbot: Any) -> str:
        """Return the name of a chatbot, wrapping a function or class. Raise InputError if it cannot reply."""
        if not isinstance(chatbot, type) and hasattr(chatbot, "connect"):
            return self._noted(chatbot, type(chatbot))
        from sparring.chatbots.frameworks import agent_of
        from sparring.chatbots.python import PythonChatbot, check_code

        name = _name(chatbot if hasattr(chatbot, "__name__") else type(chatbot))
        if agent := agent_of(chatbot, name):
            return self._noted(agent, type(chatbot))
        check_code(chatbot, name)
        return self._noted(PythonChatbot(chatbot), chatbot)

    def _noted(self, player: object, source: object) -> str:
        """Return a name for an object: where its code is, with a number if another object has that name."""
        first = name = f"python:{_name(source)}"
        number = 1
        while name in self.by_name and self.by_name[name] is not player:
            number += 1
            name = f"{first}#{number}"
        self.by_name[name] = player
        return name


def _name(source: object) -> str:
    """Return `module:name` of a function or class."""
    named = source if hasattr(source, "__qualname__") else type(source)
    return f"{getattr(named, '__module__', '')}:{getattr(named, '__qualname__', '')}"
