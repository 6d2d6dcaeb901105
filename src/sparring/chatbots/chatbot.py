"""A chatbot, as everything here sees one."""

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sparring.core.case import Case
from sparring.core.message import Message


class Session(Protocol):
    """One conversation with a chatbot, fresh from the start.

    `greeting` is what the chatbot says before it is spoken to, if anything. `reports_tools` says whether the tool
    calls in its messages are all there were; otherwise their absence means nothing. `reply` raises a `ChatbotError`
    and nothing else.
    """

    @property
    def greeting(self) -> Message | None: ...

    @property
    def reports_tools(self) -> bool: ...

    async def reply(self, message: Message) -> Message: ...


class Chatbot(Protocol):
    """What is tested. Every `connect` opens a session that knows nothing of any other."""

    def connect(self, case: Case) -> AbstractAsyncContextManager[Session]: ...
