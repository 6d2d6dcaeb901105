"""Loading of files and folders with scenarios of any kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from os.path import exists, isdir, islink, realpath
from pathlib import Path

from sparring import parsing
from sparring.core.case import Case, Limits
from sparring.core.clock import SystemClock
from sparring.core.errors import InputError, Problem
from sparring.core.text import closest_file, closest_name
from sparring.parsing import Data, json_reader
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.external_values import ExternalValues, FunctionValues, ModelValues, sample_value
from sparring.scenarios.kinds import (
    OTHER_KEYS,
    ScenarioKind,
    SourceDocument,
    chatbot_of,
    file_of,
    scenario_keys,
    scenario_kinds,
)

_ENDINGS = (".yml", ".yaml", ".json")
SCHEMA = "schema"
_SIMILAR = 0.8
_UNKNOWN_KIND = "this is not a scenario of any known kind"
_SETTINGS = "sparring.yaml"


@dataclass(frozen=True, slots=True)
class LoadedScenarios:
    """All cases, with the model and temperature that profiles set for the user if they agree.

    `max_cost` is the sum of the budgets in US dollars, if every file has one. `left_out` has the reason for each
    conversation that the files describe and that cannot be played. `chatbot` is the one that belongs to the scenarios,
    for a configuration that names none.
    """

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
    max_cost: float | None = None
    left_out: tuple[Problem, ...] = ()
    chatbot: str = ""


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """A file or folder with its kind, its cases, all its problems, and the conversations left out."""

    path: Path
    kind: str = ""
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    left_out: tuple[Problem, ...] = ()


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
    options = LoadOptions(seed, today or SystemClock().now().date(), limits or Limits(), outside or ExternalValues())
    looked_at = list(_check_sources(sources, options))
    if problems := [problem for checked, _ in looked_at for problem in checked.problems]:
        raise InputError(problems)
    merged = _merged([expansion for _, expansion in looked_at if expansion is not None])
    return replace(merged, chatbot=chatbot_of(sources))


def check(sources: Sequence[Path], *, seed: int = 0, today: date | None = None) -> list[CheckedSource]:
    """Return the contents and problems of files and folders, without calling a model or running code."""
    options = LoadOptions(
        seed, today or SystemClock().now().date(), outside=ExternalValues(make_up=sample_value, compute=sample_value)
    )
    return [checked for checked, _ in _check_sources(sources, options)]


def load_with_samples(
    sources: Sequence[Path], *, seed: int, limits: Limits | None = None
) -> tuple[LoadedScenarios, list[ModelValues | FunctionValues]]:
    """Load the sources with samples for external values, and return the requests for these values."""
    noted: dict[ModelValues | FunctionValues, None] = {}

    def note(value: ModelValues | FunctionValues) -> tuple[Data, ...]:
        noted[value] = None
        return sample_value(value)

    outside = ExternalValues(make_up=note, compute=note)
    return load(sources, seed=seed, limits=limits, outside=outside), list(noted)


def kind(document: SourceDocument) -> str:
    """Return the label of a document's kind, `schema` for a JSON Schema, or nothing."""
    if _is_schema(document):
        return SCHEMA
    found = kind_of(document)
    return "" if found is None else found.label


def parsed(file: Path) -> SourceDocument:
    """Return the document in a YAML or JSON file."""
    return json_reader.load(file) if file.suffix == ".json" else parsing.load(file)


def kind_of(document: SourceDocument) -> ScenarioKind | None:
    """Return the kind that a document is, if it is of any."""
    return next((kind for kind in scenario_kinds() if kind.recognises(document)), None)


def _check_sources(sources: Sequence[Path], options: LoadOptions) -> Iterator[tuple[CheckedSource, Expansion | None]]:
    """Yield every file once with its contents; missing and empty sources are last."""
    sources = list(map(file_of, sources))
    inside = {source: {file.resolve(): file for file in _files(source)} for source in sources}
    chosen = {Path(realpath(source)) for source in sources}  # a link to itself is no error to realpath
    listed = set()
    for path, file in {path: file for files in inside.values() for path, file in files.items()}.items():
        if (found := _read(file, options, chosen=path in chosen)) is not None:
            listed.add(path)
            yield found
    for source in sources:
        if not exists(source):
            yield CheckedSource(source, problems=(_missing(source),)), None
        elif isdir(source) and listed.isdisjoint(inside[source]):
            yield CheckedSource(source, problems=(_empty(source),)), None


def _read(file: Path, options: LoadOptions, *, chosen: bool) -> tuple[CheckedSource, Expansion | None] | None:
    """Return the contents of a file; None for other files among scenarios, unless it was `chosen` itself."""
    found = ""
    try:
        document = parsed(file)
        found = kind(document)
        if not chosen and (found == SCHEMA or (not found and _other_kind(document))):
            return None
        expansion = _expansion(document, options)
    except InputError as error:
        return CheckedSource(file, found, problems=error.problems), None
    return CheckedSource(file, found, expansion.cases, left_out=expansion.left_out), expansion


def _merged(expansions: Sequence[Expansion]) -> LoadedScenarios:
    models = {each.model for each in expansions if each.model}
    temperatures = {each.temperature for each in expansions if each.temperature is not None}
    budgets = [each.max_cost for each in expansions]
    return LoadedScenarios(
        cases=tuple(with_unique_ids(case for each in expansions for case in each.cases)),
        model=models.pop() if len(models) == 1 else "",
        temperature=temperatures.pop() if len(temperatures) == 1 else None,
        left_out=tuple(problem for each in expansions for problem in each.left_out),
        max_cost=None if None in budgets or not budgets else sum(budget for budget in budgets if budget is not None),
    )


def _missing(source: Path) -> Problem:
    if islink(source):
        return Problem(file=str(source), message="is a broken link")
    return Problem(file=str(source), message="there is no such file or folder", hint=closest_file(source))


def _empty(folder: Path) -> Problem:
    return Problem(file=str(folder), message="there is no scenario in this folder")


def _files(source: Path) -> list[Path]:
    """Return a file itself, or the candidates in a folder, always in the same order."""
    if isdir(source):
        return sorted(path for path in source.rglob("*") if _is_candidate(path, source))
    return [source] if exists(source) else []


def _expansion(document: SourceDocument, options: LoadOptions) -> Expansion:
    if _is_schema(document):
        raise InputError(document.problem((), "this is a JSON Schema, not a scenario"))
    kind = kind_of(document)
    if kind is None:
        if document.data is None:
            raise InputError(
                document.problem((), "the file is empty", "write goals: or script:, or run `sparring init`")
            )
        if (other := _other_kind(document)) and not any(_misspelt_keys(document)):
            flag = ", to be given with --rules" if other == "rule" else ""
            raise InputError(document.problem((), f"this is a {other}, not a scenario{flag}"))
        raise InputError([*_misspelt_keys(document)] or document.problem((), _UNKNOWN_KIND, _signatures()))
    return kind.expanded(document, options)


def _signatures() -> str:
    return ", ".join(f"a {each.label} has {each.signature}" for each in scenario_kinds() if each.signature)


def _misspelt_keys(document: SourceDocument) -> Iterator[Problem]:
    """Yield the keys at the top of a document that are close to one by which scenarios are known."""
    for written in document.data if isinstance(document.data, dict) else ():
        meant = closest_name(written, scenario_keys(), cutoff=_SIMILAR)
        if meant and written not in scenario_keys():
            yield document.problem((written,), "unknown key", f"did you mean {meant!r}?", key=True)


def _is_schema(document: SourceDocument) -> bool:
    """Return True for a JSON Schema, such as `sparring schema` prints.

    A file that names its own schema is not one.
    """
    written = document.data if isinstance(document, JsonDocument) else None
    return isinstance(written, dict) and "json-schema.org" in str(written.get("$schema", ""))


def _other_kind(document: SourceDocument) -> str:
    """Return the kind of a file that is no scenario, but of another kind; empty for any other file."""
    written = document.data.keys() if isinstance(document.data, dict) else set()
    return next((kind for kind, keys in OTHER_KEYS.items() if keys & written), "")


def _is_candidate(path: Path, folder: Path) -> bool:
    hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return path.suffix in _ENDINGS and path.name != _SETTINGS and path.is_file() and not hidden


def with_unique_ids(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases with unique ids: a repeated id gets the suffix `~2`, `~3` and so on."""
    taken: set[str] = set()
    for case in cases:
        id, number = case.id, 1
        while id in taken:
            number += 1
            id = f"{case.id}~{number}"
        taken.add(id)
        yield case if number == 1 else case.model_copy(update={"id": id})
