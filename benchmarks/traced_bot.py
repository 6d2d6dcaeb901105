"""A chatbot that real SDKs instrument: `PYTHON traced_bot.py SDK PORT LOG COLLECTOR`; for traced_bots.py.

Its model only follows orders: "look 7, price 3; look 8" makes two calls at once and then a third. It writes every tool
call that it makes into LOG.
"""

import json
import os
import re
import sys
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SDK, PORT, LOG, COLLECTOR = sys.argv[1:5]
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "true"
os.environ["OTEL_BSP_SCHEDULE_DELAY"] = os.environ["OTEL_BLRP_SCHEDULE_DELAY"] = "1000"
os.environ["OTEL_BSP_MAX_QUEUE_SIZE"] = os.environ["OTEL_BLRP_MAX_QUEUE_SIZE"] = "1000000"  # else the SDK drops some
os.environ["LANGFUSE_FLUSH_INTERVAL"] = "1"

try:
    import httpx2 as httpx  # the client of openai 3
except ImportError:
    import httpx
from opentelemetry import propagate, trace  # noqa: E402
from opentelemetry.context import attach, detach  # noqa: E402


def tool(name: str, value: int) -> dict[str, Any]:
    """Run a tool; each thirteenth value fails."""
    return {"error": f"no {name} {value}"} if value % 13 == 0 else {"name": name, "value": value * 2}


def model(request: httpx.Request) -> httpx.Response:
    """Answer as chat completions do: with the next calls of the last message of the user, or with words."""
    messages = json.loads(request.content)["messages"]
    last = max(at for at, each in enumerate(messages) if each["role"] == "user")
    steps = [step for step in messages[last]["content"].split(";") if step.strip()]
    done = sum(each["role"] == "assistant" for each in messages[last:])
    said: dict[str, Any] = {"role": "assistant", "content": f"Done: {len(messages)}"}
    if done < len(steps) and (orders := re.findall(r"(\w+) (\d+)\b", steps[done])):
        functions = [{"name": name, "arguments": f'{{"id": {id}}}'} for name, id in orders]
        calls = [
            {"id": f"c{len(messages)}_{at}", "type": "function", "function": each} for at, each in enumerate(functions)
        ]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
    choice = {"index": 0, "finish_reason": "tool_calls" if said.get("tool_calls") else "stop", "message": said}
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
    about = {"id": "x", "object": "chat.completion", "created": 1, "model": "mock"}
    return httpx.Response(200, json={**about, "choices": [choice], "usage": usage})


def instrumented() -> tuple[type, Callable[[str, int], dict[str, Any]]]:
    """Set up the SDK, and return its client of OpenAI and the tool as it instruments it."""
    if SDK == "langfuse":
        from langfuse import Langfuse, observe
        from langfuse.openai import OpenAI as Observed

        Langfuse(public_key="pk", secret_key="sk", base_url=COLLECTOR)

        def named(name: str, value: int) -> dict[str, Any]:
            return observe(name=name, as_type="tool")(lambda id: tool(name, id))(id=value)

        return Observed, named
    from openai import OpenAI
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{COLLECTOR}/v1/traces")))
    trace.set_tracer_provider(provider)
    if SDK == "openinference":
        from openinference.instrumentation.openai import OpenAIInstrumentor as Instrumentor
    else:
        from opentelemetry._logs import set_logger_provider
        from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
        from opentelemetry.instrumentation.openai_v2 import OpenAIInstrumentor as Instrumentor
        from opentelemetry.sdk._logs import LoggerProvider
        from opentelemetry.sdk._logs.export import BatchLogRecordProcessor

        logs = LoggerProvider()
        logs.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{COLLECTOR}/v1/logs")))
        set_logger_provider(logs)
    Instrumentor().instrument()
    return OpenAI, tool


CLIENT, TOOL = instrumented()
MODEL = CLIENT(
    api_key="none", base_url="http://mock/v1", http_client=httpx.Client(transport=httpx.MockTransport(model))
)
HISTORIES: dict[str, list[dict[str, Any]]] = {}
LOCK, WRITTEN = threading.Lock(), open(LOG, "w", buffering=1)  # noqa: SIM115


def root(name: str) -> Any:
    """Return the span around a turn. Langfuse exports no spans but its own."""
    if SDK == "langfuse":
        from langfuse import get_client

        return get_client().start_as_current_observation(name=name, as_type="agent")
    return trace.get_tracer("bot").start_as_current_span(name)


def reply(session: str, text: str) -> str:
    """Answer a message after the calls that the model wants, and write them down."""
    messages = HISTORIES.setdefault(session, [])
    messages.append({"role": "user", "content": text})
    calls: list[dict[str, Any]] = []
    while True:
        said = MODEL.chat.completions.create(model="mock", messages=messages).choices[0].message
        messages.append(said.model_dump(exclude_none=True))
        if not said.tool_calls:
            break
        for call in said.tool_calls:
            id = json.loads(call.function.arguments)["id"]
            result = TOOL(call.function.name, id)
            calls.append({"name": call.function.name, "arguments": {"id": id}, "result": result})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": json.dumps(result)})
    with LOCK:
        WRITTEN.write(json.dumps({"session": session, "text": text, "calls": calls}) + "\n")
    return str(said.content)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        token = attach(propagate.extract(headers))
        with root("POST /chat"):
            said = reply(asked["session"], asked["text"])
        detach(token)
        body = json.dumps({"text": said}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


ThreadingHTTPServer.request_queue_size = 200
ThreadingHTTPServer(("127.0.0.1", int(PORT)), Handler).serve_forever()
