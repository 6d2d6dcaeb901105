"""Published repeated trials, with every trial taken as independent and with the case as the unit.

    SPARRING_TRIALS=FOLDER python benchmarks/repeated_trials.py

FOLDER has trajectories of tau-bench: JSON files, each a list of objects with `task_id`, `trial` and `reward`. For each
file it prints the intervals, and how often they contain the published rate when trials or tasks are drawn again.
"""

import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random

from sparring.statistics import Claim, Interval, icc, pass_hat_k, rate
from sparring.statistics.beta import binomial_bounds

CLAIMS: tuple[Claim, ...] = ("these", "like these")
RUNS, FEW = 1000, 10

Rows = Sequence[Sequence[int]]
Bounds = Callable[[Rows, float], tuple[float, float]]


def trials(file: Path) -> list[list[int]]:
    """Return 1 for each trial that earned the whole reward, by task."""
    found: defaultdict[str, list[int]] = defaultdict(list)
    for each in json.loads(file.read_text("utf-8")):
        found[str(each["task_id"])].append(int(each["reward"] > 1 - 1e-6))
    return list(found.values())


def pooled(rows: Rows, alpha: float) -> tuple[float, float]:
    """Return the exact bounds with every trial taken as independent."""
    values = [value for row in rows for value in row]
    return binomial_bounds(sum(values) / len(values), len(values), alpha)


def claimed(claim: Claim) -> Bounds:
    """Return a function that returns the bounds of this claim."""

    def bounds(rows: Rows, alpha: float) -> tuple[float, float]:
        found = rate(rows, claim=claim, confidence=1 - alpha, sided=1)
        return found.low, found.high

    return bounds


def drawn(rows: Rows, tasks: int, random: Random) -> Iterator[Rows]:
    """Yield sets of new trials, each of which passes with the published share of its task; of new tasks if `tasks`."""
    repeats = len(rows[0])
    for _ in range(RUNS):
        chosen = random.choices(rows, k=tasks) if tasks else rows
        yield [[int(random.random() < sum(row) / len(row)) for _ in range(repeats)] for row in chosen]


def held(rows: Rows, tasks: int, bounds: Bounds) -> tuple[float, float]:
    """Return how often intervals contain the truth, and how often a gate at the truth is passed."""
    truth, contains, through = sum(sum(row) / len(row) for row in rows) / len(rows), 0, 0
    for found in drawn(rows, tasks, Random(tasks)):
        low, high = bounds(found, 0.025)
        contains += low <= truth <= high
        through += bounds(found, 0.05)[0] >= truth
    return contains / RUNS, through / RUNS


def shown(found: Interval) -> str:
    return f"{found.claim} {found.low:.1%} to {found.high:.1%} (worth {found.effective:.0f})"


def report(file: Path) -> None:
    """Print the figures of one file."""
    rows = trials(file)
    repeats, both_ways = min(map(len, rows)), sum(len(set(row)) > 1 for row in rows)
    print(f"{file.stem}: {len(rows)} cases x {repeats}, passed {sum(map(sum, rows)) / sum(map(len, rows)):.1%}")
    print(f"  {both_ways} cases came out both ways, intraclass correlation {icc(rows) or 0:.2f}")
    print("  every trial independent {:.1%} to {:.1%}".format(*pooled(rows, 0.025)))
    print(f"  {'; '.join(shown(rate(rows, claim=claim)) for claim in CLAIMS)}")
    for k in range(2, repeats + 1):
        found = [pass_hat_k(rows, k, claim=claim) for claim in CLAIMS]
        print(f"  pass^{k} {found[0].value:.1%}: {'; '.join(map(shown, found))}")
    for name, tasks, claim in (("same tasks", 0, CLAIMS[0]), (f"{FEW} tasks drawn", FEW, CLAIMS[1])):
        print(f"  {name}, new trials: intervals contain the rate (95 % promised), a gate at the rate passes (5 %)")
        for method, bounds in (("every trial independent", pooled), (claim, claimed(claim))):
            contains, through = held(rows, tasks, bounds)
            print(f"    {method}: {contains:.1%}, {through:.1%}")


def main() -> int:
    """Report on all files of the folder."""
    folder = os.environ.get("SPARRING_TRIALS", "")
    files = sorted(Path(folder).glob("*.json")) if folder else []
    for file in files:
        report(file)
    if not files:
        print("set SPARRING_TRIALS to a folder with trajectories of tau-bench", file=sys.stderr)
    return 0 if files else 2


if __name__ == "__main__":
    sys.exit(main())
