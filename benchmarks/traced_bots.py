"""Tool calls by traces against the bot's own log, for bots that real SDKs instrument.

    python benchmarks/traced_bots.py --turns 10000 openai-v2=PYTHON openinference=PYTHON langfuse=PYTHON

Each PYTHON has the SDK. Between the bot and Sparring, spans and log events are taken apart, a fifth of them doubled,
shuffled, and delayed by up to three seconds. It also prints the CPU time for a span, decoded, joined and read, and how
often the bare decoding of protobuf would fit into it.
"""

import argparse
import asyncio
import json
import random
import socket
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web
from opentelemetry.proto.logs.v1.logs_pb2 import LogsData
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

import sparring
from sparring.traces.spans import Span, spans_of_protobuf
from sparring.traces.turns import model_calls, readings, tool_calls

HERE = Path(__file__).parent
SPARRING = [sys.executable, "-m", "sparring"]
TURNS = 4
COMPARED = {"name", "arguments", "result", "status"}
TOOLS = ("look", "price")
LATEST = 3.0  # seconds
RUN = "run cases.yaml --chatbot http:bot.yaml --user scripted --judge checklist --no-null-bots --concurrency 100"


def scenarios(conversations: int) -> str:
    """Return conversations of four turns, in which the user orders up to four calls."""
    chance = random.Random(7)
    found = []
    for number in range(conversations):
        lines = []
        for turn in range(TURNS):
            orders = [
                f"{chance.choice(('look', 'price'))} {chance.randrange(1, 10_000)}" for _ in range(chance.randrange(5))
            ]
            split = chance.randrange(len(orders) + 1)
            steps = [", ".join(each) for each in (orders[:split], orders[split:]) if each]
            lines.append("; ".join(steps) or f"hello number {turn}a")
        found.append({"script": lines, "variables": {"who": f"c{number}"}})
    return json.dumps({"scenarios": found})


class DisturbingCollector:
    """A collector that passes on what it gets in pieces: doubled, shuffled and late."""

    def __init__(self, target: str) -> None:
        self.target, self.chance, self.received = target, random.Random(5), list[bytes]()
        self.sending = set[asyncio.Task[None]]()

    async def take(self, request: web.Request) -> web.Response:
        body = await request.read()
        logs = request.path.endswith("logs")
        if not logs:
            self.received.append(body)
        pieces = _events(body) if logs else _spans(body)
        pieces += self.chance.sample(pieces, len(pieces) // 5)
        self.chance.shuffle(pieces)
        for at in range(0, len(pieces), 10):
            task = asyncio.create_task(self.send("logs" if logs else "traces", b"".join(pieces[at : at + 10])))
            self.sending.add(task)
            task.add_done_callback(self.sending.discard)
        return web.Response(content_type="application/x-protobuf")

    async def send(self, kind: str, body: bytes) -> None:
        await asyncio.sleep(self.chance.random() * LATEST)
        headers = {"content-type": "application/x-protobuf"}
        for _ in range(5):
            try:
                async with aiohttp.ClientSession() as client:
                    await client.post(f"{self.target}/v1/{kind}", data=body, headers=headers)
                    return
            except aiohttp.ClientError:  # tried again as exporters do; the run may have ended
                await asyncio.sleep(0.2)


def _events(body: bytes) -> list[bytes]:
    """Return an export of each event alone; exports can be appended to each other."""
    made: list[bytes] = []
    for resource in LogsData.FromString(body).resource_logs:
        for scope in resource.scope_logs:
            for record in scope.log_records:
                alone = LogsData()
                alone.resource_logs.add().scope_logs.add(scope=scope.scope).log_records.append(record)
                made.append(alone.SerializeToString())
    return made


def _spans(body: bytes) -> list[bytes]:
    made: list[bytes] = []
    for resource in TracesData.FromString(body).resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                alone = TracesData()
                alone.resource_spans.add().scope_spans.add(scope=scope.scope).spans.append(span)
                made.append(alone.SerializeToString())
    return made


async def measure(sdk: str, python: str, turns: int, folder: Path) -> tuple[str, bool]:
    """Run conversations with a bot, and return a line with the figures and whether all turns are equal."""
    (folder / "cases.yaml").write_text(scenarios(turns // TURNS))
    port, traces = _free_port(), _free_port()
    asking = {"session": "{{who}}", "text": "{{message}}"}
    preset = {"url": f"http://127.0.0.1:{port}/chat", "body": asking, "reply": "text"}
    (folder / "bot.yaml").write_text(json.dumps(preset))
    collector = DisturbingCollector(f"http://127.0.0.1:{traces}")
    app = web.Application(client_max_size=2**28)
    app.router.add_post("/{path:.*}", collector.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    address = f"http://127.0.0.1:{runner.addresses[0][1]}"
    arguments = [HERE / "traced_bot.py", sdk, str(port), folder / "calls.jsonl", address]
    bot = await asyncio.create_subprocess_exec(python, *arguments)
    try:
        await _listening(port)
        command = [*SPARRING, *RUN.split(), "--traces", f":{traces}", "--store", "a.db"]
        run = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=subprocess.DEVNULL)
        await run.wait()
    finally:
        bot.terminate()
        await bot.wait()
        await runner.cleanup()
    equal, whole, wrong, held = await asyncio.to_thread(_compared, folder)
    spans, cpu, bare = _cpu(collector.received)
    line = f"{sdk}: {equal:,} of {held:,} turns equal, {whole:,} of {turns // TURNS:,} conversations complete"
    line += f", {wrong:,} of these with other calls; {spans:,} spans, {cpu * 1000:.4f} ms CPU a span"
    line += f", {cpu / bare:.1f} x bare decoding"
    return line, equal == held == turns and not wrong


def _compared(folder: Path) -> tuple[int, int, int, int]:
    """Compare turns with the bot's log.

    Return how many are equal, how many conversations say that they show all calls, how many of these turns do not, and
    how many turns there are.
    """
    made: dict[str, list[Any]] = defaultdict(list)
    for line in (folder / "calls.jsonl").read_text().splitlines():
        turn = json.loads(line)
        made[turn["session"]].append(turn["calls"])
    equal = whole = wrong = held = 0
    for each in sparring.results("latest", store=folder / "a.db"):
        conversation = each.conversation
        replies = [said for said in conversation.messages if said.role == "chatbot"]
        whole += conversation.reports_tools
        for reply, calls in zip(replies, made[str(conversation.case.variables["who"])], strict=True):
            held += 1
            shown = [call.model_dump(include=COMPARED) for call in reply.tool_calls]
            wanted = [{**call, "status": "failed" if "error" in call["result"] else "succeeded"} for call in calls]
            equal += shown == wanted
            wrong += shown != wanted and conversation.reports_tools
            if shown != wanted and held - equal < 3:
                print(f"  {each.id}: {shown}\n  made: {wanted} {conversation.warnings}", file=sys.stderr)
    return equal, whole, wrong, held


def _cpu(bodies: list[bytes]) -> tuple[int, float, float]:
    """Return the number of spans, the CPU seconds for one, and those of decoding it alone."""
    begun = time.process_time()
    for body in bodies:
        TracesData.FromString(body)
    bare = time.process_time() - begun
    begun = time.process_time()
    traces: dict[str, list[Span]] = defaultdict(list)
    for body in bodies:
        for span in filter(None, spans_of_protobuf(body)):
            traces[span.trace].append(span)
    for spans in traces.values():
        found = readings(spans)
        tool_calls(found)
        model_calls(found)
    number = sum(map(len, traces.values()))
    return number, (time.process_time() - begun) / max(1, number), bare / max(1, number)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


async def _listening(port: int) -> None:
    for _ in range(600):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            return
    raise SystemExit("the bot does not listen")


async def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("bots", nargs="+", metavar="SDK=PYTHON")
    given = parser.parse_args()
    right = True
    for each in given.bots:
        sdk, _, python = each.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            line, equal = await measure(sdk, python, given.turns, Path(folder))
            print(line, flush=True)
            right = right and equal
    return not right


sys.exit(asyncio.run(main()))
