"""Chatbots under test: their protocol, what they can do besides replying, and the adapter for plug-ins."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import Problem
from sparring.core.message import Message
from sparring.core.prompts import Prompts

Injection = Literal["reply", "tool", "stub"]
"""Kinds of steps of a script: a reply the chatbot never gave, a tool call it never made, a result of a tool."""

EVERYTHING: frozenset[Injection] = frozenset({"reply", "tool", "stub"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Abilities of a chatbot besides replying. Known before the first conversation and constant afterwards.

    - `reports_tools`: an absent tool call means that none was made.
    - `injects`: the steps of a script that its sessions take.
    - `sessions`: `isolated`; `resumable` if a conversation may continue one of an earlier run under the same name;
      `shared` if the chatbot may be unable to tell one conversation from another.
    - `requires`: names of variables that a case has to have.
    - `prompts`: prompt versions that can be stored and pinned; the chatbot can be `rendered`.
    - `specs`: values of `spec=NAME`.
    - `commands`: sessions have slash commands and a welcome for live chat.
    - `trusted`: replies run no foreign code, so they need no task of their own.
    """

    reports_tools: bool = False
    injects: frozenset[Injection] = frozenset()
    sessions: Literal["isolated", "resumable", "shared"] = "isolated"
    requires: frozenset[str] = frozenset()
    prompts: tuple[Prompts, ...] = ()
    specs: tuple[str, ...] = ()
    commands: bool = False
    trusted: bool = False


class Session(Protocol):
    """One conversation with a chatbot. A session starts without any knowledge of other sessions.

    `greeting` is the chatbot's first message if it speaks before the user. `reply` raises a `ChatbotError` and nothing
    else. A session also has the methods that the capabilities of its chatbot announce, and no others of these.
    """

    @property
    def greeting(self) -> Message | None: ...

    async def reply(self, message: Message) -> Message: ...


class InjectableSession(Session, Protocol):
    """A session that takes steps of a script. Its model is not called for them.

    `inject` adds a reply or a tool call to the history. `stub` sets the result of the next matching call of a tool,
    which then does nothing.
    """

    async def inject(self, step: InjectReply | InjectTool) -> None: ...

    async def stub(self, tool: InjectTool) -> None: ...


class LiveSession(Session, Protocol):
    """A session with a welcome and slash commands for live chat.

    `commands` maps the name of a command, without the slash, to a function of the text behind it. The first line of
    its docstring is its help; its result is displayed.
    """

    @property
    def welcome(self) -> str: ...

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]: ...


class Chatbot(Protocol):
    """The system under test.

    `check` returns problems of a case that the capabilities do not express; unless the case is `complete`, variables
    may still be added to it. `rendered` returns the prompts of a case by agent. `BaseChatbot` has defaults for both.
    """

    @property
    def capabilities(self) -> Capabilities: ...

    def connect(self, case: Case) -> AbstractAsyncContextManager[Session]: ...

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]: ...

    def rendered(self, case: Case) -> Mapping[str, str]: ...


class BaseChatbot:
    """A chatbot without special abilities; subclasses add `connect`."""

    capabilities: Capabilities = Capabilities()

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        return ()

    def rendered(self, case: Case) -> Mapping[str, str]:
        return {}


def injection(step: InjectReply | InjectTool) -> Injection:
    """Return the ability that a step of a script needs."""
    if isinstance(step, InjectReply):
        return "reply"
    return "stub" if step.mode == "stub" else "tool"


def unsupported(case: Case, capabilities: Capabilities, *, complete: bool = True) -> tuple[Problem, ...]:
    """Return problems of a case for a chatbot with these capabilities.

    Unless the case is `complete`, missing variables are no problem yet.
    """
    problems = []
    if not capabilities.injects.issuperset(map(injection, case.injections)):
        problems.append(Problem(message="its script injects what this chatbot never said, which it cannot take"))
    for name in sorted(capabilities.requires - case.variables.keys()) if complete else ():
        problems.append(Problem(message=f"the chatbot needs the variable {name!r}, which the case does not have"))
    return tuple(problems)


def from_plugin(made: Any) -> Chatbot:
    """Return the chatbot that a plug-in made, with defaults for everything but `connect`."""
    return cast("Chatbot", made) if isinstance(made, BaseChatbot) else _PluginChatbot(made)


class _PluginChatbot(BaseChatbot):
    """A chatbot of a plug-in that need not have capabilities."""

    def __init__(self, made: Any) -> None:
        self._made = made
        self.capabilities = getattr(made, "capabilities", BaseChatbot.capabilities)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Session]:
        async with self._made.connect(case) as session:
            yield session if hasattr(session, "greeting") else _WithoutGreeting(session)

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        return self._made.check(case, complete=complete) if hasattr(self._made, "check") else ()

    def rendered(self, case: Case) -> Mapping[str, str]:
        return self._made.rendered(case) if hasattr(self._made, "rendered") else {}


class _WithoutGreeting:
    """A session of a plug-in that has no `greeting`."""

    greeting = None

    def __init__(self, session: Any) -> None:
        self._session = session

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)
