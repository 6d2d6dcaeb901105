"""The conformance suite for kinds of scenario file."""

from collections.abc import Iterator, Sequence
from datetime import date

from sparring import parsing
from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.judges.rubric_files import GROUP as RUBRICS
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.kinds import ScenarioKind, SourceDocument

OPTIONS = LoadOptions(seed=7, today=date(2025, 3, 14))

_FOREIGN = ("{}", "[]", "[1, null]", '"text"', "7", "null", '{"unrelated": [{"deep": {}}]}')
"""Documents that no kind can expand."""


def check_scenario_kind(
    kind: ScenarioKind, *, valid: Sequence[SourceDocument], invalid: Sequence[SourceDocument] = ()
) -> None:
    """Check a scenario kind; raise an `AssertionError` that names the first violation.

    `valid` are documents of this kind that expand to cases without values from outside; `invalid` are documents of
    this kind with mistakes.
    """
    _require(bool(valid), "no valid document is given")
    _require(kind.label.strip() == kind.label != "" and kind.label.isprintable(), "the label is not a name")
    check_recognition(kind, valid)
    for document in valid:
        check_cases(kind, document)
        for case in kind.cases(document, OPTIONS).cases:
            check_facts(kind, case)
    for document in (*invalid, *_foreign()):
        check_complaints(kind, document)
    for name in ("name", "Own", "OWN", *kind.decisive):
        once = kind.canonical(name)
        _require(kind.canonical(once) == once, f"the canonical name of {name!r} changes if it is asked again")
    for name in kind.decisive:
        _require(kind.canonical(name) == name, f"the decisive variable {name!r} is not written canonically")


def check_recognition(kind: ScenarioKind, valid: Sequence[SourceDocument]) -> None:
    """Check that a kind recognises its own documents, and answers for every other without an exception."""
    for document in valid:
        _require(kind.recognises(document) is True, f"{document.file} is not recognised")
    for document in _foreign():
        _require(isinstance(kind.recognises(document), bool), "recognises() returns neither True nor False")


def check_cases(kind: ScenarioKind, document: SourceDocument) -> None:
    """Check that a document expands to cases that can be told apart, stored, judged, and made again."""
    cases = kind.cases(document, OPTIONS).cases
    _require(bool(cases), f"{document.file} expands to no case")
    _require(kind.cases(document, OPTIONS).cases == cases, "the same document and seed give different cases")
    ids = [case.id for case in cases]
    _require(len(set(ids)) == len(ids), "two cases have the same id")
    for case in cases:
        _require(case.id != "" and case.id.isprintable(), f"the id {case.id!r} is not a name")
        _require(Case.model_validate_json(case.model_dump_json()) == case, f"{case.id} does not survive JSON")
        _require(
            case.standard_rubric in plugins.names(RUBRICS),
            f"the standard rubric {case.standard_rubric!r} of {case.id} is not installed",
        )


def check_complaints(kind: ScenarioKind, document: SourceDocument) -> None:
    """Check that a document with mistakes raises only an `InputError` that names the file."""
    try:
        kind.cases(document, OPTIONS)
    except InputError as error:
        _require(bool(error.problems), f"{document.file} is refused without a problem")
        for problem in error.problems:
            _require(problem.file == document.file, f"a problem of {document.file} names the file {problem.file!r}")
    else:
        _require(False, f"{document.file} has mistakes and is accepted: {document.data!r}")


def check_facts(kind: ScenarioKind, case: Case) -> None:
    """Check that facts known later become variables of the case and change neither its id nor its goals."""
    facts: dict[str, Json] = {"CLIENT_NAME": "Anna", "own": [1, "two"]}
    _require(kind.informed(case, {}) == case, "no facts change the case")
    informed = kind.informed(case, facts)
    _require({**case.variables, **facts} == informed.variables, "the facts are not the variables of the informed case")
    same = {"id", "goals", "script", "seed", "expectations", "standard_rubric"}
    _require(informed.model_dump(include=same) == case.model_dump(include=same), "facts change what the case is about")


def _foreign() -> Iterator[SourceDocument]:
    for text in _FOREIGN:
        yield JsonDocument(text, "foreign.json")
        yield parsing.parse(text, "foreign.yaml")


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise AssertionError(message)
