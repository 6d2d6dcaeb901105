"""Listeners that show a run while it runs, on stderr."""

from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sparring.cli.console import tell
from sparring.core.conversation import Conversation
from sparring.core.events import BatchStarted, ConversationEnded, ConversationStarted, Event, MessageSaid
from sparring.reporting.safe import printable
from sparring.reporting.transcript import message_lines

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Listener = Callable[[Event], None]


class Lines:
    """One plain line for each conversation, for logs and pipes."""

    def __init__(self) -> None:
        self._done = 0
        self._planned = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return None

    def __call__(self, event: Event) -> None:
        match event:
            case BatchStarted():
                self._planned, self._done = event.batch.planned, event.stored
            case ConversationEnded():
                self._done += 1
                tell(f"[{self._done}/{self._planned}] {_told(event.conversation)}")


def _told(conversation: Conversation) -> str:
    answered = sum(goal.answered is not None for goal in conversation.goals)
    goals = f", {answered} of {len(conversation.goals)} goals answered" if conversation.goals else ""
    reason = f": {conversation.error}" if conversation.error else ""
    turns = f"{conversation.turns} turn{'s' if conversation.turns != 1 else ''}"
    return printable(f"{conversation.id}  {conversation.ending}  {turns}{goals}{reason}")


class Bar:
    """A progress bar, for a terminal."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._failed = 0

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task("starting", total=None)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._progress:
            self._progress.stop()

    def __call__(self, event: Event) -> None:
        if self._progress is None or self._task is None:
            return
        match event:
            case BatchStarted():
                self._progress.update(
                    self._task, description="talking", total=event.batch.planned, completed=event.stored
                )
            case ConversationEnded(conversation=conversation):
                self._failed += not (conversation.ending and conversation.ending.counts)
                failed = f", {self._failed} did not get through" if self._failed else ""
                self._progress.update(self._task, advance=1, description=f"talking{failed}")


class Stream:
    """What is said, as it is said: for one conversation at a time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        return None

    def __call__(self, event: Event) -> None:
        match event:
            case ConversationStarted():
                tell(printable(event.conversation))
            case MessageSaid():
                for line in message_lines(event.message):
                    tell(line)
            case ConversationEnded():
                tell(_told(event.conversation))


def watch(*, stream: bool, bar: bool) -> Lines | Bar | Stream:
    """The listener that fits: a transcript for one conversation, a bar on a terminal, plain lines otherwise."""
    if stream:
        return Stream()
    return Bar() if bar else Lines()
