"""Listeners that show a run while it runs, on stderr."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from sparring.cli.console import tell
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
from sparring.core.text import visible
from sparring.core.verdict import CHECKLIST
from sparring.reports.lines import counted
from sparring.reports.transcript import message_lines, verdict_line


class Watching(Protocol):
    """A listener for all events of a run."""

    def __call__(self, event: Event) -> None: ...


def watch(*, stream: bool, bar: bool) -> AbstractContextManager[Watching]:
    """Return the listener: a transcript of one conversation, a bar on a terminal, or plain lines."""
    if stream:
        return nullcontext(Stream())
    return _bar() if bar else nullcontext(Lines())


class Lines:
    """One plain line for each conversation that ended, for logs and pipes."""

    def __init__(self) -> None:
        self._ended = 0
        self._planned = 0

    def __call__(self, event: Event) -> None:
        match event:
            case BatchStarted():
                self._planned, self._ended = event.batch.planned, event.stored - event.again
            case ConversationEnded():
                self._ended += 1
                tell(f"[{self._ended}/{self._planned}] {_in_short(event.conversation)}")
            case VerdictGiven() if event.verdict.judge != CHECKLIST:
                tell(f"  {verdict_line(event.verdict, of=True)}")
            case ModelPaused():
                tell(_pause(event))


class Stream:
    """Messages as they are said, of one conversation at a time."""

    def __init__(self) -> None:
        self._said = 0

    def __call__(self, event: Event) -> None:
        match event:
            case ConversationStarted():
                tell(visible(f"conversation {event.conversation}"))
            case MessageSaid():
                for line in message_lines(self._said, event.message):
                    tell(line)
                self._said += 1
            case CallRetried():
                tell(visible(f"attempt {event.attempt} failed, another in {in_seconds(event.wait)}: {event.reason}"))
            case ModelPaused():
                tell(_pause(event))
            case ConversationEnded():
                tell()
                tell(f"conversation {_in_short(event.conversation)}")
            case VerdictGiven() if event.verdict.judge != CHECKLIST:
                tell(verdict_line(event.verdict))


@contextmanager
def _bar() -> Iterator[Watching]:
    """Show a progress bar; rich is imported only for it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("starting", total=None)
        lost = 0

        def show(event: Event) -> None:
            nonlocal lost
            match event:
                case BatchStarted():
                    total, stored = event.batch.planned, event.stored - event.again
                    progress.update(task, description="talking", total=total, completed=stored)
                case ConversationEnded(conversation=conversation):
                    lost += not (conversation.ending and conversation.ending.completed)
                    progress.update(task, advance=1, description=f"talking, {lost} lost" if lost else "talking")
                case ModelPaused():
                    progress.console.print(_pause(event), markup=False, highlight=False)

        yield show


def _pause(pause: ModelPaused) -> str:
    """Return one line about a pause of a model."""
    if pause.reason:
        return visible(f"{pause.model}: {pause.reason}")
    after = f"; then at most {pause.at_once:,} at a time, until it answers well" if pause.at_once else ""
    return visible(f"{pause.model} refuses for now, and is asked nothing for {in_seconds(pause.seconds)}{after}")


def _in_short(conversation: Conversation) -> str:
    """Return one line about a conversation that ended."""
    said = [counted(conversation.turns, "turn")]
    if conversation.goals:
        answered = sum(goal.answered is not None for goal in conversation.goals)
        said.append(f"{answered} of {len(conversation.goals)} goals answered")
    if conversation.error:
        said.append(conversation.error)
    return visible(f"{conversation.id}: {conversation.ending}, {', '.join(said)}")
