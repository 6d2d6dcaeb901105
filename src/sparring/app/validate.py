"""Validation of files of any kind, without running or sending anything.

The check of a kind is imported with the first file of that kind, since most folders have few kinds.
"""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from sparring import parsing
from sparring.app.file_kinds import FILE_KINDS, file_kind
from sparring.app.fingerprint import LOCK
from sparring.app.user_warnings import user_warnings
from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.checks import Gate, Rule
from sparring.core.errors import InputError, Problem
from sparring.core.text import closest_name
from sparring.core.value import Json
from sparring.parsing import Document
from sparring.scenarios import loading
from sparring.scenarios.field_reader import FieldReader, ProblemList
from sparring.scenarios.kinds import ScenarioKind, SourceDocument, file_of
from sparring.scenarios.placeholders import placeholders, texts

_PLAIN = re.compile(r"(?<![{$])\{([A-Za-z_]\w{0,60})\}(?!\})")
"""A name in single braces, as in prompts of the simulation service."""

_NOT_SAID = ("expect", "output", "judge", "llm", "limits", "never", "script", "steps", "data")
_SIMILAR = 0.8
_MAX_WARNINGS = 20


def stray_names(document: SourceDocument, kind: ScenarioKind, cases: Sequence[Case]) -> tuple[Problem, ...]:
    """Return a warning for each name that is no variable, with the one that was probably meant."""
    root = FieldReader(document.data, document, ProblemList())
    documented = _documented(kind)
    known = {*documented, *(name for case in cases for name in case.variables)}
    for part, text in texts(root):
        if not any(str(step).startswith(_NOT_SAID) for step in part.path):
            _report_text(part, text, known)
    for case_variables in _variables(root, documented):
        for name, part in case_variables:
            meant = closest_name(kind.canonical(name), documented, cutoff=_SIMILAR)
            if meant and kind.canonical(name) not in documented:
                part.report(f"{name!r} is not a documented variable", f"did you mean {meant!r}?", key=True)
    return tuple(root.problems.ordered()[:_MAX_WARNINGS])


def _report_text(part: FieldReader, text: str, known: set[str]) -> None:
    for name in placeholders(text):
        if name not in known:
            part.report(f"{{{{{name}}}}} is not a variable", part.suggestion(name, known))
    for name in dict.fromkeys(_PLAIN.findall(text)):
        meant = closest_name(name, known, cutoff=_SIMILAR)
        if meant or name.isupper():
            hint = f"did you mean {{{{{meant}}}}}?" if meant else part.suggestion(name, known)
            part.report(f"{{{name}}} is said as it is written", hint)


def _documented(kind: ScenarioKind) -> list[str]:
    """Return the variables that a kind of the REST API documents."""
    found: Mapping[str, Json] = kind.schema() if kind.schema and kind.item_schema else {}
    for step in ("$defs", "scenario", "properties", "variables", "properties"):
        inner = found.get(step)
        found = inner if isinstance(inner, Mapping) else {}
    return list(found)


def _variables(root: FieldReader, documented: Sequence[str]) -> Iterator[list[tuple[str, FieldReader]]]:
    """Yield the variables of each scenario of a kind that documents names."""
    if not documented:
        return
    listed = root.at("scenarios", root.data["scenarios"]) if isinstance(root.data, dict) else root
    for item in listed.items():
        variables = item.data.get("variables") if isinstance(item.data, dict) else None
        if isinstance(variables, dict):
            yield item.at("variables", variables).entries()


_ENDINGS = (".yml", ".yaml", ".json")
_NAME = re.compile(r"^(\w+):", re.MULTILINE)
_SCORES = re.compile(rb"\s*---\s*\n(?:(?!---).*\n)*?(?:scale|pass|shown)\s*:")
_MOST_READ = 100_000
_NAMED = ("spec.yaml", "mcp.yaml")
_SETTINGS = "sparring.yaml"
_BUILT_IN = ("", "offline", "none")


@dataclass(frozen=True, slots=True)
class Checked:
    """A checked file: its kind, if known, its problems, and warnings about doubtful content.

    A scenario file has its `cases`.
    """

    path: Path
    kind: str = ""
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    cases: tuple[Case, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SettingsChecks:
    """The checks that read settings, passed in by the interfaces, which alone read them.

    `check` raises an InputError with everything that is wrong with a settings file. `informed` returns True if a
    webhook may add variables to cases. `judge` returns the judge of a run in this folder, or None if null bots are off.
    `gate` returns the thresholds of a run in this folder.
    """

    check: Callable[[Path], None]
    informed: Callable[[], bool]
    judge: Callable[[], str | None]
    gate: Callable[[], Gate | None] = lambda: None


def check_files(paths: Iterable[Path], settings: SettingsChecks) -> Iterator[Checked]:
    """Check files and all files in folders that are not hidden, each once."""
    seen: set[Path] = set()
    for path in paths:
        files = _inside(path) if os.path.isdir(path) else [file_of(path)]
        if not files:
            yield Checked(path, problems=(Problem(file=str(path), message="there is nothing to check in this folder"),))
        for file in files:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield check_file(file, settings)


def with_gate(checked: Sequence[Checked], settings: SettingsChecks) -> list[Checked]:
    """Add warnings about thresholds that no run of the cases can reach.

    They are attached to the settings, or else to the first file of cases.
    """
    gate, cases = settings.gate(), sum(len(each.cases) for each in checked)
    if gate is None or not cases or gate.claim == "these":  # repeats are not known
        return list(checked)
    from sparring.reports.gate_levels import unreachable  # needed only with a gate

    warnings = [Problem(message=sentence) for sentence in unreachable(gate, cases, 1)]
    first = next((each for each in checked if each.kind == "settings"), None) or next(
        each for each in checked if each.cases
    )
    return [replace(each, warnings=(*each.warnings, *warnings)) if each is first else each for each in checked]


async def with_weak_cases(checked: Sequence[Checked], settings: SettingsChecks) -> list[Checked]:
    """Add warnings about weak cases. The rules among the files apply to all cases."""
    judge = None if settings.informed() else settings.judge()
    if judge is None or not any(each.cases for each in checked):
        return list(checked)
    rules = [rule for each in checked if each.kind == "rule" and not each.problems for rule in _rules(each.path)]
    return [await _with_weak_cases(each, judge, rules) if each.cases else each for each in checked]


def _rules(path: Path) -> Iterator[Rule]:
    from sparring.rules.rule_file import read_rule  # only where there are rules

    rule = read_rule(path)
    if isinstance(rule, Rule):
        yield rule


async def _with_weak_cases(checked: Checked, judge: str, rules: Sequence[Rule]) -> Checked:
    from sparring.app.discrimination import try_cases  # files without cases do not wait for it

    weak = (await try_cases(checked.cases, judge, rules)).warnings
    file = str(checked.path)
    return replace(checked, warnings=(*checked.warnings, *(each.model_copy(update={"file": file}) for each in weak)))


def check_file(path: Path, settings: SettingsChecks) -> Checked:
    """Return the kind and the problems of a file."""
    try:
        return _checked(path, settings)
    except OSError as error:
        return Checked(path, problems=(Problem(file=str(path), message=f"cannot be read: {error.strerror}"),))


def _checked(path: Path, settings: SettingsChecks) -> Checked:
    if path.name == LOCK:
        return _complaints(path, "lock", _check_lock)
    if path.suffix == ".md" and path.is_file():
        return _complaints(path, "rubric", file_kind("rubric").check)
    if path.suffix not in (".yml", ".yaml") or not path.is_file():
        return _scenarios(path, settings)
    if path.name == _SETTINGS:
        return _complaints(path, "settings", lambda path: _check_settings(path, settings))
    if path.name in _NAMED:
        return _complaints(path, path.stem, file_kind(path.stem).check)
    if (recording := _conversation(path)) is not None:
        return recording
    names = _names(path)
    kind = next((each for each in FILE_KINDS if each.has(names)), None)
    return _complaints(path, kind.name, kind.check) if kind else _scenarios(path, settings)


def _check_lock(path: Path) -> None:
    from sparring.app.fingerprint import unlocked  # only where there is one

    if problems := list(unlocked(path)):
        raise InputError(problems)


def _names(path: Path) -> set[str]:
    """Return the top-level keys of a file; for invalid YAML, the keys at line starts."""
    try:
        data = parsing.load(path).data
    except InputError:
        with path.open("rb") as file:
            return set(_NAME.findall(file.read(_MOST_READ).decode("utf-8", "replace")))
    return set(data) if isinstance(data, dict) else set()


def _inside(folder: Path) -> list[Path]:
    found = (
        path
        for path in folder.rglob("*")
        if path.is_file() and (path.suffix in _ENDINGS or path.name == LOCK or _scores(path))
    )
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def _scores(path: Path) -> bool:
    """Return True for Markdown with the front matter of a rubric."""
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
    """Check a scenario file of any kind; a file of no known kind is a problem."""
    found = loading.check([path])[0]
    if found.kind == loading.SCHEMA:
        return Checked(path, found.kind)
    if found.problems:
        return Checked(path, found.kind or ("scenarios" if path.suffix == ".json" else ""), found.problems)
    checked = _complaints(path, found.kind, lambda _: _check_cases(found.cases, settings))
    cases = found.cases if not checked.problems else ()
    idle = _idle(path, found.cases) if found.kind == "playbook" else _gaps(path) if found.kind == "policy" else ()
    warnings = (*found.left_out, *idle, *_stray(path, cases), *user_warnings(cases, file=str(path)))
    return replace(checked, cases=cases, warnings=warnings)


def _stray(path: Path, cases: tuple[Case, ...]) -> tuple[Problem, ...]:
    """Return warnings about names that look like misspelt variables."""
    document = loading.parsed(path)
    kind = loading.kind_of(document) if cases else None
    return stray_names(document, kind, cases) if kind else ()


def _gaps(path: Path) -> tuple[Problem, ...]:
    """Return a warning for each limit of a policy that its records cannot test."""
    from sparring.scenarios import policies  # only where there is one

    return policies.gaps(loading.parsed(path))


def _idle(path: Path, cases: tuple[Case, ...]) -> Iterator[Problem]:
    """Yield a warning for each case of a playbook that cannot fail."""
    for case in cases:
        if not case.expectations and not case.rubrics:
            yield Problem(
                file=str(path),
                path=case.id,
                message="has no expectation, so it cannot fail",
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
    """Return the check of a conversation or report in SENSEI's format; None for any other file."""
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


def _check_settings(path: Path, settings: SettingsChecks) -> None:
    """Raise InputError with the problems of settings, including players that do not exist."""
    problems: list[Problem] = []
    try:
        settings.check(path)
    except InputError as error:
        problems += error.problems
    with suppress(InputError):  # unreadable files are reported above
        problems += _strangers(parsing.load(path))
    if problems:
        raise InputError(problems)


def _strangers(document: Document) -> Iterator[Problem]:
    """Yield a problem for each player in the settings that does not exist."""
    data = document.data if isinstance(document.data, dict) else {}
    for name, groups in plugins.ROLES.items():
        if isinstance(player := data.get(name), str) and (error := _unknown(player, groups)):
            yield document.problem((name,), str(error), error.hint)


def _unknown(player: str, groups: tuple[str, ...]) -> InputError | None:
    """Return the error for an unknown player; None if it exists."""
    kind, _, argument = player.partition(":")
    if player in _BUILT_IN or argument.startswith("//") or any(kind in plugins.names(group) for group in groups):
        return None
    try:
        plugins.find(groups[-1], player)
    except InputError as error:
        return error
    return None
