"""Listeners that show the progress of a run on stderr."""

import json
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING, Literal, Protocol

from sparring.cli.color import painted
from sparring.cli.console import notify, terminal
from sparring.core.clock import in_seconds
from sparring.core.conversation import Conversation
from sparring.core.events import (
    BatchStarted,
    CallRetried,
    ConversationEnded,
    ConversationStarted,
    Event,
    MessageSaid,
    ModelPaused,
    VerdictGiven,
)
from sparring.core.listing import RowTotals
from sparring.core.outcome import Outcome
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.core.verdict import CHECKLIST
from sparring.reports.causes import title
from sparring.reports.lines import counted
from sparring.reports.transcript import message_lines, verdict_line
from sparring.store.derived import Listing

if TYPE_CHECKING:
    from rich.progress import Progress as BarOnScreen
    from rich.progress import TaskID

ProgressMode = Literal["bar", "plain", "json", "none"]

_FEW = 15
"""Most conversations that get a line each if there is no bar."""

_NEWEST = 200
_MOST_CAUSES = 2
_SECOND = 1.0
_SIGNS = {"passed": "✓", "failed": "✗", "undecided": "?", "void": "–"}


class Watching(Protocol):
    """A listener for all events of a run. `refresh` follows each of them, with the store."""

    def __call__(self, event: Event) -> None: ...

    async def refresh(self, store: Listing) -> None: ...


def watch(*, stream: bool, mode: ProgressMode | None = None) -> AbstractContextManager[Watching]:
    """Return the listener: a transcript of one conversation, or progress in a mode."""
    if stream:
        return nullcontext(Stream())
    if mode is None:
        mode = "bar" if terminal() else "plain"
    if mode == "bar":
        return _bar()
    return nullcontext(Silent() if mode == "none" else Lines(as_json=mode == "json"))


class Silent:
    """A listener that shows nothing."""

    def __call__(self, event: Event) -> None:
        """Receive an event."""

    async def refresh(self, store: Listing) -> None:
        """Show nothing."""


class RunProgress(Silent):
    """Counts of a run: conversations by outcome, the rate per minute, and the time left."""

    def __init__(self) -> None:
        self.planned = 0
        self._reported = self._before = self._again = 0
        self._began = monotonic()
        self._looked = False
        self._batch = ""
        self._causes: set[str] = set()
        self._totals = RowTotals()

    def __call__(self, event: Event) -> None:
        match event:
            case BatchStarted():
                self._batch, self.planned = event.batch.id, event.batch.planned
                self._reported = self._before = event.stored - event.again
                self._again = event.again
                self._began = monotonic()
            case ConversationEnded():
                self._reported += 1

    @property
    def ended(self) -> int:
        """Conversations that ended. They are stored in groups, and reported one by one a little later."""
        return max(self._reported, self._totals.conversations - self._again)

    async def read(self, store: Listing) -> list[str]:
        """Read the outcomes so far, and return a line for each new cause among the newest conversations."""
        self._totals, lines = await store.totals(self._batch), list[str]()
        if not self._looked:  # workers may have stored conversations whose end they have not told yet
            self._looked, self._before, self._began = True, self.ended, monotonic()
        for row in reversed(await store.newest(self._batch, limit=_NEWEST)):
            cause = row.decision.cause
            if cause is not None and row.outcome is Outcome.FAILED and cause.id not in self._causes:
                self._causes.add(cause.id)
                lines.append(visible(f"✗ {title(cause, {})} ({row.conversation})"))
        return lines

    def facts(self) -> dict[str, Json]:
        """Return the counts, the rate, the seconds left and the known cost; null where nothing is known."""
        done, minutes = self.ended - self._before, (monotonic() - self._began) / 60
        rate = done / minutes if done and minutes > 0 else None
        return {
            "done": self.ended,
            "planned": self.planned,
            **{outcome.value: self._totals.outcomes.get(outcome, 0) for outcome in Outcome},
            "per_minute": None if rate is None else round(rate),
            "seconds_left": None if rate is None else round(60 * (self.planned - self.ended) / rate),
            "cost": self._totals.cost or None,
        }

    def line(self) -> str:
        """Return the counts in one line."""
        facts = self.facts()
        parts = [f"{self.ended:,}/{self.planned:,}"]
        parts += [f"{sign} {facts[name]:,}" for name, sign in _SIGNS.items() if facts[name]]
        if facts["per_minute"] is not None:
            parts += [f"{facts['per_minute']:,}/min", f"{facts['seconds_left']:,} s left"]
        return "  ".join([*parts, *([f"${self._totals.cost:,.2f}"] if self._totals.cost else [])])


class Lines(RunProgress):
    """Lines for logs and pipes: one for each of a few conversations, or one for each tenth of many."""

    def __init__(self, *, as_json: bool = False) -> None:
        super().__init__()
        self._as_json = as_json
        self._tenths = -1

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        each = self.planned <= _FEW and not self._as_json
        match event:
            case ConversationEnded() if each:
                notify(f"[{self.ended}/{self.planned}] {_in_short(event.conversation)}")
            case VerdictGiven() if each and event.verdict.judge != CHECKLIST:
                notify(f"  {verdict_line(event.verdict, of=True)}")
            case ModelPaused() if not self._as_json:
                notify(_pause(event))

    async def refresh(self, store: Listing) -> None:
        """Print the counts, with causes that are new, after each tenth."""
        tenths = 10 * self.ended // max(1, self.planned)
        if tenths <= self._tenths or (self.planned <= _FEW and not self._as_json):
            return
        self._tenths = tenths
        causes = await self.read(store)
        if self._as_json:
            notify(json.dumps({"kind": "progress", **self.facts()}))
            return
        for line in (*causes[:_MOST_CAUSES], f"{10 * tenths:>3} %  {self.line()}"):
            notify(line)


class Stream(Silent):
    """Messages as they are said, of one conversation at a time."""

    def __init__(self) -> None:
        self._said = 0

    def __call__(self, event: Event) -> None:
        match event:
            case ConversationStarted():
                notify(visible(f"conversation {event.conversation}"))
            case MessageSaid():
                for line in message_lines(self._said, event.message):
                    notify(line)
                self._said += 1
            case CallRetried():
                notify(visible(f"attempt {event.attempt} failed, another in {in_seconds(event.wait)}: {event.reason}"))
            case ModelPaused():
                notify(_pause(event))
            case ConversationEnded():
                notify()
                notify(f"conversation {_in_short(event.conversation)}")
            case VerdictGiven() if event.verdict.judge != CHECKLIST:
                notify(verdict_line(event.verdict))


class _Bar(RunProgress):
    """A bar in the last line of a terminal, with new causes above it."""

    def __init__(self, shown: "BarOnScreen", task: "TaskID") -> None:
        super().__init__()
        self._shown, self._task, self._read = shown, task, 0.0

    def __call__(self, event: Event) -> None:
        super().__call__(event)
        if isinstance(event, ModelPaused):
            self._print(_pause(event))

    async def refresh(self, store: Listing) -> None:
        """Redraw the bar, with outcomes that are read once a second."""
        if not self.planned or monotonic() - self._read < _SECOND:
            return
        for line in await self.read(store):
            self._print(line)
        self._read = monotonic()
        self._shown.update(self._task, total=self.planned, completed=self.ended, description=self.line())

    def _print(self, line: str) -> None:
        self._shown.console.print(painted(line, sys.stderr), markup=False, highlight=False)


@contextmanager
def _bar() -> Iterator[Watching]:
    """Show a progress bar; rich is imported only for it."""
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as BarOnScreen

    columns = (BarColumn(), TextColumn("{task.description}", markup=False))
    with BarOnScreen(*columns, console=Console(stderr=True), transient=True) as shown:
        yield _Bar(shown, shown.add_task("starting", total=None))


def _pause(pause: ModelPaused) -> str:
    """Return one line about a pause of a model."""
    if pause.reason:
        return visible(f"{pause.model}: {pause.reason}")
    after = f"; then at most {pause.at_once:,} at a time, until it recovers" if pause.at_once else ""
    return visible(f"{pause.model} rejects calls; no calls for {in_seconds(pause.seconds)}{after}")


def _in_short(conversation: Conversation) -> str:
    """Return one line about a finished conversation."""
    said = [counted(conversation.turns, "turn")]
    if conversation.goals:
        answered = sum(goal.answered is not None for goal in conversation.goals)
        said.append(f"{answered} of {len(conversation.goals)} goals answered")
    if conversation.error:
        said.append(conversation.error)
    return visible(f"{conversation.id}: {conversation.ending_words}, {', '.join(said)}")
