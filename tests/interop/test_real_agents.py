"""Agents of real frameworks with models that only follow rules, over their own servers: `make test-interop`.

Each framework is installed from PyPI into an environment of its own below the folder in `SPARRING_INTEROP`.
"""

import asyncio
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from model_faults import InjectedFault
from model_server import LoopbackModelServer
from pages import free_port, typed
from sparring.core.case import Case
from sparring.core.clock import SystemClock
from sparring.core.errors import ChatbotError
from sparring.core.message import Message, message
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.llm.call_context import call_context
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.metering import Meter
from sparring.llm.model import ToolRequest
from sparring.llm.plugin_context import LLMConfig, PluginContext

pytestmark = [pytest.mark.interop, pytest.mark.process, pytest.mark.timeout(600)]

AGENTS = Path(os.environ.get("SPARRING_INTEROP", "")) / "agents"

PYDANTIC = """
from pydantic_ai import Agent
from pydantic_ai.models.function import DeltaToolCall, FunctionModel
from pydantic_ai.ui.ag_ui import AGUIAdapter
from pydantic_ai.ui.vercel_ai import VercelAIAdapter
from starlette.applications import Starlette
from starlette.routing import Route

async def answer(messages, info):
    asked = [part for each in messages for part in each.parts if part.part_kind == "user-prompt"]
    if messages[-1].parts[-1].part_kind != "tool-return" and "order" in asked[-1].content:
        yield {0: DeltaToolCall(name="get_order", json_args='{"order_id": 7}', tool_call_id=f"c{len(asked)}")}
    else:
        yield f"I heard {len(asked)}"

agent = Agent(FunctionModel(stream_function=answer))

@agent.tool_plain
def get_order(order_id: int) -> dict:
    return {"id": order_id, "status": "shipped"}

async def agui(request):
    return await AGUIAdapter.dispatch_request(request, agent=agent)

async def aisdk(request):
    return await VercelAIAdapter.dispatch_request(request, agent=agent)

app = Starlette(routes=[Route("/agui", agui, methods=["POST"]), Route("/chat", aisdk, methods=["POST"])])
"""

A2A = """
import os

from a2a.helpers import new_text_message
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import a2a_pb2 as types
from starlette.applications import Starlette

class Shop(AgentExecutor):
    heard = {}

    async def execute(self, context, events):
        said = self.heard.setdefault(context.context_id, [])
        said.append(context.get_user_input())
        await events.enqueue_event(new_text_message(f"I heard {len(said)}", context_id=context.context_id))

    async def cancel(self, context, events):
        pass

place = types.AgentInterface(
    url=f"http://127.0.0.1:{os.environ['PORT']}/", protocol_binding="JSONRPC", protocol_version="1.0"
)
card = types.AgentCard(
    name="shop", description="A shop.", version="1", supported_interfaces=[place],
    default_input_modes=["text"], default_output_modes=["text"], capabilities=types.AgentCapabilities(),
    skills=[types.AgentSkill(id="order", name="order", description="Orders.", tags=["shop"])],
)
handler = DefaultRequestHandler(agent_executor=Shop(), task_store=InMemoryTaskStore(), agent_card=card)
app = Starlette(routes=[*create_agent_card_routes(card), *create_jsonrpc_routes(handler, rpc_url="/")])
"""

ADK = '''
from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.genai import types

class Rules(BaseLlm):
    async def generate_content_async(self, request, stream=False):
        last = request.contents[-1].parts[-1]
        used = types.GenerateContentResponseUsageMetadata(prompt_token_count=5, candidates_token_count=3)
        asked = [each for each in request.contents if each.role == "user" and each.parts[0].text]
        part = types.Part(text=f"I heard {len(asked)}")
        if last.text and "order" in last.text:
            part = types.Part(function_call=types.FunctionCall(name="get_order", args={"order_id": 7}, id="c1"))
        yield LlmResponse(content=types.Content(role="model", parts=[part]), usage_metadata=used)

def get_order(order_id: int, tool_context) -> dict:
    """Get an order."""
    tool_context.state["seen"] = order_id
    return {"id": order_id, "status": "shipped"}

root_agent = LlmAgent(name="shop", model=Rules(model="rules"), instruction="Help.", tools=[get_order])
'''

GRAPH = """
import json
from typing import Annotated, TypedDict

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages

class State(TypedDict):
    messages: Annotated[list, add_messages]
    seen: int

USED = {"input_tokens": 5, "output_tokens": 3, "total_tokens": 8}

def answer(state):
    asked = [each for each in state["messages"] if isinstance(each, HumanMessage)]
    if state["messages"][-1] is asked[-1] and "order" in asked[-1].content:
        call = {"name": "get_order", "args": {"order_id": 7}, "id": f"c{len(asked)}", "type": "tool_call"}
        return {"messages": [AIMessage("", tool_calls=[call], usage_metadata=USED)]}
    return {"messages": [AIMessage(f"I heard {len(asked)}", usage_metadata=USED)]}

def tools(state):
    call = state["messages"][-1].tool_calls[0]
    found = json.dumps({"id": call["args"]["order_id"], "status": "shipped"})
    return {"messages": [ToolMessage(found, tool_call_id=call["id"])], "seen": 7}

built = StateGraph(State)
built.add_node("answer", answer)
built.add_node("tools", tools)
built.add_edge(START, "answer")
built.add_conditional_edges("answer", lambda state: "tools" if state["messages"][-1].tool_calls else END)
built.add_edge("tools", "answer")
graph = built.compile()
"""


AI_SDK = """
import { createServer } from "node:http";
import { convertToModelMessages, jsonSchema, simulateReadableStream, stepCountIs, streamText, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";

const usage = { inputTokens: { total: 5 }, outputTokens: { total: 3 } };

const model = new MockLanguageModelV3({
  doStream: async ({ prompt }) => {
    const asked = prompt.filter((each) => each.role === "user");
    const wanted = prompt.at(-1) === asked.at(-1) && asked.at(-1).content[0].text.includes("order");
    const said = wanted
      ? [{ type: "tool-call", toolCallId: `c${asked.length}`, toolName: "get_order", input: '{"order_id": 7}' }]
      : [
          { type: "text-start", id: "t" },
          { type: "text-delta", id: "t", delta: `I heard ${asked.length}` },
          { type: "text-end", id: "t" },
        ];
    const finishReason = { unified: wanted ? "tool-calls" : "stop", raw: "stop" };
    const chunks = [{ type: "stream-start", warnings: [] }, ...said, { type: "finish", finishReason, usage }];
    return { stream: simulateReadableStream({ chunks }) };
  },
});

const get_order = tool({
  description: "Get an order.",
  inputSchema: jsonSchema({ type: "object", properties: { order_id: { type: "integer" } }, required: ["order_id"] }),
  execute: async ({ order_id }) => ({ id: order_id, status: "shipped" }),
});

async function chat(request, response) {
  let body = "";
  for await (const each of request) body += each;
  const messages = await convertToModelMessages(JSON.parse(body).messages);
  const result = streamText({ model, messages, tools: { get_order }, stopWhen: stepCountIs(4) });
  result.pipeUIMessageStreamToResponse(response);
}

createServer((request, response) => {
  chat(request, response).catch(() => response.writeHead(500).end());
}).listen(Number(process.env.PORT), "127.0.0.1");
"""

LITELLM = """
model_list:
  - model_name: shop
    litellm_params: {model: openai/shop, api_key: none, mock_response: I heard you}
  - model_name: calling
    litellm_params: {model: openai/shop, api_key: none, api_base: API_BASE}
general_settings: {dangerously_permit_weak_or_unset_master_key: true}
"""

OPENAI_AGENT = """
import json

from agents import Agent, Model, ModelResponse, Usage, function_tool, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)

class Rules(Model):
    async def get_response(self, system_instructions, input, *args, **kwargs):
        asked = [each for each in input if each.get("role") == "user"]
        if input[-1] is asked[-1] and "order" in asked[-1]["content"]:
            call = {"name": "get_order", "arguments": '{"order_id": 7}', "call_id": f"c{len(asked)}"}
            said = ResponseFunctionToolCall(type="function_call", **call)
        else:
            words = ResponseOutputText(type="output_text", text=f"I heard {len(asked)}", annotations=[])
            said = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[words])
        used = Usage(requests=1, input_tokens=5, output_tokens=3, total_tokens=8)
        return ModelResponse(output=[said], usage=used, response_id=None)

    def stream_response(self, *args, **kwargs):
        raise NotImplementedError

@function_tool
def get_order(order_id: int) -> str:
    return json.dumps({"id": order_id, "status": "shipped"})

agent = Agent("shop", instructions="Help.", model=Rules(), tools=[get_order])
"""

PYDANTIC_AGENT = """
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

def answer(messages, info):
    asked = [part for each in messages for part in each.parts if part.part_kind == "user-prompt"]
    if messages[-1].parts[-1].part_kind != "tool-return" and "order" in asked[-1].content:
        return ModelResponse([ToolCallPart("get_order", {"order_id": 7}, tool_call_id=f"c{len(asked)}")])
    return ModelResponse([TextPart(f"I heard {len(asked)}")])

agent = Agent(FunctionModel(answer))

@agent.tool_plain
def get_order(order_id: int) -> dict:
    return {"id": order_id, "status": "shipped"}
"""

OBJECTS = {
    "langgraph": (GRAPH, "graph"),
    "openai-agents": (OPENAI_AGENT, "agent"),
    "pydantic-ai": (PYDANTIC_AGENT, "agent"),
    "adk": (ADK, "root_agent"),
}
"""Agents as objects in the process of Sparring, in the files that define them."""


LINES = ("Hi", "My order", "Thanks")


class Framework(NamedTuple):
    """A framework: its environment, its files, the command of its server, and what Sparring shows of it."""

    environment: str
    files: dict[str, str]
    command: str
    path: str
    name: str
    tools: bool = True
    usage: tuple[int, int] | None = None
    state: Json = None
    counts: tuple[str, ...] = ("1", "2", "3")


SERVERS = {
    "langgraph": Framework(
        "langgraph",
        {"graph.py": GRAPH, "langgraph.json": '{"dependencies": ["."], "graphs": {"agent": "./graph.py:graph"}}'},
        "langgraph dev --no-browser --no-reload --port {port}",
        "",
        "langgraph:{url}#agent",
        usage=(20, 12),
        state={"seen": 7},
    ),
    "adk": Framework(
        "adk",
        {"shop/agent.py": ADK},
        "adk api_server --port {port} .",
        "",
        "adk:{url}#shop",
        usage=(20, 12),
        state={"seen": 7},
    ),
    "agui": Framework(
        "pydantic",
        {"shop.py": PYDANTIC},
        "uvicorn shop:app --port {port}",
        "/agui",
        "agui:{url}",
        usage=(0, 0),
        state={},
    ),
    "aisdk": Framework("pydantic", {"shop.py": PYDANTIC}, "uvicorn shop:app --port {port}", "/chat", "aisdk:{url}"),
    "a2a": Framework("a2a", {"shop.py": A2A}, "uvicorn shop:app --port {port}", "", "a2a:{url}", tools=False),
    "ai": Framework("ai", {"shop.mjs": AI_SDK}, "node shop.mjs", "/chat", "aisdk:{url}"),
}


@contextmanager
def server(framework: Framework, folder: Path) -> Iterator[str]:
    """Start the server of a framework, and yield the address of its agent."""
    for file, text in framework.files.items():
        (folder / file).parent.mkdir(exist_ok=True)
        (folder / file).write_text(text)
    port = str(free_port())
    quiet = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "PORT": port}
    quiet["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    program, *arguments = framework.command.format(port=port).split()
    tool: Path | str = AGENTS / framework.environment / "bin" / program
    if program == "node":
        (folder / "node_modules").symlink_to(AGENTS / framework.environment / "node_modules")
        tool = program
    with (folder / "server.log").open("w") as log:
        process = subprocess.Popen([tool, *arguments], cwd=folder, env={**os.environ, **quiet}, stdout=log, stderr=log)
    try:
        _wait(f"http://127.0.0.1:{port}/", folder / "server.log")
        yield f"http://127.0.0.1:{port}{framework.path}"
    finally:
        process.terminate()
        process.wait()


def _wait(url: str, log: Path) -> None:
    for _ in range(1800):
        try:
            urlopen(url)
        except URLError as error:
            if not isinstance(error.reason, OSError):
                return  # an HTTP status is an answer
        else:
            return
        time.sleep(0.1)
    pytest.fail(log.read_text())


async def talk(kind: str, argument: str, *lines: str) -> tuple[list[Message], Json, Usage | None]:
    """Hold a conversation, and return its replies, the state and the usage at its end."""
    meter = Meter()
    (entry,) = entry_points(group="sparring.chatbots", name=kind)
    async with HttpTransport() as transport:
        chatbot = entry.load()(argument, PluginContext(LLMConfig(), SystemClock(), transport))
        with call_context(meter=meter):
            async with chatbot.connect(Case(id="a", seed=1)) as session:
                heard = [await session.reply(message("user", line)) for line in lines or LINES]
                state = None
                if chatbot.capabilities.reports_state:
                    with suppress(ChatbotError):  # an AI SDK chat without `data-*` parts
                        state = await session.state()
    return heard, state, meter.usage.get("chatbot")


@pytest.mark.parametrize("kind", SERVERS)
def test_an_agent_is_recognized_and_shows_its_tool_calls_usage_and_state(kind: str, tmp_path: Path):
    framework = SERVERS[kind]
    with server(framework, tmp_path) as url:
        name = framework.name.format(url=url)
        seen = typed(f"sparring doctor --chatbot {url}", tmp_path)
        assert (seen.returncode, f"--chatbot {name}\n" in seen.stdout) == (0, True), seen.stdout
        heard, state, usage = asyncio.run(talk(*name.split(":", 1)))

    calls = [(call.name, call.arguments, call.result, call.status) for each in heard for call in each.tool_calls]
    called = ("get_order", {"order_id": 7}, {"id": 7, "status": "shipped"}, "succeeded")
    assert [each.text.partition("I heard ")[2] for each in heard] == [*framework.counts]
    assert calls == ([called] if framework.tools else [])
    assert state == framework.state
    assert ((usage.input_tokens, usage.output_tokens) if usage else None) == framework.usage


def test_an_agent_of_the_a2a_test_server_is_recognized_and_answers(tmp_path: Path):
    dummy = Framework("dummy", {}, "dummy-a2a --port {port}", "", "a2a:{url}")
    with server(dummy, tmp_path) as url:
        seen = typed(f"sparring doctor --chatbot {url}", tmp_path)
        heard, _, _ = asyncio.run(talk("a2a", url, "echo hello", "ask", "blue"))

    assert (seen.returncode, f"✓ a2a:{url} replies" in seen.stdout) == (0, True), seen.stdout
    assert ["hello" in heard[0].text, heard[1].text.endswith("?"), heard[2].text] == [True, True, "Hello, blue!"]


async def test_models_behind_litellm_answer_in_four_protocols(tmp_path: Path):
    def calls_a_tool(body: dict[str, Any]) -> ToolRequest | InjectedFault:
        streamed = InjectedFault.status(400, "no streams")
        return streamed if body.get("stream") else ToolRequest("c1", "get_order", '{"order_id": 7}')

    async with LoopbackModelServer(otherwise=calls_a_tool) as model:
        config = LITELLM.replace("API_BASE", model.url)
        proxy = Framework("litellm", {"config.yaml": config}, "litellm --config config.yaml --port {port}", "/v1", "")
        with server(proxy, tmp_path) as url:
            called = await talk("openai", f"{url}#calling")
            answered = (
                await talk("responses", f"{url}#shop"),
                await talk("anthropic", f"{url.removesuffix('/v1')}#shop"),
            )

    assert [[each.text for each in heard] for heard, _, _ in answered] == [["I heard you"] * 3] * 2
    assert [call.status for each in called[0] for call in each.tool_calls] == ["executed"] * 3
    used = [usage for _, _, usage in (called, *answered)]
    assert all(each is not None and each.calls == 3 and not each.unknown_tokens for each in used)


@pytest.mark.parametrize("kind", OBJECTS)
def test_an_object_in_process_shows_its_tool_calls_usage_and_state(kind: str, tmp_path: Path):
    text, name = OBJECTS[kind]
    (tmp_path / "shop.py").write_text(text)
    lines, calls = '["Hi", "My order", "Thanks"]', "called('get_order', order_id=7)"
    rules = [calls, "tool_result('get_order')['status'] == 'shipped'", "'I heard 3' in chatbot_phrases[-1]"]
    rules += ["state('seen') == 7"] if kind in ("langgraph", "adk") else []
    (tmp_path / "cases.yml").write_text(f"scenarios: [{{name: a, script: {lines}, expect: {json.dumps(rules)}}}]")
    chatbot, tools = f"--chatbot python:shop.py:{name}", AGENTS / "objects" / "bin"

    seen = typed(f"sparring doctor {chatbot}", tmp_path, tools)
    run = typed(f"sparring run cases.yml {chatbot} --user scripted --judge none --no-null-bots", tmp_path, tools)

    assert (seen.returncode, f"✓ python:shop.py:{name} replies" in seen.stdout) == (0, True), seen.stdout
    assert (run.returncode, "Models: 4 calls" in run.stdout) == (0, True), run.stdout + run.stderr
