"""What every kind of scenario file is given, and what it becomes."""

from dataclasses import dataclass, field
from datetime import date

from sparring.core.case import Case, Limits


@dataclass(frozen=True, slots=True)
class Terms:
    """The seed, today's date, and the limits of a case that sets none."""

    seed: int
    today: date
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The cases of a file, and the model its author wanted for the user, if any."""

    cases: tuple[Case, ...]
    model: str = ""
    temperature: float | None = None
