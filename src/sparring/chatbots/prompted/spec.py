"""Folders with a spec.yaml: several agents of one chatbot, each with a prompt in Markdown.

Prompts are read from files in the folder, never from outside of it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from pydantic import Field, PositiveInt

from sparring import parsing
from sparring.chatbots.prompted.handover import HANDOFFS_PER_TURN
from sparring.chatbots.prompted.spec_lint import Lint, Source
from sparring.chatbots.prompted.tools import Toolbox
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Agent, Prompts, PromptVariable, ToolSchema
from sparring.core.value import Value
from sparring.llm import template
from sparring.llm.template import Template, joined
from sparring.parsing import Document, KeyPath

LARGEST_TEXT = 1_000_000


def template_in(path: Path, problems: list[Problem]) -> Template | None:
    """Return the template in a file, or None after adding its problems."""
    try:
        return template.read(parsing.read_text(path, most=LARGEST_TEXT))
    except InputError as error:
        changes = {"file": str(path)}
        if not path.exists():
            changes["hint"] = "write what the model should know and do, in Markdown"
        problems += [problem.changed(**changes) for problem in error.problems]
    return None


def outside(folder: Path, name: str) -> str:
    """Return why this is not the name of a text in the folder, or an empty text."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or "\0" in name or Path(name).is_absolute() or parts[0] == "/" or ":" in parts[0]:
        return "is not the name of a file in this folder"
    if not name.endswith(".md"):
        return "is no Markdown file: its name should end with .md"
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        return "leads out of this folder"
    return ""


SPEC = "spec.yaml"
_GREETING = "greeting.md"
_MOST_AGENTS = 100
_MOST_PROBLEMS = 100


class AgentFile(Value):
    """An agent: its prompt files, the names of its tools, and its handovers with their conditions."""

    prompt: str | tuple[str, ...]
    description: str = ""
    tools: tuple[str, ...] = ()
    handoffs: dict[str, str] = {}

    @property
    def files(self) -> tuple[str, ...]:
        return (self.prompt,) if isinstance(self.prompt, str) else self.prompt


class SpecFile(Value):
    """Content of a spec.yaml.

    `entry` is the first agent, `variables` are those that the prompts need, and `handoffs_per_turn` is the maximum
    number of handovers per turn.
    """

    entry: str
    agents: dict[str, AgentFile] = Field(min_length=1, max_length=_MOST_AGENTS)
    name: str = ""
    description: str = ""
    variables: dict[str, PromptVariable] = {}
    greeting: str = ""
    handoffs_per_turn: PositiveInt = HANDOFFS_PER_TURN


@dataclass(frozen=True, slots=True)
class Spec:
    """A loaded spec: its content, and its texts as templates."""

    prompts: Prompts
    templates: Mapping[str, Template]
    greeting: Template | None


def read(folder: Path, toolbox: Toolbox | None) -> Spec:
    """Load a spec folder. Raise InputError with all problems. Without a toolbox, tools are not checked."""
    document = parsing.load(folder / SPEC)
    spec = parsing.validate(document, SpecFile)
    problems: list[Problem] = []
    texts = {id: list(_sources(folder, document, id, agent, problems)) for id, agent in spec.agents.items()}
    greeting = _greeting(folder, document, spec, problems)
    agents = {
        id: Agent(
            description=agent.description,
            prompt="\n\n".join(source.template.text.strip() for source in texts[id]),
            tools=agent.tools,
            handoffs=agent.handoffs,
        )
        for id, agent in spec.agents.items()
    }
    prompts = Prompts(
        name=spec.name or folder.resolve().name,
        role="chatbot",
        description=spec.description,
        entry=spec.entry,
        agents=agents,
        variables=spec.variables,
        greeting=greeting.template.text.strip() if greeting else "",
        handoffs_per_turn=spec.handoffs_per_turn,
        tools=schemas(toolbox) if toolbox else (),
    )
    problems += Lint(document, prompts, texts, greeting, toolbox).problems()
    if problems:
        raise InputError(sorted(dict.fromkeys(problems), key=_order))
    templates = {id: joined([source.template for source in sources]) for id, sources in texts.items()}
    return Spec(prompts, templates, greeting.template if greeting else None)


def of_prompts(prompts: Prompts, toolbox: Toolbox | None, *, lenient: bool = False) -> Spec:
    """Return the spec of a prompt version. Raise InputError with all problems.

    The tools are those of the `toolbox`: a version only has their names. `lenient` allows unknown names.
    """
    problems: list[Problem] = []
    texts = {id: list(_said(f"agents.{id}.prompt", agent.prompt, problems)) for id, agent in prompts.agents.items()}
    greeting = next(_said("greeting", prompts.greeting, problems), None) if prompts.greeting.strip() else None
    agents = {id: agent.model_copy(update={"prompt": agent.prompt.strip()}) for id, agent in prompts.agents.items()}
    tools = schemas(toolbox) if toolbox else ()
    stripped = prompts.model_copy(update={"agents": agents, "greeting": prompts.greeting.strip(), "tools": tools})
    lint = Lint(parsing.unplaced(None, ""), stripped, texts, greeting, toolbox)
    problems += islice(lint.problems(), 0 if lenient else _MOST_PROBLEMS)
    if problems:
        raise InputError(list(dict.fromkeys(problems)))
    templates = {id: joined([source.template for source in sources]) for id, sources in texts.items()}
    return Spec(stripped, templates, greeting.template if greeting else None)


def _said(path: str, text: str, problems: list[Problem]) -> Iterator[Source]:
    """Return a text without a file as a template. Problems name its path instead of a file."""
    if len(text) > LARGEST_TEXT:
        problems.append(Problem(file=path, message=f"is longer than {LARGEST_TEXT:,} characters"))
        return
    try:
        yield Source(path, template.read(text.strip()))
    except InputError as error:
        problems += [problem.model_copy(update={"file": path}) for problem in error.problems]


def schemas(toolbox: Toolbox) -> tuple[ToolSchema, ...]:
    """Return the schemas of the tools as they are stored."""
    return tuple(
        ToolSchema(name=tool.name, description=tool.description, parameters=dict(tool.parameters))
        for tool in toolbox.tools
    )


def _sources(folder: Path, document: Document, id: str, agent: AgentFile, problems: list[Problem]) -> Iterator[Source]:
    for number, name in enumerate(agent.files):
        at: KeyPath = ("agents", id, "prompt", *(() if isinstance(agent.prompt, str) else (number,)))
        if source := _source(folder, document, name, at, problems):
            yield source


def _source(folder: Path, document: Document, name: str, at: KeyPath, problems: list[Problem]) -> Source | None:
    if wrong := outside(folder, name):
        problems.append(document.problem(at, f"{name[:100]!r} {wrong}"))
        return None
    if not (folder / name).is_file():
        problems.append(document.problem(at, f"there is no file {name[:100]!r} in this folder"))
        return None
    template = template_in(folder / name, problems)
    return Source(str(folder / name), template) if template else None


def _greeting(folder: Path, document: Document, spec: SpecFile, problems: list[Problem]) -> Source | None:
    if spec.greeting:
        return _source(folder, document, spec.greeting, ("greeting",), problems)
    return _source(folder, document, _GREETING, (), problems) if (folder / _GREETING).exists() else None


def _order(problem: Problem) -> tuple[bool, str, int, int]:
    """Order problems: those of the spec first, then those of the prompts."""
    return not problem.file.endswith(SPEC), problem.file, problem.line or 0, problem.column or 0
