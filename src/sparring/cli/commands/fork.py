"""`sparring fork BATCH CONVERSATION`: change one turn, or find the decisive turn."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import typer

from sparring.app.config import AppConfig
from sparring.app.fork import ForkOptions, ForkResult, FoundTurn, ReplayCounts, find_turn, fork_conversation
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer
from sparring.cli.process import PASSED, UNDECIDED
from sparring.core.case import InjectTool
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.mutation.forking import TurnChange, turns_of
from sparring.reports.rate_text import p_text, signed
from sparring.reports.transcript import transcript

_RUNS, _PROBES = 10, 40


@dataclass(frozen=True, kw_only=True)
class ChangeOptions:
    """The turn to change, and how; or the search for the decisive one."""

    at: Annotated[int | None, typer.Option("--at", min=1, metavar="N")] = None
    line: Annotated[str | None, typer.Option("--say", metavar="TEXT")] = None
    reply: Annotated[str | None, typer.Option("--reply", metavar="TEXT")] = None
    tool_result: Annotated[str | None, typer.Option("--tool-result", metavar="TOOL=JSON")] = None
    skip: Annotated[bool, typer.Option("--skip")] = False
    find: Annotated[bool, typer.Option("--find")] = False

    def turn_change(self) -> TurnChange | None:
        """Return the change, or None with --find. Raise InputError for options that do not go together."""
        changes = {"--say": self.line, "--reply": self.reply, "--tool-result": self.tool_result, "--skip": self.skip}
        given = [name for name, value in {"--at": self.at, **changes}.items() if value not in (None, False)]
        if self.find:
            if given:
                raise InputError(f"--find changes nothing: leave {given[0]} out")
            return None
        if len({*given} - {"--at"}) != 1:
            raise InputError("one change is needed", hint="--say, --reply, --tool-result or --skip; or --find")
        if self.at is None:
            raise InputError("the turn to change is missing", hint="--at 2")
        tool = None
        if self.tool_result is not None:
            name, _, text = self.tool_result.partition("=")
            try:
                tool = InjectTool(name=name.strip(), result=json.loads(text), mode="stub")
            except ValueError:
                hint = """--tool-result 'price={"total": 12}'"""
                raise InputError(f"--tool-result: expected TOOL=JSON, got {self.tool_result!r}", hint=hint) from None
        return TurnChange(self.at, self.line, self.reply, tool, self.skip)


@dataclass(frozen=True, kw_only=True)
class ReplayOptions:
    """What to count, and over how many replays."""

    check: Annotated[str, typer.Option("--check", metavar="NAME")] = ""
    runs: Annotated[int | None, typer.Option("--runs", min=1, metavar="N")] = None
    allow_side_effects: options.SideEffects = False


@options.configured("store")
async def fork_batch(
    *,
    which: options.Batch,
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")],
    wanted: ChangeOptions,
    replays: ReplayOptions,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Replay a conversation up to a turn, change that turn, and compare how often it fails.

    The unchanged conversation is replayed equally often. --find looks for the turn after which every continuation
    fails. Exit code: 3 if the replays do not decide.
    """
    change = wanted.turn_change()
    runs = replays.runs or (_RUNS if change else _PROBES)
    chosen = ForkOptions(replays.check, runs, side_effects=replays.allow_side_effects)
    async with opened(config, which) as (batch, store):
        if change is None:
            found = await find_turn(batch, store, config, id, chosen)
            answer("deciding_turn", _found_json(found), _found_lines(found), as_json=as_json)
            return PASSED if found.found else UNDECIDED
        forked = await fork_conversation(batch, store, config, id, change, chosen)
    answer("fork", {"conversation": id, **_json(forked, change)}, _lines(forked, change, id), as_json=as_json)
    return PASSED if forked.changed.of and forked.recorded.of else UNDECIDED


def _json(found: ForkResult, change: TurnChange) -> dict[str, Json]:
    value, low, high = found.difference
    tool = None if change.tool is None else {"name": change.tool.name, "result": change.tool.result}
    return {
        "at": change.at,
        "say": change.say,
        "reply": change.reply,
        "tool": tool,
        "skip": change.skip,
        "check": found.check,
        "restored": found.restored,
        "changed": _counts(found.changed),
        "recorded": _counts(found.recorded),
        "difference": {"value": value, "low": low, "high": high, "p": found.p},
    }


def _counts(replays: ReplayCounts) -> dict[str, Json]:
    return {
        "failed": replays.failed,
        "of": replays.of,
        "undecided": replays.undecided,
        "drifted": {str(turn): count for turn, count in sorted(replays.drifted.items())},
        "reasons": dict(replays.reasons),
    }


def _lines(found: ForkResult, change: TurnChange, id: str) -> Iterator[str]:
    asked = f" of {visible(found.check)}" if found.check else ""
    yield f"{visible(id)}, turn {change.at}: {_said(change)}"
    for name, replays in (("as recorded", found.recorded), ("changed", found.changed)):
        void = f", {replays.undecided} undecided" if replays.undecided else ""
        yield f"  {name:<12} {replays.failed} of {replays.of} failed{asked}{void}"
    value, low, high = found.difference
    if found.changed.of and found.recorded.of:
        yield f"  difference   {signed(value)} points [{signed(low)}, {signed(high)}], {p_text(found.p)} (Fisher)"
    for reason, count in found.changed.reasons.most_common(3):
        yield f"  {count} × {visible(reason)}"
    if drifted := found.changed.drifted + found.recorded.drifted:
        first = min(drifted)
        yield f"  {drifted.total()} replays had another reply than recorded before the change, first in turn {first}"
    if change.reply is not None and not found.restored:
        yield "  the chatbot does not know about the reply, because it takes no history"
    if found.changed.shown is not None:
        yield ""
        yield from transcript(found.changed.shown)


def _said(change: TurnChange) -> str:
    if change.say is not None:
        return f"the user says {_quoted(change.say)}"
    if change.reply is not None:
        return f"the chatbot replies {_quoted(change.reply)}"
    return "left out" if change.tool is None else f"{visible(change.tool.name)} returns another result"


def _quoted(text: str) -> str:
    """Return a text in one line and in quotes."""
    return f'"{visible(text)}"'


def _found_json(found: FoundTurn) -> dict[str, Json]:
    decided = found.found
    return {
        "conversation": found.conversation.id,
        "check": found.check,
        "turn": decided.turn if decided else None,
        "probability": decided.probability if decided else None,
        "among": list(decided.among) if decided else [],
        "by": found.by,
        "deterministic": found.repeats_itself,
        "runs": found.runs,
        "evidence": found.evidence,
    }


def _found_lines(found: FoundTurn) -> Iterator[str]:
    decided, check = found.found, visible(found.check)
    if decided is None:
        yield f"{check}: not reproduced in {found.runs} replays"
        return
    varied = "however the user words it" if found.by == "wordings" else "whichever recorded lines follow"
    if not decided.turn:
        yield f"{check} fails from the start, {varied}: `sparring shrink` finds what it needs"
    else:
        yield f"turn {decided.turn} decides: {check} fails after it, {varied}, and can pass before it"
    if not found.repeats_itself:
        among = ", ".join(map(str, decided.among))
        yield f"  the chatbot is random: {decided.probability:.0%} sure; 90 % sure that it is among {among}"
    yield f"  {found.runs} replays"
    if decided.turn:
        turn = turns_of(found.conversation)[decided.turn - 1]
        yield f"  [{turn.at - 1}] user: {_quoted(turn.said.text)}"
        yield f"  [{turn.at}] chatbot: {_quoted(turn.reply.text)}"
    if found.evidence is not None:
        said = found.conversation.messages[found.evidence]
        yield f"  the failure first shows in [{found.evidence}] {said.role}: {_quoted(said.text)}"
