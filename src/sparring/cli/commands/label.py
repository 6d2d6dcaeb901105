"""`sparring label BATCH`: label conversations by hand, blind or one by one.

`sparring calibrate BATCH`: compare a judge with the blind labels of people.
"""

import csv
import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import click
import typer

from sparring.app.audit import agreement_on_blame
from sparring.app.calibrate import calibrate
from sparring.app.config import AppConfig
from sparring.app.label import (
    COLUMNS,
    Label,
    Opinion,
    label,
    label_queue,
    labels,
    labels_of,
    read_labels,
)
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer, notify, warn_given_up
from sparring.cli.process import PASSED, UNDECIDED
from sparring.core.audit import Blame
from sparring.core.batch import Batch, panel
from sparring.core.checks import Scale
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.calibration_text import blame_agreement_text, calibration_text
from sparring.reports.lines import counted
from sparring.store.store import Store


@dataclass(frozen=True, kw_only=True)
class Labeled:
    """A label to record for one conversation."""

    conversation: Annotated[str, typer.Option("--conversation", metavar="ID")] = ""
    outcome: Annotated[Opinion | None, typer.Option("--outcome")] = None
    blame: Annotated[Blame | None, typer.Option("--blame")] = None
    turn: Annotated[int | None, typer.Option("--turn", min=1)] = None
    score: Annotated[int | None, typer.Option("--score")] = None
    reason: Annotated[str, typer.Option("--reason")] = ""
    who: Annotated[str, typer.Option("--who")] = ""
    seen: Annotated[bool, typer.Option("--seen")] = False

    def labels(self, *, drawn: bool) -> list[Label]:
        """Return the label, if there is one. Raise InputError if it is incomplete."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in ("blame", "turn", "score", "reason", "who")}
        if self.conversation and self.outcome:
            return [Label(conversation=self.conversation, outcome=self.outcome, blind=not self.seen, **fields)]
        written = self.seen or any(each not in (None, "") for each in fields.values())
        if self.conversation or self.outcome or (written and not drawn):
            hint = f"--conversation ID --outcome {'|'.join(get_args(Opinion))}"
            raise InputError("a label needs a conversation and an outcome", hint=hint)
        return []


@dataclass(frozen=True, kw_only=True)
class Queue:
    """Conversations to label one after the other, or labels in a file."""

    sample: Annotated[int | None, typer.Option("--sample", min=2, metavar="N")] = None
    seed: Annotated[int, typer.Option("--seed", min=0)] = 1
    file: Annotated[Path | None, typer.Option("--file", metavar="CSV")] = None


@options.configured("store")
async def label_command(
    *,
    which: options.Batch = "latest",
    given: Labeled,
    queue: Queue,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Label conversations by hand, one by one or in a queue; without options, print labels as CSV."""
    if queue.sample and (given.conversation or given.outcome or queue.file or as_json):
        raise InputError("--sample asks for labels: leave out --conversation, --outcome, --file and --json")
    new = given.labels(drawn=bool(queue.sample)) + (read_labels(queue.file) if queue.file else [])
    async with opened(config, which) as (batch, store):
        if queue.sample:
            await label_drawn(batch, store, queue.sample, queue.seed, given.who)
        await label(batch, store, new, SystemClock().now())
        kept = await labels_of(batch, store)
        agreement = await agreement_on_blame(batch, store) if new or as_json else ()
    body: dict[str, Json] = {
        "batch": batch.id,
        "labels": [each.model_dump(mode="json") for each in kept],
        "agreement": [each.model_dump(mode="json") for each in agreement],
    }
    lines = [f"kept {counted(len(new), 'label')}", *blame_agreement_text(agreement)] if new else _csv(kept)
    answer("labels", body, lines, as_json=as_json)
    return PASSED


async def label_drawn(batch: Batch, store: Store, sample: int, seed: int, who: str) -> None:
    """Ask for labels of sampled conversations that this person has not labeled; each is stored at once."""
    queue = await label_queue(batch, store, sample=sample, seed=seed)
    done = {each.conversation async for each in labels(batch, store) if each.who == who}
    rubrics, keys, at = batch.rubrics, Keys(_key, notify), 0
    left = [id for id in queue if id not in done]
    while 0 <= at < len(left):
        conversation = await store.conversation(batch.id, left[at])
        for line in shown(conversation, f"{at + 1} of {len(left)}, {len(done)} labelled before"):
            notify(line)
        given = asked(conversation, keys, rubrics[0].scale if rubrics else Scale(), who)
        if given == "q":
            break
        if isinstance(given, Label):
            await label(batch, store, [given], SystemClock().now(), queue)
        at = max(0, at + (-1 if given == "k" else 1))


def _key() -> str:
    """Return the next key; of a pipe, the next character."""
    return click.getchar() if sys.stdin.isatty() else sys.stdin.read(1)


def _csv(kept: list[Label]) -> list[str]:
    """Return labels as the lines of a CSV file that `--file` reads."""
    stream = io.StringIO()
    table = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows(each.model_dump(mode="json") for each in kept)
    return stream.getvalue().splitlines()


_OPINIONS: dict[str, Opinion] = {"1": "passed", "2": "failed", "3": "undecided"}
_BLAMES = {"c": Blame.CHATBOT, "u": Blame.USER, "a": Blame.CASE, "i": Blame.INFRASTRUCTURE}
_MOVES = ("j", "k", "q")
_ENTER = ("\r", "\n", "")


@dataclass(frozen=True)
class Keys:
    """Reads keys and writes texts."""

    read: Callable[[], str]
    notify: Callable[[str], None]

    def choose(self, question: str, known: tuple[str, ...]) -> str:
        """Ask until a known key is pressed; the end of the input is `q`."""
        self.notify(question)
        while (key := self.read()) not in known:
            if not key:
                return "q" if "q" in known else ""
        return key

    def number(self, question: str, most: int) -> int | None:
        """Ask for a number up to `most`, ended by Enter; None without one."""
        self.notify(question)
        typed = ""
        while (key := self.read()) not in _ENTER:
            typed = typed[:-1] if key in "\x7f\b" else typed + key if key.isdecimal() else typed
        return int(typed) if typed and 1 <= int(typed) <= most else None


def shown(conversation: Conversation, place: str) -> Iterator[str]:
    """Yield a conversation without its outcome."""
    yield f"\n--- {place} ---"
    yield from (visible(f"wanted: {goal.text}") for goal in conversation.case.goals)
    for at, message in enumerate(conversation.messages):
        turn = conversation.turn_of(at)
        yield visible(f"{f'[{turn}] ' if turn else ''}{message.role}: {message.text}")


def asked(conversation: Conversation, keys: Keys, scale: Scale, who: str) -> Label | str:
    """Ask for the label of a conversation, or return a move: `j` next, `k` back, or `q` quit."""
    key = keys.choose("1 passed  2 failed  3 cannot tell  j next  k back  q quit", (*_OPINIONS, *_MOVES))
    if key in _MOVES:
        return key
    outcome, blame, turn = _OPINIONS[key], None, None
    score = keys.number(f"score {scale}, Enter for none:", scale.best) if outcome != "undecided" else None
    if outcome != "passed":
        pressed = keys.choose("blame: c chatbot  u user  a case  i infrastructure  Enter none", (*_BLAMES, "\r", "\n"))
        blame = _BLAMES.get(pressed)
        turn = keys.number(f"turn 1 to {conversation.turns}, Enter for none:", conversation.turns) if blame else None
    return Label(conversation=conversation.id, outcome=outcome, score=score, blame=blame, turn=turn, who=who)


@options.configured("cache", "concurrency", "store")
async def calibrate_command(
    which: options.Batch = "latest",
    judges: Annotated[list[str] | None, typer.Option("--judge", metavar="TEXT")] = None,
    rubric: Annotated[str, typer.Option("--rubric", metavar="NAME")] = "",
    probe: Annotated[int, typer.Option("--probe", metavar="N", min=0, max=1000)] = 0,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Compare a judge with blind labels: its errors, and the pass rate and mean score corrected for them."""
    async with opened(config, which) as (batch, store):
        found = await calibrate(
            batch,
            store,
            config,
            SystemClock().now(),
            judge=panel(*(judges or ())),
            rubric=rubric,
            probe=probe,
            given_up=warn_given_up,
        )
    answer("calibration", {"calibration": found.model_dump(mode="json")}, calibration_text(found), as_json=as_json)
    return UNDECIDED if found.refused else PASSED
