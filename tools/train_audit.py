"""Train the model that finds sentences of simulated users outside of their role.

Usage: python tools/train_audit.py [--check] [--folds 4] [--human FILE]

It reads `tools/audit_sentences/*.yaml` (kind, language, sentences; `{a|b}` is one of several) and writes
`src/sparring/audit/out_of_role.bin`. Equal sentences give equal weights. `--check` only compares the hashes. `--folds`
prints the recall on sentences that the model was not trained on. `--human` takes lines of people, one in each line, and
prints how many of them are flagged.
"""

import argparse
import hashlib
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sparring.audit import out_of_role
from sparring.audit.out_of_role import (
    KINDS,
    STEP,
    WEIGHTS,
    RoleModel,
    features,
    model_of,
    role_model,
    words_of,
)
from sparring.extraction.tokens import sentences
from sparring.testing.faulty_user import read_wordings

ROOT = Path(__file__).resolve().parents[1]
SENTENCES = ROOT / "tools/audit_sentences"
PACKAGE = ROOT / "src/sparring/audit"
MODEL = PACKAGE / "out_of_role.bin"
SUSPECTED, CERTAIN = 0.6, 2.6
"""Margins of both certainties, chosen by lines of people and of the offline users that no fault is in."""

EXPANSIONS = 12
"""Sentences that are made of each one with alternatives."""

ORDINARY = len(KINDS)
MIN_COUNT = 3
FEATURES = 37_000
"""Features that are kept, those that weigh most; each takes eight bytes."""

BLIND = ("english", "english3", "grid", "others", "others3")
STEPS = 100
PENALTY = 3e-4

Matrix = NDArray[np.floating]
Labelled = tuple[str, int, str]
"""A message, the number of its kind, and the file that has it."""


def labelled() -> list[Labelled]:
    """Return all messages for training."""
    random = Random(1)
    found: dict[tuple[str, int], str] = {}
    for file in sorted(SENTENCES.glob("*.yaml")):
        for kind, languages in read_wordings(file.read_text(encoding="utf-8")).items():
            number = KINDS.index(kind) if kind in KINDS else ORDINARY
            for line in (line for lines in languages.values() for line in lines):
                for text in expanded(line, random) if "{" in line and "|" in line else (line,):
                    found.setdefault((text, number), file.stem)
    return [(text, number, source) for (text, number), source in found.items()]


def expanded(line: str, random: Random) -> Iterable[str]:
    """Return sentences in which each `{a|b}` is one of its alternatives."""
    made = set()
    for _ in range(EXPANSIONS):
        text = line
        while inside := re.search(r"\{([^{}]*)\}", text):
            text = text[: inside.start()] + random.choice(inside[1].split("|")) + text[inside.end() :]
        made.add(text)
    return sorted(made)


def readings_of(text: str) -> list[str]:
    """Return what is weighed of a message: each sentence, and the whole if there are several."""
    said = [each.text for each in sentences(text)]
    return [*said, text] if len(said) > 1 else said


@dataclass(frozen=True)
class Table:
    """Features of sentences and whole messages by row, each as its rarity; `owners` are the messages of rows."""

    cells: csr_array
    owners: NDArray[np.int64]
    numbers: list[int]
    rarity: Matrix


def table(texts: Sequence[str]) -> Table:
    """Return the features of the sentences of messages."""
    said = [(n, features(words_of(each))) for n, text in enumerate(texts) for each in readings_of(text)]
    counts = Counter(number for _, found in said for number in found)
    numbers = sorted(number for number, count in counts.items() if count >= MIN_COUNT)
    index = {number: n for n, number in enumerate(numbers)}
    rows = [sorted(index[number] for number in found if number in index) for _, found in said]
    columns = np.array([column for row in rows for column in row])
    starts = np.cumsum([0, *map(len, rows)])
    shape = len(rows), len(numbers)
    rarity = np.log(len(rows) / np.array([counts[number] for number in numbers]))
    rarity = (rarity / rarity.mean()).astype(np.float32)
    cells = csr_array((rarity[columns], columns, starts), shape=shape)
    return Table(cells, np.array([n for n, _ in said]), numbers, rarity)


def trained(data: Table, kinds: NDArray[np.int64]) -> tuple[Matrix, Matrix]:
    """Return weights and bias of a softmax regression. The likeliest sentence of a faulty message counts as faulty."""
    labels = kinds[data.owners]
    faulty = labels != ORDINARY
    shares = np.where(faulty, 1 / np.bincount(data.owners)[data.owners], 1.0)
    values = fitted(
        data.cells, labels, shares, np.vstack([np.zeros((len(data.numbers), ORDINARY)), [[-2.0] * ORDINARY]])
    )
    scores = (data.cells @ values[:-1] + values[-1])[np.arange(len(labels)), np.minimum(labels, ORDINARY - 1)]
    order = np.lexsort((-scores, data.owners))
    best = order[np.unique(data.owners[order], return_index=True)[1]]
    shares = np.where(faulty, 0.0, 1.0)
    shares[best] = 1.0
    values = fitted(data.cells, labels, shares, values)
    return values[:-1] * data.rarity[:, None], values[-1]


def fitted(cells: csr_array, labels: NDArray[np.int64], shares: Matrix, values: Matrix) -> Matrix:
    """Return weights and bias after `STEPS` of Adam on the weighted log-likelihood with a quadratic penalty."""
    wanted = np.eye(ORDINARY + 1, dtype=np.float32)[labels]
    columns = cells.T.tocsr()
    counted = shares.astype(np.float32)[:, None]
    values = values.astype(np.float32)
    first, second = np.zeros_like(values), np.zeros_like(values)
    for step in range(1, STEPS + 1):
        scores = np.hstack([cells @ values[:-1] + values[-1], np.zeros((len(labels), 1), np.float32)])
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        off = ((likely - wanted) * counted)[:, :ORDINARY]
        slope = np.float32(PENALTY * shares.sum()) * values
        slope += np.vstack([columns @ off, off.sum(axis=0)])
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        rate = 0.1 if step < STEPS * 0.6 else 0.03
        values = values - rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return values


def file_of(head: dict[str, object], rows: dict[int, Sequence[float]]) -> bytes:
    """Return the file of a model with these weights by kind of each feature."""
    units = {feature: [max(-127, min(127, round(each / STEP))) for each in row] for feature, row in rows.items()}
    body = b"".join(WEIGHTS.pack(each & 0xFFFF, each >> 16, *row) for each, row in sorted(units.items()))
    return json.dumps(head).encode() + b"\n" + body


def file_of_messages(messages: Sequence[Labelled]) -> bytes:
    """Return the file of the model that is learned from messages, with the features that weigh most."""
    data = table([text for text, _, _ in messages])
    weights, bias = trained(data, np.array([kind for _, kind, _ in messages]))
    heaviest = np.argsort(-np.abs(weights).max(axis=1), kind="stable")[:FEATURES]
    head = {
        "sources": sources_hash(),
        "bias": [round(float(each), 2) for each in bias],
        "suspected": SUSPECTED,
        "certain": CERTAIN,
    }
    return file_of(head, {data.numbers[n]: weights[n].tolist() for n in heaviest})


def margins(model: RoleModel, texts: Iterable[str]) -> list[tuple[float, int]]:
    """Return the highest margin of a sentence of each message, and its kind."""
    return [max((model.margin(words_of(each)) for each in readings_of(text)), default=(-9.0, 0)) for text in texts]


def sources_hash() -> str:
    """Return the hash of all that the weights depend on."""
    files = [
        *sorted(SENTENCES.glob("*.yaml")),
        PACKAGE / "word_classes.toml",
        Path(out_of_role.__file__),
        Path(__file__),
    ]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def write() -> None:
    """Train on all sentences and write the model."""
    MODEL.write_bytes(file_of_messages(labelled()))
    print(f"{len(role_model().weights)} features, {MODEL.stat().st_size / 1000:.0f} kB")


def recall(folds: int) -> dict[str, tuple[int, int, int]]:
    """Return the number of messages, suspected and certain ones of each kind, by models trained without them.

    Only sentences of `BLIND` count, which were written without knowledge of the audit.
    """
    messages = labelled()
    Random(3).shuffle(messages)
    counts: dict[str, tuple[int, int, int]] = {}
    for fold in range(folds):
        model = model_of(file_of_messages([each for n, each in enumerate(messages) if n % folds != fold]))
        held = [each for n, each in enumerate(messages) if n % folds == fold and each[2] in BLIND]
        for (_, kind, _), (margin, _) in zip(held, margins(model, [text for text, _, _ in held]), strict=True):
            name = "ordinary" if kind == ORDINARY else KINDS[kind]
            total, suspected, certain = counts.get(name, (0, 0, 0))
            counts[name] = total + 1, suspected + (margin >= SUSPECTED), certain + (margin >= CERTAIN)
    return counts


def main() -> int:
    """Write the model, or check or measure it. Return an exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folds", type=int, default=0)
    parser.add_argument("--human", type=Path)
    asked = parser.parse_args()
    if asked.check:
        return json.loads(MODEL.read_bytes().partition(b"\n")[0])["sources"] != sources_hash()
    if asked.folds:
        for name, (total, suspected, certain) in sorted(recall(asked.folds).items()):
            print(f"{name:14} {total:5} messages, {suspected / total:6.1%} suspected, {certain / total:6.1%} certain")
        return 0
    if asked.human:
        lines = asked.human.read_text(encoding="utf-8").splitlines()
        found = [margin for margin, _ in margins(role_model(), lines)]
        print(f"{len(lines)} lines, {sum(each >= SUSPECTED for each in found)} suspected", end=", ")
        print(f"{sum(each >= CERTAIN for each in found)} certain")
        return 0
    write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
