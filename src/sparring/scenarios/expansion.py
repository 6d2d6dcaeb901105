"""What every kind of scenario file is given, and what it becomes."""

from dataclasses import dataclass, field
from datetime import date

from sparring.core.case import Case, Limits
from sparring.scenarios.outside import Outside


@dataclass(frozen=True, slots=True)
class Terms:
    """The seed, today's date, the limits of a case that sets none, and where values come from that are not written."""

    seed: int
    today: date
    limits: Limits = field(default_factory=Limits)
    outside: Outside = field(default_factory=Outside)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The cases of a file, and what its author wanted of a run: a model for the user, its temperature, a budget."""

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
    max_cost: float | None = None
