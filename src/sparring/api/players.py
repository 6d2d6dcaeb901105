"""Players passed as objects. A batch stores each under a name, like any other player."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from sparring.chatbots.chatbot import Chatbot
from sparring.core.message import Message
from sparring.judges.judge import Judge
from sparring.llm.model import Model
from sparring.users.user import User

ChatbotLike = str | Chatbot | Callable[[list[Message], dict[str, Any]], str | Message | Awaitable[str | Message]]
"""A name as on the command line, a chatbot, or a function `reply(messages, variables)`, sync or async."""


@dataclass
class PlayerObjects:
    """Objects by the names under which batches refer to them."""

    by_name: dict[str, Any] = field(default_factory=dict)

    def chatbot(self, chatbot: ChatbotLike | type | None) -> str | None:
        """Return the name of a chatbot, wrapping a function or class. Raise InputError if it cannot reply."""
        if chatbot is None or isinstance(chatbot, str):
            return chatbot
        if not isinstance(chatbot, type) and hasattr(chatbot, "connect"):
            return self._noted(chatbot, type(chatbot))
        from sparring.chatbots.frameworks import agent_of
        from sparring.chatbots.python import PythonChatbot, check_code

        name = _name(chatbot if hasattr(chatbot, "__name__") else type(chatbot))
        if agent := agent_of(chatbot, name):
            return self._noted(agent, type(chatbot))
        check_code(chatbot, name)
        return self._noted(PythonChatbot(chatbot), chatbot)

    def player(self, player: str | Model | User | Judge | None) -> str | None:
        """Return the name of a model, a user or a judge."""
        return player if player is None or isinstance(player, str) else self._noted(player, type(player))

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
