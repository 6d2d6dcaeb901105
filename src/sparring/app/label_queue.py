"""The queue of conversations to label: sampled to be most informative, with unbiased weights."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import sqrt
from random import Random

from sparring.app.completing import complete
from sparring.core.batch import Batch
from sparring.core.judgements import current
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.verdict import HUMAN
from sparring.store.store import Store

Stratum = tuple[str, ...]
_FEWEST = 4
"""Conversations per stratum needed to stratify by all judges and rubrics; with fewer, outcomes and scores are strata.
"""


async def label_queue(batch: Batch, store: Store, *, sample: int = 50, seed: int = 1) -> dict[str, float]:
    """Draw conversations in random order, each with the number of conversations that it stands for.

    Rare outcomes, and within an outcome rare scores by judges and rubrics, are oversampled.
    """
    await complete(batch, store)
    stored = (await store.progress(batch.id)).stored
    _, rows = await store.search(batch.id, ConversationQuery(), offset=0, limit=max(stored, 1))
    known = {each.conversation: each for each in rows if each.decision.outcome is not Outcome.VOID}
    scores: defaultdict[str, list[str]] = defaultdict(list)
    for verdict in current([each async for each in store.verdicts(batch.id)], batch.who.decides):
        if verdict.by != HUMAN:
            scores[verdict.conversation].append(f"{verdict.judge} {verdict.rubric} {verdict.score or verdict.outcome}")
    fine = {id: tuple(scores[id]) for id in known}
    if len(set(fine.values())) > sample / _FEWEST:
        fine = {id: (str(row.score),) for id, row in known.items()}
    sides: defaultdict[str, defaultdict[Stratum, list[str]]] = defaultdict(lambda: defaultdict(list))
    for id, row in known.items():
        sides[row.decision.outcome][fine[id]].append(id)
    return _drawn(sides, sample, Random(seed))


def _drawn(sides: Mapping[str, Mapping[Stratum, list[str]]], sample: int, random: Random) -> dict[str, float]:
    weights: dict[str, float] = {}
    shares = _parts([sum(map(len, strata.values())) for strata in sides.values()], sample)
    for strata, share in zip(sides.values(), shares, strict=True):
        for ids, size in zip(strata.values(), _parts(list(map(len, strata.values())), share), strict=True):
            weights |= {id: len(ids) / size for id in random.sample(sorted(ids), size)}
    return {id: weights[id] for id in random.sample(sorted(weights), len(weights))}


def _parts(sizes: Sequence[int], total: int) -> list[int]:
    """Divide a total in proportion to the square roots of the sizes, up to the sizes.

    In simulations, equal parts give wide bounds if nearly all conversations have one outcome, and proportional parts
    leave few labels of rare outcomes.
    """
    parts = [0] * len(sizes)
    for _ in range(min(total, sum(sizes))):
        open_parts = (n for n in range(len(sizes)) if parts[n] < sizes[n])
        parts[min(open_parts, key=lambda n: parts[n] / sqrt(sizes[n]))] += 1
    return parts
