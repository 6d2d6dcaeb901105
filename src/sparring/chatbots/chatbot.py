"""A chatbot, as everything here sees one."""

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Protocol, runtime_checkable

from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.message import Message
from sparring.core.prompts import Prompts


class Session(Protocol):
    """One conversation with a chatbot, fresh from the start.

    `greeting` is what the chatbot says before it is spoken to, if anything. `reports_tools` says whether the tool
    calls in its messages are all there were; otherwise their absence means nothing. `reply` raises a `ChatbotError`
    and nothing else. One that has `foreign = False` runs no code but ours, whose replies need no task of their own.
    """

    @property
    def greeting(self) -> Message | None: ...

    @property
    def reports_tools(self) -> bool: ...

    async def reply(self, message: Message) -> Message: ...


class Chatbot(Protocol):
    """What is tested. Every `connect` opens a session that knows nothing of any other."""

    def connect(self, case: Case) -> AbstractAsyncContextManager[Session]: ...


@runtime_checkable
class Injects(Protocol):
    """A session that takes what the chatbot never said: words, or the use of a tool. Its model is not asked."""

    async def inject(self, step: InjectReply | InjectTool) -> None: ...


@runtime_checkable
class Stubs(Protocol):
    """A session that takes results for its tools: the next call that fits gets this one, and the tool does nothing."""

    async def stub(self, tool: InjectTool) -> None: ...


@runtime_checkable
class Refuses(Protocol):
    """A chatbot that says, before it is connected to, what of a case it cannot do."""

    def refusals(self, case: Case) -> tuple[str, ...]: ...


@runtime_checkable
class GoesOn(Protocol):
    """A chatbot that may know conversations by the names they had in an earlier run, and go on with those."""

    @property
    def may_go_on(self) -> bool: ...


@runtime_checkable
class Mixes(Protocol):
    """A chatbot that may be unable to tell one conversation from another."""

    @property
    def may_mix(self) -> bool: ...


@runtime_checkable
class Lacks(Protocol):
    """A chatbot that says, before it is connected to, what it needs to be told that a case does not say."""

    def lacks(self, case: Case) -> tuple[str, ...]: ...


@runtime_checkable
class Told(Protocol):
    """A chatbot whose prompts are known: as versions that can be kept, and filled for a case, by the agent's name."""

    def prompts(self) -> tuple[Prompts, ...]: ...

    def rendered(self, case: Case) -> Mapping[str, str]: ...


@runtime_checkable
class Specs(Protocol):
    """A chatbot that brings other specs along, by the names that `spec=NAME` takes."""

    @property
    def specs(self) -> tuple[str, ...]: ...


@runtime_checkable
class Commands(Protocol):
    """A session with slash commands of its own for live chat: what a command is called, without the slash, and what
    it does with the text behind it. The first line of its docstring is its help; what it returns is shown."""

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]: ...


@runtime_checkable
class Welcomes(Protocol):
    """A session that says what to try in a live chat."""

    @property
    def welcome(self) -> str: ...


def no_injections(case: Case) -> tuple[str, ...]:
    """What a chatbot refuses of whose sessions nothing is known but what they say."""
    return ("its script injects what this chatbot never said, which it cannot take",) if case.injections else ()
