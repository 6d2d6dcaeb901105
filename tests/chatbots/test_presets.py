"""Every preset that is shipped, against a server that answers as that technology is documented to."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from sparring.chatbots import http
from sparring.chatbots.http import HttpChatbot, rasa
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Button, Image, Link, Message, Text, ToolCall, message
from sparring.core.seeding import session_id
from sparring.core.usage import Usage
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

CASE = Case(id="pizza/1", seed=7)


class Rasa:
    """Rasa's REST channel: a tracker for each sender, which `/restart` empties."""

    def __init__(self, *replies: list[dict[str, Any]], tracker: dict[str, Any] | None = None) -> None:
        self.replies = list(replies)
        self.tracker = tracker
        self.looked: list[str] = []
        self.asked: list[tuple[str, Any]] = []
        self.told: dict[str, list[str]] = defaultdict(list)

    async def __call__(self, request: web.Request) -> web.Response:
        if request.method == "GET":
            self.looked.append(request.path_qs)
            return web.json_response(self.tracker, status=200 if self.tracker else 404)
        asked = await request.json()
        self.asked.append((request.path, asked))
        if asked["message"] == "/restart":
            self.told[asked["sender"]].clear()
            return web.json_response([])
        self.told[asked["sender"]].append(asked["message"])
        words = {"recipient_id": asked["sender"], "text": " / ".join(self.told[asked["sender"]])}
        return web.json_response(self.replies.pop(0) if self.replies else [words])


async def test_rasa_passes_the_conformance_suite_and_starts_every_conversation_fresh(
    serve: Any, context: PluginContext
):
    address, other = await serve(Rasa()), await serve(Rasa([{"text": {}}]))

    await check_chatbot(lambda: rasa(address, context), failing=lambda: rasa(other, context))
    for _ in range(2):
        async with rasa(address, context).connect(CASE) as session:
            assert (await session.reply(message("user", "Hi"))).text == "Hi"


@pytest.mark.parametrize("end", ["", "/", "/webhooks/rest/webhook", "/webhooks/rest/webhook/"])
async def test_rasa_may_be_named_by_its_base_or_its_whole_address(serve: Any, context: PluginContext, end: str):
    server = Rasa()
    async with rasa(await serve(server) + end, context).connect(CASE) as session:
        await session.reply(message("user", "Hi"))

    sender, path = session_id(CASE), "/webhooks/rest/webhook"
    assert server.asked == [
        (path, {"sender": sender, "message": "/restart"}),
        (path, {"sender": sender, "message": "Hi"}),
    ]


async def test_replies_of_rasa_become_parts_and_its_buttons_are_sent_back_as_payloads(
    serve: Any, context: PluginContext
):
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


async def test_slots_of_rasas_tracker_stand_in_the_reply_as_what_a_tool_gave_back(serve: Any, context: PluginContext):
    tracker = {
        "sender_id": "x",
        "slots": {"size": "big", "drink": None, "session_started_metadata": None},
        "events": None,
    }
    server = Rasa(tracker=tracker)
    context = replace(context, environment={"RASA_TOKEN": "t0k3n-of-rasa"})

    chatbot = rasa(await serve(server), context)
    async with chatbot.connect(CASE) as session:
        said = await session.reply(message("user", "a big one"))

    look = f"/conversations/{session_id(CASE)}/tracker?include_events=NONE&token=t0k3n-of-rasa"
    assert (said.tool_calls, chatbot.capabilities.reports_tools, server.looked) == (
        (ToolCall(name="tracker", result=tracker["slots"]),),
        False,
        [look],
    )


async def test_a_rasa_that_shows_no_tracker_is_asked_for_it_once(serve: Any, context: PluginContext):
    server = Rasa()

    said = await conversation(rasa(await serve(server), context), "Hi", "Bye")

    assert (said[1:], len(server.looked)) == ([message("chatbot", "Hi"), message("chatbot", "Hi / Bye")], 1)


@pytest.mark.parametrize("argument", ["", "localhost:5005"])
def test_rasa_without_an_address_is_refused_with_an_example(argument: str, context: PluginContext):
    with pytest.raises(InputError, match="rasa: needs the address of a server") as caught:
        rasa(argument, context)

    assert caught.value.hint == "rasa:http://localhost:5005"


class Replaying:
    """A server that answers each path with what was written down for it, and records what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Any]] = []

    async def __call__(self, request: web.Request) -> web.Response:
        text = await request.text()
        body = await request.json() if text.startswith("{") else dict(await request.post())
        self.asked.append((request.path, body))
        answer = self.answers[request.path.rpartition("/")[2]]
        return web.json_response(answer, headers={"x-chat-session-token": "t0k3n"})


async def conversation(chatbot: HttpChatbot, *lines: str) -> list[Message | None]:
    async with chatbot.connect(CASE) as session:
        return [session.greeting, *[await session.reply(message("user", line)) for line in lines]]


async def test_taskyto_begins_with_an_id_and_shows_images_and_papers(serve: Any, context: PluginContext):
    server = Replaying(
        new={"id": "c1"},
        user_message={
            "id": "c1",
            "type": "message",
            "message": "Yours: <image>http://x/p.png</image><a href='m.pdf'>menu</a>",
        },
    )

    said = await conversation(http.taskyto(await serve(server), context), "A pizza")

    parts = (Text(text="Yours: menu"), Image(url="http://x/p.png"), Link(url="m.pdf", title="menu"))
    assert (said, server.asked) == (
        [None, Message(role="chatbot", parts=parts)],
        [("/conversation/new", {}), ("/conversation/user_message", {"id": "c1", "message": "A pizza"})],
    )


async def test_taskyto_may_greet_and_admits_its_failures(serve: Any, context: PluginContext):
    server = Replaying(new={"id": "c1", "message": "Hello, I am the shop"}, user_message={"error": "no module"})
    chatbot = http.taskyto(await serve(server), context)

    async with chatbot.connect(CASE) as session:
        assert session.greeting == message("chatbot", "Hello, I am the shop")
        with pytest.raises(ChatbotError, match=r"^the chatbot reports an error: no module$"):
            await session.reply(message("user", "Hi"))


async def test_kuki_gets_a_form_and_keeps_the_session_it_gave(serve: Any, context: PluginContext):
    server = Replaying(cptalk={"responses": ["Hi there.", "What is your name?"], "sessionid": 485})

    said = await conversation(http.kuki(await serve(server), context), "Hello")

    parts = (Text(text="Hi there."), Text(text="What is your name?"))
    uid = session_id(CASE)
    assert (said, server.asked) == (
        [Message(role="chatbot", parts=parts)] * 2,
        [
            ("/cptalk", {"uid": uid, "intro": "true"}),
            ("/cptalk", {"uid": uid, "input": "Hello", "sessionid": "485"}),
        ],
    )


async def test_julie_gets_the_question_twice_and_offers_buttons(serve: Any, context: PluginContext):
    links = [{"DisplayText": "Train Schedules", "Metadata": {"UnitUID": "36a6ec44"}}, {"DisplayText": "Book"}]
    server = Replaying(Converse={"text": "Where to?", "displayLinkCollection": {"Sections": [{"Links": links}]}})

    said = await conversation(http.julie(await serve(server), context), "A train")

    path, body = server.asked[0]
    parts = (Text(text="Where to?"), Button(title="Train Schedules"), Button(title="Book"))
    assert (said, path, body["question"], body["displayText"], len(body["sessionId"])) == (
        [None, Message(role="chatbot", parts=parts)],
        "/AlmeAPI/api/Conversation/Converse",
        "A train",
        "A train",
        36,
    )


async def test_millionbot_makes_a_user_and_a_conversation_first(
    serve: Any, context: PluginContext, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("MILLIONBOT_BOT", "b0t")
    monkeypatch.setenv("MILLIONBOT_KEY", "k3y")
    monkeypatch.delenv("MILLIONBOT_SITE", raising=False)
    cards = [{"buttons": [{"text": "More", "value": "https://www.uam.es/"}]}, {"title": "no buttons"}]
    server = Replaying(
        users={"user": {"_id": "u1"}},
        conversations={"conversation": {"_id": "c1"}},
        messages={
            "response": [
                {"text": "<p>Hola, soy <b>Ada</b></p>"},
                {"payload": {"cards": cards}},
                {"payload": {"buttons": [{"text": "Matr\u00edcula", "value": "matricula"}, {"text": "Otro"}]}},
                {"payload": {"attachment": "else"}},
            ]
        },
    )

    said = await conversation(http.millionbot(await serve(server), context), "Hola")

    parts = (
        Text(text="Hola, soy Ada"),
        Link(url="https://www.uam.es/", title="More"),
        Button(title="Matr\u00edcula", payload="matricula"),
        Button(title="Otro"),
    )
    assert (said, [path for path, _ in server.asked], server.asked[2][1]) == (
        [None, Message(role="chatbot", parts=parts)],
        ["/users", "/conversations", "/messages"],
        {
            "conversation": "c1",
            "sender_type": "User",
            "sender": "u1",
            "bot": "b0t",
            "language": "es",
            "url": "https://1millionbot.com",
            "message": {"text": "Hola"},
        },
    )


async def test_serviceform_gets_json_that_is_called_text(
    serve: Any, context: PluginContext, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SERVICEFORM_TID", "t1d")
    monkeypatch.setenv("SERVICEFORM_ASSISTANT", "asst_1")
    server = Replaying(ai={"response": "Hi, how can I help?"})

    said = await conversation(http.serviceform(await serve(server), context), "Hello")

    body = {"sid": session_id(CASE), "tid": "t1d", "message": "Hello", "extraTraining": "", "assistant_id": "asst_1"}
    assert (said, server.asked) == ([None, message("chatbot", "Hi, how can I help?")], [("/api/ai", body)])


STREAMED = {"stream": True, "stream_options": {"include_usage": True}}


async def test_an_assistant_receives_the_whole_conversation_and_reports_its_usage(serve: Any, context: PluginContext):
    call = {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": '{"id": 7}'}}
    server = Replaying(
        completions={
            "choices": [{"message": {"role": "assistant", "content": "It is on its way.", "tool_calls": [call]}}],
            "usage": {"prompt_tokens": 20, "completion_tokens": 6, "prompt_tokens_details": {"cached_tokens": 4}},
        }
    )
    chatbot = http.openai(f"{await serve(server)}/v1#support", context)

    meter = Meter()
    with call_context(meter=meter):
        said = await conversation(chatbot, "Where is it?", "Thanks")

    heard = message("chatbot", "It is on its way.", tool_calls=(ToolCall(name="find_order", arguments={"id": 7}),))
    told = [
        {"role": "user", "content": "Where is it?"},
        {"role": "assistant", "content": "It is on its way."},
        {"role": "user", "content": "Thanks"},
    ]
    assert (said, server.asked[-1], meter.usage) == (
        [None, heard, heard],
        ("/v1/chat/completions", {"model": "support", "messages": told, **STREAMED}),
        {"chatbot": Usage(calls=2, input_tokens=40, output_tokens=12, cached_tokens=8, unknown_costs=2)},
    )


def test_a_preset_with_an_address_of_its_own_needs_none(context: PluginContext):
    assert isinstance(http.kuki("", context), HttpChatbot)


@pytest.mark.parametrize("name", ["millionbot", "serviceform"])
def test_a_preset_that_lacks_its_ids_says_which(name: str, context: PluginContext, monkeypatch: pytest.MonkeyPatch):
    for variable in ("MILLIONBOT_BOT", "MILLIONBOT_KEY", "SERVICEFORM_TID", "SERVICEFORM_ASSISTANT"):
        monkeypatch.delenv(variable, raising=False)

    with pytest.raises(InputError, match=f"the environment variable {name.upper()}_"):
        getattr(http, name)("", context)
