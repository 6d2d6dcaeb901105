"""Import an export of OpenTelemetry that is larger than memory should be: seconds, CPU and peak memory.

    python benchmarks/import_otlp.py --megabytes 1000

The spans of each conversation lie scattered over the file, as batch exporters of busy servers write them.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measured_process import measured

SPANS = 200  # of an export
SCATTERED = 5_000
TURNS = 4


def attributes(**named: object) -> list[dict[str, Any]]:
    """Return attributes of a span, with `__` for a dot in their names."""
    return [{"key": key.replace("__", "."), "value": {"stringValue": str(value)}} for key, value in named.items()]


def conversation(number: int) -> Iterator[dict[str, Any]]:
    """Yield the spans of a conversation with a tool call in each turn; a trace is a turn."""
    words = "The quick brown fox looks up what it was asked for. " * 20
    for turn in range(TURNS):
        trace, at = f"{number * TURNS + turn + 1:032x}", (number * 100 + turn * 10 + 1) * 10**9
        said = [{"role": "user", "parts": [{"type": "text", "content": f"Where is order {turn}? {words}"}]}]
        told = [{"role": "assistant", "parts": [{"type": "text", "content": f"Order {turn} is on its way. {words}"}]}]
        operations = {
            "chat": {"gen_ai__input__messages": json.dumps(said), "gen_ai__output__messages": json.dumps(told)},
            "execute_tool": {
                "gen_ai__tool__name": "find",
                "gen_ai__tool__call__arguments": json.dumps({"order": turn}),
                "gen_ai__tool__call__result": json.dumps({"status": "sent", "notes": words}),
            },
        }
        for order, (operation, more) in enumerate(operations.items()):
            known = {"gen_ai__operation__name": operation, "gen_ai__conversation__id": f"c{number}", **more}
            yield {
                "traceId": trace,
                "spanId": f"{(number * TURNS + turn) * 2 + order + 1:016x}",
                "name": operation,
                "startTimeUnixNano": str(at + order),
                "endTimeUnixNano": str(at + order + 1000),
                "attributes": attributes(**known),
            }


def write(path: Path, size: int) -> int:
    """Write a file of at least `size` bytes, an export a line, and return the number of its conversations."""
    chance, number, held = random.Random(5), 0, list[dict[str, Any]]()
    with path.open("w") as file:
        while file.tell() < size or held:
            while len(held) < SCATTERED and file.tell() < size:
                held += conversation(number)
                number += 1
            chance.shuffle(held)
            some, held = held[:SPANS], held[SPANS:]
            scope = {"scope": {"name": "bot"}, "spans": some}
            file.write(json.dumps({"resourceSpans": [{"scopeSpans": [scope]}]}) + "\n")
    return number


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=int, default=1000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "spans.jsonl"
        number = write(file, given.megabytes * 1_000_000)
        begun = time.monotonic()
        code, cpu, memory = measured("-m", "sparring", "import", str(file), "--store", f"{folder}/a.db")
        if code:
            sys.exit(f"sparring import: exit code {code}")
        size = file.stat().st_size / 1e6
        seconds = time.monotonic() - begun
        print(
            f"{size:,.0f} MB, {number:,} conversations, {number * TURNS * 2:,} spans: {seconds:.0f} s, {cpu:.0f} s CPU,"
        )
        print(f"{size / cpu:.1f} MB for a second of CPU, {memory:,.0f} MB of memory at most")


main()
