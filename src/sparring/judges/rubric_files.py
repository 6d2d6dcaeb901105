"""Rubric files: Markdown with a YAML header, or YAML. All problems of a file are reported at once."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt

from sparring import parsing
from sparring.core import plugins
from sparring.core.checks import JudgeInput, Rubric, Scale
from sparring.core.errors import InputError, Problem
from sparring.core.text import did_you_mean
from sparring.llm import template
from sparring.parsing import Document

T = TypeVar("T")

GENERAL = "general"
"""The standard rubric of cases that name no other."""

GROUP = "sparring.rubrics"
"""The entry-point group of bundled rubrics: each names a Markdown file."""

GENERAL_FILE = files("sparring.judges") / "rubrics" / "general.md"
"""The file of the bundled rubric `general`."""

HIGHEST = 100
ENDINGS = (".md", ".yaml", ".yml")
_SCALE = re.compile(r"\s*(\d{1,3})\s*-\s*(\d{1,3})\s*")
_FENCE = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)
_NEEDED = ("rubric", "delimiter")
_KNOWN = (*_NEEDED, "language", "worst", "best")

PROMPT = files("sparring.judges").joinpath("prompts/judge.md").read_text(encoding="utf-8")
"""Judge prompt of rubrics without one of their own."""


def _scale(written: object) -> object:
    """Parse a scale such as `1-3`."""
    found = _SCALE.fullmatch(written) if isinstance(written, str) else None
    if found is None:
        raise ValueError("should be written as in 1-3")
    worst, best = map(int, found.groups())
    if not worst < best <= HIGHEST:
        raise ValueError(f"should go up, from the worst score to the best, and no higher than {HIGHEST}")
    return Scale(worst=worst, best=best)


class RubricFile(BaseModel):
    """Content of a rubric file; in Markdown, the text below the header holds the criteria."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field("", max_length=100, description="name of the verdicts; default: the name of the file")
    scale: Annotated[Scale, BeforeValidator(_scale, json_schema_input_type=str)] = Field(
        default_factory=Scale, description="from the worst score to the best, as in 1-3"
    )
    pass_: NonNegativeInt | None = Field(
        None, alias="pass", description="lowest score that passes; default: the second lowest of the scale"
    )
    language: str = Field("English", min_length=1, max_length=100, description="the language of the judge's comment")
    shown: tuple[JudgeInput, ...] = Field(
        Rubric.model_fields["shown"].default, description="data that the judge sees besides the messages"
    )
    prompt: str = Field("", description="file with your own judge prompt, in this folder or below")
    criteria: str = Field("", description="the question for the judge, and the meaning of each score")


def read_rubrics(named: Iterable[str], *, prompt: Path | str | None = None) -> dict[str, Rubric]:
    """Read rubrics by file or bundled name. Raise `InputError` with the problems of all.

    `prompt` is a file whose prompt replaces that of every rubric, or the text of one that was checked.
    """
    problems: list[Problem] = []
    rubrics: dict[str, Rubric] = {}
    called: dict[str, Rubric] = {}
    text = _attempt(partial(read_prompt, prompt), problems) if isinstance(prompt, Path) else prompt
    for each in dict.fromkeys(named):
        rubric = _attempt(partial(find_rubric, each), problems)
        if rubric is None:
            continue
        rubrics[each] = rubric = rubric if text is None else rubric.model_copy(update={"prompt": text})
        if called.setdefault(rubric.name, rubric) != rubric:
            problems.append(Problem(file=each, message=f"another rubric is called {rubric.name!r} too"))
    if problems:
        raise InputError(problems)
    return rubrics


def find_rubric(named: str) -> Rubric:
    """Return the rubric in a file, or the bundled one with this name."""
    if named in built_in():
        file: Traversable = plugins.find(GROUP, named)
        return _markdown(file.read_text(encoding="utf-8"), f"{named}.md", None)
    if Path(named).suffix in ENDINGS:
        return read_rubric(Path(named))
    hint = did_you_mean(named, built_in()) or f"a file in .md or .yaml, or one of: {', '.join(built_in())}"
    raise InputError(Problem(file=named, message="there is no such rubric", hint=hint))


def built_in() -> list[str]:
    """Return the names of the bundled rubrics."""
    return plugins.names(GROUP)


def read_rubric(path: Path) -> Rubric:
    """Read the rubric in a file. Raise `InputError` with all its problems."""
    if path.suffix == ".md":
        return _markdown(text_of(path), str(path), path)
    return _rubric(parsing.load(path), "", path)


def read_prompt(path: Path) -> str:
    """Read a judge prompt from a file. Raise `InputError` with all its problems."""
    text = text_of(path)
    try:
        check_prompt(text)
    except InputError as error:
        raise InputError([each.model_copy(update={"file": str(path)}) for each in error.problems]) from error
    return text


def check_prompt(text: str) -> None:
    """Raise `InputError` with everything that is wrong with a judge prompt."""
    template.read_with(text, _NEEDED, _KNOWN)


def _markdown(text: str, file: str, path: Path | None) -> Rubric:
    """Parse Markdown: the YAML between two `---` lines is the header, the rest the criteria."""
    fences = list(_FENCE.finditer(text))
    if not fences or text[: fences[0].start()].strip():
        return _rubric(parsing.parse("{}", file), text, path)
    if len(fences) < 2:
        raise InputError(Problem(file=file, line=1, column=1, message="the --- that begins here is never closed"))
    # Blank lines replace the text before the header, so that line numbers match the file.
    head = "\n" * text.count("\n", 0, fences[0].end()) + text[fences[0].end() : fences[1].start()]
    return _rubric(parsing.parse(head if head.strip() else "{}", file), text[fences[1].end() :], path)


def _rubric(document: Document, body: str, path: Path | None) -> Rubric:
    written = parsing.validate(document, RubricFile)
    problems = list(_wrong(written, document, body))
    prompt: str | None = PROMPT
    if written.prompt and path is not None:
        prompt = _attempt(partial(_beside, document, path, written.prompt), problems)
    if problems:
        raise InputError(problems)
    return Rubric(
        name=written.name.strip() or Path(document.file).stem,
        text=(body if body.strip() else written.criteria).strip(),
        scale=written.scale,
        pass_mark=written.scale.worst + 1 if written.pass_ is None else written.pass_,
        language=written.language,
        shown=tuple(dict.fromkeys(written.shown)),
        prompt=prompt or "",
    )


def _wrong(written: RubricFile, document: Document, body: str) -> Iterator[Problem]:
    """Yield problems of keys that conflict."""
    if body.strip() and written.criteria.strip():
        yield document.problem(("criteria",), "the criteria are below already", "leave one of the two out", key=True)
    if not body.strip() and not written.criteria.strip():
        yield document.problem((), "there is nothing to judge", "say what each score means")
    scale = written.scale
    if written.pass_ is not None and (written.pass_ not in scale or written.pass_ == scale.worst):
        hint = f"from {scale.worst + 1} to {scale.best}"
        yield document.problem(("pass",), f"on a scale of {scale} this lets everything or nothing pass", hint)


def _beside(document: Document, path: Path, written: str) -> str:
    """Read the prompt file of a rubric, which must be in the rubric's folder or below."""
    named = Path(written)
    found = path.parent / named
    if named.is_absolute() or ".." in named.parts or not found.resolve().is_relative_to(path.parent.resolve()):
        raise InputError(document.problem(("prompt",), "should be a path in the folder of this file"))
    if not found.is_file():
        raise InputError(document.problem(("prompt",), "there is no such file"))
    return read_prompt(found)


def text_of(path: Path) -> str:
    """Return the text of a file, and note that it was read. Raise `InputError` if it cannot be read."""
    parsing.note(path)
    return parsing.read_text(path)


def _attempt(read: Callable[[], T], problems: list[Problem]) -> T | None:
    """Return the result of `read`, or None and add its problems to `problems`."""
    try:
        return read()
    except InputError as error:
        problems += error.problems
        return None
