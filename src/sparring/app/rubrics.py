"""The rubrics of a batch: those of the command, of the cases, and the standard one."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sparring.core.batch import NO_JUDGE
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.errors import InputError, Problem
from sparring.judges.judge import standard
from sparring.judges.rubric_files import read_rubrics
from sparring.runner.judge_worker import NamedJudge


@dataclass(frozen=True)
class RubricSelection:
    """Cases that name rubrics by their hashes, these rubrics, and rubrics for all cases."""

    cases: tuple[Case, ...]
    rubrics: tuple[Rubric, ...] = ()
    case_rubrics: tuple[Rubric, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rubrics or self.case_rubrics)


def asked(
    cases: Sequence[Case], named: Iterable[Path | str] = (), *, prompt: Path | str | None = None
) -> RubricSelection:
    """Read the rubrics `named` for all cases, and those that cases name; an InputError with all problems.

    `prompt` is the judge's prompt, as a file or text, for any of them; for the standard rubric if none is named.
    """
    shared = [str(each) for each in named]
    if prompt is not None and not shared and not any(case.rubrics for case in cases):
        shared = [standard(cases).name]
    own = [each for case in cases for each in case.rubrics]
    found = read_rubrics([*shared, *own], prompt=prompt)
    return RubricSelection(
        cases=tuple(_hashed(case, found) for case in cases),
        rubrics=tuple(dict.fromkeys(found[each] for each in shared)),
        case_rubrics=tuple(dict.fromkeys(found[each] for each in own)),
    )


def _hashed(case: Case, found: dict[str, Rubric]) -> Case:
    if not case.rubrics:
        return case
    return case.model_copy(update={"rubrics": tuple(dict.fromkeys(found[each].hash for each in case.rubrics))})


def fitting(
    cases: Iterable[Case], rubrics: tuple[Rubric, ...], case_rubrics: tuple[Rubric, ...], judge: NamedJudge | None
) -> tuple[Rubric, ...]:
    """Return the rubrics that a judge uses for all cases; by default the standard one."""
    reader = judge is not None and judge.judge.reads_rubrics
    if rubrics and not reader:
        raise reads_no_rubrics(judge.name if judge else NO_JUDGE)
    return rubrics or ((standard(cases),) if reader and not case_rubrics else ())


def reads_no_rubrics(judge: str) -> InputError:
    """Return the problem of a rubric for a judge that is no model."""
    message = f"the judge {judge!r} reads no rubrics"
    return InputError(
        Problem(path="rubric", message=message, hint="choose a model as judge, such as openai:gpt-4o-mini")
    )
