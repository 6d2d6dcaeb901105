"""A chatbot that is a program, spoken to on its standard input and heard on its standard output.

`command:./bot --option` starts it anew for every conversation, without a shell. A message is one line in, a reply is
one line out. `command:FILE.yaml` says more:

    command: perl eliza.pl          or a list of words
    prompt: "you: "                 what it prints when it waits: everything before it is the reply, and if it ends
                                    without error instead, what it said was its farewell
    greets: true                    it says something before it is spoken to
    folder: ../bot                  where it runs
    environment: {MODE: test}       beside ours, PYTHONUNBUFFERED=1, and SPARRING_SESSION, the conversation's name;
                                    keys for models are not passed on, but for those that are named here
    answer: json                    lines are JSON, and all is as in a preset for HTTP:
    body: {say: "{{message}}"}
    reply: text                     and keep, values, tools, ended, error, usage, cost_per_turn, timeout, silence
"""

import shlex
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from sparring.chatbots.chatbot import BaseChatbot
from sparring.chatbots.line_process import LineSession, Program, running, split_words
from sparring.chatbots.placeholders import fill, fill_text
from sparring.chatbots.preset import Place, SessionOptions, StateLine, session_capabilities
from sparring.chatbots.preset_files import environment_of, mute, unset
from sparring.chatbots.reply import has_words, parse_reply
from sparring.chatbots.request import SessionState, as_json
from sparring.chatbots.response import ResponseBody
from sparring.chatbots.secrets import in_every_writing, keys_in
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError
from sparring.core.message import Message
from sparring.core.seeding import session_id
from sparring.core.value import Json
from sparring.llm.plugin_context import PluginContext, RawReplyListener
from sparring.parsing import load, validate

_SEVERAL = (
    "the program said more than one line, so it is unclear which one is the reply: `prompt` in a "
    "command:FILE.yaml is what it prints when it waits, `greets` says that it speaks first"
)


class CommandPreset(SessionOptions):
    """Describes how to talk to a program."""

    command: Annotated[tuple[str, ...], BeforeValidator(split_words), Field(min_length=1)]
    folder: str = "."
    environment: dict[str, str] = Field({}, repr=False)
    prompt: str = ""
    greets: bool = False
    body: Json = Field("{{message}}", repr=False)
    answer: Literal["text", "json"] = "text"
    keep: dict[str, Place] = {}
    state: StateLine | None = None

    @model_validator(mode="before")
    @classmethod
    def _words_are_the_reply(cls, data: Any) -> Any:
        return {"answer": "text", "reply": "$", **data} if isinstance(data, dict) and "answer" not in data else data


def connect(argument: str, context: PluginContext) -> "CommandChatbot":
    """Return the chatbot of `command:PROGRAM ARGUMENTS...` or `command:FILE.yaml`."""
    is_file = argument.endswith((".yaml", ".yml")) and len(argument.split()) == 1
    preset, folder = _from_file(argument, context.environment) if is_file else (_from_line(argument), Path())
    name = preset.command[0]
    program = shutil.which((folder / name).absolute() if "/" in name else name)
    if program is None:
        raise InputError(f"there is no program {name!r}", hint="it has to be in PATH, or named by its path")
    words = (str(Path(program).absolute()), *preset.command[1:])
    preset = preset.model_copy(update={"command": words, "folder": str(folder)})
    sent: list[Json] = [
        dict(preset.environment),
        preset.body,
        preset.values,
        preset.state.body if preset.state else None,
    ]
    return CommandChatbot(
        preset,
        environment_of(sent, context.environment),
        preset.timeout or context.llm.call_seconds,
        context.overhear,
    )


def _from_line(line: str) -> CommandPreset:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(f"command: cannot be read: {error}") from error
    if not words:
        raise InputError("command: needs a program", hint="command:./my-chatbot --option, or command:FILE.yaml")
    return CommandPreset.model_validate({"command": words})


def _from_file(file: str, environment: Mapping[str, str]) -> tuple[CommandPreset, Path]:
    """Return the preset in a file and the folder of its program; paths are relative to the file."""
    document = load(file)
    preset = validate(document, CommandPreset)
    problems = [*unset(document, environment), *mute(document, preset.body, 'put "{{message}}" into `body`')]
    folder = Path(file).parent / preset.folder
    if not folder.is_dir():
        problems.append(document.problem(("folder",), f"there is no folder {str(folder)!r}"))
    if problems:
        raise InputError(problems)
    return preset, folder


class CommandChatbot(BaseChatbot):
    """A program that is started for every conversation."""

    def __init__(
        self, preset: CommandPreset, environment: Mapping[str, str], seconds: float, overhear: RawReplyListener
    ) -> None:
        self._preset = preset
        self._environment = environment
        self._seconds = seconds
        self._overhear = overhear
        self.capabilities = session_capabilities(preset, preset.state)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator["CommandSession"]:
        thread = SessionState(self._preset, case, self._environment)
        secrets = in_every_writing(self._environment.values())
        keys = in_every_writing(keys_in(self._environment))
        where = self._preset.command[0]
        talk = LineSession(where, self._preset, thread, self._environment, self._seconds, secrets, keys, self._overhear)
        given = {name: fill_text(value, talk.known()) for name, value in self._preset.environment.items()}
        own = {"SPARRING_SESSION": session_id(case), **given}
        async with running(self._preset.command, self._preset.folder, own, secrets) as program:
            session = CommandSession(self._preset, program, talk)
            await session.open()
            yield session


class CommandSession:
    """One conversation with its own process."""

    greeting: Message | None = None

    def __init__(self, preset: CommandPreset, program: Program, talk: LineSession) -> None:
        self._preset = preset
        self._program = program
        self._talk = talk

    async def open(self) -> None:
        """Wait until the program is ready. Its output until then is the greeting if the preset has one."""
        if self._preset.prompt or self._preset.greets:
            answer = await self._answer()
            if self._preset.greets:
                self.greeting = parse_reply(self._preset, answer)
                self._talk.thread.add(self.greeting)

    async def reply(self, message: Message) -> Message:
        if self._preset.answer == "text" and not self._preset.prompt and await self._program.said_more():
            raise ChatbotError(_SEVERAL)
        await self._send(fill(self._preset.body, self._talk.known(message)))
        answer = await self._answer()
        parsed = parse_reply(self._preset, answer)
        if self._program.over:
            parsed = parsed.model_copy(update={"ends": True})
        self._talk.thread.keep({name: answer.last(place) for name, place in self._preset.keep.items()})
        self._talk.thread.add(message, parsed)
        return parsed

    async def state(self) -> Json:
        """Return the state that the preset asks for."""
        asking = self._preset.state
        assert asking is not None  # or the capabilities announce no state
        await self._send(fill(asking.body, self._talk.known()))
        prompt = self._preset.prompt
        return await self._talk.state(asking, partial(self._program.until, prompt) if prompt else self._program.line)

    async def _send(self, filled: Json) -> None:
        await self._program.send(" ".join(filled.splitlines()) if isinstance(filled, str) else as_json(filled))

    async def _answer(self) -> ResponseBody:
        """Return the output of the program up to the end of its reply."""
        form = self._preset.answer
        async with self._talk.in_time("the program said nothing"):
            if self._preset.prompt:
                return self._talk.understood(await self._program.until(self._preset.prompt), form)
            answer = self._talk.understood(await self._program.line(), form)
            while form == "json" and not has_words(self._preset.reply, answer):
                answer = self._talk.understood(await self._program.line(), form)
            return answer
