"""`sparring judge BATCH`: judge recorded conversations by another judge, rubric, or person."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.judge import judge_batch, judge_by_hand, try_canaries
from sparring.app.report import gated
from sparring.app.results import summarize
from sparring.app.rubrics import RubricSelection, asked
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.batches import exit_code_of
from sparring.cli.console import answer, unreadable, warn_given_up
from sparring.cli.process import FAILED, INTERRUPTED, PASSED, UNDECIDED, interruptible
from sparring.cli.progress import Lines
from sparring.core.batch import Batch, Decides, panel
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.core.verdict import CheckOutcome
from sparring.judges.injection_probes import canaries_json, canary_lines
from sparring.reports.json_report import run_json
from sparring.reports.rate_text import agreement_text
from sparring.reports.text import summary_text


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Judges, and what they are asked."""

    judges: Annotated[list[str] | None, typer.Option("--judge", metavar="TEXT")] = None
    rubrics: options.Rubrics = None
    judge_prompt: options.JudgePrompt = None
    again: Annotated[bool, typer.Option("--again")] = False
    times: Annotated[int, typer.Option("--repeat", min=1, metavar="N")] = 1
    decides: Annotated[Decides | None, typer.Option("--decides")] = None
    canaries: Annotated[bool, typer.Option("--canaries")] = False

    def chosen(self) -> dict[str, object]:
        """Return what is chosen of a judge, by option."""
        return {
            "--judge": self.judges,
            "--rubric": self.rubrics,
            "--judge-prompt": self.judge_prompt,
            "--again": self.again,
            "--repeat": self.times > 1,
            "--decides": self.decides,
        }


@dataclass(frozen=True, kw_only=True)
class ByHand:
    """A verdict of your own on one conversation."""

    human: Annotated[Literal["pass", "fail"] | None, typer.Option("--human")] = None
    conversation: Annotated[str, typer.Option("--conversation", metavar="ID")] = ""
    score: Annotated[int | None, typer.Option("--score")] = None
    comment: Annotated[str, typer.Option("--comment")] = ""


@options.configured("cache", "concurrency", "store")
async def judge(
    *,
    which: options.Batch = "latest",
    judging: Judging,
    hand: ByHand,
    config: AppConfig,
    chosen: options.Chosen,
    as_json: options.Json = False,
) -> int:
    """Score recorded conversations with another judge, another rubric, or by hand. Nothing is simulated.

    Exit codes: 0 all passed, 1 some failed, 2 bad input, 3 some undecided, 4 gate inconclusive, 130 interrupted.
    """
    _fitting(judging.chosen() | {"--cache": chosen["cache"]}, hand, canaries=judging.canaries)
    if hand.human:
        return await _by_hand(config, which, hand, CheckOutcome(hand.human), as_json)
    if judging.judges:
        config = config.with_players(judge=panel(*judging.judges))
    questions = asked((), judging.rubrics or (), prompt=judging.judge_prompt)
    if judging.canaries:
        return await _canaries(config, questions, as_json)
    asking = {"times": judging.times, "again": judging.again, "decides": judging.decides}
    return await _judged(config, which, questions, asking, as_json)


def _fitting(by_judge: Mapping[str, object], hand: ByHand, *, canaries: bool) -> None:
    """Raise InputError for options that do not go together."""
    by_hand = {"--conversation": hand.conversation, "--score": hand.score, "--comment": hand.comment}
    chosen = by_judge if hand.human else by_hand
    others = [name for name, value in chosen.items() if value not in (None, "", False, [])]
    if hand.human and (others or canaries):
        raise InputError(f"--human records your own verdict: {', '.join(others or ['--canaries'])} is not")
    if others:
        raise InputError(f"{', '.join(others)}: only with --human", hint="--human pass, or --human fail")
    if hand.human and not hand.conversation:
        raise InputError("--human needs one conversation", hint="--conversation ID; `sparring show BATCH` lists them")


async def _judged(
    config: AppConfig, which: str, questions: RubricSelection, asking: dict[str, Any], as_json: bool
) -> int:
    stop, listener, given_up = asyncio.Event(), Lines(), partial(warn_given_up, what="judged")
    async with opened(config, which) as (batch, store):
        judging = judge_batch(batch, store, config, questions, **asking, stop=stop, given_up=given_up)
        with ExitStack() as signals:
            async for event in judging:
                if isinstance(event, Batch):
                    batch = event
                    signals.enter_context(interruptible(stop))
                else:
                    listener(event)
        summary = await summarize(batch, store, unreadable=unreadable)
        by_gate = await gated(batch, store, config.gate)
    answer("batch", run_json(summary, by_gate), summary_text(summary, by_gate), as_json=as_json)
    return INTERRUPTED if stop.is_set() else exit_code_of(summary, by_gate)


async def _by_hand(config: AppConfig, which: str, hand: ByHand, outcome: CheckOutcome, as_json: bool) -> int:
    async with opened(config, which) as (batch, store):
        verdict = await judge_by_hand(batch, store, hand.conversation, outcome, score=hand.score, comment=hand.comment)
        summary = await summarize(batch, store, unreadable=unreadable)
    agreements: list[Json] = [each.model_dump(mode="json") for each in summary.agreements]
    body: dict[str, Json] = {"batch": batch.id, "verdict": verdict.model_dump(mode="json"), "agreements": agreements}
    line = visible(f"kept: {verdict.conversation}: {outcome}, by a human")
    answer("verdict", body, [line, *map(agreement_text, summary.agreements)], as_json=as_json)
    return PASSED


async def _canaries(config: AppConfig, questions: RubricSelection, as_json: bool) -> int:
    name, by_rubric = await try_canaries(config, questions, given_up=warn_given_up)
    lines = (line for rubric, found in by_rubric.items() for line in canary_lines(name, rubric, found))
    answer("canaries", canaries_json(name, by_rubric), lines, as_json=as_json)
    every = [canary for found in by_rubric.values() for canary in found]
    if any(canary.flipped for canary in every):
        return FAILED
    useless = any(found[0].verdict.outcome is not CheckOutcome.FAIL for found in by_rubric.values())
    return UNDECIDED if useless or any(each.verdict.outcome is CheckOutcome.ERROR for each in every) else PASSED
