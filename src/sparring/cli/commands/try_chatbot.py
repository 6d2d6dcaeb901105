"""`sparring try`: find ordinary bugs in a chatbot without a scenario."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
import yaml

from sparring.app.config import AppConfig
from sparring.app.import_logs import store_conversations
from sparring.app.models import OFFLINE
from sparring.app.stores import open_store
from sparring.app.try_chatbot import MOST_MESSAGES, try_chatbot
from sparring.cli import options
from sparring.cli.console import answer, called, notify
from sparring.cli.process import FAILED, PASSED, UNDECIDED, interruptible
from sparring.cli.targets import add_to_env, ask_first, chatbot_of, name_of, notify_moved, preset_of
from sparring.core.errors import InputError
from sparring.core.text import visible
from sparring.core.value import Json
from sparring.llm.client.transport import TransportError
from sparring.probes.about import fact_asked
from sparring.probes.battery import BATTERY
from sparring.probes.result import Tried, TryResult
from sparring.reports.lines import counted
from sparring.scenarios.loading import load
from sparring.scenarios.placeholders import placeholders

_FOLDER = Path("sparring")
_FOUND = _FOLDER / "found"
_MOST_GOALS = 4
_EVERY = 10
"""Conversations between two lines about the progress."""


@options.configured("model", "chatbot_model", "store")
async def try_(
    *,
    target: Annotated[str, typer.Argument(metavar="TARGET")],
    config: AppConfig,
    chosen: options.Chosen,
    about: Annotated[list[str] | None, typer.Option("--about", metavar="TEXT")] = None,
    scenario_files: Annotated[list[Path] | None, typer.Option("--scenario", metavar="FILE")] = None,
    max_messages: Annotated[int, typer.Option("--max-messages", min=1)] = MOST_MESSAGES,
    yes: Annotated[bool, typer.Option("--yes")] = False,
    keep: Annotated[bool, typer.Option("--keep")] = False,
    as_json: options.Json = False,
) -> int:
    """Talk to a chatbot in ways that often break one, and write a scenario for each bug found.

    Sends nothing to any other server. Exit codes: 0 nothing found, 1 something found, 2 not understood,
    3 not reachable, or nothing found and a third of the probes not tried.
    """
    if not (config.players.model or config.players.chatbot_model):
        config = config.with_players(model=OFFLINE)
    most = f"{len(BATTERY)} conversations or more, up to {max_messages} messages,"
    about = [*(about or ()), *_goals(scenario_files or (), config)]
    ask_first(target, most, yes=yes)
    try:
        preset, secrets = await preset_of(target, config)
        chatbot, written = _of_preset(preset) if preset else (name_of(target), {})
        notify_moved(add_to_env(secrets))
        config = replace(config, environment={**config.environment, **secrets})
        stop = asyncio.Event()
        with interruptible(stop):
            result = await try_chatbot(
                chatbot, config, about=about, most_messages=max_messages, stop=stop, listener=_progress
            )
    except TransportError as error:
        chatbot, written, result = target, {}, TryResult(unreachable=str(error))
    files = _write(result, written)
    lines = [*_lines(result, chatbot, files)]
    if keep and result.played:
        async with open_store(config) as store:
            await store_conversations(result.played, store, name="try")
        probe = result.tried[0].probe if result.tried else BATTERY[0].name
        lines.append(f"All conversations: {called()} show try --all   One: {called()} show try try/{probe}")
    answer("try", _as_json(target, result, files), map(visible, lines), as_json=as_json)
    if result.unreachable:
        return UNDECIDED
    return FAILED if result.certain else UNDECIDED if result.undecided else PASSED


def _progress(result: TryResult) -> None:
    """Print the progress of the trial now and then."""
    if result.conversations % _EVERY == 0:
        notify(f"{counted(result.conversations, 'conversation')}, {counted(result.messages, 'message')} so far")


def _goals(files: Sequence[Path], config: AppConfig) -> list[str]:
    """Return the first goals of scenarios as tasks of a chatbot."""
    cases = load(files, seed=config.seed, limits=config.case_limits).cases if files else ()
    return list(dict.fromkeys(goal.text for case in cases for goal in case.goals))[:_MOST_GOALS]


def _of_preset(text: str) -> tuple[str, Mapping[Path, str]]:
    path = _FOLDER / "chatbot.yaml"
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise InputError(f"{path}: already exists for another chatbot", hint="move it away, or name it as TARGET")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return chatbot_of(text, path), {path: text}


def _write(result: TryResult, written: Mapping[Path, str]) -> dict[str, str]:
    """Write a scenario for each certain finding; return the files by title, the preset under an empty one."""
    files = dict.fromkeys(("",), str(next(iter(written)))) if written else {}
    for each in result.certain:
        if each.found.kind == "sessions":  # it takes two conversations
            continue
        path = _FOUND / f"{each.probe}-{_slug(each.found.kind)}.yaml"
        if same := sum(other.startswith(str(path.with_suffix(""))) for other in files.values()):
            path = path.with_stem(f"{path.stem}-{same + 1}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(scenario(each), encoding="utf-8")
        files[each.found.title] = str(path)
    return files


def _slug(kind: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in kind)


def _lines(result: TryResult, chatbot: str, files: Mapping[str, str]) -> Iterator[str]:
    if result.unreachable:
        yield f"STOPPED: the chatbot does not reply: {result.unreachable}"
        return
    if "" in files:
        yield f"written: {files['']}"
    played = f"{counted(result.conversations, 'conversation')}, {counted(result.messages, 'message')}"
    yield f"{counted(result.probes, 'probe')}, {played}"
    yield ""
    if result.certain:
        yield f"{len(result.certain)} found"
    elif result.constant:
        yield "Nothing could be tried: the chatbot gave one reply to everything."
    elif result.doubtful:
        yield "Nothing certain was found."
    elif result.missed:
        yield f"Nothing was found, but {len(result.missed)} of {counted(result.probes, 'probe')} could not be tried."
    else:
        yield "Nothing was found. That is no proof: no probe knows what is right."
    for number, each in enumerate(result.certain, 1):
        yield from _finding(number, each)
        written = files.get(each.found.title)
        yield f"     written: {written}" if written else "     not written, as it takes two conversations"
    if result.doubtful:
        yield ""
        yield f"{len(result.doubtful)} to look at"
        for number, each in enumerate(result.doubtful, 1):
            yield from _finding(number, each)
    if result.missed and not result.constant:
        yield ""
        yield "Could not be tried:"
        yield from (f"  - {name}: {reason}" for name, reason in result.missed.items())
        if result.stuck:
            yield f'  The user could not answer: "{result.stuck}"'
            yield f"  Tell it what the user has: --about '{fact_asked(result.stuck)}'."
    if any(files):  # titles; the preset has none
        yield ""
        own = [file for title, file in files.items() if title]
        others = {str(each) for each in _FOUND.iterdir()} - set(own)  # of earlier findings
        sources = " ".join(own) if others else str(_FOUND)
        yield f"Next: {called()} run {sources} --chatbot {chatbot} --model offline   (fails now, passes when fixed)"


def _finding(number: int, tried: Tried) -> Iterator[str]:
    seen = f"{tried.again + 1} of {tried.replays + 1}"
    others = f", and in {counted(tried.others, 'other probe')}" if tried.others else ""
    yield f"  {number}  {tried.found.title}  [{tried.probe}, {seen}{others}]"
    for turn, quote in tried.found.quotes:
        if said := tried.said(turn):
            yield f'     turn {turn}, user: "{said}"'
        if quote:
            yield f'     turn {turn}: "{quote}"'


def _as_json(target: str, result: TryResult, files: Mapping[str, str]) -> dict[str, Json]:
    def found(each: Tried) -> Json:
        return {
            "kind": each.found.kind,
            "title": each.found.title,
            "probe": each.probe,
            "seen": each.again + 1,
            "of": each.replays + 1,
            "turn": each.found.turn,
            "quotes": [{"turn": turn, "user": each.said(turn), "text": quote} for turn, quote in each.found.quotes],
            "written": files.get(each.found.title) if each.certain else None,
        }

    return {
        "target": target,
        "unreachable": result.unreachable,
        "probes": result.probes,
        "conversations": result.conversations,
        "messages": result.messages,
        "found": [found(each) for each in result.certain],
        "look_at": [found(each) for each in result.doubtful],
        "not_tried": dict(result.missed),
        "unanswered": result.stuck,
        "written": list(files.values()),
    }


def scenario(tried: Tried) -> str:
    """Return a playbook that fails as long as the bug is there."""
    found = tried.found
    steps: list[dict[str, object]] = [{"user": line} for line in tried.lines]
    if found.called or found.once:
        expected: dict[str, object] = {"expect_tool": found.called or found.once, "since": "last_user"}
        steps.append(expected | ({"times": 1} if found.once else {}))
    elif found.wanted:
        steps.append(
            {"expect_bot_regex": {"pattern": found.wanted, "repeated": True} if found.repeated else found.wanted}
        )
    elif found.unwanted:
        also: dict[str, object] = {"if_said": found.if_said} if found.if_said else {}
        also |= {"repeated": True} if found.repeated else {}
        steps.append({"expect_bot_regex": {"pattern": found.unwanted, "not": True, **also}})
    elif not found.built_in:  # a crash fails by itself, as do the checks that every run has
        steps.append({"expect_bot_regex": {"pattern": "Traceback|Internal Server Error", "not": True}})
    case: dict[str, object] = {"id": f"{tried.probe}-{found.kind}", "tags": ["found"]}
    if braces := placeholders("\n".join(tried.lines)):  # they are no variables: each stands for itself
        case["variables"] = {name: f"{{{{{name}}}}}" for name in braces}
    case["steps"] = steps
    quotes = "".join(f"#   turn {at}: {visible(' '.join(quote.split()))}\n" for at, quote in found.quotes if quote)
    head = f"# {visible(found.title)}\n{quotes}"
    return head + yaml.safe_dump({"cases": [case]}, sort_keys=False, allow_unicode=True, width=10_000)
