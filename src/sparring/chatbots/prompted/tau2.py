"""A domain of τ²-bench as a chatbot: `tau2:DOMAIN` has its policy as prompt, and its tools unmodified.

The package of the benchmark and its data belong to the user; nothing of them is imported before such a chatbot is used.
Each conversation has a copy of the domain's environment. Its functions that are no tools of the agent, such as those
of an initial state, can be called from outside; those of the user begin with `user.`.
"""

import importlib
import inspect
import os
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stdout, suppress
from functools import cache, partial
from io import StringIO
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.tools import PythonTool, Toolbox
from sparring.core.errors import InputError
from sparring.core.value import mapping
from sparring.llm import template
from sparring.llm.model import Model, Tool
from sparring.llm.plugin_context import PluginContext

_PACKAGE = "pip install a checkout of the benchmark (Python 3.12 or later), and set TAU2_DATA_DIR to its folder `data`"
USER = "user."
"""Prefix of the functions that act for the user."""


class Environment:
    """The environment of a domain for one conversation: a tool is a method."""

    pickled: bytes = b""
    make: Callable[[], Any]

    def __init__(self) -> None:
        self._environment = pickle.loads(self.pickled) if self.pickled else type(self).make()

    def state(self) -> dict[str, Any]:
        """Return the database, with that of the user as `user_db` if it is another."""
        kit, users = self._environment.tools, self._environment.user_tools
        found: dict[str, Any] = kit.db.model_dump(mode="json")
        if users is not None and users.db is not None and users.db is not kit.db:
            found["user_db"] = users.db.model_dump(mode="json")
        return found

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return partial(self._call, name)

    def _call(self, tool: str, /, **arguments: Any) -> Any:
        kit = self._environment.user_tools if tool.startswith(USER) else self._environment.tools
        name = tool.removeprefix(USER)
        found = getattr(kit, name)(**arguments)
        if name == "update_db":
            self._share_database(kit)
        self._environment.sync_tools()
        return None if name == "update_db" else found

    def _share_database(self, updated: Any) -> None:
        """Give both sides the database that was updated, as the benchmark does with initial data."""
        for kit in (self._environment.tools, self._environment.user_tools):
            if kit is not None and kit.db is not None:
                kit.db = updated.db


def connect(argument: str, context: PluginContext) -> Prompted:
    """Return the chatbot of `tau2:DOMAIN`. Raise InputError if the domain cannot be loaded."""
    policy, box = domain(argument)
    model = context.model("chatbot", offline=_no_model)
    return Prompted(model, template.read(policy), box, name=argument)


@cache
def domain(name: str) -> tuple[str, Toolbox]:
    """Return the policy and the tools of a domain. Raise InputError if it cannot be loaded."""
    if not name.isidentifier():
        raise InputError(f"tau2:{name} names no domain", hint="tau2:retail")
    if not os.environ.get("TAU2_DATA_DIR"):
        raise InputError("the environment has no TAU2_DATA_DIR", hint=_PACKAGE)
    try:
        with suppress(ImportError):
            importlib.import_module("loguru").logger.disable("tau2")
        with redirect_stdout(StringIO()):  # the benchmark prints what it has
            make = importlib.import_module(f"tau2.domains.{name}.environment").get_environment
            made = make()
    except Exception as error:  # a foreign package may raise anything
        message = f"the domain {name!r} of τ²-bench cannot be loaded: {type(error).__name__}: {error}"
        raise InputError(message[:500], hint=_PACKAGE) from error
    try:
        pickled = pickle.dumps(made)
    except Exception:  # noqa: BLE001  only faster
        pickled = b""
    known = {each.name: _tool(each.name, each.openai_schema["function"]) for each in made.get_tools()}
    unlisted = {each: _function(each, function) for each, function in _functions(made) if each not in known}
    owner = type(name, (Environment,), {"pickled": pickled, "make": staticmethod(make)})
    return made.get_policy(), Toolbox(owner, known, tuple(each.tool for each in known.values()), unlisted=unlisted)


def _functions(made: Any) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield the public functions of the tools, then those of the user's."""
    for prefix, kit in (("", made.tools), (USER, made.user_tools)):
        for name, function in inspect.getmembers(type(kit), inspect.isfunction):
            if kit is not None and not name.startswith("_"):
                yield prefix + name, function


def _tool(name: str, schema: Mapping[str, Any]) -> PythonTool:
    parameters = mapping(schema.get("parameters"))
    required = parameters.get("required") or ()
    arguments, names = _arguments(name, {each: each in required for each in mapping(parameters.get("properties"))})
    described = Tool(name, str(schema.get("description") or ""), parameters)
    return PythonTool(described, arguments, names, ends=False)


def _function(name: str, function: Callable[..., Any]) -> PythonTool:
    taken = list(inspect.signature(function).parameters.values())[1:]
    arguments, names = _arguments(name, {each.name: each.default is each.empty for each in taken})
    return PythonTool(Tool(name, "", {}), arguments, names, ends=False)


def _arguments(name: str, required: Mapping[str, bool]) -> tuple[type[BaseModel], dict[str, str]]:
    """Return a type that takes arguments by name, with any value: the tools themselves judge values."""
    fields: dict[str, Any] = {
        f"field_{number}": (Any, Field(alias=each) if needed else Field(alias=each, default=None))
        for number, (each, needed) in enumerate(required.items())
    }
    model = create_model(name, __config__=ConfigDict(extra="forbid"), **fields)
    return model, {f"field_{number}": each for number, each in enumerate(required)}


def _no_model() -> Model:
    raise InputError("the agent of τ²-bench needs a language model", hint="--chatbot-model openai:gpt-4o-mini")
