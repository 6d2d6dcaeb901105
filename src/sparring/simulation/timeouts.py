"""Time limits of both sides, and the endings that failures lead to."""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from sparring.chatbots.isolation import PluginMisbehaved, guard_exceptions
from sparring.core.case import Case
from sparring.core.clock import Clock, in_seconds
from sparring.core.conversation import Ending
from sparring.core.errors import ChatbotError, ChatbotTimeout, InputError, ModelError, NotRecorded, UserError, UserStuck
from sparring.llm.deadlines import ConversationClock

TURN_SECONDS = 300.0
"""Seconds that user and reader have for their part of a turn, including all model calls."""

T = TypeVar("T")


class Ended(Exception):
    """Ends a conversation from anywhere in it."""

    def __init__(self, ending: Ending, reason: str = "") -> None:
        super().__init__(reason)
        self.ending = ending
        self.reason = reason


@dataclass
class Bounds:
    """Time limits of a conversation that starts now.

    User and reader have `turn_seconds` for their part of a turn; the case limits the chatbot and the conversation.
    """

    case: Case
    turn_seconds: float
    clock: Clock
    patience: ConversationClock

    def __post_init__(self) -> None:
        self.begun = self.clock.monotonic()
        self._whole, self._reply = self.case.limits.seconds, self.case.limits.reply_seconds

    async def from_chatbot(self, call: Callable[[], Awaitable[T]]) -> T:
        """Await the chatbot within its time limit. Its failures end the conversation."""
        seconds = min(self._reply, self.seconds_left())
        try:
            with self.patience.timer.within(seconds) as self.patience.deadline:
                return await guard_exceptions(call())
        except TimeoutError as error:
            all_left = "" if seconds == self._reply else f", all that the conversation had left of {self._whole:g} s"
            reason = f"no reply within {in_seconds(seconds)}{all_left}" if self.late() else named(error)
            raise Ended(Ending.TIMEOUT, reason) from error
        except NotRecorded as error:
            raise Ended(Ending.USER_FAILED, str(error)) from error
        except ChatbotTimeout as error:
            raise Ended(Ending.TIMEOUT, str(error)) from error
        except ChatbotError as error:
            raise Ended(Ending.CHATBOT_FAILED, str(error)) from error
        except Exception as error:
            raise Ended(Ending.CHATBOT_FAILED, named(error)) from error

    async def from_script(self, call: Callable[[], Awaitable[None]]) -> None:
        """Await a step of a script. If the chatbot rejects it, the script is to blame."""
        try:
            await self.from_chatbot(call)
        except Ended as end:
            if isinstance(end.__cause__, InputError):
                raise Ended(Ending.USER_FAILED, f"the script: {end.__cause__}") from end.__cause__
            raise

    async def from_user(self, call: Callable[[], Awaitable[T]]) -> T:
        """Await user or reader. Their failures make the conversation void."""
        seconds = min(self.turn_seconds, self.seconds_left())
        try:
            with self.patience.timer.within(seconds) as self.patience.deadline:
                return await guard_exceptions(call())
        except TimeoutError as error:
            ran_out = "the time for the conversation ran out on the user's side"
            reason = f"no word within {in_seconds(seconds)}" if seconds == self.turn_seconds else ran_out
            raise Ended(Ending.USER_FAILED, reason if self.late() else named(error)) from error
        except UserStuck as error:
            raise Ended(Ending.USER_STUCK, str(error)) from error
        except (UserError, ModelError, NotRecorded) as error:
            raise Ended(Ending.USER_FAILED, str(error)) from error
        except Exception as error:
            raise Ended(Ending.USER_FAILED, named(error)) from error

    def late(self) -> bool:
        """Return True if the deadline of this side has passed."""
        return self.patience.deadline is not None and self.patience.deadline.expired

    def talking(self) -> float:
        """Return the time, without the time that calls waited for their turn."""
        return self.clock.monotonic() - self.patience.waited

    def seconds_left(self) -> float:
        whole = self._whole
        return math.inf if whole is None else max(0.0, whole - (self.talking() - self.begun))


def named(error: Exception) -> str:
    """Return an error in one line with its type."""
    return str(error) if isinstance(error, PluginMisbehaved) else f"{type(error).__name__}: {error}".splitlines()[0]
