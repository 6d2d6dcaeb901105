"""`sparring prompts list|show|diff|validate`: prompt versions of chatbots, users and judges."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Annotated, Literal

import typer

from sparring.app.config import AppConfig
from sparring.app.prompt_library import found, in_folder, kept, saved, shipped, used
from sparring.cli import options
from sparring.cli.console import answer, say, say_all
from sparring.cli.process import BAD_INPUT, PASSED
from sparring.core.addresses import Address
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Prompts
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.reports.json_report import printed

app = options.application()

_HASH = re.compile("[0-9a-f]{6,64}")

Which = Annotated[str, typer.Argument(metavar="WHICH")]
Owner = Annotated[str, typer.Option("--chatbot", metavar="NAME")]


@app.callback()
def prompts() -> None:
    """Manage the prompts of chatbots, users and judges."""


@app.command("list")
@options.configured("store")
async def list_all(
    folders: Annotated[list[Path] | None, typer.Argument(metavar="FOLDER")] = None,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """List prompts with their hashes: bundled, in folders, saved, and of batches."""
    rows = [(each.where, each.prompts) for each in shipped()]
    rows += [(str(folder), each) for folder in folders or () for each in in_folder(folder)]
    rows += [(f"saved as {name}", each) for name, each in await saved(_store(config))]
    rows += [(f"batch {batch}", each) for batch, each in await used(_store(config))]
    documents: list[Json] = [{**_head(prompts), "where": where} for where, prompts in rows]
    width = max(len(each.name) for _, each in rows)
    lines = (
        visible(f"{each.short}  {each.name:<{width}}  {f'{_agents(each)}, {len(each.tools)} tools':<20}  {where}")
        for where, each in rows
    )
    answer("prompts", {"prompts": documents}, lines, as_json=as_json)
    return PASSED


@app.command()
@options.configured("store")
async def show(
    which: Which,
    format: Annotated[Literal["text", "json", "openai"], typer.Option("--format")] = "text",
    chatbot: Owner = "",
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Show a version: the prompt, tools and handovers of each agent."""
    versions = await _find(which, chatbot, config)
    documents: list[Json] = [{**_head(each), **each.model_dump(mode="json")} for each in versions]
    if as_json:
        answer("prompts", {"prompts": documents}, as_json=True)
    elif format == "json":
        say(printed(documents))
    elif format == "openai":
        say(printed([openai(each) for each in versions]))
    else:
        for each in versions:
            say_all(map(visible, _text(each)))
    return PASSED


@app.command()
@options.configured("store")
async def diff(
    before: Annotated[str, typer.Argument(metavar="A")],
    after: Annotated[str, typer.Argument(metavar="B")],
    chatbot: Owner = "",
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Compare two versions, file by file."""
    pairs = _pairs(await _find(before, chatbot, config), await _find(after, chatbot, config))
    lines = [visible(line) for old, new in pairs for line in difference(old, new)]
    answer("prompts_diff", {"differences": [*lines]}, lines, as_json=as_json)
    return PASSED


@app.command()
def validate(
    folders: Annotated[list[str] | None, typer.Argument(metavar="WHICH")] = None,
    chatbot: Owner = "",
    as_json: options.Json = False,
) -> int:
    """List every problem in prompts: agents, tools, handovers, variables, missing texts."""
    read: list[tuple[str, tuple[Prompts, ...], tuple[Problem, ...]]] = []
    for which in folders or dict.fromkeys(each.where for each in shipped()):
        try:
            read.append((which, _checked(which, chatbot), ()))
        except InputError as error:
            read.append((which, (), error.problems))
    documents: list[Json] = []
    lines: list[str] = []
    for which, versions, problems in read:
        errors: list[Json] = [problem.model_dump(mode="json") for problem in problems]
        documents.append({"which": which, "ok": not problems, "prompts": [*map(_head, versions)], "errors": errors})
        hashes = ", ".join(each.short for each in versions)
        lines.append(visible(f"{'ERROR' if problems else 'ok':<5}  {which}  {hashes}".rstrip()))
        lines += [f"       {problem}" for problem in problems]
    answer("prompts_checked", {"checked": documents}, lines, as_json=as_json)
    return BAD_INPUT if any(problems for _, _, problems in read) else PASSED


def openai(prompts: Prompts) -> Json:
    """Return a system message and tools for each agent, in the format of OpenAI's API."""
    from sparring.chatbots.prompted.handover import hand_off_tool
    from sparring.llm.client.wire_format import written_tool
    from sparring.llm.model import Tool

    known = {tool.name: Tool(tool.name, tool.description, tool.parameters) for tool in prompts.tools}
    agents: dict[str, Json] = {}
    for id, agent in prompts.agents.items():
        handing = [hand_off_tool(agent.handoffs)] if agent.handoffs else []
        own = [known[name] for name in agent.tools if name in known]
        tools: list[Json] = [written_tool(tool) for tool in (*own, *handing)]
        agents[id] = {"messages": [{"role": "system", "content": agent.prompt}], "tools": tools}
    return {"name": prompts.name, "hash": prompts.hash, "entry": prompts.entry, "agents": agents}


def difference(old: Prompts, new: Prompts) -> Iterator[str]:
    """Return the difference of two versions, as a unified diff of each file."""
    before, after = old.files(), new.files()
    for name in dict.fromkeys((*before, *after)):
        yield from (
            line.rstrip("\n")
            for line in unified_diff(
                before.get(name, "").splitlines(),
                after.get(name, "").splitlines(),
                f"{old.name}@{old.short}/{name}" if name in before else "/dev/null",
                f"{new.name}@{new.short}/{name}" if name in after else "/dev/null",
                lineterm="",
            )
        )


def _store(config: AppConfig) -> Address | None:
    """Return the store's file, if it exists."""
    return config.store if isinstance(config.store, str) or config.store.exists() else None


async def _find(which: str, chatbot: str, config: AppConfig) -> tuple[Prompts, ...]:
    """Return the prompts of that name, or the version whose hash starts with it, even without its files."""
    if not _HASH.fullmatch(which) or Path(which).is_dir():
        return found(which, chatbot=chatbot)
    versions = {each.prompts.hash: each.prompts for each in shipped() if each.prompts.hash.startswith(which)}
    versions |= {each.hash: each for each in await kept(_store(config), which)}
    if not versions:
        return found(which, chatbot=chatbot)
    if len(versions) > 1:
        raise InputError(f"{which} is the beginning of several hashes", hint=f"they are: {', '.join(versions)}")
    return tuple(versions.values())


def _checked(which: str, chatbot: str) -> tuple[Prompts, ...]:
    if Path(which).is_dir():
        return in_folder(Path(which), chatbot=chatbot)
    return found(which)


def _pairs(before: tuple[Prompts, ...], after: tuple[Prompts, ...]) -> list[tuple[Prompts, Prompts]]:
    """Return the pairs of prompts to compare: of several, those with equal endings of their names."""
    if len(before) == len(after) == 1:
        return [(before[0], after[0])]
    old, new = ({each.name.rpartition("/")[2]: each for each in side} for side in (before, after))
    if old.keys() != new.keys():
        names = ", ".join(each.name for each in (*before, *after))
        raise InputError("there are several prompts to compare, and they do not go together", hint=f"name one: {names}")
    return [(old[name], new[name]) for name in old]


def _head(prompts: Prompts) -> dict[str, Json]:
    return {"name": prompts.name, "hash": prompts.hash, "agents": list(prompts.agents), "entry": prompts.entry}


def _agents(prompts: Prompts) -> str:
    return f"{len(prompts.agents)} agent{'s' * (len(prompts.agents) != 1)}"


def _text(prompts: Prompts) -> Iterator[str]:
    yield f"# {prompts.name}  {prompts.hash}"
    if prompts.description:
        yield prompts.description
    for name, variable in prompts.variables.items():
        needed = "required" if variable.required else "optional"
        yield f"variable {name}: {variable.type}, {needed}{': ' * bool(variable.description)}{variable.description}"
    if prompts.greeting:
        yield from ("", "## greeting", "", *prompts.greeting.splitlines())
    for id, agent in prompts.agents.items():
        yield ""
        yield f"## {id}{' (entry)' if id == prompts.entry and len(prompts.agents) > 1 else ''}"
        if agent.tools:
            yield f"tools: {', '.join(agent.tools)}"
        for target, when in agent.handoffs.items():
            yield f"hands over to {target}: {when}"
        yield ""
        yield from agent.prompt.splitlines()
    yield ""
