"""`sparring shrink BATCH CONVERSATION`: the smallest scenario that still fails.

`sparring promote BATCH CONVERSATION`: a recorded conversation as a scenario.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.promote import Promoted, PromoteOptions, promote_stored, verdicts_of
from sparring.app.shrink import REPLAYS, Shrinking, ShrinkOptions, shrink_conversation
from sparring.app.sources import valid_rules
from sparring.cli import options
from sparring.cli.arguments import new_scenario_file, opened
from sparring.cli.console import answer, notify
from sparring.cli.process import FAILED, PASSED, UNDECIDED
from sparring.core.batch import Batch
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.transcript import transcript
from sparring.store.store import Store


@dataclass(frozen=True, kw_only=True)
class ShrinkChoices:
    """The failure to keep, and what to spend on it."""

    check: Annotated[str, typer.Option("--check", metavar="NAME")] = ""
    runs: Annotated[int | None, typer.Option("--runs", min=1, metavar="N")] = None
    write: Annotated[Path | None, typer.Option("--write", metavar="FILE.yml")] = None
    allow_side_effects: options.SideEffects = False


@options.configured("store")
async def shrink_batch(
    *,
    which: options.Batch,
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")],
    shrinking: ShrinkChoices,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Remove everything from a failing scenario that the failure does not need.

    The scenario is replayed without some of its goals, variables, facts and sentences, or the recorded lines without
    some of them. Cases that violate a rule over several conversations are reduced together; the rule stays in its file.
    Exit code: 3 if the failure does not come back.
    """
    write = shrinking.write
    if write:
        new_scenario_file(write)
    name = write.name if write else "shrunk.yml"
    asked = ShrinkOptions(shrinking.check, shrinking.runs, name, side_effects=shrinking.allow_side_effects)
    async with opened(config, which) as (batch, store):
        found = await shrink_conversation(batch, store, config, id, asked)
    if write and found.text:
        how = " (run with --rules)" if len(found.conversations) > 1 else ""
        about = f"# {visible(id)} of {batch.id} failed {visible(found.check)}{how}\n"
        write.write_text(about + found.text, encoding="utf-8")
    answer("shrunk", _json(found, write), _lines(found, write), as_json=as_json)
    return PASSED if found.text else UNDECIDED


def _json(found: Shrinking, write: Path | None) -> dict[str, Json]:
    return {
        "check": found.check,
        "replays": {"failed": found.failed, "of": REPLAYS},
        "p": found.share,
        "from": dict(found.before),
        "to": dict(found.after),
        "runs": found.runs,
        "minimal": found.minimal,
        "also": list(found.also),
        "scenario": found.text,
        "written": str(write) if write and found.text else "",
    }


def _lines(found: Shrinking, write: Path | None) -> Iterator[str]:
    if not found.text:
        outcome = "failed only sometimes" if found.failed else "not reproduced"
        yield f"{visible(found.check)}: {outcome} ({found.failed} of {REPLAYS})"
        return
    sizes = [f"{was} to {found.after.get(key, 0)} {key}" for key, was in found.before.items()]
    often = "" if found.share == 1 else f" in about {found.share:.0%} of replays"
    yield f"{visible(found.check)} still fails{often}: {', '.join(sizes)}"
    least = "nothing more can be left out" if found.minimal else "--runs is used up: there may be less"
    yield f"  {found.runs} replays; {least}"
    if found.also:
        yield f"  also failed on the way: {visible(', '.join(found.also))}"
    for each in found.conversations:
        yield ""
        yield from transcript(each)
    yield ""
    yield from [f"written: {write}"] if write else found.text.splitlines()


@options.configured("store")
async def promote_conversation(
    which: options.Batch,
    id: Annotated[str, typer.Argument(metavar="CONVERSATION")],
    at: Annotated[int | None, typer.Option("--at", min=1, metavar="N")] = None,
    user: Annotated[Literal["script", "goals"], typer.Option("--user")] = "script",
    write: Annotated[Path | None, typer.Option("--write", metavar="FILE.yml")] = None,
    live_tools: Annotated[bool, typer.Option("--live-tools")] = False,
    keep_values: Annotated[bool, typer.Option("--keep-values")] = False,
    verify: Annotated[bool, typer.Option("--verify")] = False,
    rules: options.Rules = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Turn a recorded conversation into a scenario, and replace personal data.

    Messages before N become the history, results of tools become stubs, and rules that failed become expectations.
    """
    if write:
        new_scenario_file(write)
    async with opened(config, which) as (batch, store):
        chosen = PromoteOptions(at, user, live_tools, keep_values, valid_rules(rules or ()))
        made = await promote_stored(batch, store, id, chosen)
        differs = await _difference(made, batch, store, id, chosen) if verify else ""
    if write:
        write.parent.mkdir(parents=True, exist_ok=True)
        write.write_text(made.text, encoding="utf-8")
    for note in made.notes:
        notify(f"note: {visible(note)}")
    lines = [f"written: {write}"] if write else made.text.splitlines()
    answer("promoted", made.document(str(write) if write else ""), lines, as_json=as_json)
    if verify:
        notify(f"differs from what was recorded: {visible(differs)}" if differs else "verified: it runs as recorded")
    return FAILED if differs else PASSED


async def _difference(made: Promoted, batch: Batch, store: Store, id: str, chosen: PromoteOptions) -> str:
    """Return how a scenario, run with the recorded replies, differs from its conversation."""
    if chosen.user == "goals":
        raise InputError("--verify repeats recorded messages", hint="leave --user goals out")
    from sparring.app.promote_verify import difference

    conversation = await store.conversation(batch.id, id)
    return await difference(made, batch, conversation, await verdicts_of(batch, store, conversation, chosen))
