"""Looking at every tuple: for rules that are too entangled to be counted otherwise, over few conversations."""

from collections import Counter
from dataclasses import dataclass, field
from itertools import permutations

from sparring.checking.answers import Answers
from sparring.checking.estimate import Deciding, Outcomes
from sparring.checking.plan import Plan


@dataclass(slots=True)
class Seen:
    """How often each outcome came up, the first violations, and for each conversation how often it was in which."""

    outcomes: Outcomes = field(default_factory=Counter)
    violations: list[tuple[int, ...]] = field(default_factory=list)
    violated: Counter[int] = field(default_factory=Counter)
    applicable: Counter[int] = field(default_factory=Counter)


def look_at_all(laid_out: Plan, answers: Answers, conversations: int, shown: int) -> Seen:
    """Decide every ordered tuple of different conversations."""
    deciding, seen = Deciding(laid_out, answers), Seen()
    of_row = laid_out.groups.of_row.tolist()
    for rows in permutations(range(conversations), laid_out.positions):
        outcome = deciding.outcome(tuple([of_row[row] for row in rows]))
        seen.outcomes[outcome] += 1
        if outcome in ("satisfied", "violated", "error_then", "no_model_then"):
            seen.applicable.update(rows)
        if outcome == "violated":
            seen.violated.update(rows)
            if len(seen.violations) < shown:
                seen.violations.append(rows)
    return seen
