"""`sparring mutate BATCH|SOURCE...`: do the checks notice faults of the chatbot?"""

import os
import sys
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
import yaml

from sparring.app.config import AppConfig
from sparring.app.discrimination import try_cases
from sparring.app.mutate import (
    Mutation,
    MutationEstimate,
    MutationLimits,
    estimate,
    mutate,
    new_run,
    suggested,
)
from sparring.app.sources import plan_batch, valid_rules
from sparring.app.stores import open_store
from sparring.cli import options
from sparring.cli.arguments import batch_called
from sparring.cli.batches import CommandOptions, play
from sparring.cli.console import answer, notify, say, say_all
from sparring.cli.outputs import add_job_summary, write_text
from sparring.cli.process import FAILED, INCONCLUSIVE, PASSED, UNDECIDED
from sparring.cli.progress import watch
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.errors import InputError
from sparring.core.mutation import Live, MutationRun
from sparring.core.value import Json
from sparring.mutation.operators import chosen_operators
from sparring.mutation.report_files import MutationReport, annotations, html, junit, markdown
from sparring.mutation.result_text import (
    check_lines,
    mutation_json,
    operator_json,
    operator_lines,
    pair_lines,
    result_json,
    rule_fields,
    score_lines,
    suggestion_lines,
    survivor_lines,
)
from sparring.mutation.run import accepted_in
from sparring.mutation.score import MutationScore
from sparring.mutation.suggestions import Suggestion
from sparring.reports.json_report import printed
from sparring.reports.lines import counted
from sparring.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Mutants:
    """Faults to try, and how far to go."""

    operators: Annotated[list[str] | None, typer.Option("--operators", metavar="NAME,...")] = None
    budget: Annotated[int, typer.Option("--budget", min=1, metavar="N")] = 200
    order: Annotated[int, typer.Option("--order", min=1, max=2, metavar="N")] = 1
    live: Annotated[Live | None, typer.Option("--live")] = None
    confirm: Annotated[int, typer.Option("--confirm", min=2, metavar="N")] = 3
    allow_side_effects: Annotated[bool, typer.Option("--allow-side-effects")] = False
    allow_failing: Annotated[bool, typer.Option("--allow-failing")] = False
    accept: Annotated[Path | None, typer.Option("--accept", metavar="FILE")] = None
    min_score: Annotated[float | None, typer.Option("--min-score", min=0, max=1)] = None
    resumed: Annotated[str, typer.Option("--resume", metavar="ID")] = ""
    rules: options.Rules = None

    def limits(self, seconds: float | None, cost: float | None) -> MutationLimits:
        """Return the limits of a run of this time and cost. Raise InputError for rules with problems."""
        rules = valid_rules(self.rules or ())
        accepted = accepted_in(self.accept)
        return MutationLimits(seconds, cost, side_effects=self.allow_side_effects, accepted=accepted, rules=rules)

    def run(self, batch: Batch, seed: int) -> MutationRun:
        """Return a new run over a batch."""
        choices = {"operators": tuple(self.operators or ()), "budget": self.budget, "seed": seed, "order": self.order}
        return new_run(batch, self.live, **choices, confirm=self.confirm, allow_failing=self.allow_failing)


@dataclass(frozen=True, kw_only=True)
class MutationFiles:
    """What to print, and which files to write."""

    show: Annotated[int, typer.Option("--show", min=0, metavar="N")] = 10
    write_rules: Annotated[Path | None, typer.Option("--write-rules", metavar="DIR")] = None
    junit_file: options.Junit = None
    html_file: Annotated[Path | None, typer.Option("--html", metavar="FILE")] = None
    github: options.Github = False


@options.configured(*options.PLAYERS, "max_cost", "max_seconds", "store")
async def mutate_batch(
    *,
    which: Annotated[list[str] | None, typer.Argument(metavar="BATCH|SOURCE")] = None,
    mutants: Mutants,
    files: MutationFiles,
    null: Annotated[bool, typer.Option("--null")] = False,
    names: Annotated[bool, typer.Option("--list")] = False,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Put faults into the conversations of a batch and see if any check notices.

    Recorded replies and tool calls are changed; the chatbot is called only for faults before its reply. Exit codes: 1
    below --min-score, 3 if nothing could be decided, 4 if the score is inconclusive.
    """
    if names:
        operators = chosen_operators(mutants.operators or ())
        body: dict[str, Json] = {"operators": [operator_json(each) for each in operators]}
        answer("operators", body, operator_lines(operators), as_json=as_json)
        return PASSED
    limits = mutants.limits(config.budget.seconds, chosen.get("max_cost"))
    sources = _sources(which or ())
    if null and sources:
        planned = await plan_batch(sources, config, rules=limits.rules)
        return await _null(planned.cases, planned.choice.judge, planned.rules, as_json=as_json)
    async with open_store(config, must_exist=not sources) as store:
        if mutants.resumed:
            run = await store.mutation(mutants.resumed)
            batch = await batch_called(run.batch, store)
        else:
            batch = await _baseline(sources, (which or ["latest"])[0], store, config, limits.rules)
            run = mutants.run(batch, chosen.get("seed") or 0)
        if null:
            return await _null(batch.cases, batch.who.judge, (*batch.rules, *limits.rules), as_json=as_json)
        found = await _played(run, batch, store, config, limits)
    return await _report(found, limits, mutants.min_score, files, as_json=as_json)


async def _report(
    found: Mutation, limits: MutationLimits, min_score: float | None, files: MutationFiles, *, as_json: bool
) -> int:
    """Print the result, write the files, and return the exit code."""
    suggestions, batch = await suggested(found), found.batch
    report = MutationReport(batch.name or batch.id, found.score, found.results, suggestions)
    written = _write(suggestions, files.write_rules) if files.write_rules else []
    if files.junit_file is not None:
        write_text(junit(report), files.junit_file)
    if files.html_file is not None:
        write_text(html(report), files.html_file)
    if as_json:
        say(printed(mutation_json(report.score, found.results, found.planned, suggestions, **_about(found))))
    else:
        _print(found, report.score, suggestions, files.show)
        say_all(f"written: {file}" for file in written)
        for unused in limits.accepted.unused(found.results):
            notify(f"warning: --accept: no survivor is {unused}")
    if files.github:
        add_job_summary(markdown(report), os.environ.get("GITHUB_STEP_SUMMARY"))
        say_all(annotations(report))
    return _exit_code(found, report.score, min_score)


def _sources(which: Sequence[str]) -> list[Path]:
    """Return the files and folders that are named; none if a batch is."""
    files = [Path(each) for each in which]
    found = [each.exists() for each in files]
    if len(files) > 1 and not all(found):
        missing = files[found.index(False)]
        raise InputError(f"{missing}: there is no such file", hint="name one batch, or files with scenarios")
    return files if all(found) else []


async def _baseline(sources: list[Path], which: str, store: Store, config: AppConfig, rules: tuple[Rule, ...]) -> Batch:
    """Return the batch that is named, or run scenarios."""
    if not sources:
        return await batch_called(which, store)
    plan = await plan_batch(sources, config, rules=rules)
    with redirect_stdout(sys.stderr), watch(stream=False) as listener:
        played = await play(plan, CommandOptions(config), listener)
    return await store.batch(played.summary.batch)


async def _played(run: MutationRun, batch: Batch, store: Store, config: AppConfig, limits: MutationLimits) -> Mutation:
    found: Mutation | None = None
    async for found in mutate(run, batch, store, config, limits):
        if not found.results and not found.stopped and found.live is not None:
            notify(_estimated(found))
        elif 0 < len(found.results) < len(found.planned) and len(found.results) % 100 == 0:
            notify(f"{len(found.results):,} of {counted(len(found.planned), 'mutant')}")
    assert found is not None
    return found


def _estimated(found: Mutation) -> str:
    likely, most = estimate(found)
    free = len(found.planned) - len(found.asking)
    live = f"{len(found.asking):,} ask the chatbot for ≈ {_price(likely)}"
    return (
        f"{counted(len(found.planned), 'mutant')}: {free:,} free, {live}; at most {_price(most)} (run {found.run.id})"
    )


def _price(asked: MutationEstimate) -> str:
    cost = "at an unknown price" if asked.cost is None else f"${asked.cost:,.2f}"
    return f"{asked.replies:,} replies, {cost}"


async def _null(cases: Sequence[Case], judge: str, rules: Sequence[Rule], *, as_json: bool) -> int:
    """Print the cases that a useless chatbot passes."""
    trials = await try_cases(cases, judge, rules)
    weak = {case: found for found, ids in trials.weak.items() for case in ids}
    lines = [f"{len(weak):,} of {counted(len(trials.tried), 'case')} could not fail a useless chatbot"]
    lines += [f"  {each}" for each in (*trials.warnings, *trials.notes)]
    nulls: list[Json] = [{"case": case, "passed_by": list(each.passed_by)} for case, each in weak.items()]
    answer("null_bots", {"cases": trials.cases, "tried": len(trials.tried), "weak": nulls}, lines, as_json=as_json)
    return FAILED if weak else PASSED


def _about(found: Mutation) -> dict[str, Json]:
    live = found.live
    return {
        "id": found.run.id,
        "baseline": found.batch.id,
        "seed": found.run.seed,
        "chatbot": found.batch.who.chatbot,
        "deterministic": None if live is None else not live.random,
        "controls": {"false": found.false_kills, "of": found.controls},
        "aa": {"runs": found.run.confirm, "flaky": list(live.flaky) if live else []},
        "calls": {"conversations": live.asked if live else 0, "cost": live.cost if live else 0.0},
        "unasked": list(found.unasked),
        "pairs": [result_json(each) for each in found.pairs],
        "stopped": found.stopped,
    }


def _print(run: Mutation, score: MutationScore, found: list[Suggestion], show: int) -> None:
    say_all(score_lines(score))
    control = f"{run.false_kills} of {run.controls}"
    say(f"  the same conversations without a fault: {control} came out differently")
    if run.left_out:
        say(f"  left out: {counted(run.left_out, 'conversation')} that did not pass")
    if run.live is not None and run.live.random:
        flaky = f"; checks that fail too often to count: {', '.join(run.live.flaky)}" if run.live.flaky else ""
        say(f"  the chatbot is random: a check counts if it fails in several conversations{flaky}")
    if run.unasked:
        say(f"  not asked, because they need a model: {', '.join(run.unasked)}")
    if run.stopped:
        played = f"{len(run.results):,} of {counted(len(run.planned), 'mutant')} were played"
        say(f"  stopped: {run.stopped}; {played}; go on: --resume {run.run.id}")
    if any(each.killer for each in run.results):
        say("\nMutants noticed by")
        say_all(check_lines(run.results))
    say_all(pair_lines(run.pairs, show))
    alive = [each for each in run.results if each.alive]
    if alive and show:
        say("\nNothing noticed")
        say_all(survivor_lines(run.results, most=show))
    if found:
        say("")
        say_all(suggestion_lines(found, len(alive), len(run.apart)))


def _write(found: list[Suggestion], folder: Path) -> list[str]:
    """Write each suggested rule into a file of its own; overwrite nothing."""
    files = [folder / f"{each.rule.name}.yml" for each in found]
    if there := [str(file) for file in files if file.exists()]:
        raise InputError(f"{there[0]}: already exists", hint="name another folder")
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
