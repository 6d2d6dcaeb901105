"""Kinds of scenario file: what each offers, and the table of installed kinds.

A kind is an entry point of the group `sparring.scenarios` that names a `ScenarioKind`. This module is public for
plug-ins; `sparring.testing.conformance.roles` checks a kind.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sparring.core import plugins
from sparring.core.case import Case, length_problems
from sparring.core.errors import InputError
from sparring.core.plugins import PRESET_KEYS
from sparring.core.value import Json
from sparring.parsing import Document, shortened
from sparring.parsing.json_reader import JsonDocument
from sparring.scenarios.expansion import Expansion, LoadOptions
from sparring.scenarios.field_types import Schema

GROUP = "sparring.scenarios"
"""The entry-point group of scenario kinds."""

CALLS = "calls"
"""The kind that clients of the REST API send and that the webhook completes."""

SourceDocument = Document | JsonDocument
"""A parsed YAML or JSON file."""


def _unchanged(name: str) -> str:
    return name


def _with_variables(case: Case, variables: Mapping[str, Json]) -> Case:
    """Return the case with the variables, without changes of mind that would end on another value."""
    if not variables:
        return case
    changes = tuple(change for change in case.changes if change.variable not in variables)
    return case.model_copy(update={"variables": {**case.variables, **variables}, "changes": changes})


def has_key(keys: Set[str]) -> Callable[[SourceDocument], bool]:
    """Return a function that recognises YAML mappings with one of these keys at their top."""

    def recognises(document: SourceDocument) -> bool:
        data = document.data if isinstance(document, Document) else None
        return isinstance(data, dict) and not data.keys().isdisjoint(keys)

    return recognises


@dataclass(frozen=True, kw_only=True)
class ScenarioKind:
    """A kind of scenario file.

    `label` is the kind's name in messages, and `signature` completes the hint "a profile has ...". `recognises` returns
    True for documents of this kind; kinds are tried by ascending `precedence`. `cases` expands a document, and raises
    an `InputError` with all problems. `keys` are the top-level keys of a YAML file that distinguish this kind from
    files that are no scenario.

    Three members apply facts that are known only when a conversation starts, such as those of a webhook. `canonical`
    returns the canonical spelling of a variable. `decisive` holds the variables that determine the case, so that facts
    cannot change them. `informed` returns the case with the facts.

    `address` returns the file of `NAME:ARGUMENT`, for a plug-in NAME whose scenarios have a place of their own.

    `schema` returns the JSON Schema of a file. A kind that REST clients send also has the schema of one scenario
    (`item_schema`) and an `example`, for the API reference.
    """

    label: str
    signature: str = ""
    precedence: int = 50
    keys: frozenset[str] = frozenset()
    recognises: Callable[[SourceDocument], bool]
    cases: Callable[[SourceDocument, LoadOptions], Expansion]
    canonical: Callable[[str], str] = _unchanged
    decisive: frozenset[str] = frozenset()
    informed: Callable[[Case, Mapping[str, Json]], Case] = _with_variables
    address: Callable[[str], Path] | None = None
    schema: Callable[[], Schema] | None = None
    item_schema: Mapping[str, Json] = field(default_factory=dict)
    example: Json = None

    def expanded(self, document: SourceDocument, options: LoadOptions) -> Expansion:
        """Return the cases of a document. Raise an `InputError` with all problems, or with all goals too long."""
        expansion = self.cases(document, options)
        problems = [problem for case in expansion.cases for problem in length_problems(case)]
        if problems:
            raise InputError(shortened([each.model_copy(update={"file": document.file}) for each in problems]))
        return expansion


@cache
def scenario_kind(name: str) -> ScenarioKind:
    """Return the installed kind called `name`; raise an `InputError` if there is none."""
    kind: ScenarioKind = plugins.find(GROUP, name)
    return kind


@cache
def scenario_kinds() -> tuple[ScenarioKind, ...]:
    """Return all installed kinds, in the order in which they are tried on a document."""
    return tuple(sorted(map(scenario_kind, plugins.names(GROUP)), key=lambda kind: (kind.precedence, kind.label)))


def file_of(source: Path) -> Path:
    """Return the file of an address such as `tau2:retail`, or the source; may raise an `InputError`."""
    address = _address(source)
    return address(str(source).partition(":")[2]) if address else source


def _address(source: Path) -> Callable[[str], Path] | None:
    name, colon, _ = str(source).partition(":")
    kind = scenario_kind(name) if colon and name in plugins.names(GROUP) else None
    return kind.address if kind and not source.exists() else None


def chatbot_of(sources: Sequence[Path]) -> str:
    """Return the chatbot of sources that are one address such as `tau2:retail`, or nothing."""
    named = {str(each) if _address(each) else "" for each in sources}
    name = named.pop() if len(named) == 1 else ""
    return name if name and plugins.is_known("sparring.chatbots", name) else ""


OTHER_KEYS: Mapping[str, frozenset[str]] = {
    "rule": frozenset({"oracle", "then", "when", "if", "yields"}),
    "personality": frozenset({"context"}),
    "rubric": frozenset({"criteria"}),
    "preset": PRESET_KEYS,
    "grammar": frozenset({"intents"}),
}
"""The keys that show that a file is no scenario but of another kind, which may lie among scenarios."""


@cache
def scenario_keys() -> frozenset[str]:
    """Return the keys that tell scenarios from other files."""
    return frozenset().union(*(kind.keys for kind in scenario_kinds()))
