"""Candidates for the value of an output, and what is known about the case they are read for."""

from dataclasses import dataclass
from functools import cached_property

from sparring.core.case import Case, OutputSpec
from sparring.core.conversation import Evidence
from sparring.core.value import Json
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext
from sparring.extraction.goals import texts
from sparring.extraction.tokens import stems


@dataclass(frozen=True, slots=True)
class Candidate:
    """A possible value with its score and quote. One that `corrects` replaces an earlier one of any score."""

    score: float
    value: Json
    evidence: Evidence
    corrects: bool = False


@dataclass(frozen=True)
class ExtractionKnowledge:
    """Values of the case's variables as texts, the case's outputs, and the extraction context."""

    values: tuple[tuple[str, tuple[str, ...]], ...] = ()
    outputs: tuple[OutputSpec, ...] = ()
    context: ExtractionContext = NO_CONTEXT

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all values."""
        return frozenset[str]().union(*(stems(text) for _, values in self.values for text in values))


def knowledge_of(case: Case, context: ExtractionContext) -> ExtractionKnowledge:
    """Return the extraction knowledge of a case."""
    values = tuple((name, texts(value)) for name, value in case.variables.items())
    return ExtractionKnowledge(values, case.outputs, context)
