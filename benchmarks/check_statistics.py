"""Coverage of intervals, thresholds, A/A comparisons, power and sequential tests, through the public functions.

    python benchmarks/check_statistics.py [RUNS]
    python benchmarks/check_statistics.py --cli [BATCHES]

It prints a table for each, and exits with 1 if a figure misses its target by more than the error of the simulation.
"""

import sys
from itertools import product
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from sparring.statistics import Claim
from statistics_coverage import (
    Cell,
    alarmed,
    changes_covered,
    covered,
    decided,
    grid,
    pairs_covered,
    pass_hat_covered,
    significant_share,
    significant_share_of_rules,
    significant_share_of_tags,
    unknown_covered,
)

CLAIMS: tuple[Claim, ...] = ("these", "like these")


def others(runs: int, margin: float) -> int:
    """Print the coverage of changes, pass^k, unknown values and rules over pairs; return the number of misses."""
    sizes = [Cell(*each) for each in product((3, 10, 50), (1, 5), (0, 0.3, 0.8), (0.5, 0.9))]
    found: dict[str, list[tuple[float, object]]] = {}
    for seed, (claim, cell) in enumerate(product(CLAIMS, sizes)):
        for fall in (0.1, 0.3):
            share = changes_covered(cell, fall, claim, runs, seed)
            found.setdefault(f"changes, {claim}", []).append((share, (cell, fall)))
        if cell.repeats > 1 and cell.cases > 3:
            share = pass_hat_covered(cell, 3, claim, runs, seed)
            found.setdefault(f"pass^3, {claim}", []).append((share, cell))
            share = unknown_covered(cell, claim, runs, seed)
            found.setdefault(f"unknown values, {claim}", []).append((share, cell))
    for seed, size in enumerate(product((5, 20, 50), (1, 5), (0.02, 0.1, 0.5))):
        found.setdefault("rules over pairs", []).append((pairs_covered(*size, runs, seed), size))
    print("\nlowest coverage of 95 % intervals")
    for name, cells in found.items():
        least, where = min(cells, key=lambda each: each[0])
        print(f"  {name}: {least:.3f} of {len(cells)} cells, at {where}", flush=True)
    return sum(share < 0.95 - margin for cells in found.values() for share, _ in cells)


def comparisons(runs: int, margin: float) -> int:
    """Print how often rules, tags and nights alarm by chance; return the number of figures that miss their targets."""
    print("\nthe same bot twice: a rule over pairs is WORSE, with 0.5, 2, 10 and 50 % odd conversations")
    missed = 0
    for cases, repeats in ((20, 1), (50, 1), (100, 1), (20, 5), (50, 4)):
        shares = [significant_share_of_rules(cases, repeats, odd, runs, 4) for odd in (0.005, 0.02, 0.1, 0.5)]
        print(f"{cases:5} x {repeats:<3} {'  '.join(f'{share:.3f}' for share in shares)}")
        missed += max(shares) > 0.05 + margin
    named = significant_share_of_tags(20, 100, runs, 5)
    print(f"\nthe same bot twice: some of 20 tags named {named:.3f}")
    missed += named > 0.05 + margin
    print("\nseries of 30 nights with an alarm: the same bot / a point lost each night")
    for cases, repeats in ((50, 1), (100, 1), (50, 5)):
        same, worse = (alarmed(cases, repeats, drift, max(20, runs // 5), 6) for drift in (0, 0.01))
        print(f"{cases:5} x {repeats:<3} {same:.2f} / {worse:.2f}")
        missed += same > 0.1 + 2 * margin
    return missed


def main(runs: int) -> int:
    cells = list(grid((3, 5, 10, 20, 50), (1, 5, 20)))
    margin = 4 * sqrt(0.05 * 0.95 / runs)
    error = 2.5 * sqrt(0.05 * 0.95 / (20 * runs))
    missed = 0
    print(f"{runs} runs a cell; targets 95 % coverage and 5 % through, ± {margin:.3f} for the simulation\n")
    for claim in CLAIMS:
        found = [(*covered(cell, claim, runs, seed), cell) for seed, cell in enumerate(cells)]
        least, most = min(found, key=lambda each: each[0]), max(found, key=lambda each: each[1])
        print(f"{claim}: {len(cells)} cells, mean coverage {sum(each[0] for each in found) / len(found):.3f}")
        for name, extreme, number in (("lowest coverage", least, 0), ("highest share through a gate", most, 1)):
            again = covered(extreme[2], claim, 20 * runs, len(cells))[number]  # the extreme of many cells is luck
            print(
                f"  {name} {extreme[number]:.3f}, again {again:.3f} with {20 * runs} runs, at {extreme[2]}", flush=True
            )
            missed += again < 0.95 - error if number == 0 else again > 0.05 + error
    print("\nshare called WORSE (rate 0.8, ICC 0.3)\n\ncases x repeats   A/A these / like   -10   -20")
    for cases, repeats in ((5, 40), (10, 10), (20, 5), (40, 5), (100, 1)):
        cell = Cell(cases, repeats, 0.3, 0.8)
        same = [significant_share(cell, 0, claim, runs, 1) for claim in CLAIMS]
        power = [significant_share(cell, fall, "these", runs, 2) for fall in (0.1, 0.2)]
        print(f"{cases:5} x {repeats:<3}        {same[0]:.3f} / {same[1]:.3f}     {power[0]:.2f}  {power[1]:.2f}")
        missed += max(same) > 0.025 + margin
    print(f"\n    5 x 40, 95 % to 38 %: {significant_share(Cell(5, 40, 0, 0.95), 0.57, 'these', 40, 3):.2f} WORSE")
    missed += others(runs, margin) + comparisons(runs, margin)
    print("\nsequential, threshold 0.8, looked at after every case\n\ntruth  above  below  cases")
    for truth in (0.65, 0.7, 0.8, 0.9, 0.95):
        above, below, took = decided(truth, 0.8, max(50, runs // 5), 3)
        print(f"{truth:5}  {above:5.3f}  {below:5.3f}  {took:5.0f}")
        missed += truth <= 0.8 and above > 0.05 + margin
        missed += truth >= 0.8 and below > 0.05 + margin
    print(f"\n{'missed: ' + str(missed) if missed else 'all targets met'}")
    return 1 if missed else 0


if __name__ == "__main__":
    number = next((int(each) for each in sys.argv[1:] if each.isdecimal()), 0)
    if "--cli" in sys.argv:
        from check_gates import main as through_the_command_line

        sys.exit(through_the_command_line(number or 200))
    sys.exit(main(number or 300))
