"""SENSEI's published mutants: which of them its rules notice in the recorded conversations, without a model.

The corpus has 13 mutants of the bike shop and 20 of the pizzeria. A mutant is killed if a rule that holds of the
original's conversations fails in those of the mutant. Rules that ask a model are not evaluated. The interval of the
mean over operators takes operators as the cases, as `sparring mutate` does.

    SPARRING_CORPUS=FOLDER python benchmarks/sensei.py
"""

import asyncio
import json
import os
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from sparring import statistics
from sparring.core.checks import InvalidRule, Rule
from sparring.core.verdict import CheckOutcome
from sparring.reports.rate_text import bounds_text, percent
from sparring.rules.check import check
from sparring.rules.inputs.recordings import Recordings
from sparring.rules.rule_file import parse_rule, read_rule

_BUILT_IN = {"goal_not_completed": 1001, "no_response": 500, "timeout": 504, "exceeded_loop_limit": 1000}
"""The engine's own checks, over the codes of recorded errors."""


async def failed(corpus: Path, recorded: dict[str, Any]) -> set[str]:
    """Return the rules that fail in a set of conversations."""
    folder = corpus / recorded["rules_dir"]
    files = [folder / row["rule_file"] for row in recorded["rules"] if not row["llm"]]
    rules: list[Rule | InvalidRule] = [read_rule(file).model_copy(update={"active": True}) for file in files]
    for name, code in _BUILT_IN.items():
        rules.append(parse_rule(f"name: {name}\nthen: not any({code} in error for error in errors)\n"))
    findings = (await check(rules, Recordings(corpus / recorded["conversations"]))).findings
    return {each.rule for each in findings if each.outcome is CheckOutcome.FAIL}


async def main() -> None:
    """Run the benchmark."""
    corpus = Path(os.environ["SPARRING_CORPUS"])
    sets = [each for each in json.loads((corpus / "expected_verdicts.json").read_text()) if "mutation" in each["id"]]
    originals = {each["rules_dir"]: each for each in sets if each["id"].endswith("original")}
    before = {folder: await failed(corpus, each) for folder, each in originals.items()}
    rows: dict[str, list[float | None]] = defaultdict(list)
    bots: dict[str, list[float | None]] = defaultdict(list)
    survived = []
    for each in sets:
        if each in originals.values():
            continue
        kills = await failed(corpus, each) - before[each["rules_dir"]]
        operator = re.sub(r"^mutant_|_\d+$", "", each["id"].rpartition("/")[2])
        rows[operator].append(float(bool(kills)))
        bots[each["id"].split("/")[1]].append(float(bool(kills)))
        survived += [] if kills else [each["id"].partition("/")[2]]
    for name, row in sorted(rows.items()):
        print(f"{name:<24} {sum(each == 1 for each in row)} of {len(row)}")
    for name, row in bots.items():
        print(f"{name:<24} {sum(each == 1 for each in row)} of {len(row)}")
    killed = [each for row in rows.values() for each in row]
    print(f"{'all':<24} {sum(each == 1 for each in killed)} of {len(killed)}")
    found = statistics.rate([list(row) for row in rows.values()])
    print(f"mean over {len(rows)} operators: {percent(found.value)} % [{bounds_text(found)}]")
    print(f"survived: {', '.join(survived)}")
    for folder, names in before.items():
        print(f"{folder}: rules that fail in the original and kill nothing: {', '.join(sorted(names)) or 'none'}")


if __name__ == "__main__":
    asyncio.run(main())
