"""Tools written in Python: public methods of a class `Tools`, or functions of a module `tools.py`.

Annotated parameters and a docstring are the schema and description for the model. A class is instantiated for every
conversation, with the session's name if it takes an argument, and the variables of the case if it takes two. A method
`state` without parameters, or a function `__state__` of a module, is no tool: it returns what the tools work on.
Methods run in the event loop, one after the other: tools that wait are `async def`. A ChatbotError ends the
conversation; any other error is returned to the model.
"""

import inspect
import json
import traceback
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import FunctionType, MappingProxyType, ModuleType
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import to_jsonable_python

from sparring.chatbots import python_code
from sparring.chatbots.prompted.mcp_client import McpSession, ServerToolFailed, ToolServer
from sparring.chatbots.tool_faults import ToolFaults, failed_call
from sparring.core.case import Case, InjectTool
from sparring.core.errors import ChatbotError, InputError, Problem
from sparring.core.message import CallStatus, ToolCall, says_error
from sparring.core.text import suggest
from sparring.core.value import MAX_DEPTH, Json, is_deeper
from sparring.llm.model import Tool, ToolRequest
from sparring.llm.redaction import quote

_ENDS = "__sparring_ends_conversation__"
_FAILS = "__sparring_fails_if__"
LONGEST_ERROR = 300


def ends_conversation(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a tool that ends the conversation: the reply after its success is the last."""
    setattr(function, _ENDS, True)
    return function


Test = Callable[[Any], bool]
Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def fails_if(failed: Test) -> Callable[[Decorated], Decorated]:
    """Return a decorator for a tool, or a class of tools, that defines which results are failures.

    A call failed if `failed` is true of its result. A tool that raises, or returns a mapping with an `error`, has
    always failed.
    """

    def mark(owner: Decorated) -> Decorated:
        setattr(owner, _FAILS, staticmethod(failed) if isinstance(owner, type) else failed)
        return owner

    return mark


@dataclass(frozen=True, slots=True)
class PythonTool:
    """A tool: its schema for the model, the type of its arguments, and its function.

    `parameters` has the parameter for each field of `arguments`; `fails` tells from a result that the call failed. A
    tool of a `server` is called `remote` there.
    """

    tool: Tool
    arguments: type[BaseModel]
    parameters: Mapping[str, str]
    ends: bool
    fails: Test | None = None
    server: str = ""
    remote: str = ""

    def status(self, result: Json) -> CallStatus:
        """Return the status of a call that ran and returned this result."""
        try:
            failed = says_error(result) or (self.fails is not None and self.fails(result))
        except (LookupError, TypeError, AttributeError, ValueError):  # the result of a stub may have any shape
            failed = False
        return "failed" if failed else "succeeded"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a tool call: its record, the answer for the model, and if it ends the conversation."""

    call: ToolCall
    answer: str
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of a chatbot, and the way to instantiate them.

    `takes` is the number of arguments of the class: none, the session's name, or that and the variables of the case.
    Tools of `servers` are called there. `tacit` tools may come later, and a script may name them. `unlisted` ones are
    called only from outside, such as those of a setup.
    """

    owner: type | ModuleType | None = None
    known: Mapping[str, PythonTool] = field(default_factory=dict)
    tools: tuple[Tool, ...] = ()
    takes: int = 0
    tacit: frozenset[str] = frozenset()
    servers: Mapping[str, ToolServer] = field(default_factory=dict)
    unlisted: Mapping[str, PythonTool] = field(default_factory=dict)

    def check(self, case: Case) -> tuple[Problem, ...]:
        """Return a problem for each unknown tool in a script. `tacit` tools are known, too."""
        injected = dict.fromkeys(step.name for step in case.injections if isinstance(step, InjectTool))
        unknown = [_unknown(name, self.known) for name in injected if name not in {*self.known, *self.tacit}]
        return tuple(Problem(message=message) for message in unknown)

    @property
    def reports_state(self) -> bool:
        """True if the tools show the state that they work on."""
        return self._has_state or any(each.has_state for each in self.servers.values())

    @property
    def _has_state(self) -> bool:
        return self.owner is not None and _state_of(self.owner) is not None

    @asynccontextmanager
    async def sessions(self, session: str) -> AsyncIterator[Mapping[str, McpSession]]:
        """Open a session with each server, and end it after the block."""
        async with AsyncExitStack() as stack:
            yield {name: await stack.enter_async_context(each.session(session)) for name, each in self.servers.items()}

    def open(
        self,
        session: str,
        variables: Mapping[str, Json] = MappingProxyType({}),
        servers: Mapping[str, McpSession] = MappingProxyType({}),
    ) -> "OpenToolbox":
        """Return the tools of one conversation, which share no state with others."""
        if not isinstance(self.owner, type):
            return OpenToolbox(self.known, self.owner, servers)
        try:
            made = self.owner(*(session, variables)[: self.takes])
            return OpenToolbox(self.known, made, servers, self.unlisted)
        except ChatbotError:
            raise
        except Exception as error:
            raise ChatbotError(f"its {self.owner.__name__} cannot be made: {described(error)}") from error


@dataclass(frozen=True, slots=True)
class OpenToolbox:
    """The tools of one conversation."""

    known: Mapping[str, PythonTool]
    instance: object
    servers: Mapping[str, McpSession] = field(default_factory=dict)
    unlisted: Mapping[str, PythonTool] = field(default_factory=dict)

    @property
    def for_outside(self) -> "OpenToolbox":
        """The tools with those that the model does not know."""
        return replace(self, known={**self.unlisted, **self.known}) if self.unlisted else self

    def stubbed(self, request: ToolRequest, stub: InjectTool) -> ToolResult | None:
        """Return the result of `stub` if it matches the request, else None."""
        given = json_object(request.arguments)
        if given is None or request.name != stub.name or request.name not in self.known:
            return None
        if any(name not in given or given[name] != value for name, value in stub.arguments.items()):
            return None
        tool, result = self.known[stub.name], stub.result
        call = ToolCall(name=stub.name, arguments=given, result=result, stubbed=True, status=tool.status(result))
        return ToolResult(call, json_text(result), tool.ends and call.succeeded)

    async def state(self) -> object:
        """Return the state of the tools; with servers, the state of each is under its name."""
        found: object = None
        name = "__state__" if isinstance(self.instance, ModuleType) else "state"
        if own := getattr(self.instance, name, None):
            found = own()
            found = await found if inspect.isawaitable(found) else found
        if not self.servers:
            return found
        states = {name: await each.state() for name, each in self.servers.items() if each.has_state}
        return {**({"tools": found} if own else {}), **states}

    async def use(self, request: ToolRequest, faults: ToolFaults | None = None) -> ToolResult:
        """Call the requested tool, which may have faults. Errors are returned to the model and recorded."""
        given = json_object(request.arguments)
        if faults is None or given is None or request.name not in self.known:
            return await self._use(request)
        if fault := faults.failing(request.name, given):
            call = failed_call(request.name, given, fault)
            return ToolResult(call, json_text({"error": call.error}))
        used = await self._use(request)
        call = used.call if used.call.error else faults.note(used.call)
        return used if call is used.call else replace(used, call=call, answer=json_text(call.result))

    async def _use(self, request: ToolRequest) -> ToolResult:
        given = json_object(request.arguments)
        tool = self.known.get(request.name)
        if tool is None:
            return _failed(request.name, given or {}, _unknown(request.name, self.known), ran=False)
        if given is None:
            return _failed(request.name, {}, "the arguments are not a JSON object, or nested too deep", ran=False)
        try:
            # What is kept shares nothing with what the tool is given, and may keep.
            fitting = tool.arguments.model_validate(json_object(request.arguments))
        except ValidationError as error:
            return _failed(request.name, given, _misfits(error), ran=False)
        arguments = {tool.parameters[field]: getattr(fitting, field) for field in fitting.model_fields_set}
        try:
            if tool.server:
                result = await self.servers[tool.server].call(tool.remote, given)
            else:
                result = getattr(self.instance, request.name)(**arguments)
                result = await result if inspect.isawaitable(result) else result
            result = to_jsonable_python(result, inf_nan_mode="null")
            if is_deeper(result, MAX_DEPTH):
                return _failed(request.name, given, "the result is nested too deep")
            answer = orjson.dumps(result).decode()
            # Both are JSON by now; to have every value in them validated again would take longer than most tools do.
            status = tool.status(result)
            call = ToolCall.model_construct(name=request.name, arguments=given, result=result, status=status)
        except ChatbotError:
            raise  # what the tools depend on is broken, and that is no answer of theirs
        except ServerToolFailed as error:
            return _failed(request.name, given, quote(str(error)), ran=error.ran)
        except Exception as error:  # noqa: BLE001 - a chatbot's own code may raise anything
            return _failed(request.name, given, described(error))
        return ToolResult(call, answer, tool.ends and call.succeeded)


def toolbox(owner: type | ModuleType) -> Toolbox:
    """Return the tools of a class or module. Raise InputError with all problems."""
    known: dict[str, PythonTool] = {}
    problems = _construction_problems(owner) if isinstance(owner, type) else []
    for name, function in _functions(owner):
        try:
            tool = _tool(name, function, is_method=isinstance(owner, type))
            known[name] = replace(tool, fails=_fails(owner, name))
        except (TypeError, NameError, ValueError, PydanticUserError) as error:
            problems.append(_problem(function, name, described(error)))
    if problems:
        raise InputError(problems)
    takes = len(_parameters(owner)[:2]) if isinstance(owner, type) else 0
    return Toolbox(owner, known, tuple(tool.tool for tool in known.values()), takes)


def json_text(value: Json) -> str:
    """Return a value as JSON, including numbers and surrogates that orjson rejects."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace").decode()


def described(error: BaseException) -> str:
    """Return an error in one line: its type and its first words."""
    words = "".join(letter if letter.isprintable() else " " for letter in str(error)[:LONGEST_ERROR])
    return f"{type(error).__name__}: {words}" if words.strip() else type(error).__name__


def _functions(owner: type | ModuleType) -> Iterator[tuple[str, FunctionType]]:
    """Yield the public functions of a module, or of a class and its bases."""
    written = dict[str, object]()
    for place in reversed(owner.__mro__) if isinstance(owner, type) else [owner]:
        written |= vars(place)
    for name, value in written.items():
        if not isinstance(value, FunctionType) or name.startswith("_"):
            continue
        if value is _state_of(owner):
            continue
        if isinstance(owner, type) or value.__module__ == owner.__name__:
            yield name, value


def _state_of(owner: type | ModuleType) -> FunctionType | None:
    """Return the method `state` or the function `__state__`, if it takes no parameters."""
    is_class = isinstance(owner, type)
    found = getattr(owner, "state" if is_class else "__state__", None)
    takes = inspect.signature(found).parameters if isinstance(found, FunctionType) else None
    return found if isinstance(found, FunctionType) and takes is not None and len(takes) == is_class else None


def _fails(owner: type | ModuleType, name: str) -> Test | None:
    """Return the test of a tool's results: its own, or that of what it overrides, or of the class."""
    places = owner.__mro__ if isinstance(owner, type) else (owner,)
    tests = [getattr(vars(place).get(name), _FAILS, None) for place in places]
    return next((test for test in tests if test), getattr(owner, _FAILS, None))


@lru_cache(maxsize=256)  # a chatbot is connected for each batch, and its functions stay as they are
def _tool(name: str, function: FunctionType, *, is_method: bool) -> PythonTool:
    """Return the tool of a function. Raise TypeError, or an error of pydantic, for unusable annotations."""
    parameters = list(inspect.signature(function, eval_str=True).parameters.values())[is_method:]
    fields: dict[str, Any] = {}
    for number, parameter in enumerate(parameters):
        if parameter.annotation is parameter.empty:
            raise TypeError(f"{parameter.name} has no annotation, so a model cannot know what to give")
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{parameter} cannot be given by name")
        fields[f"field_{number}"] = (parameter.annotation, _field(parameter))
    arguments = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    schema = arguments.model_json_schema(schema_generator=_Untitled)
    del schema["title"]
    description = inspect.getdoc(function) or ""
    names = {f"field_{number}": parameter.name for number, parameter in enumerate(parameters)}
    return PythonTool(Tool(name, description, schema), arguments, names, getattr(function, _ENDS, False))


def _field(parameter: inspect.Parameter) -> Any:
    """Return a field with the parameter as alias, which may be called `copy` like a method of pydantic."""
    if parameter.default is parameter.empty:
        return Field(alias=parameter.name)
    # The function knows its own default; this one is never used and only says that the value may be left out.
    return Field(alias=parameter.name, default_factory=lambda: None)


class _Untitled(GenerateJsonSchema):
    """JSON schemas without titles, which only repeat the names."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _construction_problems(owner: type) -> list[Problem]:
    needed = [
        parameter.name
        for number, parameter in enumerate(_parameters(owner))
        if parameter.default is parameter.empty and (number > 1 or parameter.kind is parameter.KEYWORD_ONLY)
    ]
    if not needed:
        return []
    message = f"is made with the session's name and the case's variables at most, but also needs {', '.join(needed)}"
    return [Problem(path=owner.__name__, message=message)]


def _parameters(owner: type) -> list[inspect.Parameter]:
    """Return the parameters of the class."""
    parameters = inspect.signature(owner).parameters.values()
    return [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]


def _problem(function: FunctionType, path: str, message: str) -> Problem:
    return Problem(
        file=function.__code__.co_filename, line=function.__code__.co_firstlineno, path=path, message=message
    )


def json_object(text: str) -> dict[str, Json] | None:
    """Return arguments written by a model, or None if they are not a JSON object or nested too deeply."""
    try:
        value: Json = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) and not is_deeper(value, MAX_DEPTH + 1) else None


def _unknown(name: str, known: Mapping[str, PythonTool]) -> str:
    return f"there is no tool {name[:100]!r}; {suggest(name, known)}"


def _misfits(error: ValidationError) -> str:
    details = error.errors(include_url=False, include_context=False, include_input=False)
    return "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in details)[:LONGEST_ERROR]


def _failed(name: str, given: dict[str, Json], error: str, *, ran: bool = True) -> ToolResult:
    status: CallStatus = "failed" if ran else "attempted"
    call = ToolCall(name=name[:100], arguments=given, error=error, status=status)
    return ToolResult(call, orjson.dumps({"error": error}).decode())


def load(path: Path) -> Toolbox:
    """Load the tools in a Python file, which is executed. Raise InputError with the place of a failure."""
    module = _imported(path)
    owner = getattr(module, "Tools", module)
    return toolbox(owner if isinstance(owner, type) else module)


def _imported(path: Path) -> ModuleType:
    try:
        return python_code.run(path)
    except (Exception, SystemExit) as error:
        raise InputError(_file_problem(path, error)) from error


def _file_problem(path: Path, error: BaseException) -> Problem:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return Problem(file=str(path), line=error.lineno, column=error.offset, message=f"is not Python: {error.msg}")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    message = f"cannot be imported: {described(error)}"
    return Problem(file=str(path), line=lines[-1] if lines else None, message=message)
