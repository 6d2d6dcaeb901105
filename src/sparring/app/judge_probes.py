"""Stability of a judge: its verdicts on stored conversations after changes that should not matter."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from sparring.app.config import AppConfig
from sparring.app.wiring import judge_alone
from sparring.core.batch import Batch, judges_of
from sparring.core.checks import Rubric
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, ModelError, Problem
from sparring.core.judgements import JudgeProbe, current
from sparring.core.usage import Budget, Usage
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.model import ModelJudge
from sparring.judges.stability_probes import padded, reordered, restated
from sparring.llm.call_context import call_context
from sparring.llm.metering import Meter
from sparring.llm.model import Model
from sparring.runner.judge_worker import NamedJudge, seeded, verdict_of
from sparring.runner.spending import BatchSpending
from sparring.store.store import Store

_AGAIN = "again"
Pairs = dict[str, list[tuple[Verdict, Verdict | None]]]
"""The stored verdict of each conversation and the one after a change, by case, where the judge gave both."""


@dataclass
class _Prober:
    """Asks a judge about changed conversations."""

    judge: NamedJudge
    rubric: Rubric
    found: defaultdict[str, Pairs] = field(default_factory=lambda: defaultdict(dict))
    usage: defaultdict[str, Usage] = field(default_factory=lambda: defaultdict(Usage))

    async def probe(self, conversation: Conversation, before: Verdict) -> None:
        """Judge a conversation once more unchanged, and with each change that applies."""
        await self._ask(_AGAIN, before, seeded(conversation, before.attempt + 1), self.rubric)
        if (turned := reordered(conversation, self.rubric)) is not None:
            await self._ask("order", before, *turned)
        await self._ask("verbosity", before, padded(conversation), self.rubric)
        if isinstance(self.judge.judge, ModelJudge):
            await self._paraphrase(conversation, before, self.judge.judge.model)

    async def _paraphrase(self, conversation: Conversation, before: Verdict, model: Model) -> None:
        meter = Meter()
        try:
            with call_context(meter=meter):
                said = await restated(conversation, model)
        except ModelError:
            self._add("paraphrase", conversation, before, None)
        else:
            await self._ask("paraphrase", before, said, self.rubric)
        self.usage["paraphrase"] += sum(meter.usage.values(), Usage())

    async def _ask(self, probe: str, before: Verdict, changed: Conversation | None, rubric: Rubric) -> None:
        if changed is None:
            return
        after = await verdict_of(self.judge, changed, rubric)
        self.usage[probe] += after.usage
        self._add(probe, changed, before, None if after.outcome is CheckOutcome.ERROR else after)

    def _add(self, probe: str, conversation: Conversation, before: Verdict, after: Verdict | None) -> None:
        self.found[probe].setdefault(conversation.case.id, []).append((before, after))


async def probe_judge(
    batch: Batch,
    store: Store,
    config: AppConfig,
    judge: str,
    rubric: Rubric | None,
    *,
    sample: int,
    given_up: Callable[[str], None],
) -> tuple[JudgeProbe, ...]:
    """Try a judge, or those of a panel, on a `sample` of the conversations that they judged by a rubric.

    Raises:
        InputError: a judge reads no rubric.
    """
    if rubric is None:
        message = f"the judge {judge} reads no rubric, and is the same each time"
        raise InputError(Problem(path="probe", message=message, hint="choose a model as judge"))
    probes: list[JudgeProbe] = []
    for name in judges_of(judge):
        said = [each async for each in store.verdicts(batch.id) if (each.judge, each.rubric) == (name, rubric.hash)]
        decided = [each for each in current(said, "latest") if each.outcome is not CheckOutcome.ERROR]
        drawn = Random(batch.seed).sample(decided, min(sample, len(decided)))
        async with judge_alone(name, config) as made:
            assert made is not None, "it judged by a rubric"
            prober = _Prober(made, rubric)
            await _all_probed(prober, drawn, batch, store, config.concurrency, given_up)
        probes += _measured(prober, rubric)
    return tuple(probes)


async def _all_probed(
    prober: _Prober,
    drawn: Sequence[Verdict],
    batch: Batch,
    store: Store,
    concurrency: int,
    given_up: Callable[[str], None],
) -> None:
    spending, room = BatchSpending(Budget(), given_up=given_up), asyncio.Semaphore(concurrency)

    async def probe(before: Verdict) -> None:
        async with room:
            if not spending.spent:
                with spending.account():
                    await prober.probe(await store.conversation(batch.id, before.conversation), before)

    async with asyncio.TaskGroup() as group:
        for before in drawn:
            group.create_task(probe(before))


def _measured(prober: _Prober, rubric: Rubric) -> list[JudgeProbe]:
    from sparring.statistics.differences import difference, mean_score_difference  # as numpy is slow to load
    from sparring.statistics.rates import rate

    again, measured = prober.found[_AGAIN], []
    for probe, cases in prober.found.items():
        pairs = [pair for each in cases.values() for pair in each]
        known = [(before, after) for before, after in pairs if after is not None]
        turned = [after.outcome for before, after in known if after.outcome is not before.outcome]
        moved = [[_moved(*pair) for pair in each] for each in cases.values()]
        scores = [
            [[each.score if each else None for each in sides] for sides in zip(*row, strict=True)]
            for row in cases.values()
        ]
        shift = None
        if known and all(after.score is not None and before.score is not None for before, after in known):
            ends = {"low": rubric.scale.worst, "high": rubric.scale.best}
            before, after = zip(*scores, strict=True)
            shift = mean_score_difference(before, after, claim="like these", **ends)
        beside = [[_moved(*pair) for pair in again[case]] for case in cases]
        measured.append(
            JudgeProbe(
                judge=prober.judge.name,
                probe=probe,
                asked=len(pairs),
                undecided=len(pairs) - len(known),
                to_pass=turned.count(CheckOutcome.PASS),
                to_fail=turned.count(CheckOutcome.FAIL),
                moved=rate(moved),
                shift=shift,
                p=1.0 if probe == _AGAIN else difference(beside, moved).p,
                usage=prober.usage[probe],
            )
        )
    return measured


def _moved(before: Verdict, after: Verdict | None) -> bool | None:
    return None if after is None else (before.outcome, before.score) != (after.outcome, after.score)
