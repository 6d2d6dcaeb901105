"""Validation of specs: unknown names in the spec and in its prompts."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sparring.chatbots.prompted.handover import HAND_OFF
from sparring.chatbots.prompted.tools import PythonTool, Toolbox
from sparring.core.errors import Problem
from sparring.core.prompts import Agent, Prompts, PromptVariable
from sparring.core.text import closest_name, suggest
from sparring.core.value import Json
from sparring.llm.template import Template, problem_at
from sparring.parsing import Document, KeyPath

GIVEN = ("session", "agent", "tools", "handoffs")
"""What every prompt may use without declaring it."""

_ID = re.compile(r"[A-Za-z][\w-]{0,63}")
_QUOTED = re.compile(r"`([A-Za-z_][\w-]*)(\([^`\n]*\))?`")
_INSTRUCTED = re.compile(
    r"\b(?:call|calls|calling|use|uses|using|tool|tools|вызови|вызовите|вызывай|используй)\W{1,3}$", re.I
)
_HANDING = re.compile(r"\b(?:transfer|hand_?off|hand_?over)_(?:to_)?\w+", re.I)
_CLOSE = 0.85
_COMPARED = 500  # names of a prompt that are compared with those that there are: each comparison takes a while
_NO_TOOLS = "there is no tools.py beside the spec; --chatbot NAME if it is for a chatbot that brings its tools along"


@dataclass(frozen=True, slots=True)
class Source:
    """A text of a spec with its file."""

    file: str
    template: Template


@dataclass(frozen=True, slots=True)
class Lint:
    """A spec with its texts, as far as they could be read."""

    document: Document
    prompts: Prompts
    texts: Mapping[str, list[Source]]
    greeting: Source | None
    toolbox: Toolbox | None

    def problems(self) -> Iterator[Problem]:
        """Yield all problems of names."""
        yield from self._entry()
        for id, agent in self.prompts.agents.items():
            yield from self._agent(id, agent)
            for source in self.texts.get(id, ()):
                yield from self._fields(source)
                yield from self._mentions(source, agent)
        if self.greeting:
            yield from self._fields(self.greeting)
        for name, variable in self.prompts.variables.items():
            yield from self._variable(name, variable)

    def _entry(self) -> Iterator[Problem]:
        agents = self.prompts.agents
        if self.prompts.entry not in agents:
            yield self.document.problem(("entry",), *unknown("agent", self.prompts.entry, agents))
            return
        seen, todo = set[str](), [self.prompts.entry]
        while todo:
            id = todo.pop()
            if id in agents and id not in seen:
                seen.add(id)
                todo += agents[id].handoffs
        for id in agents:
            if id not in seen:
                hint = f"add a handover to it that is reachable from {self.prompts.entry}"
                yield self.document.problem(
                    ("agents", id), f"agent {id!r} is unreachable: no agent hands over to it", hint, key=True
                )

    def _agent(self, id: str, agent: Agent) -> Iterator[Problem]:
        at: KeyPath = ("agents", id)
        if not _ID.fullmatch(id):
            yield self.document.problem(
                at, f"{id[:64]!r} is not a valid agent name", "letters, digits, _ and -", key=True
            )
        for number, tool in enumerate(agent.tools):
            place: KeyPath = (*at, "tools", number)
            if tool in agent.tools[:number]:
                yield self.document.problem(place, f"{tool!r} is listed twice")
            if tool == HAND_OFF:
                yield self.document.problem(place, f"{HAND_OFF} is added automatically for handoffs")
            elif self.toolbox is not None and tool not in self.toolbox.known:
                message, hint = unknown("tool", tool, self.toolbox.known)
                yield self.document.problem(place, message, hint if self.toolbox.known else _NO_TOOLS)
        for target in agent.handoffs:
            if target == id:
                yield self.document.problem((*at, "handoffs", target), "an agent hands over to others only", key=True)
            elif target not in self.prompts.agents:
                said = unknown("agent", target, self.prompts.agents)
                yield self.document.problem((*at, "handoffs", target), *said, key=True)

    def _fields(self, source: Source) -> Iterator[Problem]:
        """Yield undeclared placeholders, except inside a section, where an entry of a list may have its own."""
        known = [*GIVEN, *self.prompts.variables]
        for name, offset in source.template.needs():
            if name.partition(".")[0] not in known:
                message, hint = unknown("variable", name, known)
                yield _in_text(source, offset, message, f"{hint}, or declare it under variables in the spec")

    def _mentions(self, source: Source, agent: Agent) -> Iterator[Problem]:
        """Tools and agents that a prompt speaks of and its agent does not have."""
        text = source.template.text
        known = self.toolbox.known if self.toolbox else {}
        has = {*agent.tools, *([HAND_OFF] if agent.handoffs else [])}
        harmless = {*self.prompts.agents, *self.prompts.variables, *_parameters(known.values()), *GIVEN}
        compared = dict[str, bool]()
        for found in _QUOTED.finditer(text):
            name = found[1]
            if name in has or name in harmless:
                continue
            called = bool(found[2]) or _is_instruction(text, found)
            if name not in compared and len(compared) < _COMPARED:
                others = [*known, HAND_OFF, *self.prompts.agents]
                compared[name] = closest_name(name, others, cutoff=_CLOSE) is not None
            if name in known or name == HAND_OFF:
                yield _in_text(source, found.start(), _not_its_own(name))
            elif (known and called) or compared.get(name) or _HANDING.fullmatch(name):
                yield _in_text(source, found.start(), *unknown("tool or agent", name, [*has, *self.prompts.agents]))
        unquoted = _QUOTED.sub(lambda found: " " * len(found[0]), text)
        for found in re.finditer(r"\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b", unquoted):
            if found[0] in known and found[0] not in has | harmless:
                yield _in_text(
                    source, found.start(), f"speaks of the tool {found[0]!r}, which this agent does not have"
                )

    def _variable(self, name: str, variable: PromptVariable) -> Iterator[Problem]:
        at: KeyPath = ("variables", name)
        if not re.fullmatch(r"[A-Za-z_][\w-]*", name):
            yield self.document.problem(at, f"{name[:64]!r} is not a valid variable name", key=True)
        if name in GIVEN:
            yield self.document.problem(at, f"{name!r} is filled in automatically", key=True)
        if variable.required and variable.default is not None:
            yield self.document.problem((*at, "default"), "means nothing where the variable is required", key=True)
        if variable.default is not None and not fits(variable.default, variable):
            yield self.document.problem((*at, "default"), f"should be {_ARTICLED[variable.type]}")


def fits(value: Json, variable: PromptVariable) -> bool:
    """Return True if a value has the variable's type; a number may be written as text."""
    match variable.type:
        case "string":
            return isinstance(value, str)
        case "number":
            return (isinstance(value, int | float) and not isinstance(value, bool)) or _number(value)
        case "boolean":
            return isinstance(value, bool)
        case "list":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case "any":
            return True


def wrong_values(prompts: Prompts, values: Mapping[str, Json]) -> Iterator[str]:
    """Yield a problem for every missing variable and every value of another type."""
    for name, variable in prompts.variables.items():
        value = values.get(name)
        if value is None:
            if variable.required:
                yield f"its prompts need the variable {name!r}, which the case does not have"
        elif not fits(value, variable):
            yield f"the variable {name!r} should be {_ARTICLED[variable.type]}"


_ARTICLED = {
    "any": "anything",
    "string": "text",
    "number": "a number",
    "boolean": "true or false",
    "list": "a list",
    "object": "a mapping",
}


def unknown(kind: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    """Return the message and the hint for an unknown name."""
    return f"unknown {kind} {name[:100]!r}", suggest(name, sorted(set(known)))


def _not_its_own(tool: str) -> str:
    return f"speaks of the tool {tool!r}, which this agent does not have"


def _number(value: Json) -> bool:
    try:
        return isinstance(value, str) and float(value) == float(value)
    except ValueError:
        return False


def _is_instruction(text: str, found: re.Match[str]) -> bool:
    """Return True if the words before a name say to use it."""
    return _INSTRUCTED.search(text[max(0, found.start() - 20) : found.start()]) is not None


def _parameters(tools: Iterable[PythonTool]) -> Iterator[str]:
    for tool in tools:
        yield from tool.parameters.values()


def _in_text(source: Source, at: int, message: str, hint: str = "") -> Problem:
    return problem_at(source.template.text, at, message, hint).model_copy(update={"file": source.file})
