"""A reader, as everything here sees one."""

from dataclasses import dataclass
from typing import Protocol

from sparring.core.conversation import Conversation, GoalProgress, Output


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader found: one entry for each goal and each wanted output of the case, in their order."""

    goals: tuple[GoalProgress, ...]
    outputs: tuple[Output, ...]


class Reader(Protocol):
    """Says which goals were asked and answered so far, and which outputs were stated. Raises only a `ModelError`."""

    async def read(self, conversation: Conversation) -> Reading: ...
