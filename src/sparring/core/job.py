"""What is known about the playing of a batch, besides what came out of it."""

from datetime import datetime

from pydantic import NonNegativeInt, model_validator

from sparring.core.conversation import Ending
from sparring.core.value import Value


class Job(Value):
    """When the playing of a batch was begun, ended, cancelled or given up; who plays is the batch's own `origin`.

    `served` batches are a server's: it goes on with them by itself when it starts anew. `prompt_version` is a label
    that whoever launched the batch gave it. `hidden` says that something in its cases was hidden before it was stored,
    so that they cannot be played again. `retrying` says that what does not count is held again. `stopped` is the
    limit at which it stopped, in words, and `error` why it could not be played to its end.
    """

    batch: str
    served: bool = False
    prompt_version: str = ""
    hidden: bool = False
    retrying: bool = False
    started: datetime | None = None
    ended: datetime | None = None
    cancelled: bool = False
    stopped: str = ""
    error: str = ""

    @property
    def under_way(self) -> bool:
        """Whether nobody has said that the playing came to an end."""
        return self.ended is None and not self.cancelled and not self.error

    @model_validator(mode="before")
    @classmethod
    def _of_schema_2(cls, kept: object) -> object:
        """A job once held the choice of players, too."""
        return {name: value for name, value in kept.items() if name != "choice"} if isinstance(kept, dict) else kept


class Progress(Value):
    """How far a batch is: how many conversations it plans, and how many of those that are stored ended how."""

    planned: NonNegativeInt
    endings: dict[Ending | None, NonNegativeInt] = {}

    @property
    def stored(self) -> int:
        return sum(self.endings.values())

    @property
    def left(self) -> int:
        return max(0, self.planned - self.stored)
