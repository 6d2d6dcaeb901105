"""`sparring run SOURCE...`: let simulated users talk to a chatbot, and say how it went."""

from pathlib import Path
from typing import Annotated

import typer

from sparring.cli import options
from sparring.cli.batches import Format, Plan, exit_code, play, single, valid_rules
from sparring.cli.console import say, terminal
from sparring.cli.loading import load_sources
from sparring.cli.loop import run_in_loop
from sparring.cli.progress import watch
from sparring.cli.sensei_files import profile_names
from sparring.core.errors import InputError
from sparring.reporting.documents import printed, run_json
from sparring.reporting.text import summary_text
from sparring.runner.concluding import check_expectations
from sparring.runner.wiring import choose
from sparring.settings import load as load_settings

app = options.application()


@app.command()
def run(
    files: Annotated[list[Path], typer.Argument(metavar="SOURCE", help="Profiles and scenarios: files or folders.")],
    chatbot: options.Chatbot = None,
    model: options.Model = None,
    chatbot_model: options.ChatbotModel = None,
    user: options.User = None,
    reader: options.Reader = None,
    judge: options.Judge = None,
    rules: Annotated[
        list[Path] | None, typer.Option("--rules", help="Rules to check over what was said: files or folders.")
    ] = None,
    seed: options.Seed = None,
    repeat: options.Repeat = 1,
    name: Annotated[str, typer.Option("--name", help="A name to find this batch by, instead of its id.")] = "",
    tag: Annotated[list[str] | None, typer.Option("--tag", help="A label for this batch; may be repeated.")] = None,
    only: Annotated[
        int | None, typer.Option("--single", metavar="N", help="Play only the case at N, counted from 0.")
    ] = None,
    no_stream: Annotated[
        bool, typer.Option("--no-stream", help="Do not show a single conversation while it is talked.")
    ] = False,
    output_dir: Annotated[
        Path | None, typer.Option("--output-dir", help="Write what was said into this folder, as conversations.ndjson.")
    ] = None,
    format: Annotated[
        Format,
        typer.Option("--format", help="ndjson, or sensei: conversations and reports in the files that SENSEI writes."),
    ] = "ndjson",
    allow_code: Annotated[
        bool, typer.Option("--allow-code", help="Run the Python functions that profiles take values from.")
    ] = False,
    concurrency: options.Concurrency = None,
    store: options.Store = None,
    as_json: options.Json = False,
) -> int:
    """Let simulated users talk to a chatbot, and say how it went."""
    settings = load_settings(
        {
            "chatbot": chatbot,
            "model": model,
            "chatbot_model": chatbot_model,
            "user": user,
            "reader": reader,
            "judge": judge,
            "seed": seed,
            "concurrency": concurrency,
            "store": store,
        },
        directory=Path.cwd(),
    )
    loaded = load_sources(files, settings, allow_code=allow_code)
    cases = loaded.cases if only is None else single(loaded.cases, only)
    check_expectations(cases)
    if output_dir is not None and output_dir.exists() and not output_dir.is_dir():
        raise InputError(f"--output-dir {output_dir}: is not a folder")
    if format == "sensei" and output_dir is None:
        raise InputError("--format sensei writes into a folder, and none is given", hint="--output-dir DIR")
    plan = Plan(
        cases=cases,
        choice=choose(settings, loaded.model, loaded.temperature),
        settings=settings,
        name=name,
        repeats=repeat,
        tags=tuple(tag or ()),
        rules=valid_rules(rules or ()),
        output_dir=output_dir,
        format=format,
        profiles=profile_names(files) if format == "sensei" else frozenset(),
    )
    stream = only is not None and repeat == 1 and not no_stream
    with watch(stream=stream, bar=terminal()) as listener:
        played = run_in_loop(play(plan, listener))
    if as_json:
        say(printed(run_json(played.summary)))
    else:
        for line in summary_text(played.summary):
            say(line)
    return exit_code(played)
