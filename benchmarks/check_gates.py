"""Gates and early stopping through the command line, with chatbots that pass with a chance.

    python benchmarks/check_statistics.py --cli [BATCHES]

Each batch is a suite drawn from a population whose pass rate is the threshold, run in this process. The bots of the
first tables are at the threshold, those of the last one are not.
"""

import json
import os
import sys
import tempfile
import time
from collections import Counter
from math import sqrt
from pathlib import Path
from random import Random

from command_line import called
from flaky import drawn, write_suite

THRESHOLD = 0.8
GATE = "{{pass_rate: 0.8, confidence: 0.95, claim: {claim}{margin}}}"


def run(folder: Path, chances: list[float], claim: str, *arguments: str, margin: float = 0) -> tuple[str, int]:
    """Run a suite and return the result of its gate, and its number of conversations."""
    write_suite(folder, chances, GATE.format(claim=claim, margin=f", margin: {margin}" if margin else ""))
    environment = {
        "SPARRING_NULL_BOTS": "false",
        "PATH": os.environ["PATH"],
        "SPARRING_STORE": str(folder / "store.db"),
    }
    (folder / "store.db").unlink(missing_ok=True)
    done = called("run", "suite.yml", "--json", *arguments, folder=folder, env=environment)
    document = json.loads(done.stdout)
    came = {line["asks"]: line["came"] for line in document["gate"]["lines"]}
    return came["pass_rate"], sum(document["endings"].values())


def centred(chances: list[float], truth: float) -> list[float]:
    """Return chances with this mean, so that it is the truth about these cases."""
    for _ in range(50):
        off = sum(chances) / len(chances) - truth
        chances = [min(max(chance - off, 0.0), 1.0) for chance in chances]
    return chances


def plain(folder: Path, batches: int, random: Random) -> float:
    """Print the results of plain runs at the threshold, and return the largest share of wrong decisions."""
    print("plain run at the threshold   passed  failed")
    worst = 0.0
    for claim, cases, repeats in (("like these", 10, 5), ("like these", 40, 1), ("these", 10, 5)):
        came: Counter[str] = Counter()
        for seed in range(batches):
            chances = drawn(random, cases, THRESHOLD, 0.3)
            chances = centred(chances, THRESHOLD) if claim == "these" else chances
            came[run(folder, chances, claim, "--repeat", str(repeats), "--seed", str(seed))[0]] += 1
        shares = came["passed"] / batches, came["failed"] / batches
        print(f"{claim:10} {cases:3} x {repeats:<3}        {shares[0]:10.3f}  {shares[1]:6.3f}", flush=True)
        worst = max(worst, *shares)
    return worst


def until_decided(folder: Path, batches: int, random: Random) -> float:
    """Print what early stopping decides and saves, and return the largest share of wrong decisions."""
    print("\n--until decided   batches  margin   above   below  conversations  fixed plan  saved")
    worst = 0.0
    for claim in ("these", "like these"):
        for truth, margin, fixed in ((THRESHOLD, 0.1, 99), (0.9, 0.05, 396), (0.7, 0.05, 396), (0.65, 0.05, 396)):
            number = batches if truth == THRESHOLD else max(batches // 10, 10)
            cases = 10 if claim == "these" else round(1.3 * fixed)
            came: Counter[str] = Counter()
            took = 0
            for seed in range(number):
                chances = drawn(random, cases, truth, 0.3)
                chances = centred(chances, truth) if claim == "these" else chances
                arguments = ("--until", "decided", "--seed", str(seed))
                found, conversations = run(folder, chances, claim, *arguments, margin=margin)
                came[found] += 1
                took += conversations
            above, below, mean = came["passed"] / number, came["failed"] / number, took / number
            head = f"{claim:10} {truth:5}  {number:7} {margin:7} {above:7.3f} {below:7.3f}"
            print(f"{head} {mean:14.0f} {fixed:11} {1 - mean / fixed:6.0%}", flush=True)
            worst = max(worst, above if truth <= THRESHOLD else 0, below if truth >= THRESHOLD else 0)
    return worst


def main(batches: int) -> int:
    """Print the tables; return 1 if too many decisions are wrong, beyond the error of the simulation."""
    error, random, began = 3 * sqrt(0.05 * 0.95 / batches), Random(1), time.monotonic()
    print(f"{batches} batches a line, threshold 80 %, ICC 0.3; target 5 % ± {error:.3f}\n")
    with tempfile.TemporaryDirectory() as place:
        worst = max(plain(Path(place), batches, random), until_decided(Path(place), batches, random))
    missed = worst > 0.05 + error
    print(f"\n{time.monotonic() - began:.0f} s; highest share of wrong decisions {worst:.3f}{' MISSED' * missed}")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
