"""A chatbot served over Rasa's REST channel, so that an HTTP connector has a real server to talk to.

A POST of `{"sender": ..., "message": ...}` to /webhooks/rest/webhook returns `[{"recipient_id": ..., "text": ...}]`.
Every sender is a conversation of its own, which the message `/restart` forgets, as it does in Rasa.

Only JSON is taken, and nothing from pages of other places: a browser would let any page it shows post plain text here.
"""

import asyncio
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import orjson
from aiohttp import web

from sparring.chatbots.chatbot import Session
from sparring.core.errors import ChatbotError
from sparring.core.message import Text, message
from sparring.core.value import to_json
from sparring_bots.serving import json_response

MOST_CONVERSATIONS = 10_000
LARGEST_BODY = 100_000
LONGEST_SENDER = 200
LONGEST_CONVERSATION = 1_000_000
_PAGE_FROM_HERE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?")
_RESTART = "/restart"


@dataclass(slots=True)
class _Conversation:
    """One sender's session, and how much was said in it; what a sender says is answered in its order."""

    session: Session
    size: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)


class RasaChannel:
    """The conversations with one chatbot; beyond the limit, the one that was silent longest is forgotten.

    So is one that has grown too long: its next message begins a new one.
    """

    def __init__(self, name: str, open_session: Callable[[str], Session], *, most: int = MOST_CONVERSATIONS) -> None:
        self._name = name
        self._open = open_session
        self._most = most
        self._conversations: OrderedDict[str, _Conversation] = OrderedDict()

    def application(self) -> web.Application:
        """The web application: the channel, and two pages that explain it."""
        application = web.Application(client_max_size=LARGEST_BODY, middlewares=[_errors_as_json])
        application.router.add_post("/webhooks/rest/webhook", self._webhook)
        application.router.add_get("/status", self._status)
        application.router.add_get("/", self._home)
        return application

    async def _webhook(self, request: web.Request) -> web.Response:
        _refuse_strangers(request)
        sender, text = _read(await request.read())
        if text == _RESTART:
            self._conversations.pop(sender, None)
            return json_response([])
        try:
            conversation = self._conversation(sender)
            async with conversation.turn:
                reply = await conversation.session.reply(message("user", text))
                conversation.size += len(text) + len(to_json(reply))
            if conversation.size > LONGEST_CONVERSATION and self._conversations.get(sender) is conversation:
                del self._conversations[sender]
        except ChatbotError as error:
            return json_response({"error": str(error)}, status=502)
        return json_response(
            [{"recipient_id": sender, "text": part.text} for part in reply.parts if isinstance(part, Text)]
        )

    def _conversation(self, sender: str) -> _Conversation:
        conversation = self._conversations.get(sender)
        if conversation is None:
            conversation = self._conversations[sender] = _Conversation(self._open(sender))
            if len(self._conversations) > self._most:
                self._conversations.popitem(last=False)
        self._conversations.move_to_end(sender)
        return conversation

    async def _status(self, _: web.Request) -> web.Response:
        return json_response({"chatbot": self._name, "conversations": len(self._conversations)})

    async def _home(self, request: web.Request) -> web.Response:
        return web.Response(
            text=f"This is the chatbot {self._name!r}. Talk to it over Rasa's REST channel:\n\n"
            f"curl {request.url.origin()}/webhooks/rest/webhook -H 'Content-Type: application/json' "
            f'-d \'{{"sender": "me", "message": "Hello"}}\'\n'
        )


def _refuse_strangers(request: web.Request) -> None:
    if request.content_type != "application/json":
        raise web.HTTPUnsupportedMediaType(reason="the body has to be application/json")
    origin = request.headers.get("Origin")
    if origin is not None and not _PAGE_FROM_HERE.fullmatch(origin):
        raise web.HTTPForbidden(reason="pages of other places may not talk to this chatbot")


def _read(body: bytes) -> tuple[str, str]:
    """Sender and message of a request."""
    try:
        data = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise web.HTTPBadRequest(reason="the body is not JSON") from error
    sender, text = (data.get("sender", "default"), data.get("message")) if isinstance(data, dict) else (None, None)
    if not isinstance(sender, str) or not isinstance(text, str) or not 0 < len(sender) <= LONGEST_SENDER:
        raise web.HTTPBadRequest(reason='the body is not {"sender": text, "message": text}')
    return sender, text


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except web.HTTPRequestEntityTooLarge as error:  # its own words differ between versions of Python
        return json_response({"error": f"the body is larger than {LARGEST_BODY:,} bytes"}, status=error.status)
    except web.HTTPException as error:
        return json_response({"error": error.reason}, status=error.status)
