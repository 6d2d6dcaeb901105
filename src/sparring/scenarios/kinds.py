"""Kinds of scenario file: what each offers, and the table of installed kinds.

A kind is an entry point of the group `sparring.scenarios` that names a `ScenarioKind`. This module is public for
plug-ins; `sparring.testing.conformance.scenarios` checks a kind.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources.abc import Traversable

from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.value import Json
from sparring.parsing import Document
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions

GROUP = "sparring.scenarios"
"""The entry-point group of scenario kinds."""

CALLS = "calls"
"""The kind that clients of the REST API send and that the webhook completes."""

SourceDocument = Document | JsonDocument
"""A parsed YAML or JSON file."""


def _unchanged(name: str) -> str:
    return name


def _with_variables(case: Case, variables: Mapping[str, Json]) -> Case:
    return case.model_copy(update={"variables": {**case.variables, **variables}}) if variables else case


@dataclass(frozen=True, kw_only=True)
class ScenarioKind:
    """A kind of scenario file.

    `label` is the kind's name in messages, and `signature` completes the hint "a profile has ...". `recognises` says
    if a document is of this kind; kinds are asked by ascending `precedence`. `cases` expands a document, and raises an
    `InputError` with all problems.

    Facts that are known only when a conversation begins, such as those of a webhook, go through three more members:
    `canonical` returns the spelling of a variable's name, `decisive` are the variables that a case is made of, so that
    nothing may change them later, and `informed` returns a case whose user knows the facts.

    `schema` is the JSON Schema of a file. A kind that clients of the REST API send has a schema of one scenario
    (`item_schema`) and an `example`, both for the description of the API.
    """

    label: str
    signature: str = ""
    precedence: int = 50
    recognises: Callable[[SourceDocument], bool]
    cases: Callable[[SourceDocument, LoadOptions], Expansion]
    canonical: Callable[[str], str] = _unchanged
    decisive: frozenset[str] = frozenset()
    informed: Callable[[Case, Mapping[str, Json]], Case] = _with_variables
    schema: Traversable | None = None
    item_schema: Mapping[str, Json] = field(default_factory=dict)
    example: Json = None


@cache
def scenario_kind(name: str) -> ScenarioKind:
    """Return the installed kind called `name`; raise an `InputError` if there is none."""
    kind: ScenarioKind = plugins.find(GROUP, name)
    return kind


@cache
def scenario_kinds() -> tuple[ScenarioKind, ...]:
    """Return all installed kinds, in the order in which they are asked about a document."""
    return tuple(sorted(map(scenario_kind, plugins.names(GROUP)), key=lambda kind: (kind.precedence, kind.label)))
