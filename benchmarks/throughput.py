"""What a call of a model costs us: CPU, memory and time, beside a bare aiohttp loop that makes the same calls.

The server is a process of its own, which never sleeps, and so is every measurement. A conversation has 6 turns, which
are 12 calls: a user and a chatbot, both played by a model, each shown all that was said. Ours renders prompts, keeps
limits, validates, meters, reads, tells events and stores; the bare loop sends and appends.

    python benchmarks/throughput.py [--quick]       the table
    python benchmarks/throughput.py --profile       where the time goes, at 256 in flight and 50 ms
"""

import argparse
import asyncio
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import orjson

TURNS = 6
CALLS = 2 * TURNS
PROMPT = "You sell pizzas. " + "Be brief, be kind, and never promise what is not on the menu. " * 14
LINE = (
    "I would like a large pizza with ham and mushrooms, a bottle of water, and to know when it will be there, please."
)
NUMBER = b"########"
_LETTERS = bytes.maketrans(b"0123456789", b"abcdefghij")
"""A user that states a number of its own would be stopped."""
CELLS = ((4, 16), (32, 96), (256, 512), (2000, 2000))
LATENCIES = (0, 50, 300)
BUDGET_CPU, BUDGET_KB, BUDGET_WALL = 0.15, 60, 1.3
FLOOR = 0.108
"""CPU milliseconds of a call of the bare loop, at 256 in flight and 50 ms, where the budgets were set."""


class Answering(asyncio.Protocol):
    """Just enough HTTP to answer every request. No two completions are equal: equal texts would be read only once."""

    count = 0

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._heard = b""
        said = {"role": "assistant", "content": f"{LINE} I shop with {NUMBER.decode()}."}
        body = orjson.dumps(
            {
                "id": "chatcmpl-benchmark",
                "object": "chat.completion",
                "created": 0,
                "model": "benchmark",
                "choices": [{"index": 0, "message": said, "finish_reason": "stop", "logprobs": None}],
                "usage": {"prompt_tokens": 700, "completion_tokens": 30, "total_tokens": 730},
                "system_fingerprint": "fp_" + "0" * 400,
            }
        )
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        self._answer = head.encode() + body

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._heard += data
        while (end := self._heard.find(b"\r\n\r\n")) >= 0:
            head = self._heard[:end].lower()
            start = head.find(b"content-length:") + len(b"content-length:")
            length = int(head[start:].split(b"\r\n", 1)[0])
            if len(self._heard) < end + 4 + length:
                return
            self._heard = self._heard[end + 4 + length :]
            if self._seconds:
                asyncio.get_running_loop().call_later(self._seconds, self._say)
            else:
                self._say()

    def _say(self) -> None:
        if not self._transport.is_closing():
            Answering.count += 1
            self._transport.write(self._answer.replace(NUMBER, (b"%08d" % Answering.count).translate(_LETTERS)))


async def serve(seconds: float) -> None:
    """Answer until killed. It never sleeps: on a virtual machine, a process that sends to a sleeping processor pays for
    waking it, up to 40 microseconds a call, and the more the less else the sender does meanwhile."""
    loop = asyncio.get_running_loop()

    def stay_awake() -> None:
        loop.call_soon(stay_awake)

    stay_awake()
    server = await loop.create_server(lambda: Answering(seconds), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def bare(url: str, conversations: int, concurrency: int) -> None:
    """The same calls, and nothing else."""
    import aiohttp

    todo = iter(range(conversations))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:

        async def call(messages: list[dict[str, str]]) -> str:
            body = orjson.dumps({"model": "m", "messages": messages})
            headers = {"content-type": "application/json"}
            async with session.post(f"{url}/chat/completions", data=body, headers=headers) as response:
                read: Any = orjson.loads(await response.read())
                said: str = read["choices"][0]["message"]["content"]
                return said

        async def work() -> None:
            for _ in todo:
                user = [{"role": "system", "content": PROMPT}, {"role": "user", "content": "(Speak first.)"}]
                chatbot = [{"role": "system", "content": PROMPT}]
                for _turn in range(TURNS):
                    said = await call(user)
                    user.append({"role": "assistant", "content": said})
                    chatbot.append({"role": "user", "content": said})
                    said = await call(chatbot)
                    chatbot.append({"role": "assistant", "content": said})
                    user.append({"role": "user", "content": said})

        await asyncio.gather(*(work() for _ in range(concurrency)))


async def ours(url: str, conversations: int, concurrency: int, *, read: bool = False) -> None:
    """A batch as `sparring run` plays it.

    With `read`, a goal that the user never asks for has each reply read; otherwise all are read once, at the end.
    """
    from datetime import UTC, datetime

    from sparring.chatbots.prompted.chatbot import Prompted
    from sparring.core.batch import Batch, Players
    from sparring.core.case import Case, Goal, Limits, Persona
    from sparring.core.clock import SystemClock
    from sparring.extraction.pattern_extractor import PatternReader
    from sparring.llm import template
    from sparring.llm.client.late_transport import LateTransport
    from sparring.llm.model import MeteredModel
    from sparring.llm.plugin_context import LLMConfig, PluginContext
    from sparring.llm.providers import by_url
    from sparring.runner.batch import reduced_gc, run
    from sparring.runner.players import ResolvedPlayers
    from sparring.store.sqlite.store import SqliteStore
    from sparring.users.simulated import Simulated

    persona = Persona(role=PROMPT[:600])
    cases = tuple(
        Case(
            id=f"case/{n}",
            seed=n,
            persona=persona,
            goals=(Goal(text="a large pizza with ham"), Goal(text="whether dogs are welcome" if read else "water")),
            limits=Limits(turns=TURNS, steps=None if read else TURNS),
        )
        for n in range(conversations)
    )
    batch = Batch(
        id="benchmark", created=datetime.now(UTC), who=Players(chatbot="prompted", user="simulated"), cases=cases
    )
    with tempfile.TemporaryDirectory() as folder:
        async with LateTransport() as transport, SqliteStore(Path(folder) / "benchmark.db") as store:
            model = by_url(f"{url}#m", PluginContext(LLMConfig(), SystemClock(), transport, environment={}))
            chatbot = Prompted(MeteredModel(model, "chatbot"), template.read(PROMPT))
            resolved = ResolvedPlayers(chatbot, Simulated(MeteredModel(model, "user")), PatternReader(), SystemClock())
            started["cpu"], started["wall"] = time.process_time(), time.perf_counter()
            failed = ""
            with reduced_gc(concurrency):
                async for event in run(batch, resolved, store, concurrency=concurrency):
                    if event.event == "conversation_ended" and event.conversation.error:
                        failed = event.conversation.error
            ended["cpu"], ended["wall"] = time.process_time(), time.perf_counter()
            kept = await store.progress(batch.id)
            assert kept.stored == conversations, kept
            assert set(map(str, kept.endings)) <= {"user_done", "goals_answered", "turn_limit"}, (kept.endings, failed)


started: dict[str, float] = {}
ended: dict[str, float] = {}


def measure(kind: str, url: str, conversations: int, concurrency: int, profile: bool) -> None:
    """Measure in this process, and print the figures as JSON."""
    import uvloop

    play = {"ours": ours, "read": partial(ours, read=True), "bare": bare}[kind]
    uvloop.run(play(url, 1, 1))  # imports, and whatever is made once
    gc.collect()
    before = _rss()
    ended.clear()
    started["cpu"], started["wall"] = time.process_time(), time.perf_counter()
    work = play(url, conversations, concurrency)
    shares = sampled() if profile else Counter[str]()
    uvloop.run(work)
    ended.setdefault("cpu", time.process_time())
    ended.setdefault("wall", time.perf_counter())
    if profile:
        signal.setitimer(signal.ITIMER_PROF, 0)
        each = (ended["cpu"] - started["cpu"]) * 1000 / (conversations * CALLS)
        print(f"{each:.3f} ms of CPU a call, while it was sampled")
        for part, times in shares.most_common():
            print(f"{times / shares.total():6.1%}  {part}")
        return
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    calls = conversations * CALLS
    print(
        json.dumps(
            {
                "cpu_ms": (ended["cpu"] - started["cpu"]) * 1000 / calls,
                "wall": ended["wall"] - started["wall"],
                "kb": (peak - before) / min(concurrency, conversations),
            }
        )
    )


def sampled() -> Counter[str]:
    """What is computed from now on, looked at every millisecond of CPU: how often which part of the program was at it.

    What a library written in C does counts for its caller.
    """
    shares = Counter[str]()

    def look(_: int, frame: FrameType | None) -> None:
        shares[_part(frame)] += 1

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, 0.001, 0.001)
    return shares


_HTTP = ("/http_connection.py", "/http_transport.py", "/late_transport.py")


def _part(frame: FrameType | None) -> str:
    """Which part of the program is at it: ours or aiohttp, whatever of Python's own library they use for it."""
    while frame is not None:
        file = frame.f_code.co_filename
        if "/sparring/" in file:
            if file.endswith(_HTTP):
                return "sparring.llm, HTTP"
            return "sparring." + file.split("/sparring/")[-1].split("/")[0].removesuffix(".py")
        if "aiohttp" in file:
            return "aiohttp"
        frame = frame.f_back
    return "the event loop"


def _rss() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


@contextmanager
def server(latency: int) -> Iterator[str]:
    """The address of a server in a process of its own."""
    process = subprocess.Popen([sys.executable, __file__, "--serve", str(latency / 1000)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def measured(kind: str, url: str, conversations: int, concurrency: int, *flags: str) -> dict[str, float]:
    """The figures of one measurement, in a process of its own."""
    command = [sys.executable, __file__, "--measure", kind, url, str(conversations), str(concurrency), *flags]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def table(quick: bool) -> None:
    print(
        "latency  at once  conversations | CPU ms a call: ours   bare  ratio  read every turn | KB each: ours  bare"
        " | wall/ideal: both"
    )
    for latency in (50,) if quick else LATENCIES:
        for concurrency, conversations in CELLS[2:3] if quick else CELLS:
            if latency == 0:
                conversations *= 2
            with server(latency) as url:
                kinds = ("ours", "bare", "read")
                mine, theirs, read = (measured(kind, url, conversations, concurrency) for kind in kinds)
            rounds = -(-conversations // concurrency)
            ideal = rounds * CALLS * latency / 1000
            walls = [f"{each['wall'] / ideal:5.2f}" if ideal else "    -" for each in (mine, theirs)]
            print(
                f"{latency:5} ms {concurrency:8} {conversations:14} | "
                f"{mine['cpu_ms']:19.3f} {theirs['cpu_ms']:6.3f} {mine['cpu_ms'] / theirs['cpu_ms']:6.2f} "
                f"{read['cpu_ms']:16.3f} | "
                f"{mine['kb']:13.0f} {theirs['kb']:5.0f} | {walls[0]:>16} {walls[1]:>5}",
                flush=True,
            )
    print(
        f"budgets: {BUDGET_CPU} ms a call at 256 and 50 ms; {BUDGET_KB} KB and {BUDGET_WALL} x ideal at 2000 and 300 ms"
    )
    if not quick:
        scaled()
    startup()


def scaled() -> None:
    """The budget of time on a machine that is slower, or faster, than the one it was set for: there, all programs take
    longer, and the server as well, since it answers later by as much as the bare loop takes longer."""
    for _ in range(3):
        with server(50) as url:
            pace = measured("bare", url, 1024, 256)["cpu_ms"] / FLOOR
        with server(latency := round(300 * pace)) as url:
            mine, theirs = (
                measured(kind, url, 2000, 2000)["wall"] * 1000 / CALLS / latency for kind in ("ours", "bare")
            )
        print(
            f"the bare loop takes {pace:.2f} times as long as where the budgets were set; "
            f"2000 at 300 x {pace:.2f} = {latency} ms, wall/ideal: {mine:.2f} {theirs:.2f}",
            flush=True,
        )


def startup() -> None:
    """CPU seconds of whole commands."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _project(place)
        commands = {
            "sparring --help": ["--help"],
            "sparring check, ten files": ["check", "--rule", "turns() < 99", "--conversations", "ten"],
            "sparring run, one offline conversation": [
                "run",
                "order.yml",
                "--chatbot",
                "pizzeria",
                "--model",
                "offline",
            ],
        }
        empty = min(_cpu([sys.executable, "-c", "pass"], place) for _ in range(3))
        print(f"start-up, CPU seconds (Python alone {empty:.3f})")
        for name, arguments in commands.items():
            best = min(_cpu([sys.executable, "-m", "sparring", *arguments], place) for _ in range(3))
            print(f"  {name:40} {best:.3f}")


def _cpu(command: list[str], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    compiling = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}  # what is imported is compiled once, as by default
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, env=compiling
    )
    assert done.returncode in (0, 1), done.stderr.decode()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _project(place: Path) -> None:
    (place / "order.yml").write_text(
        "goals:\n  - a small custom pizza with ham and corn\n  - 'the following drink: coke'\n", encoding="utf-8"
    )
    (place / "ten").mkdir()
    said = [{"role": role, "content": LINE} for _ in range(6) for role in ("user", "assistant")]
    for n in range(10):
        (place / "ten" / f"{n}.jsonl").write_text(json.dumps({"messages": said}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--serve", type=float)
    parser.add_argument("--measure", nargs=4)
    chosen = parser.parse_args()
    if chosen.serve is not None:
        import uvloop

        uvloop.run(serve(chosen.serve))
    elif chosen.measure:
        kind, url, conversations, concurrency = chosen.measure
        measure(kind, url, int(conversations), int(concurrency), chosen.profile)
    elif chosen.profile:
        with server(50) as url:
            subprocess.run([sys.executable, __file__, "--measure", "ours", url, "2048", "256", "--profile"], check=True)
    else:
        table(chosen.quick)
