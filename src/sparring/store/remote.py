"""A store whose batches workers play in shards."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Self

from sparring.core.batch import Batch, BatchExecution
from sparring.core.case import Case
from sparring.core.prompts import Prompts
from sparring.core.usage import Budget
from sparring.llm.client.leased_rate_limiter import Lease, LeaseRequest
from sparring.store.redaction import Redaction
from sparring.store.store import Store


class Drained(Exception):
    """The worker stops, and another one continues with the shard."""


@dataclass(frozen=True, slots=True)
class Shard:
    """The conversations of a job: cases and repeats to play, ids and repeats of those stored."""

    batch: str
    number: int
    missing: tuple[tuple[Case, int], ...]
    stored: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Control:
    """The state of a batch that workers look at: if people cancelled it, and which limit stopped it."""

    cancelled: bool
    stopped: str


class RemoteStore(Store):
    """A store with jobs. A job is a shard of a batch; `batch` is an id."""

    @abstractmethod
    def redacting(self, redaction: Redaction) -> Self:
        """Return this store with another redaction."""

    @abstractmethod
    async def submit(self, batch: Batch, prompts: tuple[Prompts, ...], job: BatchExecution, options: bytes) -> bool:
        """Store a batch with its jobs in one transaction; return False and change nothing if its id exists."""

    @abstractmethod
    async def resume_batch(self, batch: str, *, whole: bool = False) -> None:
        """Give jobs to the shards that lack conversations, or to all of the `whole` batch."""

    @abstractmethod
    async def logged(self, batch: str) -> tuple[int, int]:
        """Return the id of the last event of a batch, and the number of conversations whose end is logged."""

    @abstractmethod
    async def cancel_batch(self, batch: str) -> None:
        """Let no shard start, and drop what is running."""

    @abstractmethod
    async def stop_batch(self, batch: str, reason: str) -> None:
        """Begin no further conversation, because of a limit."""

    @abstractmethod
    async def controls(self) -> dict[str, Control]:
        """Return the state of the batches that have not ended."""

    @abstractmethod
    async def remote_options(self, batch: str) -> bytes:
        """Return the options that a batch was submitted with. Raise InputError if workers do not play it."""

    @abstractmethod
    async def shard(self, batch: str, number: int) -> Shard | None:
        """Return a shard; None if it is gone, or if its batch was cancelled or stopped."""

    @abstractmethod
    async def fail_shard(self, batch: str, number: int) -> int:
        """Count that the players of a shard failed; return how often they did."""

    @abstractmethod
    async def end_shard(self, batch: str, number: int, error: str = "") -> bool:
        """Record that a shard has ended; return True if it was the last of its batch."""

    @abstractmethod
    async def lease(self, asked: LeaseRequest) -> Lease:
        """Take calls and tokens from the rate limit of a model that all processes share."""

    @abstractmethod
    async def block(self, model: str, seconds: float) -> None:
        """Pause the calls of a model in all processes."""

    @abstractmethod
    async def reserve(self, batch: str, budget: Budget, wanted: tuple[float, float]) -> tuple[float, float]:
        """Reserve cost and tokens of the budget of a batch, as far as it has them."""

    @abstractmethod
    async def give_back(self, batch: str, unused: tuple[float, float]) -> None:
        """Return unused reservations."""

    @abstractmethod
    async def begin_batch(self, batch: str) -> None:
        """Record the start of a batch, unless it has started before."""

    @abstractmethod
    async def end_batch(self, batch: str) -> None:
        """Log the end of a batch and record it in one transaction, unless it has ended."""
