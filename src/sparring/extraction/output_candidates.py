"""Candidates for the value of an output, and what is known about the case they are read for."""

from dataclasses import dataclass

from sparring.core.case import Case, OutputSpec
from sparring.core.conversation import Evidence
from sparring.core.value import Json
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.goals import texts


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible value with its score and quote. One that `corrects` replaces an earlier one of any score."""

    score: float
    value: Json
    evidence: Evidence
    corrects: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionKnowledge:
    """Values of the case's variables as texts, the case's outputs, and the extraction context."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    context: ExtractionContext = NO_CONTEXT


def knowledge_of(case: Case, context: ExtractionContext) -> ExtractionKnowledge:
    """Return the extraction knowledge of a case."""
    values = tuple((name, texts(value)) for name, value in case.variables.items())
    return ExtractionKnowledge(values, case.outputs, context)
