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
FIXED = 99
"""Conversations of a plan with a fixed number for 10 points at the threshold, with a power of 0.8."""


def run(folder: Path, chances: list[float], claim: str, *arguments: str) -> tuple[str, int]:
    """Run a suite and return the result of its gate, and its number of conversations."""
    write_suite(folder, chances, GATE.format(claim=claim, margin=", margin: 0.1" if "--until" in arguments else ""))
    environment = {
        "SPARRING_NULL_BOTS": "false",
        "PATH": os.environ["PATH"],
        "SPARRING_STORE": str(folder / "store.db"),
    }
    (folder / "store.db").unlink(missing_ok=True)
    done = called("run", "suite.yml", "--json", *arguments, folder=folder, env=environment)
    told = json.loads(done.stdout)
    came = {line["asks"]: line["came"] for line in told["gate"]["lines"]}
    return came["pass_rate"], sum(told["endings"].values())


def centred(chances: list[float], truth: float) -> list[float]:
    """Return chances with this mean, so that it is the truth about these cases."""
    for _ in range(50):
        off = sum(chances) / len(chances) - truth
        chances = [min(max(chance - off, 0.0), 1.0) for chance in chances]
    return chances


def main(batches: int) -> int:
    """Print the tables; return 1 if too many decisions are wrong, beyond the error of the simulation."""
    margin, missed, random, began = 3 * sqrt(0.05 * 0.95 / batches), 0, Random(1), time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        print(f"{batches} batches a line, threshold 80 %, ICC 0.3; target 5 % ± {margin:.3f}\n")
        print("plain run at the threshold   passed  failed")
        for claim, cases, repeats in (("like these", 10, 5), ("like these", 40, 1), ("these", 10, 5)):
            came: Counter[str] = Counter()
            for seed in range(batches):
                chances = drawn(random, cases, THRESHOLD, 0.3)
                chances = centred(chances, THRESHOLD) if claim == "these" else chances
                came[run(folder, chances, claim, "--repeat", str(repeats), "--seed", str(seed))[0]] += 1
            shares = came["passed"] / batches, came["failed"] / batches
            print(f"{claim:10} {cases:3} x {repeats:<3}        {shares[0]:10.3f}  {shares[1]:6.3f}", flush=True)
            missed += max(shares) > 0.05 + margin
        print(f"\n--until decided (a fixed plan: {FIXED})   above   below  conversations  saved")
        for claim, cases in (("these", 10), ("like these", 130)):
            for truth in (THRESHOLD, 0.9, 0.65):
                number = batches if truth == THRESHOLD else max(batches // 5, 10)
                came, took = Counter(), 0
                for seed in range(number):
                    chances = drawn(random, cases, truth, 0.3)
                    chances = centred(chances, truth) if claim == "these" else chances
                    found, conversations = run(folder, chances, claim, "--until", "decided", "--seed", str(seed))
                    came[found] += 1
                    took += conversations
                above, below = came["passed"] / number, came["failed"] / number
                mean = took / number
                saved = 1 - mean / FIXED
                print(
                    f"{claim:10} truth {truth}          {above:9.3f} {below:7.3f} {mean:11.0f} {saved:9.0%}", flush=True
                )
                missed += truth <= THRESHOLD and above > 0.05 + margin
                missed += truth >= THRESHOLD and below > 0.05 + margin
    print(f"\n{time.monotonic() - began:.0f} s; {'missed: ' + str(missed) if missed else 'all targets met'}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
