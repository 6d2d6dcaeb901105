"""The players of a batch, made and ready."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sparring.chatbots.chatbot import Chatbot
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.outcome import Discrimination
from sparring.core.state import StateRecord
from sparring.core.tool_errors import ToolError
from sparring.extraction.extractor import Reader
from sparring.llm.replay import Recorder
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.webhook import PreparedCase, Webhook
from sparring.simulation.timeouts import TURN_SECONDS
from sparring.traces.book import TraceBook
from sparring.users.scripted import Scripted
from sparring.users.user import User


@dataclass(frozen=True)
class ResolvedPlayers:
    """The players of a batch. The script of a case replaces the user.

    `turn_seconds` limits the part of the user and of the reader in each turn. Model calls go through the `recorder`, if
    there is one. Spans of the chatbot are joined to its turns if `traces` are received. Results that fit `tool_errors`
    are failures.
    """

    chatbot: Chatbot
    user: User
    reader: Reader
    clock: Clock
    judge: NamedJudge | None = None
    turn_seconds: float = TURN_SECONDS
    webhook: Webhook | None = None
    recorder: Recorder | None = None
    traces: TraceBook | None = None
    tool_errors: tuple[ToolError, ...] = ()

    def user_for(self, case: Case) -> User:
        """Return the user of a case."""
        return Scripted() if case.script else self.user

    async def prepared(self, case: Case) -> PreparedCase:
        """Return a case with the variables of the webhook, if there is one and the case asks for it."""
        return PreparedCase(case) if self.webhook is None or not case.webhook else await self.webhook.prepare(case)


class NullBots(Protocol):
    """Applies the checks of a batch to conversations with null bots, which do nothing useful."""

    async def __call__(self, case: Case, state: StateRecord | None = None) -> Discrimination:
        """Return the result for a case; null bots leave the chatbot's `state` as it was at the start."""

    async def satisfied(self, batch: Batch) -> Mapping[str, tuple[str, ...]]:
        """Return the null bots that satisfy rules over several conversations, by the hash of the rule."""
