"""`sparring run SOURCE...`: let simulated users talk to a chatbot, and say how it went."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.batches import Plan, Played, play, single
from sparring.cli.console import tell, terminal
from sparring.cli.loop import run_in_loop
from sparring.cli.outcome import exit_code
from sparring.cli.progress import watch
from sparring.core.chance import tagged
from sparring.reporting.ndjson import write_ndjson
from sparring.reporting.summary import summarise
from sparring.reporting.text import summary_lines
from sparring.runner.wiring import choose
from sparring.scenarios.sources import load as load_sources
from sparring.settings import load as load_settings

app = options.application()


@app.command()
def run(
    sources: Annotated[list[Path], typer.Argument(help="Profiles and scenarios, files or folders.")],
    chatbot: options.ChatbotOption = None,
    model: options.ModelOption = None,
    chatbot_model: options.ChatbotModelOption = None,
    user: options.UserOption = None,
    seed: options.SeedOption = None,
    repeat: Annotated[int, typer.Option("--repeat", min=1, help="How often to play each case.")] = 1,
    name: Annotated[str, typer.Option("--name", help="A name for this batch, to find it by.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="Only cases with this tag; may be repeated.")] = None,
    single_index: Annotated[
        int | None, typer.Option("--single", metavar="N", help="Only the case at N, counted from 0.")
    ] = None,
    no_stream: Annotated[
        bool, typer.Option("--no-stream", help="Do not show a single conversation while it is talked.")
    ] = False,
    output_dir: Annotated[
        Path | None, typer.Option("--output-dir", help="Write conversations.ndjson into this folder.")
    ] = None,
    concurrency: options.ConcurrencyOption = None,
    store: options.StoreOption = None,
    as_json: options.JsonOption = False,
) -> int:
    """Let simulated users talk to a chatbot, and say how it went."""
