"""Replays of conversations that newly violate a rule, to tell a broken rule from chance."""

from collections.abc import Mapping, Sequence

from sparring.app.config import AppConfig
from sparring.app.launch import rerun
from sparring.app.results import findings
from sparring.core.batch import BatchExecution, Replays
from sparring.core.case import renamed_cases
from sparring.core.events import BatchStarted
from sparring.core.verdict import CheckOutcome
from sparring.reports.compared_batch import ComparedBatch
from sparring.reports.comparison import Comparison
from sparring.store.store import Store

_CONVERSATIONS = 5

Violations = Mapping[str, tuple[str, ...]]
"""Conversations that newly violate a rule, by the name of the rule."""


def violations(comparison: Comparison, after: ComparedBatch) -> Violations:
    """Return the conversations that newly violate each rule, those of its examples first."""
    found = {finding.rule: finding for finding in after.findings}
    violated: dict[str, tuple[str, ...]] = {}
    for change in comparison.rules:
        if change.newly_violated and not change.broken:
            finding = found[change.rule]
            ids = [id for example in finding.examples for id in example.conversations]
            ids += [culprit.conversation for culprit in finding.culprits]
            if ids:
                violated[change.rule] = tuple(dict.fromkeys(ids))[:_CONVERSATIONS]
    return violated


def cost_of_replays(violated: Violations, before: ComparedBatch, after: ComparedBatch, times: int) -> str:
    """Return the number of replays, and their cost."""
    number = sum(map(len, violated.values()))
    if not number:
        return "nothing to replay: no conversation newly violates a rule"
    prices = (before.price, after.price)
    cost = "at an unknown price" if None in prices else f"≈ ${sum(filter(None, prices)) * number * times:,.2f}"
    what = f"{number:,} conversation{'s' * (number != 1)}"
    return f"replaying {what}, {times} times with each chatbot: {2 * number * times:,} in all, {cost}"


async def replay(
    violated: Violations, sides: tuple[ComparedBatch, ComparedBatch], store: Store, config: AppConfig, times: int
) -> set[str]:
    """Return the rules that all replays with the second chatbot violate, and none with the first one.

    Replays are stored as batches of their own. They are counted for each side, which shows if a chatbot repeats itself.
    """
    confirmed = set()
    before, after = (side.batch for side in sides)
    earlier, cases = renamed_cases(after.cases, before.cases), after.ids()
    for rule, conversations in violated.items():
        was = [earlier.get(cases[id], cases[id]) + id[len(cases[id]) :] for id in conversations]
        wanted = zip(sides, (was, conversations), (CheckOutcome.PASS, CheckOutcome.FAIL), strict=True)
        outcomes = [
            (await _replayed(side, rule, ids, store, config), outcome)
            for side, ids, outcome in wanted
            for _ in range(times)
        ]
        if all(found is outcome for found, outcome in outcomes):
            confirmed.add(rule)
    return confirmed


async def _replayed(
    side: ComparedBatch, rule: str, conversations: Sequence[str], store: Store, config: AppConfig
) -> CheckOutcome | None:
    """Return the outcome of a rule over conversations of a batch, replayed with the same seeds."""
    again = side.batch
    async for event in rerun(side.batch, store, config, conversations=conversations):
        if isinstance(event, BatchStarted):
            again = event.batch
    equal = 0
    for each in conversations:
        earlier, later = await store.conversation(side.batch.id, each), await store.conversation(again.id, each)
        equal += earlier.messages == later.messages
    seen = Replays(held=side.replays.held + len(conversations), equal=side.replays.equal + equal)
    side.replays = seen
    job = await store.job(side.batch.id) or BatchExecution(batch=side.batch.id, ended=side.batch.created)
    await store.keep_job(job.model_copy(update={"replays": seen}))
    return next((found.outcome for found in await findings(again, store) if found.rule == rule), None)
