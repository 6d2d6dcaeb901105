"""Mutants that may survive, with the reasons for it: `accept` in a file such as mutants.yaml."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import StringConstraints

from sparring import parsing
from sparring.core.value import Value
from sparring.mutation.play import State
from sparring.mutation.run import MutantResult


class AcceptedMutant(Value):
    """Mutants by their id, in which `*` stands for anything, and the reason why they may survive."""

    mutant: str
    reason: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3)]


class AcceptFile(Value):
    """A file of mutants that may survive."""

    accept: tuple[AcceptedMutant, ...]


@dataclass(frozen=True, slots=True)
class Accepted:
    """Mutants that may survive."""

    mutants: Sequence[AcceptedMutant] = ()

    def marked(self, result: MutantResult) -> MutantResult:
        """Return a result, with the reason why its mutant may survive if there is one."""
        if result.state is not State.SURVIVED:
            return result
        found = (each.reason for each in self.mutants if fnmatchcase(result.mutant.id, each.mutant))
        return replace(result, accepted=next(found, ""))

    def unused(self, results: Iterable[MutantResult]) -> list[str]:
        """Return what stands for no mutant that survived, and can go."""
        alive = [each.mutant.id for each in results if each.state is State.SURVIVED]
        return [each.mutant for each in self.mutants if not any(fnmatchcase(id, each.mutant) for id in alive)]


def accepted_in(file: Path | None) -> Accepted:
    """Read a file of mutants that may survive. Raise InputError with all of its problems."""
    return Accepted(parsing.validate(parsing.load(file), AcceptFile).accept if file else ())
