"""Who plays."""

from dataclasses import dataclass

from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.extraction.extractor import Reader
from sparring.llm.replay import Recorder
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.webhook import PreparedCase, Webhook
from sparring.simulation.timeouts import TURN_SECONDS
from sparring.users.scripted import Scripted
from sparring.users.user import User


@dataclass(frozen=True)
class ResolvedPlayers:
    """Who plays: a case with a script is always played by the script, whoever the user is otherwise.

    `turn_seconds` is how long the user and the reader may take each for their part of a turn. Calls of models go over
    the `tape`, if there is one.
    """

    chatbot: Chatbot
    user: User
    reader: Reader
    clock: Clock
    judge: NamedJudge | None = None
    turn_seconds: float = TURN_SECONDS
    webhook: Webhook | None = None
    tape: Recorder | None = None

    def user_for(self, case: Case) -> User:
        return Scripted() if case.script else self.user

    async def prepared(self, case: Case) -> PreparedCase:
        """A case as it is played: with what a webhook knows about it, where there is one and the case asks for it."""
        return PreparedCase(case) if self.webhook is None or not case.webhook else await self.webhook.prepare(case)
