"""One conversation with the customer service."""

from collections.abc import Awaitable, Callable, Mapping

from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.message import Message
from sparring.llm.model import words
from sparring_bots.service.commands import Commands
from sparring_bots.service.opened import Opened
from sparring_bots.service.shop import Now


class ServiceSession(PromptedSession):
    """A conversation that knows its customer and keeps account of what it does; it can begin anew."""

    def __init__(self, begin: Callable[[], Opened], now: Now) -> None:
        self._begin = begin
        self._now = now
        self._start()

    @property
    def welcome(self) -> str:
        """What to try, for whoever talks to it live."""
        customer = self.opened.desk.identity.bound
        who = f"You are customer {customer}." if customer else "Nobody is signed in: say who you are, such as CUST-001."
        return f"{who} Try: Where is my order ORD-002? Can I cancel ORD-003? Please cancel ORD-001."

    async def reply(self, message: Message) -> Message:
        """The reply, after the customer's number was taken down, if it is wanted and the message has one."""
        self.opened.desk.identity.hear(words(message))
        reply = await super().reply(message)
        self.opened.record(message, reply)
        return reply

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """What a live chat can ask for besides talking."""
        return Commands(lambda: self.opened, self._reset, self._now).known()

    def _reset(self) -> None:
        """Forget what was said, the figures, and what became of the orders."""
        self.opened.close()
        self._start()

    def _start(self) -> None:
        self.opened = self._begin()
        super().__init__(*self.opened.beginning)
