"""A chatbot that is a Python function or class, run in this process.

`python:module:name` or `python:path/to/file.py:name`, where `name` is one of

    async def reply(messages, variables) -> str | Message     all messages so far, the user's latest last
    def reply(messages, variables) -> str | Message           the same, run in a thread
    class Chatbot: reply(self, message) -> str | Message      one for each conversation, made with nothing or the case

The `reply` of a class may be `async` too. The class may have a `greeting`, and for live chat a `welcome` and
`commands() -> {name: async function of the text behind it, which returns a text}`. A class that is made with nothing
never learns what was said before, where the case has a `history`; one made with the case finds it there. A function or
class whose messages hold every tool call there was says so with `reports_tools = True`, and may list its `tools`. A
method `state(self)`, or a function `reply.state(variables)`, returns what the chatbot's tools work on. With a method
`call_tool(self, name, arguments)`, an object also takes the golden actions of a case.
Where it calls its tools through this method, the faults of a case break them.

Agents of other frameworks need no such code: `name` may be one of `sparring.chatbots.frameworks`, or with parentheses
(`module:make()`) a function, `async` or not, that returns one for each conversation. It may return the agent and what
goes to its tools: `deps` of Pydantic AI, `context` of OpenAI Agents and LangGraph, the first `state` of Google ADK; or
a chain of LangChain and further input.
"""

import asyncio
import copy
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any

from pydantic_core import to_jsonable_python

from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.frameworks import AgentChatbot, agent_of
from sparring.chatbots.python_code import imported, in_thread
from sparring.chatbots.request import traced
from sparring.chatbots.response import cleaned_reply
from sparring.chatbots.tool_faults import EXPLICIT, ToolFailed, ToolFaults, failed_call, with_faults
from sparring.core.case import Case, InjectReply, InjectTool
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message, ToolCall, message
from sparring.core.prompts import ToolSchema
from sparring.core.value import Json, to_json
from sparring.llm.plugin_context import PluginContext, RawReplyListener, ignore_reply
from sparring.llm.redaction import quote

Code = Callable[..., Any]
Overheard = Callable[[Any], None]


def _ignore(_: Any) -> None:
    """Ignore raw replies."""


def connect(argument: str, context: PluginContext) -> "PythonChatbot | AgentChatbot":
    """Return the chatbot at `module:name` or `file.py:name`. Raise InputError if it cannot reply."""
    code = imported(argument.removesuffix("()"))
    if argument.endswith("()"):
        with _refusing(argument):
            first = code()
            if inspect.isawaitable(first):  # in a thread, because an event loop may run in this one
                with ThreadPoolExecutor(1) as thread:
                    first = thread.submit(asyncio.run, _awaited(first)).result()
            made = agent_of(first, argument, code)
        if made is None:
            raise InputError(f"{argument} returns no agent of a known framework", hint="leave out the parentheses")
        return made
    if agent := agent_of(code, argument):
        return agent
    check_code(code, argument)
    listening = context.overhear is not ignore_reply
    return PythonChatbot(code, partial(_overheard, context.overhear, argument) if listening else _ignore)


async def _awaited(made: Awaitable[Any]) -> Any:
    return await made


@contextmanager
def _refusing(name: str) -> Iterator[None]:
    """Raise InputError for all errors of a function that makes agents."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(f"{name} fails: {quote(f'{type(error).__name__}: {error}')}") from error


def check_code(code: Any, name: str) -> None:
    """Raise InputError if `code`, called `name`, is neither a function nor a class that can reply."""
    if inspect.isclass(code):
        reply = getattr(code, "reply", None)
        if not callable(reply) or not _takes(reply, 2):
            raise InputError(f"{name} has no reply(self, message)", hint="def reply(self, message): return 'Hello'")
        if not _takes(code, 0) and not _takes(code, 1):
            raise InputError(f"{name} cannot be made", hint="its __init__ takes nothing, or the case")
    elif not callable(code) or not _takes(code, 2):
        hint = "a function takes (messages, variables); a class has reply(self, message)"
        if callable(code) and _takes(code, 0):
            hint = f"if it makes an agent of a framework, name it with parentheses: {name}()"
        raise InputError(f"{name} cannot be asked for a reply", hint=hint)


class PythonChatbot(BaseChatbot):
    """A function, or a class that is instantiated for every conversation."""

    def __init__(self, code: Code, overheard: Overheard = _ignore) -> None:
        self._code = code
        self._overheard = overheard
        is_class = inspect.isclass(code)
        calls_tools = is_class and callable(getattr(code, "call_tool", None))
        # A function is passed the history, injected messages included. An object keeps its own.
        self.capabilities = Capabilities(
            reports_tools=getattr(code, "reports_tools", False) is True,
            tools=_known_tools(code),
            reports_state=callable(getattr(code, "state", None)),
            calls_tools=calls_tools,
            injects=frozenset({"fault"} if calls_tools else ()) if is_class else frozenset({"reply", "tool"}),
            commands=is_class,
        )

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["FunctionSession | ObjectSession"]:
        if not inspect.isclass(self._code):
            yield FunctionSession(self._code, case, self._overheard)
            return
        # Made in a thread as well: who loads a model in a constructor must not keep all other conversations waiting.
        chatbot = await in_thread(_in_thread, self._code, *(() if _takes(self._code, 0) else (case,)))
        with _blaming_the_chatbot():
            breakable = "fault" in self.capabilities.injects
            session = (ToolSession if breakable else ObjectSession)(chatbot, self._overheard)
        yield session


def _known_tools(code: Code) -> tuple[ToolSchema, ...] | None:
    """Return the tools that the attribute `tools` lists, by name or as a mapping with descriptions."""
    listed = getattr(code, "tools", None)
    if not isinstance(listed, list | tuple | dict) or not all(isinstance(name, str) for name in listed):
        return None
    described = listed if isinstance(listed, dict) else dict.fromkeys(listed, "")
    return tuple(ToolSchema(name=name, description=str(text)) for name, text in described.items())


class FunctionSession:
    """A conversation with a function, which gets the entire history each time."""

    greeting: Message | None = None

    def __init__(self, code: Code, case: Case, overheard: Overheard) -> None:
        self._overheard = overheard
        self._code = code
        self._variables = case.variables
        self._said = case.history

    async def reply(self, message: Message) -> Message:
        said = (*self._said, message)
        answer = await _call(self._overheard, self._code, list(said), copy.deepcopy(self._variables))
        self._said = (*said, answer)
        return answer

    async def state(self) -> object:
        return await _state(self._code.state, copy.deepcopy(self._variables))  # type: ignore[attr-defined]

    async def inject(self, step: InjectReply | InjectTool) -> None:
        self._said = (*self._said, step.message)


class ObjectSession:
    """A conversation with an object, which keeps its own history."""

    def __init__(self, chatbot: Any, overheard: Overheard) -> None:
        greeting = getattr(chatbot, "greeting", None)
        self.greeting = None if greeting is None else _message(greeting)
        self._chatbot = chatbot
        self._overheard = overheard
        self._broken: list[ToolCall] = []

    async def reply(self, message: Message) -> Message:
        reply = await _call(self._overheard, self._chatbot.reply, message)
        marked = with_faults(reply, self._broken)
        self._broken.clear()
        return marked

    async def state(self) -> object:
        return await _state(self._chatbot.state)

    async def call_tool(self, name: str, arguments: Mapping[str, Json]) -> ToolCall:
        """Call a tool of the object, which returns its result or a `ToolCall`."""
        return _tool_call(name, arguments, await _state(self._chatbot.call_tool, name, dict(arguments)))

    @property
    def welcome(self) -> str:
        return str(getattr(self._chatbot, "welcome", ""))

    def commands(self) -> Mapping[str, Callable[[str], Awaitable[str]]]:
        """Return the object's commands for live chat."""
        return self._chatbot.commands() if hasattr(self._chatbot, "commands") else {}


class ToolSession(ObjectSession):
    """A conversation with an object that calls its tools through its method `call_tool`."""

    async def break_tools(self, faults: ToolFaults) -> None:
        """Let the calls that go through the object's `call_tool` fail as the faults say."""
        with _blaming_the_chatbot():
            self._chatbot.call_tool = _breaking(self._chatbot.call_tool, faults, self._broken)


async def _call(overheard: Overheard, code: Code, *arguments: Any) -> Message:
    """Return the reply. Code that is not `async` runs in a thread, which is not interrupted."""
    with _blaming_the_chatbot(), traced():
        if inspect.iscoroutinefunction(code):
            answer = await code(*arguments)
        else:
            answer = await in_thread(_in_thread, code, *arguments)
            answer = await answer if inspect.isawaitable(answer) else answer
        overheard(answer)
        return _message(answer)


def _breaking(call_tool: Code, faults: ToolFaults, broken: list[ToolCall]) -> Code:
    """Return `call_tool` with the faults. It adds the calls that they break to `broken`."""

    def before(name: str, arguments: Mapping[str, Json]) -> None:
        if fault := faults.failing(name, arguments):
            broken.append(failed_call(name, arguments, fault))
            raise (TimeoutError if fault == "timeout" else ToolFailed)(EXPLICIT[fault])

    def after(name: str, arguments: Mapping[str, Json], result: Any) -> Any:
        call = _tool_call(name, arguments, result)
        changed = faults.note(call)
        if changed is call:
            return result
        broken.append(changed)
        return changed.changed(fault="") if isinstance(result, ToolCall) else changed.result

    def in_thread(name: str, arguments: Mapping[str, Json]) -> Any:
        before(name, arguments)
        return after(name, arguments, call_tool(name, arguments))

    async def in_loop(name: str, arguments: Mapping[str, Json]) -> Any:
        before(name, arguments)
        return after(name, arguments, await call_tool(name, arguments))

    return in_loop if inspect.iscoroutinefunction(call_tool) else in_thread


def _tool_call(name: str, arguments: Mapping[str, Json], result: Any) -> ToolCall:
    """Return a call with its result as JSON, which may be an object of the program such as a dataclass."""
    if isinstance(result, ToolCall):
        return result
    shown = to_jsonable_python(result, inf_nan_mode="null", serialize_unknown=True)
    return ToolCall(name=name, arguments=dict(arguments), result=shown)


async def _state(code: Code, *arguments: Any) -> Any:
    """Return the result of code that does not reply."""
    found = code(*arguments) if inspect.iscoroutinefunction(code) else await in_thread(_in_thread, code, *arguments)
    return await found if inspect.isawaitable(found) else found


def _in_thread(code: Code, *arguments: Any) -> Any:
    # Translated here too: a StopIteration would never find its way out of a coroutine.
    with _blaming_the_chatbot():
        return code(*arguments)


def _overheard(overhear: RawReplyListener, where: str, said: Any) -> None:
    overhear(where, to_json(said).decode() if isinstance(said, Message) else str(said), ())


@contextmanager
def _blaming_the_chatbot() -> Iterator[None]:
    """Raise ChatbotError for all errors of foreign code, even if it tries to exit."""
    try:
        yield
    except ChatbotError:
        raise
    except (Exception, SystemExit) as error:
        taken_for_text = isinstance(error, AttributeError) and isinstance(error.obj, Message)
        hint = "; its text is message.text" if taken_for_text else ""
        raise ChatbotError(quote(f"{type(error).__name__}: {error}{hint}")) from error


def _message(said: Any) -> Message:
    if isinstance(said, str):
        said = message("chatbot", said)
    if isinstance(said, Message) and said.role == "chatbot":
        return cleaned_reply(said)
    what = "a message of the user" if isinstance(said, Message) else f"{type(said).__name__}"
    raise ChatbotError(f"it replied with {what}, where text or a chatbot's Message was expected")


def _takes(code: Code, count: int) -> bool:
    """Return True if something can be called with this many arguments, as far as its signature says."""
    try:
        inspect.signature(code).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True
