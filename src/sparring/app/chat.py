"""A conversation between a person and a chatbot, which is not stored."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from sparring.app.config import AppConfig
from sparring.app.notices import Notice
from sparring.app.preflight import check_refusals
from sparring.app.wiring import players
from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import PlayerNames, Players
from sparring.core.case import Case
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.simulation.simulate import simulate
from sparring.users.user import User

Talk = Callable[[User, Chatbot, Callable[[Message], None]], Awaitable[Conversation]]
"""Runs the conversation between a user and the chatbot, or its stand-in, with a listener for messages."""


@asynccontextmanager
async def open_chat(
    name: str, case: Case, config: AppConfig
) -> AsyncGenerator[tuple[Chatbot, Players, list[Notice], Talk]]:
    """Open the chatbot called `name` for one conversation about a case.

    Yields the chatbot, its players in words, warnings of the webhook, and the function that holds the conversation.

    Raises:
        InputError: the chatbot cannot play the case.
    """
    choice = PlayerNames(name, config.players.chatbot_model or config.players.model, "agenda")
    async with players(choice, config) as (resolved, who):
        check_refusals([case], resolved.chatbot, informed=resolved.webhook is not None)
        prepared = await resolved.prepared(case)
        check_refusals([prepared.case], resolved.chatbot)  # the webhook has answered: what is missing now stays missing

        async def talk(user: User, chatbot: Chatbot, listen: Callable[[Message], None]) -> Conversation:
            held = simulate(prepared.case, user, chatbot, reader=resolved.reader, clock=resolved.clock, listen=listen)
            return prepared.noted(await held)

        yield resolved.chatbot, who, [Notice(warning) for warning in prepared.warnings], talk
