"""`sparring plan SOURCE...`: what a run would do and cost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.estimate import ASSUMED, ASSUMED_RATES, Range, sizes_for
from sparring.app.plan import Planned, PlannedRole, planned
from sparring.app.plan_document import ends, plan_json
from sparring.app.rubrics import asked
from sparring.app.sources import prompt_files, valid_rules
from sparring.cli import options
from sparring.cli.console import answer
from sparring.cli.process import PASSED
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.llm.template import written
from sparring.reports.lines import counted
from sparring.scenarios import loading


@options.configured(*options.PLAYERS, "null_bots")
async def plan(
    files: Annotated[list[Path], typer.Argument(metavar="SOURCE")],
    config: AppConfig,
    rubrics: options.Rubrics = None,
    judge_prompt: options.JudgePrompt = None,
    user_prompt: options.UserPrompt = None,
    rules: options.Rules = None,
    repeat: options.Repeat = 1,
    prompts: Annotated[bool, typer.Option("--prompts")] = False,
    only: Annotated[list[str] | None, typer.Option("--case", metavar="ID")] = None,
    detect: Annotated[str, typer.Option("--detect", metavar="FALL")] = "",
    as_json: options.Json = False,
) -> int:
    """Estimate a run without sending anything: cases, players, calls, tokens and cost."""
    fall = _fall(detect) if detect else None
    loaded, wished = loading.load_with_samples(files, seed=config.seed, limits=config.case_limits)
    own = prompt_files(user_prompt, judge_prompt)
    questions = asked(loaded.cases, rubrics or (), prompt=own.judge)
    checked = valid_rules(rules or ())
    found = await planned(
        loaded, wished, questions, config, repeats=repeat, only=only or (), rules=checked, prompts=own.versions
    )
    sizes = sizes_for(fall, len(found.cases)) if fall else []
    document = plan_json(found, prompts=prompts) | ({"detect": _sizes_json(found, sizes)} if fall else {})
    lines = map(visible, [*_lines(found, prompts), *(_sizes(found, fall, sizes) if fall else ())])
    answer("plan", document, lines, as_json=as_json)
    return PASSED


def _fall(written: str) -> float:
    """Return a share from a text such as 5% or 0.05. Raise InputError for any other text."""
    number, percent, rest = written.strip().partition("%")
    try:
        fall = float(number) / (100 if percent else 1)
    except ValueError:
        fall = 0.0
    if rest or not 0 < fall < 1:
        raise InputError(f"--detect: expected a share above 0 and below 1, such as 5% or 0.05, got {written!r}")
    return fall


def _sizes_json(found: Planned, sizes: list[tuple[int, int]]) -> Json:
    return [
        {
            "cases": cases,
            "repeats": repeats,
            "conversations": cases * repeats,
            "cost": ends(found.cost_of(cases * repeats)),
        }
        for cases, repeats in sizes
    ]


def _sizes(found: Planned, fall: float, sizes: list[tuple[int, int]]) -> Iterator[str]:
    """Yield lines about the cases and repeats that detect a fall of the pass rate."""
    yield ""
    yield f"A fall of {100 * fall:g} points is told in about 4 of 5 comparisons ({ASSUMED_RATES}) by"
    for cases, repeats in sizes:
        number = cases * repeats
        dollars = _dollars(found.cost_of(number)) if found.roles else "no model called"
        yield f"  {counted(cases, 'case')} × {counted(repeats, 'repeat')}: {counted(number, 'conversation')}, {dollars}"


def _lines(found: Planned, prompts: bool) -> Iterator[str]:
    yield str(found.who)
    times = f", each {found.repeats} times" if found.repeats > 1 else ""
    yield f"{counted(len(found.cases), 'case')}{times}: {counted(found.conversations, 'conversation')}"
    yield ""
    for case in found.shown:
        yield f"  {case.id}  {_combination(case)}".rstrip()
        if prompts:
            for name, text in found.rendered_prompts(case).items():
                yield f"    {name}"
                yield from (f"      {line}".rstrip() for line in ["", *text.splitlines(), ""])
    yield ""
    if not found.roles:
        yield "Models: none called"
    for role in found.roles:
        yield f"Model of the {role.name}: {_role(role)}"
    if found.roles:
        yield f"Cost: {_dollars(found.cost).removeprefix('cost ')}"
        yield f"Assumed: {ASSUMED}"
    for note in found.notes:
        yield f"Note: {note}"
    for warning in found.warnings:
        yield f"warning: {warning}"


def _combination(case: Case) -> str:
    values = [f"{name}={written(value)}" for name, value in case.variables.items()]
    styles = [style.name for style in case.persona.styles if style.name != "default"]
    return ", ".join([*values, *([f"({', '.join(styles)})"] if styles else [])])


def _role(role: PlannedRole) -> str:
    takes = role.takes
    tokens = (
        "tokens unknown"
        if takes.input_tokens is None or takes.output_tokens is None
        else f"{_span(takes.input_tokens)} tokens in, {_span(takes.output_tokens)} out"
    )
    return f"{role.model}, {_span(takes.calls)} calls, {tokens}, {_dollars(role.cost)}"


def _dollars(cost: Range | None) -> str:
    return "cost unknown" if cost is None else f"${cost.low:,.4f} to ${cost.high:,.4f}"


def _span(range: Range) -> str:
    return f"{range.low:,.0f}" if range.low == range.high else f"{range.low:,.0f} to {range.high:,.0f}"
