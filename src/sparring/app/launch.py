"""A batch as it is planned, and what is kept of it before anybody talks: the same for every top."""

from collections.abc import Mapping
from dataclasses import dataclass
from random import SystemRandom

from sparring.app.config import AppConfig
from sparring.app.fingerprint import fingerprint
from sparring.app.rubrics import fitting
from sparring.core.batch import Batch, BatchExecution, BatchInputs, PlayerNames, Players
from sparring.core.case import Case
from sparring.core.checks import Rubric, Rule
from sparring.core.clock import Clock
from sparring.core.errors import InputError
from sparring.core.seeding import ulid
from sparring.core.usage import Budget
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import prompt_versions
from sparring.store.redaction import Redaction
from sparring.store.store import Store

MOST = 10_000_000
"""How many conversations a batch may have: each of them takes memory before it is held."""


@dataclass(frozen=True)
class BatchPlan:
    """A new batch: what to play, and who plays it. `prompt_version` is a label, and changes nothing."""

    cases: tuple[Case, ...]
    choice: PlayerNames
    name: str = ""
    repeats: int = 1
    tags: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    rubrics: tuple[Rubric, ...] = ()
    case_rubrics: tuple[Rubric, ...] = ()
    sources: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    max_cost: float | None = None
    prompt_version: str = ""


def origin_for(plan: BatchPlan, environment: Mapping[str, str]) -> BatchInputs:
    """What a batch is made of."""
    return BatchInputs(
        choice=plan.choice,
        max_cost=plan.max_cost,
        sources=plan.sources,
        others=plan.others,
        contents=fingerprint(plan.choice, (*plan.sources, *plan.others), environment),
    )


def batch_of(
    plan: BatchPlan, origin: BatchInputs, cast: ResolvedPlayers, who: Players, config: AppConfig, clock: Clock
) -> Batch:
    """A new batch; an InputError where it is too large, or its judge reads none of the rubrics named for it."""
    if (planned := len(plan.cases) * plan.repeats) > MOST:
        raise InputError(f"{planned:,} conversations are more than a batch may have, which is {MOST:,}")
    now = clock.now()
    return Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=who,
        cases=plan.cases,
        name=plan.name,
        seed=config.seed,
        repeats=plan.repeats,
        tags=plan.tags,
        rules=plan.rules,
        rubrics=fitting(plan.cases, plan.rubrics, plan.case_rubrics, cast.judge),
        case_rubrics=plan.case_rubrics,
        origin=origin,
        prompts={each.name: each.hash for each in prompt_versions(cast)},
    )


def origin_of(batch: Batch) -> BatchInputs:
    """What a batch was made of; an InputError if that is not known."""
    if batch.origin is None:
        raise InputError(
            f"batch {batch.id} cannot be played: it does not say who did",
            hint="it was imported, or recorded before batches could be resumed; `sparring run` makes a new one",
        )
    return batch.origin


def budget_of(config: AppConfig, origin: BatchInputs) -> Budget:
    """What the settings allow, and what the profiles do."""
    costs = [cost for cost in (config.budget.cost, origin.max_cost) if cost is not None]
    return config.budget.model_copy(update={"cost": min(costs, default=None)})


def hides(config: AppConfig, batch: Batch) -> bool:
    """Whether something in the cases of a batch is hidden before it is stored."""
    return Redaction(config.redact).hidden(batch.cases) != batch.cases


def playable(job: BatchExecution) -> BatchExecution:
    """The job; an InputError if what its batch would say is not known any more."""
    if job.hidden:
        raise InputError(
            f"batch {job.batch} cannot be resumed: what its cases hold was hidden before it was stored",
            hint="run it anew from its files, or hide less (`redact`)",
        )
    return job


async def start_execution(
    batch: Batch, cast: ResolvedPlayers, store: Store, config: AppConfig, clock: Clock
) -> BatchExecution:
    """Note that a batch is played from now on, new or not; an InputError where it cannot be played any more."""
    kept = await store.job(batch.id) if not await store.create(batch, prompts=prompt_versions(cast)) else None
    job = playable(kept) if kept else BatchExecution(batch=batch.id, hidden=hides(config, batch))
    anew = {"ended": None, "cancelled": False, "stopped": "", "error": ""}
    job = job.model_copy(update={"started": job.started or clock.now(), **anew})
    await store.keep_job(job)
    return job
