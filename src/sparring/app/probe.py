"""Contact with a chatbot outside of a batch: a greeting with what its server answered, and chat."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import orjson

from sparring.app.config import AppConfig
from sparring.app.models import OFFLINE
from sparring.app.notices import Notice
from sparring.app.preflight import check_refusals
from sparring.app.wiring import connect, players, plugin_context, user_model
from sparring.chatbots.chatbot import Chatbot
from sparring.chatbots.preset import RequestTemplate
from sparring.chatbots.response import understand
from sparring.chatbots.secrets import secrets_of, shown_address
from sparring.core.batch import PlayerNames, Players
from sparring.core.case import Case, Limits, Say
from sparring.core.conversation import Conversation
from sparring.core.message import Message
from sparring.core.value import Json
from sparring.extraction.pattern_extractor import PatternReader
from sparring.llm.client.transport import Response, Transport
from sparring.llm.redaction import redact
from sparring.simulation.simulate import simulate
from sparring.users.scripted import Scripted
from sparring.users.user import User

_PLAIN = re.compile(r"""[^\s.\[\]"'$]+""")


def places(answer: Json, path: str = "") -> Iterator[tuple[str, Json]]:
    """Return the paths to all leaf values, with the values; `$` is the whole answer."""
    if isinstance(answer, dict) and answer:
        for name, value in answer.items():
            if (step := _step(name)) is not None:
                yield from places(value, f"{path}.{step}" if path and not step.startswith("[") else path + step)
    elif isinstance(answer, list) and answer:
        for index, value in enumerate(answer):
            yield from places(value, f"{path}[{index}]")
    else:
        yield path or "$", answer


def _step(name: str) -> str | None:
    """Return the path step to an entry; None for a name that no path can hold."""
    if _PLAIN.fullmatch(name):
        return name
    quote = next((quote for quote in "\"'" if quote not in name), None)
    return quote and f"[{quote}{name}{quote}]"


LONGEST_RAW, MOST_PLACES, LONGEST_VALUE = 10_000, 200, 200


@dataclass(frozen=True, slots=True)
class ProbedExchange:
    """A request without its secrets, and the answer, raw and by path.

    There is a status only over HTTP.
    """

    request: str
    status: int | None
    raw: str
    places: Mapping[str, str]
    more_places: int = 0


@dataclass(frozen=True, slots=True)
class Hello:
    """A chatbot's answer to a hello: as understood, and as sent over the wire."""

    conversation: Conversation
    exchanges: Sequence[ProbedExchange]


@asynccontextmanager
async def open_chatbot(
    name: str, config: AppConfig, noting: Callable[[Transport], "_Noting"] | None = None
) -> AsyncIterator[Chatbot]:
    """Yield the chatbot called `name` with its own connections, which `noting` may wrap."""
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    played_by = config.players.chatbot_model or config.players.model
    as_user = config.with_players(user=played_by, model="")
    async with HttpTransport(config.environment) as connections, user_model(as_user) as model:
        noted = noting(connections) if noting else None
        context = plugin_context(
            config,
            noted or connections,
            models={"chatbot": model} if model else {},
            offline=frozenset({"chatbot"} if played_by == OFFLINE else ()),
        )
        yield connect(name, replace(context, overhear=noted.overhear) if noted else context)


async def say_hello(name: str, config: AppConfig) -> Hello:
    """Say hello to a chatbot by its name. Raise InputError if there is no such chatbot."""
    notings: list[_Noting] = []

    def noting(transport: Transport) -> _Noting:
        notings.append(_Noting(transport, config.environment))
        return notings[0]

    limits = Limits(turns=1, reply_seconds=config.llm.retry_seconds)
    case = Case(id="doctor", script=(Say(text="hello"),), limits=limits)
    async with open_chatbot(name, config, noting) as chatbot:
        conversation = await simulate(case, Scripted(), chatbot, reader=PatternReader())
    noted = notings[0]
    said = (Message.model_validate(_hidden(said.model_dump(), noted.secrets)) for said in conversation.messages)
    return Hello(conversation.model_copy(update={"messages": tuple(said)}), noted.exchanges)


def _hidden(value: Any, secrets: Collection[str]) -> Any:
    """Return a value without secrets, wherever a chatbot repeats one."""
    if isinstance(value, str):
        return redact(value, *secrets)
    if isinstance(value, dict):
        return {redact(name, *secrets): _hidden(inner, secrets) for name, inner in value.items()}
    return [_hidden(inner, secrets) for inner in value] if isinstance(value, list | tuple) else value


class _Noting:
    """A transport that records responses, and which secrets were sent."""

    def __init__(self, transport: Transport, environment: Mapping[str, str]) -> None:
        self.exchanges: list[ProbedExchange] = []
        self.secrets: list[str] = []
        self._transport = transport
        self._environment = environment

    async def send(self, method: str, url: str, *, headers: Mapping[str, str], body: bytes | None = None) -> Response:
        response = await self._transport.send(method, url, headers=headers, body=body)
        secrets = secrets_of(RequestTemplate(url=url), headers, self._sent(url, headers, body))
        self.secrets += secrets
        request = redact(f"{method} {shown_address(url, {})}", *secrets)
        self.exchanges.append(_exchange(request, response.status, response.body, secrets))
        return response

    def overhear(self, where: str, raw: str, secrets: Sequence[str]) -> None:
        """Note what comes back another way."""
        self.secrets += secrets
        self.exchanges.append(_exchange(redact(where, *secrets), None, raw.encode("utf-8", "replace"), secrets))

    def _sent(self, url: str, headers: Mapping[str, str], body: bytes | None) -> dict[str, str]:
        """Return the environment values that were sent. Addresses and server names in them are not secrets."""
        sent = "\n".join([*headers.values(), url, (body or b"").decode("utf-8", "replace")])
        server = urlsplit(url).netloc
        return {
            name: value
            for name, value in self._environment.items()
            if value in sent and "://" not in value and value not in server
        }


def _exchange(request: str, status: int | None, body: bytes, secrets: Sequence[str]) -> ProbedExchange:
    says = _understood(body)
    found = {
        f"event {number}: {path}" if len(says) > 1 else path: value
        for number, said in enumerate(says, 1)
        for path, value in places(said)
    }
    shown = {
        redact(path, *secrets): _shortened(redact(_written(value), *secrets), LONGEST_VALUE)
        for path, value in islice(found.items(), MOST_PLACES)
    }
    raw = redact(body.decode("utf-8", "replace"), *secrets)
    return ProbedExchange(request, status, _shortened(raw, LONGEST_RAW), shown, len(found) - len(shown))


def _understood(body: bytes) -> tuple[Json, ...]:
    """Return what an answer says, in the first of the forms that fits."""
    with suppress(ValueError):
        return understand(body, "json")
    streamed = body.lstrip().startswith((b"data:", b"event:", b"id:", b":", b"{", b"["))
    return understand(body, "events" if streamed else "text")


def _written(value: Json) -> str:
    return orjson.dumps(value).decode()


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most:,} characters more)"


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
            conversation = simulate(
                prepared.case, user, chatbot, reader=resolved.reader, clock=resolved.clock, listen=listen
            )
            return prepared.noted(await conversation)

        yield resolved.chatbot, who, [Notice(warning) for warning in prepared.warnings], talk
