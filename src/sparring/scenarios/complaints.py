"""What is wrong with a file: each thing once, from its top to its end, and of very many things only the first."""

from collections.abc import Callable, Hashable, Iterable

from sparring.core.errors import Problem
from sparring.parsing import shortened
from sparring.parsing.document import MOST_PROBLEMS

_COUNTED = 10_000
"""How many are told apart: to remember more of them takes more room than the file."""


class Complaints:
    """Collects complaints. To find a place in a large file takes time, so only those that are told are looked up."""

    def __init__(self) -> None:
        self._noted: set[Hashable] = set()
        self._told: list[Problem] = []
        self._uncounted = False

    def note(self, about: Hashable, problem: Callable[[], Problem]) -> None:
        """Complain about something, unless it was complained about already."""
        if about in self._noted:
            return
        if len(self._noted) >= _COUNTED:
            self._uncounted = True
        else:
            self._noted.add(about)
            if len(self._noted) <= MOST_PROBLEMS:
                self._told.append(problem())

    def extend(self, problems: Iterable[Problem]) -> None:
        """Complain about something else, such as another file that this one names."""
        for problem in problems:
            self.note(problem, problem.model_copy)

    @property
    def enough(self) -> bool:
        """Whether no more are told, so that there is no use in finding out what was meant."""
        return len(self._noted) >= MOST_PROBLEMS

    def __len__(self) -> int:
        return len(self._noted)

    def in_order(self) -> list[Problem]:
        """All of them, as far as they are told."""
        told = sorted(self._told, key=lambda problem: (problem.file, problem.line or 0, problem.column or 0))
        return shortened(told, len(self._noted), least=self._uncounted)
