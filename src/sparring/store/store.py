"""The protocols of a store."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation, Ending
from sparring.core.events import Event
from sparring.core.judgements import Calibration
from sparring.core.listing import ConversationRow
from sparring.core.outcome import Decision, Outcome
from sparring.core.prompts import Prompts, SavedPrompts
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import Finding, Verdict
from sparring.store.derived import END, Computed, Listing, Mutations, Trials


class ConversationFilter(Value):
    """A filter of conversations; an empty field matches all.

    `counts` selects endings that say something about the chatbot, or the others; `tag` is a tag of the case, and `case`
    a prefix of the case's id.
    """

    endings: tuple[Ending, ...] = ()
    counts: bool | None = None
    tag: str = ""
    case: str = ""

    @property
    def only(self) -> frozenset[Ending] | None:
        """The endings that `endings` and `counts` leave, or None where any will do."""
        if not self.endings and self.counts is None:
            return None
        return frozenset(e for e in self.endings or Ending if self.counts is None or e.completed is self.counts)


ALL = ConversationFilter()


class PendingUsage(Value):
    """The unstored usage of one run so far; `run` is its id."""

    run: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class RecordedChecks:
    """The verdicts of a batch's checks on one attempt at a conversation, by the hash of the check.

    None stands for a check that was evaluated and gives no verdict. `row` is the conversation in a list.
    """

    conversation: str
    attempt: int = 1
    verdicts: Mapping[str, Verdict | None] = field(default_factory=dict)
    row: ConversationRow | None = None


@dataclass(frozen=True, slots=True)
class RecordedResults:
    """Verdicts of judges, those of checks by their hashes, and the decision about a conversation.

    `position` is that of its case in the batch, from 0. `first` is the outcome of the first attempt that was not void;
    it and the `decision` are those of the row in lists.
    """

    position: int
    verdicts: tuple[Verdict, ...]
    checked: Mapping[str, Verdict]
    decision: Decision | None = None
    first: Outcome | None = None


def ignore(id: str) -> None:
    """Ignore a conversation that could not be read."""


class Writer(Protocol):
    """Stores batches, conversations and verdicts; the first write wins.

    When an `await` returns, the data is on disk. A cancelled write is stored whole or not at all. Writes happen in the
    order in which they start. `unkept` usage is written in the same transaction, as `drop` does, so that no usage is
    ever counted twice.
    """

    async def create(self, batch: Batch, *, prompts: tuple[Prompts, ...] = ()) -> bool:
        """Store a batch and the prompts of its players; return False and change nothing if its id exists."""

    async def append(self, batch: str, conversations: Sequence[Conversation]) -> None:
        """Append conversations, whose cases have new ids, to a batch. `batch` is an id.

        A failure of the machine may lose them until something else is written.
        """

    async def select(self, batch: str, conversations: tuple[str, ...]) -> None:
        """Replace the ids of the conversations that a batch plans. `batch` is an id."""

    async def add(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Store a conversation; return False and change nothing if (batch, case id, repeat) exists.

        `batch` is an id. `checks` are recorded in the same transaction. Raise InputError for a conversation that the
        batch does not plan, and StoreError for one that could not be read back.
        """

    async def save_prompts(self, name: str, prompts: Prompts, created: datetime) -> bool:
        """Store a version of prompts under a name; return False if it is the newest of that name already."""

    async def delete(self, batch: str) -> bool:
        """Delete a batch with all its data by its id; return False if it does not exist."""

    async def judge(
        self,
        batch: str,
        verdict: Verdict,
        *,
        rubric: Rubric | None = None,
        rejudge: bool = False,
        row: ConversationRow | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Store a verdict on a stored conversation, and the rubric it answers.

        `row` replaces the conversation's row in lists, which otherwise goes: it no longer holds. Every verdict is kept
        as the next attempt of its judge. If an earlier one on the same rubric decided anything, one that is not given
        `rejudge` is not kept; False then.
        """

    async def appoint(self, batch: Batch) -> None:
        """Replace the judge of a stored batch and its rubrics by those of `batch`; its rows become invalid."""

    async def keep_calibration(self, found: Calibration) -> None:
        """Store a calibration, replacing an earlier one of its judge, rubric and population."""

    async def replace(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Store a conversation with its `checks` in place of an earlier attempt, which is kept, too.

        Return False and change nothing if the stored one is no earlier attempt.
        """

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        """Add usage of conversations that are not stored; for a `run`, replace its earlier usage.

        Usage without calls deletes that of the run. That of a run survives a kill of the process, but may be lost if
        the machine fails.
        """

    def playing(self, batch: str) -> AbstractContextManager[None]:
        """Hold the lock of a batch. Raise `InputError` if another process holds it.

        A killed process releases it.
        """


class StoreReader(Protocol):
    """Reads batches. `batch` is an id, a `--name` (the newest batch with it), or `latest`.

    An unknown batch or conversation raises InputError with a suggestion.
    """

    async def batch(self, which: str) -> Batch:
        """Return the batch, with its cases."""

    async def cases(self, batch: str, first: int, stop: int) -> list[Case]:
        """Return the cases of a batch from a position to another one, which is left out."""

    async def head(self, which: str) -> Batch:
        """Return the batch without its cases, which may be many."""

    async def namesakes(self, name: str) -> dict[str, int]:
        """Return the ids of all batches with this `--name`, newest first, and their numbers from 1 on.

        A later batch does not get the number of one that was deleted.
        """

    async def batches(self, *, limit: int = 100, before: str = "") -> list[Batch]:
        """Return batches without their cases, newest first; `before` is the last id of the previous page."""

    async def count(self) -> int:
        """Return the number of batches."""

    async def progress(self, batch: str) -> Progress:
        """Return the progress of a batch, by counting only."""

    async def stored(self, batch: str) -> set[tuple[str, int]]:
        """Return (case id, repeat) of every stored conversation of a batch."""

    async def consumed(self, batch: str) -> tuple[Usage, int]:
        """Return the usage of a batch, also of replaced and dropped attempts, and its number of conversations."""

    async def unconfirmed(self, batch: str) -> int:
        """Return how many calls of the usage may have been made: under way now, or when a process was killed."""

    def conversations(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        after: str = "",
        limit: int | None = None,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[Conversation]:
        """Yield conversations in the order of the batch's cases and then of repeats.

        `after` is the last id of the previous page. A conversation that cannot be read, because the file was edited
        by hand, is skipped, and `unreadable` is called with its id.
        """

    def documents(self, batch: str) -> AsyncIterator[list[bytes]]:
        """Yield conversations as JSON, some at a time, in the order of the batch's cases and then of repeats."""

    async def position(self, batch: str, id: str) -> int:
        """Return the position of the case of a planned conversation, from 0. `batch` is an id."""

    async def conversation(self, batch: str, id: str) -> Conversation:
        """Return a conversation by its id: `case`, or `case#2` for a repeat.

        Raise StoreError if it is unreadable.
        """

    async def judged(self, batch: str, judge: str) -> dict[tuple[str, int, str], int]:
        """Return how often a judge decided, without errors, by case id, repeat and hash of the rubric."""

    def verdicts(self, batch: str, *, conversation: str = "", judge: str = "") -> AsyncIterator[Verdict]:
        """Yield all verdicts of judges in the order of conversations, judges' names, rubrics and attempts.

        They are of one conversation or one judge, if named. A verdict that cannot be read is skipped.
        """

    async def calibrations(self, judge: str) -> list[Calibration]:
        """Return the calibrations of a judge."""

    async def rubric(self, hash: str) -> Rubric | None:
        """Return the rubric with this hash, if it is stored."""

    async def prompts(self, hash: str = "") -> list[Prompts]:
        """Return the prompts of all batches whose hashes start with `hash`, in the order of their hashes."""

    async def saved_prompts(self, name: str = "") -> list[SavedPrompts]:
        """Return saved versions of prompts, newest first, optionally of one name."""

    async def attempts(self, batch: str, id: str) -> list[Conversation]:
        """Return all attempts at a conversation, first to last; only the last one counts."""


class EventLog(Protocol):
    """Stores events in order; ids are positive and increase, so that a listener can continue after one.

    A `ConversationEnded` is logged after the conversation is stored, and has the stored one. A `BatchStarted` comes
    without the cases of the batch. An unreadable event is skipped.
    """

    async def log(self, batch: str, event: Event) -> int: ...

    def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]: ...

    async def log_endings(self, batch: str) -> int:
        """Log the ends of stored conversations that a killed process did not log; return their number."""


class Jobs(Protocol):
    """Stores the execution state of batches, one for each batch."""

    async def keep_job(self, job: BatchExecution) -> None:
        """Store the execution state of a batch, replacing the earlier one."""

    async def job(self, batch: str) -> BatchExecution | None:
        """Return the execution state of a batch, if it has one."""

    async def waiting(self) -> list[BatchExecution]:
        """Return executions of servers neither ended nor cancelled, or that owe a callback, oldest first."""

    async def is_played(self, batch: str) -> bool:
        """Return True if a process holds the lock of a batch, without blocking that process."""


class Checks(Protocol):
    """Stores verdicts by recording and hash of the check, and findings by set of recordings.

    A recording is one attempt at a conversation: verdicts on a replaced attempt stay, but are no longer read. `batch`
    is an id.
    """

    async def record_checks(self, batch: str, checks: Sequence[RecordedChecks]) -> None:
        """Record verdicts and rows in one transaction, in place of earlier ones by the same hash.

        Verdicts without a row take the old one away. Those of another attempt than the one that is stored are left out.
        """

    def checked(self, batch: str, *, conversation: str = "") -> AsyncIterator[tuple[str, Verdict]]:
        """Yield recorded verdicts with the hash of their check, in the order of the conversations.

        With `conversation`, those of one. A verdict that cannot be read is passed over.
        """

    async def recorded(self, batch: str, conversations: Sequence[str]) -> list[RecordedResults]:
        """Return all records about each of these conversations."""

    def with_results(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        first: int = 0,
        stop: int = END,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[tuple[Conversation, RecordedResults]]:
        """Yield conversations with all that is recorded about them, in the order of the conversations.

        They are those of the cases from position `first` to `stop`, which is left out.
        """

    def unchecked(
        self, batch: str, hashes: Sequence[str], *, conversation: str = "", first: int = 0, stop: int = END
    ) -> AsyncIterator[Conversation]:
        """Yield the stored conversations for which one of these checks has not been recorded.

        They are only one, if named, or those of the cases from position `first` to `stop`, which is left out.
        """

    async def recordings(self, batch: str) -> str:
        """Return a hash of the current set of recordings of the batch."""

    async def record_findings(self, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
        """Record findings over a set of recordings by the hash of their rule, in place of all earlier ones.

        Where another rule is invalid than before, the rows of the batch go: they no longer hold.
        """

    async def findings(self, batch: str) -> dict[str, Finding]:
        """Return the findings over the current recordings of the batch, by the hash of the rule."""


class Store(Writer, StoreReader, Checks, Trials, Mutations, EventLog, Jobs, Listing, Computed, Protocol):
    """All protocols of a store."""
