"""Loading of files and folders with scenarios of any kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from os.path import exists, isdir, islink, realpath
from pathlib import Path

from sparring import parsing
from sparring.core.case import Case, Limits
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, Problem
from sparring.core.text import did_you_mean
from sparring.parsing import Data, json_reader
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.external_values import ExternalValues, FunctionValues, ModelValues, sample
from sparring.scenarios.kinds import ScenarioKind, SourceDocument, scenario_kinds

_ENDINGS = (".yml", ".yaml", ".json")
SCHEMA = "schema"
_SETTINGS = "sparring.yaml"
_OTHER_KINDS = ("oracle", "then", "url", "context")  # rules, presets and personalities may lie among scenarios


@dataclass(frozen=True, slots=True)
class LoadedScenarios:
    """All cases, with the model and temperature that profiles set for the user if they agree.

    `max_cost` is the sum of the budgets in US dollars, if every file has one.
    """

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
    max_cost: float | None = None


@dataclass(frozen=True, slots=True)
class Checked:
    """A file or folder with its kind, its cases, and all its problems."""

    path: Path
    kind: str = ""
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()


def load(
    sources: Sequence[Path],
    *,
    seed: int,
    today: date | None = None,
    limits: Limits | None = None,
    outside: ExternalValues | None = None,
) -> LoadedScenarios:
    """Expand files and folders to cases; raise an `InputError` with all problems of all files.

    Profiles count days from `today`, by default the clock's. `limits` apply if a scenario sets none. Values that files
    only ask for come from `outside`; by default they are refused.
    """
    terms = LoadOptions(seed, today or SystemClock().now().date(), limits or Limits(), outside or ExternalValues())
    looked_at = list(_looked_at(sources, terms))
    if problems := [problem for checked, _ in looked_at for problem in checked.problems]:
        raise InputError(problems)
    return _together([expansion for _, expansion in looked_at if expansion is not None])


def check(sources: Sequence[Path], *, seed: int = 0, today: date | None = None) -> list[Checked]:
    """Return the contents and problems of files and folders, without calling a model or running code."""
    terms = LoadOptions(
        seed, today or SystemClock().now().date(), outside=ExternalValues(make_up=sample, compute=sample)
    )
    return [checked for checked, _ in _looked_at(sources, terms)]


def asked(
    sources: Sequence[Path], *, seed: int, today: date | None = None, limits: Limits | None = None
) -> tuple[LoadedScenarios, list[ModelValues | FunctionValues]]:
    """Load the sources with samples for external values, and return the requests for these values."""
    noted: dict[ModelValues | FunctionValues, None] = {}

    def note(value: ModelValues | FunctionValues) -> tuple[Data, ...]:
        noted[value] = None
        return sample(value)

    outside = ExternalValues(make_up=note, compute=note)
    return load(sources, seed=seed, today=today, limits=limits, outside=outside), list(noted)


def kind(document: SourceDocument) -> str:
    """Return the label of the kind that a document is, `schema` for a JSON Schema, or nothing."""
    if _is_schema(document):
        return SCHEMA
    found = _kind_of(document)
    return "" if found is None else found.label


def _kind_of(document: SourceDocument) -> ScenarioKind | None:
    return next((kind for kind in scenario_kinds() if kind.recognises(document)), None)


def _looked_at(sources: Sequence[Path], terms: LoadOptions) -> Iterator[tuple[Checked, Expansion | None]]:
    """Yield every file once with its contents; missing and empty sources are last."""
    inside = {source: {file.resolve(): file for file in _files(source)} for source in sources}
    chosen = {Path(realpath(source)) for source in sources}  # a link to itself is no error to realpath
    held = set()
    for path, file in {path: file for files in inside.values() for path, file in files.items()}.items():
        if (found := _read(file, terms, chosen=path in chosen)) is not None:
            held.add(path)
            yield found
    for source in sources:
        if not exists(source):
            yield Checked(source, problems=(_missing(source),)), None
        elif isdir(source) and held.isdisjoint(inside[source]):
            yield Checked(source, problems=(_empty(source),)), None


def _read(file: Path, terms: LoadOptions, *, chosen: bool) -> tuple[Checked, Expansion | None] | None:
    """Return the contents of a file; None for other files among scenarios, unless it was `chosen` itself."""
    found = ""
    try:
        document = json_reader.load(file) if file.suffix == ".json" else parsing.load(file)
        found = kind(document)
        if not chosen and (found == SCHEMA or (not found and _something_else(document))):
            return None
        expansion = _expansion(document, terms)
    except InputError as error:
        return Checked(file, found, problems=error.problems), None
    return Checked(file, found, expansion.cases), expansion


def _together(expansions: Sequence[Expansion]) -> LoadedScenarios:
    models = {each.model for each in expansions if each.model}
    temperatures = {each.temperature for each in expansions if each.temperature is not None}
    budgets = [each.max_cost for each in expansions]
    return LoadedScenarios(
        cases=tuple(unique(case for each in expansions for case in each.cases)),
        model=models.pop() if len(models) == 1 else "",
        temperature=temperatures.pop() if len(temperatures) == 1 else None,
        max_cost=None if None in budgets else sum(budget for budget in budgets if budget is not None),
    )


def _missing(source: Path) -> Problem:
    if islink(source):
        return Problem(file=str(source), message="is a broken link")
    neighbours = [path.name for path in source.parent.glob("*")]
    return Problem(
        file=str(source), message="there is no such file or folder", hint=did_you_mean(source.name, neighbours)
    )


def _empty(folder: Path) -> Problem:
    return Problem(file=str(folder), message="there is no scenario in this folder")


def _files(source: Path) -> list[Path]:
    """Return a file itself, or the candidates in a folder, always in the same order."""
    if isdir(source):
        return sorted(path for path in source.rglob("*") if _may_be_one(path, source))
    return [source] if exists(source) else []


def _expansion(document: SourceDocument, terms: LoadOptions) -> Expansion:
    if _is_schema(document):
        raise InputError(document.problem((), "this is a JSON Schema, not a scenario"))
    kind = _kind_of(document)
    if kind is None:
        hint = ", ".join(f"a {each.label} has {each.signature}" for each in scenario_kinds() if each.signature)
        raise InputError(document.problem((), "this is not a scenario of any known kind", hint))
    return kind.cases(document, terms)


def _is_schema(document: SourceDocument) -> bool:
    """Return True for a JSON Schema, such as `sparring schema` prints.

    A file that names its own schema is none.
    """
    written = document.data if isinstance(document, JsonDocument) else None
    return isinstance(written, dict) and "json-schema.org" in str(written.get("$schema", ""))


def _something_else(document: SourceDocument) -> bool:
    return isinstance(document.data, dict) and not document.data.keys().isdisjoint(_OTHER_KINDS)


def _may_be_one(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.suffix in _ENDINGS and path.name != _SETTINGS and path.is_file() and not hidden


def unique(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases with unique ids: a repeated id gets the suffix `~2`, `~3` and so on."""
    taken: set[str] = set()
    for case in cases:
        id, number = case.id, 1
        while id in taken:
            number += 1
            id = f"{case.id}~{number}"
        taken.add(id)
        yield case if number == 1 else case.model_copy(update={"id": id})
