"""A2A, against answers that the reference server was seen to give, and those of version 0.3 as published."""

from typing import Any

import pytest
from aiohttp import web

from sparring.chatbots.a2a import A2aChatbot, connect
from sparring.chatbots.preset import RequestTemplate
from sparring.chatbots.request import sender_for
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, ChatbotTimeout
from sparring.core.message import Image, Link, Message, Text, message
from sparring.llm.plugin_context import PluginContext
from tables import table

CASE = Case(id="orders/1", seed=7)


def spoken(*texts: str, **more: Any) -> dict[str, Any]:
    return {"messageId": "a", "role": "ROLE_AGENT", "parts": [{"text": text} for text in texts], **more}


def task(state: str, said: Any = None, **more: Any) -> dict[str, Any]:
    status = {"state": f"TASK_STATE_{state}", **({"message": said} if said else {})}
    return {"task": {"id": "t1", "contextId": "c1", "status": status, **more}}


class Agent:
    """A server with a card that answers each call with the next result or error."""

    def __init__(self, *results: dict[str, Any], card: Any = "current") -> None:
        self.results, self.card = list(results), card
        self.asked: list[Any] = []
        self.versions: set[str | None] = set()

    async def __call__(self, request: web.Request) -> web.Response:
        base = f"http://{request.host}"
        if request.method == "GET":
            offer = {"url": f"{base}/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}
            cards = {
                "current": {"supportedInterfaces": [{**offer, "protocolBinding": "GRPC"}, offer]},
                "old": {"url": f"{base}/rpc"},
                "listening": {"supportedInterfaces": [{**offer, "url": "http://0.0.0.0:1/rpc"}]},
                "elsewhere": {"supportedInterfaces": [{**offer, "url": "http://example.com/"}]},
            }
            return web.json_response(cards.get(self.card), status=200 if self.card in cards else 404)
        call = await request.json()
        self.asked.append((request.path, call["method"], call["params"]))
        self.versions.add(request.headers.get("A2A-Version"))
        answer = self.results.pop(0)
        wrapped = answer if "error" in answer else {"result": answer}
        return web.json_response({"jsonrpc": "2.0", "id": call["id"], **wrapped})


async def pass_time(_: float) -> None:
    """Pass no time."""


async def talk(agent: Agent, serve: Any, context: PluginContext, *lines: str) -> list[Message]:
    url = await serve(agent)
    chatbot = A2aChatbot(url, sender_for("a2a", RequestTemplate(url=url), context), pass_time)
    async with chatbot.connect(CASE) as session:
        return [await session.reply(message("user", line)) for line in lines]


async def test_a_task_goes_on_while_it_asks_for_input_and_the_context_after_it(serve: Any, context: PluginContext):
    history = [{"role": "ROLE_AGENT", "messageId": "q", "parts": [{"text": "Which size?"}]}]
    agent = Agent(
        {"message": spoken("hello", contextId="c1")},
        task("INPUT_REQUIRED", spoken("Which size?")),
        task("WORKING"),
        task("SUBMITTED")["task"],
        task(
            "COMPLETED",
            artifacts=[{"artifactId": "x", "parts": [{"text": "one"}, {"data": {"n": 1}}]}],
            history=history,
        )["task"],
        task("COMPLETED", spoken("Bye.")),
        task("REJECTED", spoken("Not here.")),
    )

    heard = await talk(agent, serve, context, "hi", "order", "medium", "thanks", "more")

    assert heard == [
        message("chatbot", "hello"),
        message("chatbot", "Which size?"),
        Message(role="chatbot", parts=(Text(text="one"), Text(text='{"n": 1}'))),
        message("chatbot", "Bye."),
        message("chatbot", "Not here.", ends=True),
    ]
    sent = [params["message"] for _, method, params in agent.asked if method == "SendMessage"]
    named = [(each.get("contextId"), each.get("taskId")) for each in sent]
    assert named == [(None, None), ("c1", None), ("c1", "t1"), ("c1", None), ("c1", None)]
    assert ({path for path, *_ in agent.asked}, agent.versions) == ({"/rpc"}, {"1.0"})
    assert [params for _, method, params in agent.asked if method == "GetTask"] == [{"id": "t1"}] * 2


async def test_what_an_agent_said_after_the_message_and_its_files_are_read(serve: Any, context: PluginContext):
    files = [{"url": "https://x/p.png", "mediaType": "image/png"}, {"url": "https://x/a.pdf"}, {"raw": "QQ=="}]
    done = task("COMPLETED", history=[spoken("before"), {"role": "ROLE_USER"}, spoken("after")])
    agent = Agent({"message": {"parts": files}}, done)

    parts = [each.parts for each in await talk(agent, serve, context, "hi", "order")]

    assert parts == [(Image(url="https://x/p.png"), Link(url="https://x/a.pdf")), ()]


async def test_version_0_3_is_spoken_with_an_agent_whose_card_has_no_interfaces(serve: Any, context: PluginContext):
    status = {"state": "input-required", "message": {"role": "agent", "parts": [{"kind": "text", "text": "Size?"}]}}
    agent = Agent(
        {"kind": "task", "id": "t1", "contextId": "c1", "status": status},
        {"kind": "message", "role": "agent", "parts": [{"kind": "text", "text": "Done."}]},
        card="old",
    )

    assert await talk(agent, serve, context, "order", "big") == [
        message("chatbot", each) for each in ("Size?", "Done.")
    ]
    (_, method, params) = agent.asked[1]
    sent = params["message"]
    assert (method, sent["role"], sent["kind"], sent["parts"], sent["taskId"]) == (
        "message/send",
        "user",
        "message",
        [{"kind": "text", "text": "big"}],
        "t1",
    )


async def test_a_url_without_a_card_is_the_endpoint(serve: Any, context: PluginContext):
    agent = Agent({"message": spoken("hello")}, card="none")

    assert await talk(agent, serve, context, "hi") == [message("chatbot", "hello")]
    assert agent.asked[0][0] == "/"


@table(
    ("result", "failure"),
    [
        (task("FAILED", spoken("cannot")), "^the task failed: cannot$"),
        (task("CANCELED"), "^the task was canceled$"),
        (task("AUTH_REQUIRED"), "^it wants a log-in$"),
        ({"error": {"code": -32004, "message": "no", "data": [{"reason": "UNSUPPORTED"}]}}, "^error -32004: no: UNSUP"),
        ({"error": {}}, "^the answer is not A2A"),
    ],
)
async def test_failures_are_named(serve: Any, context: PluginContext, result: Any, failure: str):
    with pytest.raises(ChatbotError, match=failure):
        await talk(Agent(result), serve, context, "hi")


async def test_a_card_may_not_name_another_host(serve: Any, context: PluginContext):
    with pytest.raises(ChatbotError, match=r"names another host, example\.com"):
        await talk(Agent(card="elsewhere"), serve, context, "hi")


async def test_a_card_may_name_the_address_of_the_server(serve: Any, context: PluginContext):
    agent = Agent({"message": spoken("hello")}, card="listening")

    assert [each.text for each in await talk(agent, serve, context, "hi")] == ["hello"]
    assert agent.asked[0][0] == "/rpc"


async def test_a_task_that_takes_too_long_is_cancelled(serve: Any, context: PluginContext):
    agent = Agent(task("WORKING"), task("CANCELED"))
    url = await serve(agent)

    async def sleep(_: float) -> None:
        raise TimeoutError

    chatbot = A2aChatbot(url, sender_for("a2a", RequestTemplate(url=url), context), sleep)
    async with chatbot.connect(CASE) as session:
        with pytest.raises(ChatbotTimeout, match="not done within 30 s"):
            await session.reply(message("user", "hi"))

    assert [method for _, method, _ in agent.asked] == ["SendMessage", "CancelTask"]


def test_a2a_takes_a_url(context: PluginContext):
    assert isinstance(connect("http://localhost:1", context), A2aChatbot)
