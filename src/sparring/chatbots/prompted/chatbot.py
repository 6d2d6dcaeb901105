"""A chatbot made of a model, a prompt and tools: `prompted:DIR`.

DIR has `prompt.md`, the system prompt, and perhaps `tools.py`, `greeting.md` (what the chatbot says before it is spoken
to) and `grammar.yaml` (how to do without a language model). `{{name}}` in the two texts is a variable of the case, and
`{{session}}` the name of the conversation. With a `spec.yaml` instead of the prompt, several agents speak in turn.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from sparring.chatbots.chatbot import BREAKABLE, BaseChatbot, Capabilities
from sparring.chatbots.prompted import spec as specs
from sparring.chatbots.prompted import tools as tool_files
from sparring.chatbots.prompted.handover import HAND_OFF, AgentStage, AgentTeam, HandoverRequest, Routed, towards
from sparring.chatbots.prompted.mcp_client import McpSession
from sparring.chatbots.prompted.session import PromptedSession, lines_of
from sparring.chatbots.prompted.spec import SPEC, Spec, schemas, template_in
from sparring.chatbots.prompted.spec_lint import wrong_values
from sparring.chatbots.prompted.tools import OpenToolbox, Toolbox, toolbox
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError, Problem
from sparring.core.message import Message, message
from sparring.core.prompts import Agent, Prompts, ToolSchema
from sparring.core.seeding import session_id
from sparring.core.text import closest_name
from sparring.core.value import Json
from sparring.llm import template
from sparring.llm.model import ChatMessage, Model
from sparring.llm.plugin_context import PluginContext
from sparring.llm.template import MissingField, Template, shared

ROUNDS = 10
ALONE = "chatbot"
"""Name of a single agent."""

_SEEDS = 2**31


class InitialState(NamedTuple):
    """The start of a conversation: model, tools, messages and greeting.

    `team` has the agents if there are several.
    """

    asking: HandoverRequest
    toolbox: OpenToolbox
    lines: tuple[ChatMessage, ...]
    greeting: Message | None
    team: AgentTeam | None = None


@dataclass(frozen=True)
class Prompted(BaseChatbot):
    """A chatbot made of a model, with a history and tools of its own in every conversation.

    `variables` are filled into the prompt and the greeting, and override those of the case. After `rounds` rounds of
    tools the model has to answer without them. With a `spec`, its agents replace the prompt. `routed` is true if the
    model cannot decide about handovers itself.
    """

    model: Model
    prompt: Template
    toolbox: Toolbox = field(default_factory=Toolbox)
    greeting: Template | None = None
    variables: Mapping[str, Json] = field(default_factory=dict)
    rounds: int = ROUNDS
    temperature: float | None = None
    spec: Spec | None = None
    routed: bool = False
    name: str = ""

    @cached_property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        """Reports tools and takes every injection; trusted unless it has tools."""
        return Capabilities(
            reports_tools=True,
            tools=(
                *schemas(self.toolbox),
                *(ToolSchema(name=each) for each in (*sorted(self.toolbox.tacit), *([HAND_OFF] if self.spec else []))),
            ),
            reports_state=self.toolbox.reports_state,
            calls_tools=self.toolbox.reports_state,
            injects=BREAKABLE,
            prompts=self._prompts(),
            trusted=not self.toolbox.known,
        )

    def _prompts(self) -> tuple[Prompts, ...]:
        if self.spec:
            return (self.spec.prompts,)
        greeting = self.greeting.text.strip() if self.greeting else ""
        alone = Agent(prompt=self.prompt.text.strip(), tools=tuple(self.toolbox.known))
        return (
            Prompts(
                name=self.name or ALONE,
                entry=ALONE,
                agents={ALONE: alone},
                greeting=greeting,
                tools=schemas(self.toolbox),
            ),
        )

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        """Return a problem for each unknown tool in a script and each variable that its prompts need and lack."""
        missing = self.missing_variables(case.variables) if complete else ()
        return (*self.injectable.check(case), *missing)

    @property
    def injectable(self) -> Toolbox:
        """Tools that a script may use: its own, and the handover if there are several agents."""
        return replace(self.toolbox, tacit=self.toolbox.tacit | {HAND_OFF}) if self.spec else self.toolbox

    def missing_variables(self, variables: Mapping[str, Json]) -> tuple[Problem, ...]:
        """Return a problem for each variable that its prompts need and these variables lack."""
        values = self._values("", variables)
        if self.spec:
            return tuple(Problem(message=wrong) for wrong in wrong_values(self.spec.prompts, values))
        texts = {"prompt": self.prompt, **({"greeting": self.greeting} if self.greeting else {})}
        return tuple(
            Problem(message=f"its {name} needs the variable {missing!r}, which the case does not have")
            for name, text in texts.items()
            for missing in text.missing(values)
        )

    def rendered(self, case: Case) -> Mapping[str, str]:
        """Return the prompts of a case by agent, and the greeting."""
        return self.filled(session_id(case), case.variables)

    def filled(self, session: str, variables: Mapping[str, Json]) -> dict[str, str]:
        """Return the prompts by agent, and the greeting, filled with these variables."""
        values = self._values(session, variables)
        texts = self.spec.templates if self.spec else {ALONE: self.prompt}
        found = {id: _filled(text, {**values, **self._about(id)}, f"prompt of {id}") for id, text in texts.items()}
        return found | ({"greeting": _filled(self.greeting, values, "greeting")} if self.greeting else {})

    def _values(self, session: str, variables: Mapping[str, Json]) -> dict[str, Json]:
        """Return the values of placeholders: defaults, then variables of the case, then the chatbot's own."""
        declared = self.spec.prompts.variables if self.spec else {}
        defaults: dict[str, Json] = {
            name: "" if each.default is None else each.default for name, each in declared.items() if not each.required
        }
        given = {name: value for name, value in variables.items() if value is not None}
        return {**defaults, **given, **self.variables, "session": session}

    def _about(self, id: str) -> dict[str, Json]:
        """Return the placeholders with which an agent of a spec describes itself."""
        if self.spec is None:
            return {}
        agent = self.spec.prompts.agents[id]
        tools = [self.toolbox.known[name].tool for name in agent.tools]
        return {
            "agent": id,
            "tools": "\n".join(f"- `{tool.name}`: {tool.description.partition(chr(10))[0]}" for tool in tools),
            "handoffs": "\n".join(f"- `{target}`: {when}" for target, when in agent.handoffs.items()),
        }

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[PromptedSession]:
        """Open a session that continues the history of the case."""
        name, seed = session_id(case), case.seed % _SEEDS
        async with self.toolbox.sessions(name) as servers:
            started = self.begin(name, variables=case.variables, history=case.history, seed=seed, servers=servers)
            yield PromptedSession(*started)

    def open(
        self,
        session: str,
        *,
        variables: Mapping[str, Json] | None = None,
        history: tuple[Message, ...] = (),
        seed: int | None = None,
    ) -> PromptedSession:
        """Return a new session with a name of its own."""
        return PromptedSession(*self.begin(session, variables=variables, history=history, seed=seed))

    def begin(
        self,
        session: str,
        *,
        variables: Mapping[str, Json] | None = None,
        history: tuple[Message, ...] = (),
        seed: int | None = None,
        tools: object | None = None,
        servers: Mapping[str, McpSession] = MappingProxyType({}),
    ) -> InitialState:
        """Return the initial state of a session. `tools` is an existing instance of the class of tools."""
        values = self._values(session, variables or {})
        prompt = "" if self.spec else _filled(self.prompt, values, "prompt")
        greeting = _filled(self.greeting, values, "greeting") if self.greeting and not history else ""
        lines = [ChatMessage("system", prompt)] if prompt else []
        for number, past in enumerate(history):
            lines += lines_of(past, number)
        if greeting:
            lines.append(ChatMessage("assistant", greeting))
        asking = HandoverRequest(self.model, self.toolbox.tools, self.rounds, self.temperature, seed)
        toolbox = (
            self.toolbox.open(session, values, servers) if tools is None else OpenToolbox(self.toolbox.known, tools)
        )
        team = self._team(self.spec, asking, toolbox, values) if self.spec else None
        return InitialState(asking, toolbox, tuple(lines), message("chatbot", greeting) if greeting else None, team)

    def _team(self, spec: Spec, asking: HandoverRequest, toolbox: OpenToolbox, values: dict[str, Json]) -> AgentTeam:
        """Return the agents of one conversation. They share one instance of the tools."""
        stages = {}
        for id, agent in spec.prompts.agents.items():
            own = {name: self.toolbox.known[name] for name in agent.tools}
            model = asking.model
            if self.routed:
                others = towards(spec.prompts.agents, id)
                model = Routed(model, asking.tools, frozenset(own), others)
            text = _filled(spec.templates[id], {**values, **self._about(id)}, f"prompt of {id}")
            stages[id] = AgentStage(
                replace(asking, model=model, tools=tuple(tool.tool for tool in own.values())),
                replace(toolbox, known=own),
                id,
                (ChatMessage("system", text),) if text else (),
                agent.handoffs,
                frozenset(own),
            )
        return AgentTeam(stages, spec.prompts.entry, spec.prompts.handoffs_per_turn)


def connect(argument: str, context: PluginContext) -> Prompted:
    """Return the chatbot of `prompted:DIR`."""
    return from_folder(Path(argument), context)


def from_folder(
    folder: Path,
    context: PluginContext,
    *,
    tools: type | None = None,
    variables: Mapping[str, Json] | None = None,
    temperature: float | None = None,
    grammar: Path | None = None,
    name: str = "",
) -> Prompted:
    """Return the chatbot in a folder. Raise InputError with all problems.

    A bot that is a package passes its class of `tools`. `grammar` is used if the folder has none, and `name` replaces
    the folder's name in prompt versions. `prompts` of the context replace those of the folder.
    """
    if not folder.is_dir():
        raise InputError(_no_folder(folder))
    problems: list[Problem] = []
    wrong_tools: list[Problem] = []
    box = _toolbox(folder, tools, context, wrong_tools)
    spec, prompt, greeting = None, template.read(""), None
    stepwise = context.prompts is not None or (folder / SPEC).exists()
    if stepwise:
        spec = _spec(folder, context, box, problems)
        greeting = spec.greeting if spec else None
    else:
        prompt = template_in(folder / "prompt.md", problems) or prompt
        greeting = template_in(folder / "greeting.md", problems) if (folder / "greeting.md").exists() else None
    problems += wrong_tools
    try:
        model = context.model("chatbot", offline=lambda: _grammar(folder, box, grammar, stepwise))
    except InputError as error:
        raise InputError([*problems, *error.problems], hint=error.hint) from error
    if problems or box is None:
        raise InputError(problems)
    routed = "chatbot" in context.stand_ins
    return Prompted(
        model,
        prompt,
        box,
        greeting,
        variables or {},
        temperature=temperature,
        spec=spec,
        routed=routed,
        name=name or folder.resolve().name,
    )


def _spec(folder: Path, context: PluginContext, box: Toolbox | None, problems: list[Problem]) -> Spec | None:
    try:
        if context.prompts is None:
            return specs.read(folder, box)
        return specs.of_prompts(context.prompts, box, lenient=context.lenient)
    except InputError as error:
        problems += error.problems
        return None


def _filled(text: Template, values: dict[str, Json], name: str) -> str:
    try:
        return shared(text.fill(values).strip())
    except MissingField as error:
        raise ChatbotError(f"its {name} needs the variable {str(error)!r}, which the case does not have") from error


def _toolbox(folder: Path, tools: type | None, context: PluginContext, problems: list[Problem]) -> Toolbox | None:
    path, servers = folder / "tools.py", folder / "mcp.yaml"
    try:
        if tools is not None:
            return toolbox(tools)
        box = tool_files.load(path) if path.exists() else Toolbox()
        if not servers.exists():
            return box
        # It brings the YAML reader along, which few chatbots need.
        from sparring.chatbots.prompted.mcp_tools import with_servers

        return with_servers(servers, box, context)
    except InputError as error:
        problems += error.problems
        return None


def _grammar(folder: Path, box: Toolbox | None, instead: Path | None, stepwise: bool) -> Model:
    path = folder / "grammar.yaml"
    path = path if path.exists() or instead is None else instead
    if not path.exists():
        message = "there is no such file, and without it the chatbot needs a language model"
        raise InputError(
            Problem(file=str(path), message=message),
            hint="choose a model for it: --chatbot-model openai:gpt-4o-mini",
        )
    # It brings the YAML reader along, which nothing else here needs.
    from sparring.llm import grammar

    return grammar.load(path, box.tools if box else None, stepwise=stepwise)


def _no_folder(folder: Path) -> Problem:
    parent = folder.parent
    known = [each.name for each in parent.iterdir() if each.is_dir()] if parent.is_dir() else []
    meant = closest_name(folder.name, known)
    hint = f"did you mean {str(parent / meant)!r}?" if meant else "prompted:DIR needs a folder with a prompt.md in it"
    return Problem(file=str(folder), message="there is no such folder", hint=hint)
