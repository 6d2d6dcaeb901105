"""Chatbots under test: their protocol, their capabilities, and the adapter for plug-ins."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from sparring.chatbots.tool_faults import ToolFaults
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import Problem
from sparring.core.message import Message, ToolCall
from sparring.core.plugins import with_defaults
from sparring.core.prompts import Prompts, ToolSchema
from sparring.core.text import suggest
from sparring.core.value import Json

Injection = Literal["reply", "tool", "stub", "fault"]
"""A step that a case injects: a reply, a tool call, a result of a tool, or a fault."""

EVERYTHING: frozenset[Injection] = frozenset({"reply", "tool", "stub"})
"""All steps of a script."""

BREAKABLE: frozenset[Injection] = EVERYTHING | {"fault"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """Abilities of a chatbot in addition to replying, constant from before the first conversation.

    - `reports_tools`: an absent tool call means that none was made.
    - `tools`: all of its tools, if they are known; parameters may be left out.
    - `reports_state`: sessions show the state that the tools work on.
    - `settle`: seconds after which the state at the end is read again, until two readings are equal; 0 for one reading.
    - `state_required`: a reading that fails is a failure of the chatbot.
    - `sends_traces`: requests carry a trace context, even if no spans are received.
    - `calls_tools`: sessions take tool calls from outside, such as golden actions.
    - `injects`: the steps of a script that its sessions take, and `fault` if they let tools be broken.
    - `sessions`: `isolated`; `resumable` if a conversation may continue one of an earlier run under the same name;
      `shared` if the chatbot may be unable to tell one conversation from another.
    - `requires`: names of variables that a case has to have.
    - `prompts`: prompt versions that can be stored and pinned; the chatbot can be `rendered`.
    - `specs`: values of `spec=NAME`.
    - `commands`: sessions have slash commands and a welcome for live chat.
    - `trusted`: replies run no foreign code, so they need no task of their own.
    """

    reports_tools: bool = False
    tools: tuple[ToolSchema, ...] | None = None
    reports_state: bool = False
    settle: float = 0.0
    state_required: bool = False
    sends_traces: bool = False
    calls_tools: bool = False
    injects: frozenset[Injection] = frozenset()
    sessions: Literal["isolated", "resumable", "shared"] = "isolated"
    requires: frozenset[str] = frozenset()
    prompts: tuple[Prompts, ...] = ()
    specs: tuple[str, ...] = ()
    commands: bool = False
    trusted: bool = False


class Session(Protocol):
    """One conversation with a chatbot. A session starts without any knowledge of other sessions.

    It also has the methods that the capabilities of its chatbot announce, and no others of these.
    """

    @property
    def greeting(self) -> Message | None:
        """The chatbot's first message if it speaks before the user, else None."""

    async def reply(self, message: Message) -> Message:
        """Return the reply to a message of the user. Raise only ChatbotError."""


class InjectableSession(Session, Protocol):
    """A session that takes steps of a script without calling its model.

    `inject` adds a reply or a tool call to the history. `stub` sets the result of the next matching call of a tool,
    which then does not run.
    """

    async def inject(self, step: InjectReply | InjectTool) -> None: ...

    async def stub(self, tool: InjectTool) -> None: ...


class BreakableSession(Session, Protocol):
    """A session whose tools can be broken before its first reply."""

    async def break_tools(self, faults: ToolFaults) -> None: ...


class StatefulSession(Session, Protocol):
    """A session that returns the state of its tools as JSON-compatible data at any time."""

    async def state(self) -> object: ...


class ToolCallingSession(StatefulSession, Protocol):
    """A session that calls one of its tools without its model, and returns the call."""

    async def call_tool(self, name: str, arguments: Mapping[str, Json]) -> ToolCall: ...


class LiveSession(Session, Protocol):
    """A session with a welcome and slash commands for live chat.

    `commands` maps the name of a command, without the slash, to a function of the text behind it. The first line of
    its docstring is its help; its result is displayed.
    """

    @property
    def welcome(self) -> str: ...

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]: ...


class Chatbot(Protocol):
    """The system under test. `BaseChatbot` has defaults for all but `connect`."""

    @property
    def capabilities(self) -> Capabilities:
        """Abilities in addition to replying, which never change."""

    def connect(self, case: Case) -> AbstractAsyncContextManager[Session]:
        """Open a session for a case. Leaving the block closes it, after an error and a cancellation as well."""

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        """Return problems of a case that the capabilities do not express.

        Unless the case is `complete`, variables may still be added to it.
        """

    def rendered(self, case: Case) -> Mapping[str, str]:
        """Return the prompts for a case by agent; empty without prompts."""


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


_STUBS = "results of tools can stand in only for `prompted:` chatbots; for others, `sparring promote --live-tools`"


_CALLS = "`prompted:` and `tau2:` chatbots take such calls, and a Python class that has `call_tool` and `state`"


def unsupported(case: Case, capabilities: Capabilities, *, complete: bool = True) -> tuple[Problem, ...]:
    """Return problems of a case for a chatbot with these capabilities.

    Unless the case is `complete`, missing variables are no problem yet.
    """
    problems = []
    if not capabilities.injects.issuperset(map(injection, case.injections)):
        stubs = any(injection(step) == "stub" for step in case.injections)
        message = "its script injects what this chatbot never said, which it cannot take"
        problems.append(Problem(message=message, hint=_STUBS if stubs else ""))
    if case.setup and not capabilities.calls_tools:
        problems.append(Problem(message="its setup calls tools, which cannot be called in this chatbot", hint=_CALLS))
    problems += _unbreakable(case, capabilities)
    for name in sorted(capabilities.requires - case.variables.keys()) if complete else ():
        problems.append(Problem(message=f"the chatbot needs the variable {name!r}, which the case does not have"))
    return tuple(problems)


def _unbreakable(case: Case, capabilities: Capabilities) -> Iterator[Problem]:
    if case.faults and "fault" not in capabilities.injects:
        hint = "`prompted:` chatbots let them be broken, and a Python class that has `call_tool`"
        yield Problem(message="it has faults of tools, which cannot be broken in this chatbot", hint=hint)
    known = {tool.name for tool in capabilities.tools} if capabilities.tools is not None else None
    for tool in dict.fromkeys(fault.tool for fault in case.faults):
        if known is not None and tool not in known:
            yield Problem(message=f"there is no tool {tool[:100]!r} to break; {suggest(tool, known)}")


_LONGEST_SUMMARY = 120


def tool_summaries(tools: tuple[ToolSchema, ...] | None) -> dict[str, str]:
    """Return the first line of the description of each tool."""
    return {tool.name: tool.description.partition("\n")[0][:_LONGEST_SUMMARY] for tool in tools or ()}


def from_plugin(made: Any) -> Chatbot:
    """Return the chatbot that a plug-in made, with defaults for everything but `connect`."""
    return cast("Chatbot", made) if isinstance(made, BaseChatbot) else _PluginChatbot(made)


class _PluginChatbot(BaseChatbot):
    """A chatbot of a plug-in that defines only `connect`, with sessions whose greeting is optional."""

    def __init__(self, made: Any) -> None:
        plugin = with_defaults(made, BaseChatbot())
        self._connect: Callable[[Case], AbstractAsyncContextManager[object]] = made.connect
        self.capabilities = plugin.capabilities
        self.check = plugin.check  # type: ignore[method-assign]
        self.rendered = plugin.rendered  # type: ignore[method-assign]

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[Session]:
        async with self._connect(case) as session:
            yield cast("Session", with_defaults(session, _NO_GREETING))


class _NoGreeting:
    greeting: Message | None = None


_NO_GREETING = _NoGreeting()
