"""Tools of a server made with the official MCP SDK, over stdio and streamable HTTP: `make test-interop`."""

import json
import os
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from pages import free_port
from scripted import ScriptedModel
from sparring.chatbots.prompted import chatbot
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.message import message
from sparring.core.value import Json
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import Completion, ToolRequest
from sparring.llm.plugin_context import LLMConfig, PluginContext

pytestmark = [pytest.mark.interop, pytest.mark.process, pytest.mark.timeout(120)]

PYTHON = Path(os.environ.get("SPARRING_INTEROP", "")) / "agents" / "mcp" / "bin" / "python"

SERVER = """
import sys
from mcp.server.mcpserver import Context, MCPServer

shop = MCPServer("shop")
orders = {"7": "open", "8": "shipped"}

@shop.tool()
def get_order(order_id: int) -> dict:
    "Get an order."
    return {"id": order_id, "status": orders[str(order_id)]}

@shop.tool()
def dump_orders() -> dict:
    "All orders."
    return orders

@shop.tool()
async def log_in(context: Context) -> str:
    "Log in."
    def refund(order_id: int) -> str:
        "Refund an order."
        return f"refunded {order_id}"

    shop.add_tool(refund)
    await context.session.send_tool_list_changed()
    return "welcome"

if len(sys.argv) > 1:
    shop.run("streamable-http", port=int(sys.argv[1]))
else:
    shop.run("stdio")
"""


@contextmanager
def entry(folder: Path, kind: str) -> Iterator[dict[str, Json]]:
    """Yield what an mcp.yaml says of the server, which runs already if it is behind HTTP."""
    (folder / "server.py").write_text(SERVER)
    if kind == "stdio":
        yield {"command": [str(PYTHON), "server.py"]}
        return
    port = free_port()
    with subprocess.Popen([PYTHON, folder / "server.py", str(port)], stderr=subprocess.DEVNULL) as process:
        for _ in range(300):
            try:
                urlopen(f"http://127.0.0.1:{port}/")
            except URLError as error:
                if not isinstance(error.reason, OSError):
                    break  # an HTTP status is an answer
                time.sleep(0.1)
        yield {"url": f"http://127.0.0.1:{port}/mcp"}
        process.terminate()


def asks(tool: str, *numbers: int) -> Completion:
    given = [{"order_id": number} for number in numbers] or [{}]
    return Completion("", tool_requests=tuple(ToolRequest(tool, tool, json.dumps(each)) for each in given))


@pytest.fixture
async def context() -> AsyncIterator[PluginContext]:
    model = ScriptedModel(asks("get_order", 7, 9), asks("log_in"), "Done.", asks("refund", 7), "Refunded.")
    async with HttpTransport() as transport:
        yield PluginContext(LLMConfig(), SystemClock(), transport, models={"chatbot": model})


@pytest.mark.parametrize("kind", ["stdio", "http"])
async def test_tools_and_state_of_a_server_of_the_official_sdk(kind: str, tmp_path: Path, context: PluginContext):
    (tmp_path / "prompt.md").write_text("Help.")
    with entry(tmp_path, kind) as server:
        (tmp_path / "mcp.yaml").write_text(json.dumps({"shop": {**server, "state": {"tool": "dump_orders"}}}))
        bot = chatbot.connect(str(tmp_path), context)
        async with bot.connect(Case(id="a", seed=1)) as session:
            found, lost, _ = (await session.reply(message("user", "Orders 7 and 9"))).tool_calls
            (refunded,) = (await session.reply(message("user", "Refund 7"))).tool_calls
            state = await session.state()

    assert [tool.name for tool in bot.capabilities.tools or ()] == ["get_order", "log_in"]
    assert (found.result, found.status) == ({"id": 7, "status": "open"}, "succeeded")
    assert (lost.status, "get_order" in lost.error) == ("failed", True)
    assert refunded.result == {"result": "refunded 7"}
    assert state == {"shop": {"7": "open", "8": "shipped"}}
