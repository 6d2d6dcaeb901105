"""Files that came over the network, made into a plan: they may name each other, and nothing else of this machine."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from sparring import parsing
from sparring.app.launch import Plan
from sparring.app.preflight import check_expectations
from sparring.app.rubrics import Asked, asked
from sparring.app.wiring import choose
from sparring.core.checks import Rule
from sparring.core.errors import InputError, Problem
from sparring.rules.rule_file import SIGNS, parse_rule, valid
from sparring.scenarios import loading
from sparring.scenarios.loading import Sources
from sparring.settings import Settings

_DEPTH = Path("a/b/c/d")
"""A file may name others up to four folders above it: so deep, these are all ours."""

_ALONE = "rules alone are checked over what is stored: sparring check --rules RULES --conversations BATCH"
_NAME = re.compile(r"[^\w.() -]+")
_YAML = (".yml", ".yaml")
_ENDINGS = (*_YAML, ".json")
_BESIDE = (".md",)
_LINES = re.compile(rf"^({'|'.join(sorted(SIGNS))})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file by its name, and the text in it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Uploaded:
    """What files came to."""

    sources: Sources
    questions: Asked
    plan: Plan
    settings: Settings


def read(
    files: Sequence[Upload], settings: Settings, *, name: str, tags: tuple[str, ...], repeats: int, most: int
) -> Uploaded:
    """The plan that files come to; an InputError with everything that is wrong with any of them.

    No Python is run and no model makes anything up: who sends files may not spend what is not shown in the plan.
    """
    named, problems = _named(files)
    with TemporaryDirectory(prefix="sparring-") as folder, parsing.once():
        place = Path(folder) / _DEPTH
        place.mkdir(parents=True)
        written = _written(named, place)
        ruling = {path for path in written if _is_rule(path, named[path.name])}
        for path in ruling:  # nothing may take it for a personality
            path.unlink()
        wrong, rules = _rules({path.name: named[path.name] for path in written if path in ruling})
        problems += wrong
        try:
            paths = [path for path in written if path not in ruling]
            if not paths and not problems:
                raise InputError(Problem(message="there is no scenario among the files", hint=_ALONE if rules else ""))
            uploaded = _read(paths, rules, settings, name=name, tags=tags, repeats=repeats, most=most)
        except InputError as error:
            raise InputError([*problems, *(_without(problem, place) for problem in error.problems)]) from error
    if problems:
        raise InputError(problems)
    return uploaded


def _is_rule(path: Path, text: str) -> bool:
    """Whether this is a rule, by what stands at its top; by its lines, where it is no YAML."""
    if path.suffix.lower() not in _YAML:
        return False
    try:
        document = parsing.load(path)
    except InputError:
        return _LINES.search(text) is not None
    data = document.data
    return isinstance(data, dict) and not SIGNS.isdisjoint(data) and not loading.kind(document)


def _rules(files: Mapping[str, str]) -> tuple[tuple[Problem, ...], tuple[Rule, ...]]:
    """What is wrong with rules, or the rules."""
    try:
        return (), valid(parse_rule(text, name) for name, text in files.items())
    except InputError as error:
        return error.problems, ()


def _read(
    paths: Sequence[Path],
    rules: tuple[Rule, ...],
    settings: Settings,
    *,
    name: str,
    tags: tuple[str, ...],
    repeats: int,
    most: int,
) -> Uploaded:
    loaded = loading.load(paths, seed=settings.seed, limits=settings.case_limits)
    check_expectations(loaded.cases, rules=rules, informed=bool(settings.webhook.url))
    if len(loaded.cases) * repeats > most:
        raise InputError(
            Problem(message=f"a batch may have {most:,} conversations, and this has more", hint="split it")
        )
    questions = asked(loaded.cases)
    scripted = all(case.script for case in loaded.cases)
    choice = choose(settings, "", loaded.temperature, scripted=scripted, rubrics=bool(questions))
    plan = Plan(
        cases=questions.cases,
        choice=choice,
        name=name,
        repeats=repeats,
        tags=tags,
        rules=rules,
        rubrics=questions.rubrics,
        case_rubrics=questions.case_rubrics,
        max_cost=loaded.max_cost,
    )
    return Uploaded(loaded, questions, plan, settings)


def _named(files: Sequence[Upload]) -> tuple[dict[str, str], list[Problem]]:
    """The texts of files by names that can be written, and what is wrong with the names."""
    named: dict[str, str] = {}
    problems = []
    for each in files:
        name = _NAME.sub("_", PurePosixPath(each.name.replace("\\", "/")).name).strip(". ")[:120]
        suffix = Path(name).suffix.lower()
        if not Path(name).stem or suffix not in (*_ENDINGS, *_BESIDE):
            problems.append(
                Problem(
                    file=each.name[:120],
                    message="is no kind of file that is known here",
                    hint="there are: .yml, .yaml and .json; rubrics beside them may be .md, and no code is taken",
                )
            )
        elif name in named:
            problems.append(Problem(file=each.name[:120], message="there are two files of this name"))
        else:
            named[name] = each.text
    return named, problems


def _written(files: Mapping[str, str], place: Path) -> list[Path]:
    """The scenarios and rules among the files, written beside the files that they may name."""
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    return [place / name for name in files if Path(name).suffix.lower() in _ENDINGS]


def _without(problem: Problem, place: Path) -> Problem:
    """A complaint that calls files by the names they came with."""

    def short(text: str) -> str:
        return text.replace(f"{place.resolve()}/", "").replace(f"{place}/", "")

    return problem.model_copy(
        update={"file": short(problem.file), "message": short(problem.message), "hint": short(problem.hint)}
    )
