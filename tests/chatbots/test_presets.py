"""Every preset that is shipped, against a server that answers as that technology is documented to."""

from collections import defaultdict
from typing import Any

import pytest
from aiohttp import web

from sparring.chatbots.http import rasa
from sparring.core.case import Case
from sparring.core.chance import session_id
from sparring.core.errors import InputError
from sparring.core.message import Button, Image, Link, Message, Text, message
from sparring.models.context import Context
from sparring.testing.conformance.chatbots import check_chatbot

CASE = Case(id="pizza/1", seed=7)


class Rasa:
    """Rasa's REST channel: a tracker for each sender, which `/restart` empties."""

    def __init__(self, *replies: list[dict[str, Any]]) -> None:
        self.replies = list(replies)
        self.asked: list[tuple[str, Any]] = []
        self.told: dict[str, list[str]] = defaultdict(list)

    async def __call__(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.asked.append((request.path, asked))
        if asked["message"] == "/restart":
            self.told[asked["sender"]].clear()
            return web.json_response([])
        self.told[asked["sender"]].append(asked["message"])
        words = {"recipient_id": asked["sender"], "text": " / ".join(self.told[asked["sender"]])}
        return web.json_response(self.replies.pop(0) if self.replies else [words])


async def test_rasa_passes_what_chatbots_must_and_starts_the_same_case_anew(serve: Any, context: Context):
    address, other = await serve(Rasa()), await serve(Rasa([{"text": {}}]))

    await check_chatbot(lambda: rasa(address, context), failing=lambda: rasa(other, context))
    for _ in range(2):
        async with rasa(address, context).connect(CASE) as session:
            assert (await session.reply(message("user", "Hi"))).text == "Hi"


@pytest.mark.parametrize("end", ["", "/", "/webhooks/rest/webhook", "/webhooks/rest/webhook/"])
async def test_rasa_may_be_named_by_its_base_or_its_whole_address(serve: Any, context: Context, end: str):
    server = Rasa()
    async with rasa(await serve(server) + end, context).connect(CASE) as session:
        await session.reply(message("user", "Hi"))

    sender, path = session_id(CASE), "/webhooks/rest/webhook"
    assert server.asked == [
        (path, {"sender": sender, "message": "/restart"}),
        (path, {"sender": sender, "message": "Hi"}),
    ]


async def test_what_rasa_says_becomes_parts_and_its_buttons_are_sent_back_as_payloads(serve: Any, context: Context):
    answer: list[dict[str, Any]] = [
        {"recipient_id": "x", "text": "Here is something to cheer you up:"},
        {"recipient_id": "x", "image": "https://i.imgur.com/nGF1K8f.jpg"},
        {"recipient_id": "x", "custom": {"payload": "location"}},
        {"recipient_id": "x", "attachment": "https://example.com/menu.pdf"},
        {
            "recipient_id": "x",
            "text": "Did that help you?",
            "buttons": [{"title": "Yes", "payload": "/affirm"}, {"title": "No", "payload": "/deny"}],
        },
    ]
    server = Rasa(answer, [])
    async with rasa(await serve(server), context).connect(CASE) as session:
        said = [await session.reply(message("user", line)) for line in ("I am sad", "yes")]

    assert (said, server.asked[-1][1]["message"]) == (
        [
            Message(
                role="chatbot",
                parts=(
                    Text(text="Here is something to cheer you up:"),
                    Image(url="https://i.imgur.com/nGF1K8f.jpg"),
                    Link(url="https://example.com/menu.pdf"),
                    Text(text="Did that help you?"),
                    Button(title="Yes", payload="/affirm"),
                    Button(title="No", payload="/deny"),
                ),
            ),
            Message(role="chatbot"),
        ],
        "/affirm",
    )


@pytest.mark.parametrize("argument", ["", "localhost:5005"])
def test_rasa_without_an_address_is_refused_with_an_example(argument: str, context: Context):
    with pytest.raises(InputError, match="rasa: needs the address of a server") as caught:
        rasa(argument, context)

    assert caught.value.hint == "rasa:http://localhost:5005"
