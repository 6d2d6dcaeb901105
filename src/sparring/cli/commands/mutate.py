"""`sparring mutate BATCH`: would the checks notice a fault of the chatbot?"""

from pathlib import Path
from typing import Annotated

import typer
import yaml

from sparring.app.config import AppConfig
from sparring.app.mutate import Live, Mutation, MutationPlan, chosen_operators, mutate, suggested
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import say, say_all, tell
from sparring.cli.process import FAILED, INCONCLUSIVE, PASSED, UNDECIDED
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.mutation.play import State
from sparring.mutation.result_text import (
    check_lines,
    mutation_json,
    operator_lines,
    rule_fields,
    score_lines,
    suggestion_lines,
    survivor_lines,
)
from sparring.mutation.score import MutationScore
from sparring.mutation.suggestions import Suggestion
from sparring.reports.json_report import printed
from sparring.reports.lines import counted

app = options.application()


@app.command(name="mutate")
@options.configured("seed", "store")
async def mutate_batch(
    which: options.Batch = "latest",
    operators: Annotated[
        list[str] | None,
        typer.Option("--operators", metavar="NAME,...", help="Operators by name or class (reply, tool, flow)."),
    ] = None,
    budget: Annotated[int, typer.Option("--budget", min=1, metavar="N", help="Number of mutants.")] = 200,
    live: Annotated[Live, typer.Option("--live", help="Ask the chatbot where a mutant needs it, or never.")] = "needed",
    allow_failing: Annotated[
        bool, typer.Option("--allow-failing", help="Also mutate conversations that did not pass.")
    ] = False,
    min_score: Annotated[
        float | None,
        typer.Option("--min-score", min=0, max=1, help="Share of faults that must be noticed; exit code 1 below it."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--max-seconds", min=0, metavar="SECONDS", help="Stop after this time.")
    ] = None,
    show: Annotated[int, typer.Option("--show", min=0, metavar="N", help="Survivors to print.")] = 10,
    write_rules: Annotated[
        Path | None, typer.Option("--write-rules", metavar="DIR", help="Write the suggested rules into this folder.")
    ] = None,
    names: Annotated[bool, typer.Option("--list", help="List the operators, and what each does.")] = False,
    *,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Put faults into the conversations of a batch, and see if any check notices.

    Replies and tool calls are changed as they are recorded; the chatbot is asked only where a fault lies before its
    reply, and only if it runs in this process. Exit codes: 1 below --min-score, 4 if that cannot be told.
    """
    if names:
        say_all(operator_lines(chosen_operators(operators or ())))
        return PASSED
    plan = MutationPlan(operators or (), budget, chosen.get("seed") or 0, live, allow_failing, seconds)
    async with opened(config, which) as (batch, store):
        run: Mutation | None = None
        async for run in mutate(batch, store, config, plan):
            if len(run.results) % 100 == 0 and run.results:
                tell(f"{len(run.results):,} of {counted(len(run.planned), 'mutant')}")
    assert run is not None
    found = await suggested(run)
    files = _write(found, write_rules) if write_rules else []
    score = run.score
    if as_json:
        about: dict[str, Json] = {
            "baseline": run.batch.id,
            "seed": plan.seed,
            "chatbot": run.batch.who.chatbot,
            "controls": {"false": run.false_kills, "of": run.controls},
            "calls": {"chatbot": run.asked},
            "unasked": list(run.unasked),
            "stopped": run.stopped,
        }
        say(printed(mutation_json(score, run.results, run.planned, found, **about)))
    else:
        _print(run, score, found, show)
        say_all(f"written: {file}" for file in files)
    return _exit_code(run, score, min_score)


def _print(run: Mutation, score: MutationScore, found: list[Suggestion], show: int) -> None:
    say_all(score_lines(score))
    control = f"{run.false_kills} of {run.controls}"
    say(f"  the same conversations without a fault: {control} came out differently")
    if run.left_out:
        say(f"  left out: {counted(run.left_out, 'conversation')} that did not pass")
    if run.unasked:
        say(f"  not asked, because they need a model: {', '.join(run.unasked)}")
    if run.stopped:
        say(f"  stopped: {run.stopped}; {len(run.results):,} of {counted(len(run.planned), 'mutant')} were played")
    if any(each.killer for each in run.results):
        say("\nMutants noticed by")
        say_all(check_lines(run.results))
    alive = [each for each in run.results if each.state is State.SURVIVED and not each.cosmetic]
    if alive and show:
        say("\nNothing noticed")
        say_all(survivor_lines(run.results, most=show))
    if found:
        say("")
        say_all(suggestion_lines(found, len(alive)))


def _write(found: list[Suggestion], folder: Path) -> list[str]:
    """Write each suggested rule into a file of its own; overwrite nothing."""
    files = [folder / f"{each.rule.name}.yml" for each in found]
    if there := [str(file) for file in files if file.exists()]:
        raise InputError(f"{there[0]}: is there already", hint="name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    for file, each in zip(files, found, strict=True):
        file.write_text(yaml.safe_dump(rule_fields(each), sort_keys=False, allow_unicode=True), encoding="utf-8")
    return [str(file) for file in files]


def _exit_code(run: Mutation, score: MutationScore, min_score: float | None) -> int:
    if not score.of:
        return UNDECIDED
    if min_score is None:
        return PASSED
    if score.interval is None or score.interval.low < min_score <= score.interval.high or run.false_kills:
        return INCONCLUSIVE
    return PASSED if score.interval.low >= min_score else FAILED
