import asyncio
import json
from collections.abc import AsyncIterator

import aiohttp
import pytest
from aiohttp import web

from sparring.core.errors import ChatbotError
from sparring.core.message import Message, Text, message
from sparring_bots.rasa_channel import LARGEST_BODY, RasaChannel


class Counting:
    """A session that counts what it is told; it takes its time, and fails when it is told to."""

    greeting = None
    reports_tools = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.count = 0

    async def reply(self, heard: Message) -> Message:
        if heard.text == "fail":
            raise ChatbotError("its model failed: HTTP 503")
        count = self.count + 1
        await asyncio.sleep(0)
        self.count = count
        if heard.text == "much":
            return message("chatbot", "x" * 400_000)
        if heard.text == "twice":
            return Message(role="chatbot", parts=(Text(text="one"), Text(text="two")))
        return message("chatbot", f"{self.name} {count}")


@pytest.fixture
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    runner = web.AppRunner(RasaChannel("counting", Counting, most=2).application(), shutdown_timeout=0.01)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    async with aiohttp.ClientSession(f"http://127.0.0.1:{runner.addresses[0][1]}") as client:
        yield client
    await runner.cleanup()


async def post(client: aiohttp.ClientSession, body: object, **headers: str) -> tuple[int, object]:
    data = body if isinstance(body, str) else json.dumps(body)
    headers = {"Content-Type": "application/json; charset=utf-8", **headers}
    async with client.post("/webhooks/rest/webhook", data=data, headers=headers) as response:
        return response.status, await response.json()


async def say(client: aiohttp.ClientSession, sender: str, text: str = "hi") -> list[str]:
    status, replies = await post(client, {"sender": sender, "message": text})
    assert (status, isinstance(replies, list)) == (200, True)
    return [reply["text"] for reply in replies]  # type: ignore[attr-defined]


async def test_a_reply_has_its_recipient_and_each_of_its_texts(client: aiohttp.ClientSession):
    assert await post(client, {"sender": "ada", "message": "twice"}) == (
        200,
        [{"recipient_id": "ada", "text": "one"}, {"recipient_id": "ada", "text": "two"}],
    )


async def test_every_sender_has_a_conversation_of_its_own(client: aiohttp.ClientSession):
    said = [await say(client, sender) for sender in ("a", "a", "b", "a")]

    assert said == [["a 1"], ["a 2"], ["b 1"], ["a 3"]]


async def test_a_sender_that_says_nothing_of_itself_is_called_default(client: aiohttp.ClientSession):
    assert await post(client, {"message": "hi"}) == (200, [{"recipient_id": "default", "text": "default 1"}])


async def test_restart_forgets_the_conversation(client: aiohttp.ClientSession):
    said = [await say(client, "a", text) for text in ("hi", "/restart", "hi", "hi")]

    assert said == [["a 1"], [], ["a 1"], ["a 2"]]


async def test_beyond_the_limit_the_one_silent_longest_is_forgotten(client: aiohttp.ClientSession):
    said = [await say(client, sender) for sender in ("a", "b", "a", "c", "a", "b")]

    assert said == [["a 1"], ["b 1"], ["a 2"], ["c 1"], ["a 3"], ["b 1"]]


async def test_what_one_sender_says_at_once_is_answered_one_after_the_other(client: aiohttp.ClientSession):
    said = await asyncio.gather(*(say(client, "a") for _ in range(5)))

    assert sorted(said) == [[f"a {n}"] for n in range(1, 6)]


@pytest.mark.parametrize(
    ("body", "status", "error"),
    [
        ("not json", 400, "the body is not JSON"),
        ([1], 400, 'the body is not {"sender": text, "message": text}'),
        ({"sender": "a"}, 400, 'the body is not {"sender": text, "message": text}'),
        ({"sender": 3, "message": "hi"}, 400, 'the body is not {"sender": text, "message": text}'),
        ({"sender": "a" * 201, "message": "hi"}, 400, 'the body is not {"sender": text, "message": text}'),
        ({"sender": "a", "message": "fail"}, 502, "its model failed: HTTP 503"),
        ({"sender": "a", "message": "x" * LARGEST_BODY}, 413, "the body is larger than 100,000 bytes"),
    ],
)
async def test_what_cannot_be_answered_is_an_error_in_json(
    client: aiohttp.ClientSession, body: object, status: int, error: str
):
    assert await post(client, body) == (status, {"error": error})


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "http://evil.example", "Host": "evil.example"}, 403),
        ({"Origin": "http://localhost.evil.example:5005"}, 403),
        ({"Origin": "http://[evil"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": ""}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "http://[::1]:5005"}, 200),
        ({"Host": "chatbot:5005"}, 200),
    ],
)
async def test_pages_of_other_places_cannot_talk_to_it(
    client: aiohttp.ClientSession, headers: dict[str, str], status: int
):
    assert (await post(client, {"sender": "a", "message": "hi"}, **headers))[0] == status


async def test_a_conversation_that_has_grown_too_long_is_forgotten(client: aiohttp.ClientSession):
    said = [(await say(client, "a", text))[0][:3] for text in ("much", "much", "hi", "much", "hi")]

    assert said == ["xxx", "xxx", "a 3", "xxx", "a 1"]


@pytest.mark.parametrize(
    ("method", "path", "status"), [("GET", "/nothing", 404), ("GET", "/webhooks/rest/webhook", 405)]
)
async def test_other_addresses_are_errors_in_json_too(
    client: aiohttp.ClientSession, method: str, path: str, status: int
):
    async with client.request(method, path) as response:
        assert (response.status, list(await response.json())) == (status, ["error"])


async def test_people_can_see_what_it_is(client: aiohttp.ClientSession):
    await say(client, "a")
    async with client.get("/status") as status, client.get("/") as home:
        assert await status.json() == {"chatbot": "counting", "conversations": 1}
        assert "curl http://127.0.0.1:" in await home.text()
