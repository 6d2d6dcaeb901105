"""`sparring serve`: batches over REST."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.background import LogLevel
from sparring.cli import options
from sparring.cli.console import answer, notify, terminal
from sparring.cli.process import PASSED
from sparring.cli.server_options import serve_settings, token_from
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
