"""What kind of file somebody wrote, and everything that is wrong with it, without running or sending anything.

What checks a kind of file is imported when there is one: most folders have few kinds.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from sparring import parsing
from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.errors import InputError, Problem
from sparring.core.value import Json
from sparring.parsing import Document
from sparring.scenarios import loading, personas
from sparring.scenarios.field_reader import ProblemList

_ENDINGS = (".yml", ".yaml", ".json")
_NAME = re.compile(r"^(\w+):", re.MULTILINE)
_SCORES = re.compile(rb"\s*---\s*\n(?:(?!---).*\n)*?(?:scale|pass|shown)\s*:")
_MOST_READ = 100_000
_SPEC = "spec.yaml"
_SETTINGS = "sparring.yaml"
_NOBODY = ("", "offline", "none")


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was looked at: its kind, if it is one of ours, everything that is wrong with it, and what is right
    but can hardly be meant."""

    path: Path
    kind: str = ""
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class SettingsChecks:
    """The checks that read settings, given by the top of the application, which alone reads them.

    `check` raises an InputError with everything that is wrong with a settings file. `informed` returns True if a
    webhook may know more of cases than stands in their files.
    """

    check: Callable[[Path], None]
    informed: Callable[[], bool]


def check_files(paths: Iterable[Path], settings: SettingsChecks) -> Iterator[Checked]:
    """Every file, and everything in every folder that is not hidden; each once."""
    seen: set[Path] = set()
    for path in paths:
        files = _inside(path) if os.path.isdir(path) else [path]
        if not files:
            yield Checked(path, problems=(Problem(file=str(path), message="there is nothing to check in this folder"),))
        for file in files:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield check_file(file, settings)


def check_file(path: Path, settings: SettingsChecks) -> Checked:
    """What one file is, and what is wrong with it."""
    try:
        return _checked(path, settings)
    except OSError as error:
        return Checked(path, problems=(Problem(file=str(path), message=f"cannot be read: {error.strerror}"),))


def _checked(path: Path, settings: SettingsChecks) -> Checked:
    if path.suffix == ".md" and path.is_file():
        return _complaints(path, "rubric", _check_rubric)
    if path.suffix not in (".yml", ".yaml") or not path.is_file():
        return _scenarios(path, settings)
    if path.name == _SETTINGS:
        return _complaints(path, "settings", lambda path: _check_settings(path, settings))
    if path.name == _SPEC:
        return _complaints(path, "spec", _check_spec)
    if (recording := _conversation(path)) is not None:
        return recording
    names = _names(path)
    for kind, keys, others, check in _KINDS:
        if names & keys and not names & others:
            return _complaints(path, kind, check)
    return _scenarios(path, settings)


def _names(path: Path) -> set[str]:
    """The names at the top of a file; where it is no YAML, those that stand at the beginning of its lines."""
    try:
        data = parsing.load(path).data
    except InputError:
        with path.open("rb") as file:
            return set(_NAME.findall(file.read(_MOST_READ).decode("utf-8", "replace")))
    return set(data) if isinstance(data, dict) else set()


def _inside(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*") if path.is_file() and (path.suffix in _ENDINGS or _scores(path)))
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _scores(path: Path) -> bool:
    """Whether this is Markdown that begins with how to score."""
    if path.suffix != ".md":
        return False
    with path.open("rb") as file:
        return _SCORES.match(file.read(_MOST_READ)) is not None


def _complaints(path: Path, kind: str, check: Callable[[Path], None]) -> Checked:
    try:
        check(path)
    except InputError as error:
        problems = sorted(error.problems, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0))
        return Checked(path, kind, tuple(problems))
    return Checked(path, kind)


def _scenarios(path: Path, settings: SettingsChecks) -> Checked:
    """Profiles, scenarios, playbooks and scenarios JSON; and whatever is no kind of file at all, with a complaint."""
    found = loading.check([path])[0]
    if found.kind == loading.SCHEMA:
        return Checked(path, found.kind)
    if found.problems:
        return Checked(path, found.kind or ("scenarios" if path.suffix == ".json" else ""), found.problems)
    checked = _complaints(path, found.kind, lambda _: _check_cases(found.cases, settings))
    return checked if found.kind != "playbook" else replace(checked, warnings=tuple(_idle(path, found.cases)))


def _idle(path: Path, cases: tuple[Case, ...]) -> Iterator[Problem]:
    """The cases of a playbook that nothing can fail."""
    for case in cases:
        if not case.expectations and not case.rubrics:
            yield Problem(
                file=str(path),
                path=case.id,
                message="expects nothing: whatever the chatbot does, nothing is found out",
                hint="expect_tool, expect_bot_regex, or a judge",
            )


def _check_cases(cases: tuple[Case, ...], settings: SettingsChecks) -> None:
    if any(case.expectations for case in cases):
        from sparring.app.preflight import check_expectations

        check_expectations(cases, informed=settings.informed())
    if any(case.rubrics for case in cases):
        from sparring.app.rubrics import asked

        asked(cases)


def _conversation(path: Path) -> Checked | None:
    """A conversation or a report that was written by SENSEI, or as by it; these lie beside what they came of."""
    content = path.read_bytes()
    if content.startswith(b"Global report:"):
        return Checked(path, "report")
    if b"interaction:" not in content:
        return None
    from sparring.rules.inputs import NotARecording, sensei

    try:
        sensei.parse_recording(content, path.name)
    except NotARecording:
        return None
    return Checked(path, "conversation")


def _check_rule(path: Path) -> None:
    from sparring.core.checks import InvalidRule
    from sparring.rules.rule_file import read_rule

    rule = read_rule(path)
    if isinstance(rule, InvalidRule):
        raise InputError(rule.problems)


def _check_rubric(path: Path) -> None:
    from sparring.judges.rubric_files import read_rubric

    read_rubric(path)


def _check_personality(path: Path) -> None:
    problems = ProblemList()
    personas.read_personality(path, problems)
    if problems:
        raise InputError(problems.ordered())


def _check_grammar(path: Path) -> None:
    from sparring.llm import grammar

    grammar.load(path, None)


def _check_spec(path: Path) -> None:
    """All but its tools: to know them is to run the file that they are in."""
    from sparring.chatbots.prompted import spec

    spec.read(path.parent, None)


def _check_preset(path: Path) -> None:
    from sparring.app.wiring import connect
    from sparring.chatbots.placeholders import variables
    from sparring.core.clock import SystemClock
    from sparring.llm.client.late_transport import LateTransport
    from sparring.llm.plugin_context import LLMConfig, PluginContext

    document = parsing.load(path)
    kind, scheme = _spoken(document)
    # Keys are seldom at hand where files are checked, and what has none is told by `doctor` and by `run`.
    environment = dict.fromkeys(variables(_texts(document)), f"{scheme}://unset")
    connect(f"{kind}:{path}", PluginContext(LLMConfig(), SystemClock(), LateTransport(), environment=environment))


def _spoken(document: Document) -> tuple[str, str]:
    """Which chatbot plug-in reads a preset, and how the addresses in it begin."""
    data = document.data if isinstance(document.data, dict) else {}
    if "command" in data:
        return "command", "http"
    socket = str(data.get("url", "")).startswith("ws") or not data.keys().isdisjoint(("until", "quiet"))
    return ("websocket", "ws") if socket else ("http", "http")


def _texts(document: Document) -> list[Json]:
    """Every text in a document."""
    todo, texts = [document.data], list[Json]()
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            texts.append(value)
        todo.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    return texts


def _check_settings(path: Path, settings: SettingsChecks) -> None:
    """Raise an InputError with what is wrong with settings, and with every player in them that does not exist."""
    problems: list[Problem] = []
    try:
        settings.check(path)
    except InputError as error:
        problems += error.problems
    with suppress(InputError):  # of a file that cannot be read, which is told already
        problems += _strangers(parsing.load(path))
    if problems:
        raise InputError(problems)


def _strangers(document: Document) -> Iterator[Problem]:
    """Every player that is named in the settings and does not exist."""
    data = document.data if isinstance(document.data, dict) else {}
    for name, groups in _PLAYERS.items():
        if isinstance(player := data.get(name), str) and (error := _unknown(player, groups)):
            yield document.problem((name,), str(error), error.hint)


def _unknown(player: str, groups: tuple[str, ...]) -> InputError | None:
    """Why there is no such player, if there is none."""
    kind, _, argument = player.partition(":")
    if player in _NOBODY or argument.startswith("//") or any(kind in plugins.names(group) for group in groups):
        return None
    try:
        plugins.find(groups[-1], kind)
    except InputError as error:
        return error
    return None


_MODELS = "sparring.models"
_PLAYERS = {
    "chatbot": ("sparring.chatbots",),
    "model": (_MODELS,),
    "chatbot_model": (_MODELS,),
    "user": ("sparring.users", _MODELS),
    "judge": ("sparring.judges", _MODELS),
}

_TALK = {"user", "chatbot", "ask_about", "fallback", "role", "goals", "script", "scenarios", "steps", "cases"}

_KINDS: tuple[tuple[str, set[str], set[str], Callable[[Path], None]], ...] = (
    ("rule", {"oracle", "then", "when", "if", "yields"}, _TALK, _check_rule),
    ("preset", {"url", "command"}, _TALK, _check_preset),
    ("rubric", {"criteria"}, _TALK, _check_rubric),
    ("grammar", {"intents"}, {"goals"}, _check_grammar),
    ("personality", {"context"}, _TALK, _check_personality),
)
"""A kind, the keys by one of which it is known, those that it never has, and what checks it."""
