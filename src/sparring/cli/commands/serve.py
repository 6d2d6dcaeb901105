"""`sparring serve`: batches over REST.

`sparring worker`: play batches that others submit. `sparring mcp`: tools for coding agents.
"""

import asyncio
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.background import LogLevel
from sparring.app.config import AppConfig
from sparring.app.stores import check_store
from sparring.cli import options
from sparring.cli.console import answer, notify, terminal
from sparring.cli.process import FAILED, PASSED
from sparring.cli.server_options import serve_settings, token_from
from sparring.core.addresses import shown
from sparring.core.errors import InputError
from sparring.core.plugins import install
from sparring.settings import Settings, environment


@dataclass(frozen=True, kw_only=True)
class Serving:
    """What clients may choose, and where to listen."""

    chatbot: Annotated[list[str] | None, typer.Option("--chatbot")] = None
    model: Annotated[list[str] | None, typer.Option("--model")] = None
    host: Annotated[str | None, typer.Option("--host")] = None
    port: Annotated[int | None, typer.Option("--port", min=0, max=65_535)] = None
    name: Annotated[list[str] | None, typer.Option("--name")] = None

    def chosen(self) -> dict[str, object]:
        """Return the values by the names of the settings of `serve`."""
        return {
            "host": self.host,
            "port": self.port,
            "chatbots": self.chatbot,
            "models": self.model,
            "hosts": self.name,
        }


@options.configured("concurrency", "user", "chatbot_model", "reader", "judge", "seed", "store")
async def serve(
    *,
    serving: Serving,
    settings: Settings,
    token_file: Annotated[Path | None, typer.Option("--token-file")] = None,
    log_level: Annotated[LogLevel | None, typer.Option("--log-level")] = None,
    as_json: options.Json = False,
) -> int:
    """Run batches that clients launch over REST or in the browser."""
    here = environment(Path.cwd())
    settings, level = serve_settings(settings, serving.chosen(), log_level, here)
    token = token_from(token_file, here)
    from sparring.web.server import serve as serve_now  # a web framework, which no other command waits for

    def ready(address: str) -> None:
        notify(f"serving at {address}; Ctrl-C stops")
        if as_json:
            answer("serving", {"address": address}, as_json=True)

    introduce = _introduce if terminal() else None  # only on a terminal: other outputs may be logged
    await serve_now(settings, here, token, ready=ready, log_level=level, announce_token=introduce)
    return PASSED


def _introduce(token: str) -> None:
    notify("there was no token, so a new one was created. It is shown only this once, because only its hash is stored")
    notify(f"  {token!s}")
    notify("Log in with it, or send it as `Authorization: Bearer TOKEN`; `sparring tokens` lists, adds and revokes")


@options.configured("concurrency", "store")
async def worker(
    processes: Annotated[int, typer.Option("--processes", min=1, metavar="N")] = 1,
    grace: Annotated[float, typer.Option("--grace", min=0, metavar="SECONDS")] = 30,
    stalled: Annotated[float, typer.Option("--stalled", min=0.3, metavar="SECONDS")] = 30,
    listen: Annotated[bool, typer.Option("--listen/--no-listen")] = True,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Play conversations of submitted batches until SIGTERM. Exit code: 1 if the database is lost.

    Model keys, rate limits and the webhook come from this command; seeds, budget and redaction from the batch.
    """
    if not isinstance(config.store, str):
        raise InputError("workers need a store in PostgreSQL", hint="--store postgresql://HOST/DATABASE")
    check_store(config.store)
    if as_json:
        answer("worker", {"processes": processes, "concurrency": config.concurrency}, as_json=True)
    if processes > 1:
        return await _start(processes, config.concurrency)
    from sparring.app.cluster.run import work  # needs `sparring[cluster]`

    notify(f"worker for {shown(config.store)}: {config.concurrency} conversations at once")
    await work(config, grace_seconds=grace, stalled_seconds=stalled, listen=listen)
    return PASSED


async def _start(processes: int, concurrency: int) -> int:
    """Run several workers with the options of this one; if one is lost, stop the others."""
    words = [*sys.argv[1:], "--processes", "1", "--concurrency", str(max(1, concurrency // processes))]
    children = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "sparring", *words, stdout=asyncio.subprocess.DEVNULL
        )
        for _ in range(processes)
    ]
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    ended = [asyncio.create_task(each.wait()) for each in children]
    await asyncio.wait({*ended, stopping := asyncio.create_task(stop.wait())}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    for each in children:
        if each.returncode is None:
            each.terminate()
    codes = await asyncio.gather(*ended)
    return PASSED if stop.is_set() and not any(codes) else FAILED


def mcp(
    max_conversations: Annotated[int, typer.Option("--max-conversations", min=0, metavar="N")] = 50,
    max_cost: Annotated[float, typer.Option("--max-cost", min=0, metavar="USD")] = 0.0,
) -> int:
    """Serve tools for coding agents over the Model Context Protocol, in this folder.

    Agents list, validate, run, show and explain; nothing but the database is written.
    """
    try:
        from sparring.integrations.mcp_server.server import server
        from sparring.integrations.mcp_server.tools import RunBudget
    except ModuleNotFoundError as error:
        if error.name not in ("mcp", "mcp_types"):
            raise
        raise InputError("the MCP server needs a package", hint=install("mcp")) from error
    server(RunBudget(max_conversations, max_cost), Path.cwd()).run()
    return PASSED
