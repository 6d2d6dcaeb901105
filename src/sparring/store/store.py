"""A store, as everything here sees one."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from sparring.core.batch import Batch, BatchExecution, Progress
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation, Ending
from sparring.core.events import Event
from sparring.core.listing import ConversationQuery, ConversationRow, RowTotals
from sparring.core.prompts import Prompts, SavedPrompts
from sparring.core.usage import Usage
from sparring.core.value import Value
from sparring.core.verdict import Finding, Verdict


class ConversationFilter(Value):
    """Which conversations are wanted; what is left out does not matter.

    `counts` asks for endings that say something about the chatbot, or for the others; `tag` is a tag of the case, and
    `case` is how the case's id begins.
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
        return frozenset(e for e in self.endings or Ending if self.counts is None or e.counts is self.counts)


ALL = ConversationFilter()


class PendingUsage(Value):
    """What a run, by an id of its own, has consumed so far for conversations and verdicts that are not stored."""

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


def ignore(id: str) -> None:
    """Who does not care what could not be read."""


class Writer(Protocol):
    """Keeps what is run. When an `await` returns, the thing is on disk; the first write wins.

    A write that is cancelled is kept whole or not at all. Writes are done in the order in which they are begun. What
    comes with `unkept` is noted at once with it, as `drop` does, and so counted once at every moment.
    """

    async def create(self, batch: Batch, *, prompts: tuple[Prompts, ...] = ()) -> bool:
        """Keep a batch, and what its players are told; False if its id is there already, and then nothing changes."""
        ...

    async def add(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Keep a conversation; False if (batch, case id, repeat) is there already, and then nothing changes.

        `batch` is its id. `checks` are recorded in the same transaction. A conversation that the batch never planned
        is an InputError, and one that could not be read back is a StoreError.
        """
        ...

    async def save_prompts(self, name: str, prompts: Prompts, created: datetime) -> bool:
        """Keep a version of prompts under a name, for good; False if it is what this name means already."""
        ...

    async def delete(self, batch: str) -> bool:
        """Forget a batch, by its id, and all that was kept of it; False if it is not there."""
        ...

    async def judge(
        self,
        batch: str,
        verdict: Verdict,
        *,
        rubric: Rubric | None = None,
        anew: bool = False,
        row: ConversationRow | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Keep a verdict about a conversation that is stored, and the rubric it answers.

        `row` replaces the conversation's row in lists, which otherwise goes: it no longer holds. A verdict by the same
        judge on the same rubric stays if it decided anything, unless this one is given `anew` and decides something
        too; False if it stays.
        """
        ...

    async def replace(
        self,
        batch: str,
        conversation: Conversation,
        *,
        checks: RecordedChecks | None = None,
        unkept: PendingUsage | None = None,
    ) -> bool:
        """Put a conversation in the place of an earlier attempt at it, which is kept besides, with its `checks`.

        False if what is there is no earlier attempt, and then nothing changes.
        """
        ...

    async def drop(self, batch: str, usage: Usage, *, run: str = "") -> None:
        """Note what was consumed for conversations of which nothing is kept; for a `run` by its id, in place of what
        was noted for it before, and of no calls nothing stays."""
        ...

    def playing(self, batch: str) -> AbstractContextManager[None]:
        """Play a batch, by its id, inside the block, as nobody else does; an InputError if somebody does already.

        Who is killed plays no more, and the next may begin at once.
        """
        ...


class Reader(Protocol):
    """Reads what was run. `batch` takes an id, a `--name` (the newest with it), or `latest`.

    An unknown batch or conversation is an InputError with a suggestion.
    """

    async def batch(self, which: str) -> Batch:
        """The batch, with its cases."""
        ...

    async def head(self, which: str) -> Batch:
        """The batch without its cases, which may be many."""
        ...

    async def namesakes(self, name: str) -> list[str]:
        """The ids of all batches with this `--name`, the newest first."""
        ...

    async def batches(self, *, limit: int = 100, before: str = "") -> list[Batch]:
        """The newest first, without their cases; `before` is the id where the last page stopped."""
        ...

    async def count(self) -> int:
        """How many batches there are."""
        ...

    async def progress(self, batch: str) -> Progress:
        """How far a batch is; costs no more than counting."""
        ...

    async def stored(self, batch: str) -> set[tuple[str, int]]:
        """(case id, repeat) of every conversation kept of a batch."""
        ...

    async def consumed(self, batch: str) -> tuple[Usage, int]:
        """What a batch has consumed, with attempts and verdicts that were replaced or dropped, and how many
        conversations it keeps."""
        ...

    def conversations(
        self,
        batch: str,
        *,
        wanted: ConversationFilter = ALL,
        after: str = "",
        limit: int | None = None,
        unreadable: Callable[[str], None] = ignore,
    ) -> AsyncIterator[Conversation]:
        """In the order of the batch's cases and then of repeats, whatever order they were stored in.

        `after` is the id of the conversation where the last page stopped. One that cannot be read, because somebody
        edited it by hand, does not keep the others from being read: it is passed over, and `unreadable` told its id.
        """
        ...

    async def conversation(self, batch: str, id: str) -> Conversation:
        """One of them, by its id (`case`, or `case#2` for a repeat); a StoreError if it cannot be read."""
        ...

    async def judged(self, batch: str, judge: str) -> set[tuple[str, int, str]]:
        """(case id, repeat, hash of the rubric) of everything that a judge has decided of a batch, errors left out."""
        ...

    def verdicts(self, batch: str, *, conversation: str = "") -> AsyncIterator[Verdict]:
        """What judges said, in the order of the conversations and then of the judges' names; of one, if it is named.

        One that cannot be read is passed over.
        """
        ...

    async def rubric(self, hash: str) -> Rubric | None:
        """What was asked of a judge, if it is kept."""

    async def prompts(self, hash: str = "") -> list[Prompts]:
        """What players of any batch were told: the versions whose hashes begin so, in the order of their hashes."""
        ...

    async def saved_prompts(self, name: str = "") -> list[SavedPrompts]:
        """The versions that were saved, the newest first; those of one name, if it is given."""
        ...

    async def attempts(self, batch: str, id: str) -> list[Conversation]:
        """All that was kept under this id, the first attempt first; only the last of them counts."""
        ...


class EventLog(Protocol):
    """Keeps what happened, in order; ids are positive and grow, so a listener can go on where it stopped.

    A `ConversationEnded` is logged after the conversation is stored, and tells of the stored one. An event that cannot
    be read any more is passed over.
    """

    async def log(self, batch: str, event: Event) -> int: ...

    def events(self, batch: str, *, after: int = 0) -> AsyncIterator[tuple[int, Event]]: ...

    async def log_endings(self, batch: str) -> int:
        """Log the conversations that are stored and were not told to have ended, because their program was killed in
        between; how many they were. `batch` is its id."""
        ...


class Jobs(Protocol):
    """Keeps how batches are played, one job for a batch, by its id."""

    async def keep_job(self, job: BatchExecution) -> None:
        """Keep it, in place of what was kept before."""
        ...

    async def job(self, batch: str) -> BatchExecution | None:
        """The job of a batch, if it has one."""
        ...

    async def waiting(self) -> list[BatchExecution]:
        """The jobs of servers that are neither ended nor cancelled, the oldest first."""
        ...

    async def is_played(self, batch: str) -> bool:
        """Whether anybody is inside a `playing` block of a batch, by its id; who looks is in nobody's way."""
        ...


class Checks(Protocol):
    """Keeps what checks found: verdicts by the recording and the hash of the check, findings by those of the set.

    A recording is one attempt at a conversation: what a retry replaces keeps its verdicts, and they are not read any
    more. `batch` is an id.
    """

    async def record_checks(self, batch: str, checks: Sequence[RecordedChecks]) -> None:
        """Record verdicts and rows in one transaction, in place of earlier ones by the same hash.

        Those of another attempt than the one that is stored are left out.
        """
        ...

    def checked(self, batch: str, *, conversation: str = "", after: str = "") -> AsyncIterator[tuple[str, Verdict]]:
        """Yield recorded verdicts with the hash of their check, in the order of the conversations.

        With `conversation`, those of one; with `after`, those of the conversations behind the one it names. A verdict
        that cannot be read is passed over.
        """
        ...

    def unchecked(self, batch: str, hashes: Sequence[str], *, conversation: str = "") -> AsyncIterator[Conversation]:
        """Yield the stored conversations for which one of these checks has not been recorded; only one, if named."""
        ...

    async def recordings(self, batch: str) -> str:
        """Return a hash of the set of recordings that the batch holds now."""
        ...

    async def record_findings(self, batch: str, recordings: str, findings: Mapping[str, Finding]) -> None:
        """Record findings by the hash of their rule, over the set with this hash, in place of all earlier ones.

        Where another rule is invalid than before, the rows of the batch go: they no longer hold.
        """
        ...

    async def findings(self, batch: str) -> dict[str, Finding]:
        """Return the findings over the recordings that the batch holds now, by the hash of the rule."""
        ...


class Listing(Protocol):
    """Finds, sorts and adds up the rows of conversations for lists. A row goes when its conversation is replaced."""

    def unlisted(self, batch: str) -> AsyncIterator[Conversation]:
        """Yield the stored conversations without a row; one that cannot be read is passed over."""
        ...

    async def search(
        self, batch: str, wanted: ConversationQuery, *, offset: int, limit: int
    ) -> tuple[int, list[ConversationRow]]:
        """How many briefs there are like this, and some of them; what has nothing to be sorted by comes last."""
        ...

    async def newest(self, batch: str, *, limit: int) -> list[ConversationRow]:
        """The briefs of the conversations that were stored last, the last first."""
        ...

    async def totals(self, batch: str) -> RowTotals:
        """All briefs of a batch, added up."""
        ...


class Store(Writer, Reader, Checks, EventLog, Jobs, Listing, Protocol):
    """All of them."""
