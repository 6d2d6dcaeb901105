"""Turn uploaded files into a batch plan. They may refer to each other, but to no file on the server."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from sparring import parsing
from sparring.app.config import AppConfig
from sparring.app.launch import BatchPlan
from sparring.app.preflight import check_expectations
from sparring.app.prompt_library import ChosenPrompts
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.wiring import player_names
from sparring.core.checks import Rule
from sparring.core.errors import InputError, Problem
from sparring.core.usage import Budget
from sparring.rules.rule_file import RULE_KEYS, parse_rule, require_valid
from sparring.scenarios import loading
from sparring.scenarios.loading import LoadedScenarios
from sparring.web.api.errors import as_sent
from sparring.web.api.launch import too_many

_FOLDERS = Path("a/b/c/d")
"""Folder of the uploads. Files may refer to files up to four folders above them; all of these are temporary."""

_RULES_ONLY_HINT = "to check rules on stored conversations, use: sparring check --rules RULES --conversations BATCH"
_NAME = re.compile(r"[^\w.() -]+")
_YAML = (".yml", ".yaml")
_SUFFIXES = (*_YAML, ".json")
_EXTRA_SUFFIXES = (".md",)
_LINES = re.compile(rf"^({'|'.join(sorted(RULE_KEYS))})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """Name and text of an uploaded file."""

    name: str
    text: str


@dataclass(frozen=True)
class LaunchForm:
    """Values of the launch form, and their problems."""

    files: tuple[UploadedFile, ...]
    config: AppConfig
    versions: ChosenPrompts
    name: str
    tags: tuple[str, ...]
    repeat: int
    budget: Budget
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class UploadPlan:
    """Scenarios, rubrics, plan and settings of uploaded files."""

    sources: LoadedScenarios
    questions: RubricSelection
    plan: BatchPlan


def plan_uploads(form: LaunchForm, most: int) -> UploadPlan:
    """Plan a batch of at most `most` conversations. Raise `InputError` with all problems of all files.

    Runs no Python code and calls no model, so planning costs nothing.
    """
    if form.problems:
        raise InputError(form.problems)
    named, problems = _safe_names(form.files)
    with TemporaryDirectory(prefix="sparring-") as folder, parsing.once():
        place = Path(folder) / _FOLDERS
        place.mkdir(parents=True)
        written = _write_files(named, place)
        ruling = {path for path in written if _is_rule(path, named[path.name])}
        for path in ruling:  # or it could be read as a personality
            path.unlink()
        wrong, rules = _parse_rules({path.name: named[path.name] for path in written if path in ruling})
        problems += wrong
        try:
            paths = [path for path in written if path not in ruling]
            if not paths and not problems:
                raise InputError(Problem(message="no scenario among the files", hint=_RULES_ONLY_HINT if rules else ""))
            uploaded = _plan_uploads(paths, rules, form, most)
        except InputError as error:
            raise InputError([*problems, *(as_sent(problem, place) for problem in error.problems)]) from error
    if problems:
        raise InputError(problems)
    return uploaded


def _is_rule(path: Path, text: str) -> bool:
    """Return True if a file is a rule, by its top-level keys; by its lines if it is not valid YAML."""
    if path.suffix.lower() not in _YAML:
        return False
    try:
        document = parsing.load(path)
    except InputError:
        return _LINES.search(text) is not None
    data = document.data
    return isinstance(data, dict) and not RULE_KEYS.isdisjoint(data) and not loading.kind(document)


def _parse_rules(files: Mapping[str, str]) -> tuple[tuple[Problem, ...], tuple[Rule, ...]]:
    """Parse rules. Return their problems, or the rules."""
    try:
        return (), require_valid(parse_rule(text, name) for name, text in files.items())
    except InputError as error:
        return error.problems, ()


def _plan_uploads(paths: Sequence[Path], rules: tuple[Rule, ...], form: LaunchForm, most: int) -> UploadPlan:
    config, chosen = form.config, form.versions
    loaded = loading.load(paths, seed=config.seed, limits=config.case_limits)
    check_expectations(loaded.cases, rules=rules, informed=config.informed)
    if len(loaded.cases) * form.repeat > most:
        raise InputError(too_many(most))
    questions = asked(loaded.cases, prompt=chosen.judge)
    scripted = all(case.script for case in loaded.cases)
    choice = player_names(config, "", loaded.temperature, scripted=scripted, rubrics=bool(questions))
    plan = BatchPlan(
        cases=questions.cases,
        choice=chosen.pinned(choice),
        prompts=chosen.versions,
        name=form.name,
        repeats=form.repeat,
        tags=form.tags,
        rules=rules,
        rubrics=questions.rubrics,
        case_rubrics=questions.case_rubrics,
        budget=form.budget.lowest(Budget(cost=loaded.max_cost)),
    )
    return UploadPlan(loaded, questions, plan)


def _safe_names(files: Sequence[UploadedFile]) -> tuple[dict[str, str], list[Problem]]:
    """Return file texts by safe file names, and the problems of the names."""
    named: dict[str, str] = {}
    problems = []
    for each in files:
        name = _NAME.sub("_", PurePosixPath(each.name.replace("\\", "/")).name).strip(". ")[:120]
        suffix = Path(name).suffix.lower()
        if not Path(name).stem or suffix not in (*_SUFFIXES, *_EXTRA_SUFFIXES):
            problems.append(
                Problem(
                    file=each.name[:120],
                    message="unsupported file type",
                    hint="allowed: .yml, .yaml, .json, and .md for rubrics; Python files are not accepted",
                )
            )
        elif name in named:
            problems.append(Problem(file=each.name[:120], message="duplicate file name"))
        else:
            named[name] = each.text
    return named, problems


def _write_files(files: Mapping[str, str], place: Path) -> list[Path]:
    """Write all files, and return the paths of the scenarios and rules among them."""
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    return [place / name for name in files if Path(name).suffix.lower() in _SUFFIXES]
