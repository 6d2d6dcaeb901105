"""Files that came over the network, made into a plan: they may name each other, and nothing else of this machine."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from sparring.core.errors import InputError, Problem
from sparring.runner.batches import Plan
from sparring.runner.concluding import check_expectations
from sparring.runner.rubrics import Asked, asked
from sparring.runner.wiring import choose
from sparring.scenarios import sources
from sparring.scenarios.sources import Sources
from sparring.settings import Settings

_DEPTH = Path("a/b/c/d")
"""A file may name others up to four folders above it: so deep, these are all ours."""

_NAME = re.compile(r"[^\w.() -]+")
_ENDINGS = (".yml", ".yaml", ".json")
_BESIDE = (".md",)


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
    with TemporaryDirectory(prefix="sparring-") as folder:
        place = Path(folder) / _DEPTH
        place.mkdir(parents=True)
        try:
            return _read(_written(files, place), settings, name=name, tags=tags, repeats=repeats, most=most)
        except InputError as error:
            raise InputError([_without(problem, place) for problem in error.problems]) from error


def _read(
    paths: Sequence[Path], settings: Settings, *, name: str, tags: tuple[str, ...], repeats: int, most: int
) -> Uploaded:
    loaded = sources.load(paths, seed=settings.seed, limits=settings.case_limits)
    check_expectations(loaded.cases)
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
        rubrics=questions.rubrics,
        case_rubrics=questions.case_rubrics,
        max_cost=loaded.max_cost,
    )
    return Uploaded(loaded, questions, plan, settings)


def _written(files: Sequence[Upload], place: Path) -> list[Path]:
    """The scenarios among the files, written beside the files that they may name."""
    scenarios, problems, taken = [], [], set()
    for each in files:
        name = _NAME.sub("_", PurePosixPath(each.name.replace("\\", "/")).name).strip(". ")[:120]
        suffix = Path(name).suffix.lower()
        if not Path(name).stem or suffix not in (*_ENDINGS, *_BESIDE):
            problems.append(
                Problem(
                    file=each.name[:120],
                    message="is no kind of file that is known here",
                    hint="there are: .yml, .yaml and .json; rubrics beside them may be .md",
                )
            )
            continue
        if name in taken:
            problems.append(Problem(file=each.name[:120], message="there are two files of this name"))
            continue
        taken.add(name)
        path = place / name
        path.write_text(each.text, encoding="utf-8", errors="replace", newline="")
        scenarios += [path] if suffix in _ENDINGS else []
    if not problems and not scenarios:
        problems.append(Problem(message="there is no scenario among the files"))
    if problems:
        raise InputError(problems)
    return scenarios


def _without(problem: Problem, place: Path) -> Problem:
    """A complaint that calls files by the names they came with."""

    def short(text: str) -> str:
        return text.replace(f"{place.resolve()}/", "").replace(f"{place}/", "")

    return problem.model_copy(
        update={"file": short(problem.file), "message": short(problem.message), "hint": short(problem.hint)}
    )
