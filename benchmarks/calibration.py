"""Coverage and width of rates corrected for a judge's errors: `python benchmarks/calibration.py [RUNS] [SEED]`.

Each cell draws batches of 1,000 conversations, a judge with these errors, and labels as `sparring label --sample` draws
them. It prints the cells with the lowest coverage, and how wide the interval is beside that of as
many labels at random, without the judge.
"""

import sys
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean, median

from sparring.statistics.estimates import Judged
from sparring.statistics.judges import judge_errors
from sparring.statistics.rates import rate

CONVERSATIONS = 1000
QUALITIES = (0.6, 0.7, 0.8, 0.9, 1.0)
LABELS = (30, 60, 100)
RATES = (0.05, 0.2, 0.5, 0.8, 0.95)
Cell = tuple[float, float, int, float]


def batch(draw: Random, cell: Cell, conversations: int = CONVERSATIONS) -> list[Judged]:
    """Draw a batch with labels, of which each stands for the conversations of its stratum."""
    sensitivity, specificity, labels, truth = cell
    people = [draw.random() < truth for _ in range(conversations)]
    judge = [draw.random() < (sensitivity if passed else 1 - specificity) for passed in people]
    sides = [[n for n, said in enumerate(judge) if said is side] for side in (False, True)]
    roots = [sqrt(len(side)) for side in sides]
    first = max(labels - len(sides[1]), min(round(labels * roots[0] / sum(roots)), len(sides[0])))
    drawn = {}
    for side, size in zip(sides, (first, labels - first), strict=True):
        drawn |= {n: len(side) / size for n in draw.sample(side, size)}
    return [
        Judged(str(n), float(judge[n]), float(people[n]) if n in drawn else None, drawn.get(n, 1.0))
        for n in range(conversations)
    ]


def simulated(draw: Random, cell: Cell, runs: int) -> tuple[float, float, float, float]:
    """Return coverage, the mean width, its ratio to that of labels alone, and the share of judges that are refused."""
    covered, widths, alone, refused = [], [], [], []
    for _ in range(runs):
        found = judge_errors(batch(draw, cell), (0.0, 1.0))
        covered.append(found.mean.low <= cell[3] <= found.mean.high)
        widths.append(found.mean.high - found.mean.low)
        labels = rate([[draw.random() < cell[3]] for _ in range(cell[2])])
        alone.append(labels.high - labels.low)
        refused.append(found.youden.low <= 0)
    return fmean(covered), fmean(widths), fmean(widths) / fmean(alone), fmean(refused)


def main(runs: int = 200, seed: int = 1) -> None:
    """Print the grid in short."""
    draw = Random(seed)
    cells = {cell: simulated(draw, cell, runs) for cell in product(QUALITIES, QUALITIES, LABELS, RATES)}
    coverage = sorted((found[0], cell) for cell, found in cells.items())
    inside = sum(0.93 <= share <= 0.97 for share, _ in coverage)
    print(f"{len(cells)} cells x {runs}: coverage {coverage[0][0]:.3f} to {coverage[-1][0]:.3f},", end=" ")
    print(f"mean {fmean(share for share, _ in coverage):.3f}; {inside} within 93-97 %,", end=" ")
    print(f"{sum(share < 0.93 for share, _ in coverage)} below, {sum(share > 0.97 for share, _ in coverage)} above")
    print("lowest (sensitivity, specificity, labels, rate):", *coverage[:6], sep="\n  ")
    good = {cell: found for cell, found in cells.items() if min(cell[:2]) >= 0.9}
    ratios = sorted((found[2], cell) for cell, found in good.items())
    print(f"width beside labels alone, both 0.9 or more: median {median(each for each, _ in ratios):.2f},", end=" ")
    narrow = sum(each <= 0.8 for each, _ in ratios)
    print(f"widest {ratios[-1][0]:.2f} at {ratios[-1][1]}; {narrow} of {len(ratios)} up to 0.8")
    for labels in LABELS:
        some = [
            found[3] for cell, found in cells.items() if cell[2] == labels and min(cell[:2]) == 0.6 == max(cell[:2])
        ]
        print(f"refused with {labels} labels and both 0.6: {fmean(some):.2f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
