"""A chatbot made of a model, a prompt and tools: `prompted:DIR`.

DIR has `prompt.md`, the system prompt, and perhaps `tools.py`, `greeting.md` (what the chatbot says before it is spoken
to) and `grammar.yaml` (how to do without a language model). `{{name}}` in the two texts is a variable of the case, and
`{{session}}` the name of the conversation.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import NamedTuple

from sparring.chatbots import tool_files
from sparring.chatbots.tool_loop import Asking, PromptedSession, lines_of
from sparring.chatbots.tools import OpenToolbox, Toolbox, toolbox
from sparring.core.case import Case
from sparring.core.chance import session_id
from sparring.core.errors import ChatbotError, InputError, Problem
from sparring.core.message import Message, message
from sparring.core.value import Json
from sparring.models import template
from sparring.models.context import Context
from sparring.models.model import ChatMessage, Model
from sparring.models.template import MissingField, Template

ROUNDS = 10
LARGEST_TEXT = 1_000_000
_SEEDS = 2**31


class Beginning(NamedTuple):
    """What a conversation begins with: its model, its tools, the lines that the model is shown, and the greeting."""

    asking: Asking
    toolbox: OpenToolbox
    lines: tuple[ChatMessage, ...]
    greeting: Message | None


@dataclass(frozen=True)
class Prompted:
    """A chatbot whose every conversation has its own history and its own tools.

    `variables` are filled into the prompt and the greeting, and win over those of the case. After `rounds` rounds of
    tools the model has to answer without them.
    """

    model: Model
    prompt: Template
    toolbox: Toolbox = field(default_factory=Toolbox)
    greeting: Template | None = None
    variables: Mapping[str, Json] = field(default_factory=dict)
    rounds: int = ROUNDS
    temperature: float | None = None
    max_tokens: int | None = None

    def refusals(self, case: Case) -> tuple[str, ...]:
        """What it cannot do of a case: use tools in a script that it does not have."""
        return self.toolbox.refusals(case)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[PromptedSession]:
        """A fresh conversation, which goes on from whatever history the case brings along."""
        yield self.open(session_id(case), variables=case.variables, history=case.history, seed=case.seed % _SEEDS)

    def open(
        self,
        session: str,
        *,
        variables: Mapping[str, Json] | None = None,
        history: tuple[Message, ...] = (),
        seed: int | None = None,
    ) -> PromptedSession:
        """A fresh conversation under a name of its own."""
        return PromptedSession(*self.begin(session, variables=variables, history=history, seed=seed))

    def begin(
        self,
        session: str,
        *,
        variables: Mapping[str, Json] | None = None,
        history: tuple[Message, ...] = (),
        seed: int | None = None,
        tools: object | None = None,
    ) -> Beginning:
        """What a session is made of, for kinds that do more; `tools` are an object of the class of tools, if made."""
        values = {**(variables or {}), **self.variables, "session": session}
        prompt = _filled(self.prompt, values, "prompt")
        greeting = _filled(self.greeting, values, "greeting") if self.greeting and not history else ""
        lines = [ChatMessage("system", prompt)] if prompt else []
        for number, past in enumerate(history):
            lines += lines_of(past, number)
        if greeting:
            lines.append(ChatMessage("assistant", greeting))
        asking = Asking(self.model, self.toolbox.tools, self.rounds, self.temperature, self.max_tokens, seed)
        toolbox = self.toolbox.open(session, values) if tools is None else OpenToolbox(self.toolbox.known, tools)
        return Beginning(asking, toolbox, tuple(lines), message("chatbot", greeting) if greeting else None)


def connect(argument: str, context: Context) -> Prompted:
    """The plug-in: `prompted:DIR`."""
    return from_folder(Path(argument), context)


def from_folder(
    folder: Path,
    context: Context,
    *,
    tools: type | None = None,
    variables: Mapping[str, Json] | None = None,
    rounds: int = ROUNDS,
    temperature: float | None = None,
    max_tokens: int | None = None,
) -> Prompted:
    """The chatbot in a folder; a bot that is a package gives its class of tools. An InputError lists every problem."""
    if not folder.is_dir():
        raise InputError(_no_folder(folder))
    problems: list[Problem] = []
    prompt = _text(folder / "prompt.md", problems)
    greeting = _text(folder / "greeting.md", problems) if (folder / "greeting.md").exists() else None
    box = _toolbox(folder / "tools.py", tools, problems)
    try:
        model = context.model("chatbot", offline=lambda: _grammar(folder, box))
    except InputError as error:
        raise InputError([*problems, *error.problems], hint=error.hint) from error
    if problems or prompt is None or box is None:
        raise InputError(problems)
    return Prompted(model, prompt, box, greeting, variables or {}, rounds, temperature, max_tokens)


def _filled(text: Template, values: dict[str, Json], name: str) -> str:
    try:
        return text.fill(values).strip()
    except MissingField as error:
        raise ChatbotError(f"its {name} needs the variable {str(error)!r}, which the case does not have") from error


def _text(path: Path, problems: list[Problem]) -> Template | None:
    """A template in a file, or None and what is wrong with it."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_TEXT + 1)
        if len(content) > LARGEST_TEXT:
            problems.append(Problem(file=str(path), message=f"is larger than {LARGEST_TEXT:,} bytes"))
            return None
        return template.read(content.decode("utf-8-sig"))
    except FileNotFoundError:
        hint = "write what the model should know and do, in Markdown"
        problems.append(Problem(file=str(path), message="there is no such file", hint=hint))
    except OSError as error:
        problems.append(Problem(file=str(path), message=f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError:
        problems.append(Problem(file=str(path), message="is not UTF-8 text"))
    except InputError as error:
        problems += [problem.model_copy(update={"file": str(path)}) for problem in error.problems]
    return None


def _toolbox(path: Path, tools: type | None, problems: list[Problem]) -> Toolbox | None:
    try:
        if tools is not None:
            return toolbox(tools)
        return tool_files.load(path) if path.exists() else Toolbox()
    except InputError as error:
        problems += error.problems
        return None


def _grammar(folder: Path, box: Toolbox | None) -> Model:
    path = folder / "grammar.yaml"
    if not path.exists():
        message = "there is no such file, and without it the chatbot needs a language model"
        raise InputError(
            Problem(file=str(path), message=message),
            hint="choose a model for it: --chatbot-model openai:gpt-4o-mini",
        )
    # It brings the YAML reader along, which nothing else here needs.
    from sparring.models import grammar

    return grammar.load(path, box.tools if box else None)


def _no_folder(folder: Path) -> Problem:
    parent = folder.parent
    known = [each.name for each in parent.iterdir() if each.is_dir()] if parent.is_dir() else []
    meant = get_close_matches(folder.name, known, n=1)
    hint = (
        f"did you mean {str(parent / meant[0])!r}?" if meant else "prompted:DIR needs a folder with a prompt.md in it"
    )
    return Problem(file=str(folder), message="there is no such folder", hint=hint)
