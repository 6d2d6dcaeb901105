"""Tools of MCP servers: real processes and real sockets, with a small server of ours."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.request import urlopen

import pytest

import mcp_server
from scripted import ScriptedModel
from sparring.chatbots.prompted import chatbot
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.core.case import Case, InjectTool
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.value import Json
from sparring.llm.model import Completion, Request, ToolRequest, UnpricedModel
from sparring.llm.plugin_context import PluginContext
from sparring.testing.conformance.chatbots import check_chatbot

pytestmark = [pytest.mark.process, pytest.mark.usefixtures("process")]

SERVER = f"{sys.executable} {Path(mcp_server.__file__)}"


class Greeting(UnpricedModel):
    async def complete(self, request: Request) -> Completion:
        return Completion("Hello.")


@contextmanager
def http_shop(words: str = "") -> Iterator[str]:
    environment = {**os.environ, "SHOP": f"http {words}"}
    with subprocess.Popen(SERVER.split(), env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


def shop(words: str = "", **options: Json) -> dict[str, Json]:
    return {"command": SERVER, "env": {"SHOP": words}, **options}


def made(folder: Path, context: PluginContext, servers: Mapping[str, Json], *says: str | Completion) -> Prompted:
    (folder / "prompt.md").write_text("Help.")
    (folder / "mcp.yaml").write_text(json.dumps(servers))
    model = ScriptedModel(*(says or ("Hello.",)))
    return chatbot.connect(str(folder), replace(context, models={"chatbot": model}))


def asks(tool: str, **arguments: Json) -> Completion:
    return Completion("", tool_requests=(ToolRequest("c1", tool, json.dumps(arguments)),))


async def talk(bot: Prompted, *injected: InjectTool) -> Message:
    async with bot.connect(Case(id="a", seed=1)) as session:
        for step in injected:
            await session.stub(step)
        return await session.reply(message("user", "Hi"))


async def called(bot: Prompted, *injected: InjectTool) -> ToolCall:
    (call,) = (await talk(bot, *injected)).tool_calls
    return call


def names(bot: Prompted) -> list[str]:
    return [tool.name for tool in bot.capabilities.tools or ()]


@pytest.mark.parametrize("words", ["", "old", "modern", "chatty", "pages"])
async def test_tools_of_a_process_are_called(words: str, tmp_path: Path, context: PluginContext):
    bot = made(tmp_path, context, {"shop": shop(words)}, asks("get_order", order_id=7), "Open.")

    heard = await talk(bot)

    assert names(bot) == ["get_order", "cancel_order", "dump_orders"]
    (call,) = heard.tool_calls
    assert (heard.text, call.arguments, call.result) == ("Open.", {"order_id": 7}, {"id": 7, "status": "open"})
    assert call.status == "succeeded"


@pytest.mark.parametrize(
    ("words", "version"), [("", "2025-11-25"), ("old", "2024-11-05"), ("modern", "2026-07-28"), ("sse", "2025-11-25")]
)
async def test_tools_behind_http_are_called(words: str, version: str, tmp_path: Path, context: PluginContext):
    with http_shop(words) as url:
        bot = made(tmp_path, context, {"shop": {"url": url}}, asks("cancel_order", order_id=7), "Done.")
        call = await called(bot)
        log = await asyncio.to_thread(lambda: json.loads(urlopen(url).read()))

    assert (call.name, call.result, call.status) == ("cancel_order", "done", "succeeded")
    assert f"tools/call {version}" in log
    assert log.count("DELETE") == (0 if words == "modern" else 2)


GROWS = (asks("get_order", order_id=7), "Open.", asks("refund", order_id=7), asks("cancel_order", order_id=7), "Done.")


async def talk_twice(bot: Prompted) -> list[str]:
    """Return what became of the calls of the second turn."""
    async with bot.connect(Case(id="a", seed=1)) as session:
        await session.reply(message("user", "Where is it?"))
        second = await session.reply(message("user", "My money"))
    return [str(call.result or call.error) for call in second.tool_calls]


@pytest.mark.parametrize("words", ["", "modern", "pages"])
async def test_tools_of_a_process_that_changed_are_there_in_the_next_turn(
    words: str, tmp_path: Path, context: PluginContext
):
    refunded, cancelled = await talk_twice(made(tmp_path, context, {"shop": shop(f"grows {words}")}, *GROWS))

    assert (refunded, "there is no tool 'cancel_order'" in cancelled) == ("refunded", True)


@pytest.mark.parametrize("words", ["", "sse", "modern"])
async def test_tools_behind_http_that_changed_are_there_in_the_next_turn(
    words: str, tmp_path: Path, context: PluginContext
):
    with http_shop(f"grows {words}") as url:
        bot = made(tmp_path, context, {"shop": {"url": url}}, *GROWS)
        refunded, cancelled = await talk_twice(bot)

    assert (refunded, "there is no tool 'cancel_order'" in cancelled) == ("refunded", True)


async def test_a_changed_list_keeps_names_apart_and_agents_to_their_own_tools(tmp_path: Path, context: PluginContext):
    (tmp_path / "tools.py").write_text('def refund(id: int) -> str:\n    "Ours."\n    return "ours"\n')
    model = [asks("get_order", order_id=7), "Open.", asks("shop_refund", order_id=7), asks("refund", id=7), "Done."]
    bot = made(tmp_path, context, {"shop": shop("grows", later=["refund"])}, *model)
    agents = {"desk": {"prompt": "prompt.md", "tools": ["get_order", "refund"]}}
    (tmp_path / "spec.yaml").write_text(json.dumps({"entry": "desk", "agents": agents}))
    team = made(tmp_path, context, {"shop": shop("grows")}, *model)

    alone, together = await talk_twice(bot), await talk_twice(team)

    assert (alone, together[1]) == (["refunded", "ours"], "ours")
    assert "there is no tool 'shop_refund'" in together[0]


async def test_a_script_may_name_tools_that_a_server_offers_later(tmp_path: Path, context: PluginContext):
    bot = made(tmp_path, context, {"shop": shop("grows", later=["refund.all"])})
    script = (InjectTool(name="refund_all"), InjectTool(name="refund_none"))

    problems = bot.check(Case(id="a", seed=1, script=script))

    assert names(bot)[-1] == "refund_all"
    assert [each.message.partition(";")[0] for each in problems] == ["there is no tool 'refund_none'"]


async def test_the_key_of_a_server_is_sent_and_a_wrong_one_is_a_problem_of_the_file(
    tmp_path: Path, context: PluginContext
):
    entry: dict[str, Json] = {"headers": {"Authorization": "Bearer ${SHOP_KEY}"}}
    right = replace(context, environment={"SHOP_KEY": "key-of-the-shop"})
    wrong = replace(context, environment={"SHOP_KEY": "key-of-a-thief"})
    with http_shop() as url:
        bot = made(tmp_path, right, {"shop": {"url": url, **entry}}, asks("get_order", order_id=8), "Shipped.")
        assert (await called(bot)).result == {"id": 8, "status": "shipped"}

        with pytest.raises(InputError, match=r"mcp\.yaml:1:\d+: shop: HTTP 401") as error:
            made(tmp_path, wrong, {"shop": {"url": url, **entry}})
        assert "thief" not in str(error.value)
        with pytest.raises(InputError, match="SHOP_KEY is not set"):
            made(tmp_path, replace(context, environment={}), {"shop": {"url": url, **entry}})


@pytest.mark.parametrize(
    ("request_", "status", "error"),
    [
        (asks("get_order", order_id=99), "failed", "no such order"),
        (asks("get_order", order_id=13), "attempted", "the shop does not talk about 13"),
        (asks("get_order", order_id="seven"), "attempted", "order_id"),
        (asks("get_order"), "attempted", "order_id: Field required"),
        (asks("dump_orders", loudly=True), "attempted", "loudly: Extra inputs"),
        (asks("get_orders", order_id=7), "attempted", "there is no tool 'get_orders'; did you mean"),
    ],
)
async def test_errors_go_back_to_the_model_and_into_the_transcript(
    request_: Completion, status: str, error: str, tmp_path: Path, context: PluginContext
):
    call = await called(made(tmp_path, context, {"shop": shop()}, request_, "Sorry."))

    assert call.status == status
    assert error in call.error


async def test_a_tool_that_does_not_answer_in_time_has_failed(tmp_path: Path, context: PluginContext):
    servers: dict[str, Json] = {"shop": shop("slow", timeout=2)}
    bot = made(tmp_path, context, servers, asks("get_order", order_id=7), "Sorry.")

    call = await called(bot)

    assert (call.status, call.error) == ("failed", "no answer within 2 s")


async def test_a_server_that_ends_ends_the_conversation_with_its_last_words(tmp_path: Path, context: PluginContext):
    bot = made(tmp_path, context, {"shop": shop("dies")}, asks("get_order", order_id=7), "Sorry.")

    with pytest.raises(ChatbotError, match=r"the MCP server shop does not work: the program ended .* out of paper"):
        await talk(bot)


async def test_a_process_ends_with_its_conversation_even_if_it_wants_to_stay(tmp_path: Path, context: PluginContext):
    note = tmp_path / "pid"
    command = ["sh", "-c", f"echo $$ >> {note}; exec {SERVER}"]
    bot = made(tmp_path, context, {"shop": {"command": [*command], "env": {"SHOP": "stays"}}}, "One.", "Two.")

    async with bot.connect(Case(id="a", seed=1)) as first, bot.connect(Case(id="b", seed=1)) as second:
        await asyncio.gather(first.reply(message("user", "Hi")), second.reply(message("user", "Hi")))
        listing, *conversations = note.read_text().split()
        assert [running(pid) for pid in (listing, *conversations)] == [False, True, True]

    assert [running(pid) for pid in conversations] == [False, False]


def running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("state", [{"tool": "dump_orders"}, {"resource": "shop://orders"}])
async def test_the_state_of_a_server_is_shown_and_each_conversation_has_its_own(
    state: dict[str, Json], tmp_path: Path, context: PluginContext
):
    servers: dict[str, Json] = {"shop": shop(state=state), "quiet": shop(only=["nothing"])}
    bot = made(tmp_path, context, servers, asks("cancel_order", order_id=7), "Cancelled.")

    async with bot.connect(Case(id="a", seed=1)) as changed, bot.connect(Case(id="b", seed=1)) as other:
        before = await changed.state()
        await changed.reply(message("user", "Cancel 7"))
        after, untouched = await changed.state(), await other.state()

    assert bot.capabilities.reports_state
    assert ("dump_orders" in names(bot)) == ("resource" in state)
    assert before == untouched == {"shop": {"7": "open", "8": "shipped"}}
    assert after == {"shop": {"7": "cancelled", "8": "shipped"}}


async def test_tools_of_a_file_and_of_servers_stand_side_by_side(tmp_path: Path, context: PluginContext):
    (tmp_path / "tools.py").write_text('def get_order(id: int) -> str:\n    "Ours."\n    return "ours"\n')
    servers: dict[str, Json] = {"shop": shop(only=["get_*"]), "old shop": shop("old", only=["cancel*"])}
    bot = made(tmp_path, context, servers, asks("shop_get_order", order_id=7), asks("get_order", id=7), "Both.")

    heard = await talk(bot)

    assert names(bot) == ["get_order", "shop_get_order", "cancel_order"]
    assert [call.result for call in heard.tool_calls] == [{"id": 7, "status": "open"}, "ours"]


async def test_a_stub_stands_in_for_a_tool_of_a_server(tmp_path: Path, context: PluginContext):
    bot = made(tmp_path, context, {"shop": shop("dies")}, asks("get_order", order_id=7), "Lost.")

    call = await called(bot, InjectTool(name="get_order", result={"status": "lost"}, mode="stub"))

    assert (call.result, call.stubbed) == ({"status": "lost"}, True)


def complain(folder: Path, context: PluginContext, servers: Mapping[str, Json]) -> str:
    with pytest.raises(InputError) as error:
        made(folder, context, servers)
    return str(error.value)


@pytest.mark.parametrize(
    ("servers", "message_"),
    [
        ({"shop": {}}, "needs `command` or `url`, and not both"),
        ({"shop": {"url": "shop.example"}}, "`url` is no address"),
        ({"shop": {"command": "x", "state": {}}}, "needs `tool` or `resource`, and not both"),
        ({"shop": {"command": "no-such-server"}}, "no-such-server cannot be started"),
        ({"shop": shop("alien")}, "the MCP server shop speaks version 1999-01-01, which is not known"),
        ({"shop": {"command": "true"}}, "the MCP server shop does not work: the program ended (exit code 0)"),
    ],
)
async def test_a_server_that_cannot_be_used_is_a_problem_of_the_file(
    servers: Mapping[str, Json], message_: str, tmp_path: Path, context: PluginContext
):
    complaint = complain(tmp_path, context, servers)

    assert message_ in complaint
    assert "mcp.yaml:1:" in complaint


def test_a_server_that_does_not_speak_mcp_is_shown_with_its_answer(tmp_path: Path, context: PluginContext):
    with http_shop("other") as url:
        complaint = complain(tmp_path, context, {"shop": {"url": url}})

    assert 'HTTP 200: the answer is not MCP: { "reply": "Hello" }' in " ".join(complaint.split())


async def test_a_chatbot_with_mcp_tools_passes_the_conformance_suite(tmp_path: Path, context: PluginContext):
    bot = made(tmp_path, context, {"shop": shop()})

    await check_chatbot(lambda: replace(bot, model=Greeting()))


def test_an_integer_may_be_written_with_a_point(tmp_path: Path, context: PluginContext):
    from sparring.chatbots.prompted import mcp_tools

    fits: Callable[[Json], object] = mcp_tools._tool("t", "s", mcp_server.TOOLS[0]).arguments.model_validate
    assert fits({"order_id": 7.0, "more": 1})
    for wrong in (7.5, "7", True, None):
        with pytest.raises(ValueError, match="order_id"):
            fits({"order_id": wrong})
