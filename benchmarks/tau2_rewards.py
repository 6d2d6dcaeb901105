"""Published results of τ²-bench: do the checks of Sparring find what their rewards say?

    TAU2_DATA_DIR=tau2-bench/data python benchmarks/tau2_rewards.py results.json...

Each simulation is imported: its calls are made again on the benchmark's own tools, and the checks of its task are
evaluated. It agrees where all of them pass and the reward is 1, or one fails and it is less. Where a model has to judge
assertions, the other parts are compared, by `reward_breakdown`.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import sparring
from sparring.core.value import mapping

JUDGED = "NL_ASSERTION"


def rewarded(found: dict[str, Any]) -> bool:
    """Return True if the reward is 1, leaving out what a model has judged."""
    parts = {name: value for name, value in mapping(found.get("reward_breakdown")).items() if JUDGED not in name}
    return all(value == 1 for value in parts.values()) if parts else found.get("reward") == 1


def compared(file: Path, store: Path) -> Counter[str]:
    """Import a file, print each conversation whose checks differ from its reward, and count them."""
    counts: Counter[str] = Counter()
    for each in sparring.import_logs(file, store=store):
        names = {one.check or one.rule.name for one in each.conversation.case.expectations}
        own = {one.check: one for one in each.verdicts if one.check in names}
        theirs = mapping(each.conversation.case.variables.get("reward_info"))
        if not names:
            counts["not scored"] += 1
            continue
        passed = all(one.outcome == "pass" for one in own.values() if one.check != "assertion")
        ended = each.conversation.ending in ("user_done", "chatbot_done")
        agrees = (passed and ended) == rewarded(theirs)
        counts["agree" if agrees else "differ"] += 1
        counts["rewarded"] += rewarded(theirs)
        if not agrees:
            reasons = "; ".join(f"{one.check}: {one.reason}"[:300] for one in own.values() if one.outcome != "pass")
            print(f"{file.name} {each.id}: {theirs.get('reward_breakdown')} · {each.conversation.ending} · {reasons}")
    return counts


def main() -> int:
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(sys.argv[1:]):
            counts = compared(Path(name), Path(folder) / f"{number}.db")
            print(f"{Path(name).name}: {dict(counts)}", flush=True)
            total += counts
    print(f"{total['agree']:,} of {total['agree'] + total['differ']:,} agree ({total['rewarded']:,} rewarded)")
    return total["differ"] > 0


if __name__ == "__main__":
    sys.exit(main())
