"""The one front door: files and folders with any kind of scenario, to cases."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from sparring import documents, settings
from sparring.core.case import Case, Limits
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, Problem
from sparring.documents import Document
from sparring.scenarios import json_document, profiles, scenario_files, scenarios_json
from sparring.scenarios.expansion import Expansion, Terms
from sparring.scenarios.spelling import close

_ENDINGS = (".yml", ".yaml", ".json")
_OTHER_KINDS = ("oracle", "then", "url", "context")  # rules, presets and personalities may lie among scenarios


@dataclass(frozen=True, slots=True)
class Sources:
    """All cases; the model and the temperature that profiles want for their user, where they agree; and the sum of
    their budgets in US dollars, where all have one.
    """

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
    max_cost: float | None = None


def load(sources: Sequence[Path], *, seed: int, today: date | None = None, limits: Limits | None = None) -> Sources:
    """Expand files, and folders with all that is in them; an InputError with the problems of all of them together.

    `today` is what profiles count days from, by default the clock's; `limits` hold where a scenario sets none.
    """
    terms = Terms(seed, today or SystemClock().now().date(), limits or Limits())
    files = {source: {file.resolve(): file for file in _files(source)} for source in sources}
    chosen = {source.resolve() for source in sources}
    held: dict[Path, Expansion] = {}
    problems = [_missing(source) for source in sources if not source.exists()]
    for path, file in {path: file for each in files.values() for path, file in each.items()}.items():
        try:
            if found := _expansion(file, terms, chosen=path in chosen):
                held[path] = found
        except InputError as error:
            held[path] = Expansion(())
            problems += error.problems
    problems += [_empty(source) for source in sources if source.is_dir() and held.keys().isdisjoint(files[source])]
    if problems:
        raise InputError(problems)
    return _together(list(held.values()))


def _together(expansions: Sequence[Expansion]) -> Sources:
    models = {each.model for each in expansions if each.model}
    temperatures = {each.temperature for each in expansions if each.temperature is not None}
    budgets = [each.max_cost for each in expansions]
    return Sources(
        cases=tuple(_unique(case for each in expansions for case in each.cases)),
        model=models.pop() if len(models) == 1 else "",
        temperature=temperatures.pop() if len(temperatures) == 1 else None,
        max_cost=None if None in budgets else sum(budget for budget in budgets if budget is not None),
    )


def _missing(source: Path) -> Problem:
    neighbours = [path.name for path in source.parent.glob("*")]
    return Problem(file=str(source), message="there is no such file or folder", hint=close(source.name, neighbours))


def _empty(folder: Path) -> Problem:
    return Problem(file=str(folder), message="there is no scenario in this folder")


def _files(source: Path) -> list[Path]:
    """A file itself, or what may be a scenario in a folder, in the same order everywhere."""
    if source.is_dir():
        return sorted(path for path in source.rglob("*") if _may_be_one(path, source))
    return [source] if source.exists() else []


def _expansion(file: Path, terms: Terms, *, chosen: bool) -> Expansion | None:
    """The cases of a file; None for one that only lies among scenarios, unless it was `chosen` itself."""
    if file.suffix == ".json":
        return scenarios_json.cases(json_document.load(file), terms)
    document = documents.load(file)
    if scenario_files.recognised(document):
        return scenario_files.cases(document, terms)
    if profiles.recognised(document):
        return profiles.cases(document, terms)
    if not chosen and _something_else(document):
        return None
    hint = "a scenario has goals or a script at its top, a profile has a user with goals"
    raise InputError(document.problem((), "this is no kind of scenario", hint))


def _something_else(document: Document) -> bool:
    return isinstance(document.data, dict) and not document.data.keys().isdisjoint(_OTHER_KINDS)


def _may_be_one(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.suffix in _ENDINGS and path.name != settings.FILE and path.is_file() and not hidden


def _unique(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases, with `~2` behind an id that is there already, `~3` behind the next, and so on."""
    taken: set[str] = set()
    for case in cases:
        id, number = case.id, 1
        while id in taken:
            number += 1
            id = f"{case.id}~{number}"
        taken.add(id)
        yield case if number == 1 else case.model_copy(update={"id": id})
