"""Launch, resume and rerun of batches, for the command line, the server and programs alike.

`launch`, `resume` and `rerun` yield events and warnings until the batch ends. A server, which plays many batches at
once, opens an `Execution` and plays it in a task of its own.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import AbstractAsyncContextManager, ExitStack, aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from math import ceil
from random import SystemRandom

from sparring.app.config import AppConfig
from sparring.app.execution import Execution, Surroundings, inputs_of, open_execution, open_stored
from sparring.app.fingerprint import fingerprint
from sparring.app.notices import Notice, change_notices, left_out_notices, lock_notices, name_notices
from sparring.app.results import results
from sparring.app.rubrics import fitting
from sparring.core.batch import Batch, BatchInputs, PlayerNames, Players, Until
from sparring.core.case import Case
from sparring.core.checks import Rubric, Rule
from sparring.core.clock import SystemClock
from sparring.core.conversation import Ending, conversation_id
from sparring.core.errors import InputError, Problem
from sparring.core.events import BatchFinished, Event
from sparring.core.listing import ConversationQuery
from sparring.core.outcome import Outcome
from sparring.core.prompts import Prompts
from sparring.core.seeding import ulid
from sparring.core.text import did_you_mean
from sparring.core.usage import Budget
from sparring.llm.replay import Recorder
from sparring.runner.batch import reduced_gc
from sparring.runner.players import ResolvedPlayers, prompt_versions
from sparring.store.store import Store, ignore

MAX_CONVERSATIONS = 10_000_000
"""The maximum number of conversations in a batch: each takes memory before it runs."""


@dataclass(frozen=True)
class BatchPlan:
    """A new batch: its cases and its players. `prompt_version` is only a label.

    With `selected`, only the conversations with these ids run. `left_out` are conversations of the files that cannot
    run. A server notifies `callback_url` of the end of the batch.
    """

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
    budget: Budget = field(default_factory=Budget)
    prompt_version: str = ""
    until_decided: bool = False
    until: Until | None = None
    selected: tuple[str, ...] = ()
    left_out: tuple[Problem, ...] = ()
    callback_url: str = ""
    request: dict[str, str] = field(default_factory=dict)
    """Hash of the cases of a request, under its name."""
    prompts: tuple[Prompts, ...] = ()
    """Prompt versions that `choice` names and the store may lack."""


async def launch(
    plan: BatchPlan,
    store: Store,
    config: AppConfig,
    *,
    stop: asyncio.Event | None = None,
    recorder: Recorder | None = None,
) -> AsyncGenerator[Event | Notice]:
    """Play a new batch, and yield what happens.

    Setting `stop` lets conversations under way finish; closing the iterator drops them. Calls of models go over the
    `recorder`, if there is one.

    Raises:
        InputError: the plan cannot be played; raised before anything is stored or sent.
    """
    changed = lock_notices(plan.sources)
    for notice in (*await name_notices(plan.name, store), *changed, *left_out_notices(plan.left_out)):
        yield notice
    if plan.until_decided:
        plan = await until_decided(plan, store, config)
    around = Surroundings(store=store, config=config, clock=SystemClock(), recorder=recorder, prompts=plan.prompts)
    async with aclosing(_play(partial(open_new, plan, around), stop)) as events:
        async for event in events:
            yield event


async def resume(
    batch: str | Batch,
    store: Store,
    config: AppConfig,
    *,
    retry_failed: bool = False,
    stop: asyncio.Event | None = None,
    recorder: Recorder | None = None,
) -> AsyncGenerator[Event | Notice]:
    """Run what a batch lacks, with its original players, and yield what happens.

    With `retry_failed`, conversations whose endings do not count run again.
    """
    batch = await store.batch(batch) if isinstance(batch, str) else batch
    for notice in change_notices(inputs_of(batch), config):
        yield notice
    around = Surroundings(store=store, config=config, clock=SystemClock(), recorder=recorder)
    async with aclosing(_play(partial(open_stored, batch, around), stop, retry_failed=retry_failed)) as events:
        async for event in events:
            yield event


async def rerun(
    batch: str | Batch,
    store: Store,
    config: AppConfig,
    *,
    conversations: Collection[str] = (),
    stop: asyncio.Event | None = None,
) -> AsyncGenerator[Event | Notice]:
    """Rerun conversations of a batch as a new batch with the same seeds, and yield what happens.

    `conversations` are ids of conversations or of cases; by default, all that did not pass.
    """
    old = await store.batch(batch) if isinstance(batch, str) else batch
    for notice in change_notices(inputs_of(old), config):
        yield notice
    unreadable: list[str] = []
    new = await rerun_of(old, store, conversations, unreadable.append)
    for conversation in unreadable:
        yield Notice(f"conversation {conversation} cannot be read, and is left out")
    around = Surroundings(store=store, config=config, clock=SystemClock())
    async with aclosing(_play(partial(open_stored, new, around), stop)) as events:
        async for event in events:
            yield event


async def rerun_of(
    old: Batch, store: Store, conversations: Collection[str] = (), unreadable: Callable[[str], None] = ignore
) -> Batch:
    """Return a new batch of conversations or cases of another one, by default of all that did not pass.

    Raises:
        InputError: there are no such conversations.
    """
    selected = _named(old, conversations) if conversations else await _not_passed(old, store, unreadable)
    if not selected:
        raise InputError(
            f"nothing to rerun: all conversations in batch {old.id} passed", hint="--case ID runs one again"
        )
    now = SystemClock().now()
    inputs_of(old)
    new = {
        "id": ulid(now, SystemRandom()),
        "created": now,
        "name": "",
        "tags": (*old.tags, f"rerun of {old.name or old.id}"),
        "selected": tuple(sorted(selected)),
        "until": None,
        "cases": tuple(case for case in old.cases if not selected.isdisjoint(_ids(old, case))),
    }
    return old.model_copy(update=new)


def next_run_of(old: Batch) -> Batch:
    """Return a new batch of everything that another one planned, as the next run of its name."""
    inputs_of(old)
    now = SystemClock().now()
    return old.model_copy(update={"id": ulid(now, SystemRandom()), "created": now})


async def conversations_to_retry(batch: str, store: Store) -> int:
    """Return the number of conversations that a retry runs again: void ones, and those that broke off."""
    broken = tuple(ending for ending in Ending if not ending.completed)
    others = tuple(outcome for outcome in Outcome if outcome is not Outcome.VOID)
    queries = (ConversationQuery(outcomes=(Outcome.VOID,)), ConversationQuery(endings=broken, outcomes=others))
    return sum([(await store.search(batch, query, offset=0, limit=0))[0] for query in queries])


def open_new(
    plan: BatchPlan, around: Surroundings, lock: ExitStack, **fields: object
) -> AbstractAsyncContextManager[Execution]:
    """Open the execution of a new batch; `fields` are those of its job."""
    make, inputs = batch_maker(plan, around)
    return open_execution(make, inputs, around, lock, rules=plan.rules, **fields)


def batch_maker(
    plan: BatchPlan, around: Surroundings
) -> tuple[Callable[[ResolvedPlayers, Players], Batch], BatchInputs]:
    """Return the function that makes the batch of a plan, and the inputs of its players."""
    if (planned := len(plan.cases) * plan.repeats) > MAX_CONVERSATIONS:
        raise InputError(f"{planned:,} conversations exceed the maximum of a batch, {MAX_CONVERSATIONS:,}")
    _check_name(plan.name)
    inputs = BatchInputs(
        choice=plan.choice,
        budget=plan.budget,
        sources=plan.sources,
        others=plan.others,
        contents=fingerprint(plan.choice, (*plan.sources, *plan.others), around.config.environment) | plan.request,
    )

    def make(players: ResolvedPlayers, who: Players) -> Batch:
        return _batch(plan, inputs, players, who, around)

    return make, inputs


def _check_name(name: str) -> None:
    """Raise InputError for a name that reads like the run of another one: `NAME@RUN` addresses a batch."""
    if re.fullmatch(r".+@\d+", name, re.DOTALL):
        message = f"the name {name[:100]!r} reads like a run of {name.rpartition('@')[0][:100]!r}"
        raise InputError(Problem(path="name", message=message, hint="end it without @ and a number"))


async def _play(
    open_execution: Callable[[ExitStack], AbstractAsyncContextManager[Execution]],
    stop: asyncio.Event | None,
    *,
    retry_failed: bool = False,
) -> AsyncGenerator[Event | Notice]:
    """Play a batch alone in this process, and store how its execution ended."""
    stop = stop or asyncio.Event()
    cancelled, stopped = True, ""
    with ExitStack() as lock:
        async with open_execution(lock) as execution:
            around = execution.around
            try:
                for notice in execution.notices:
                    yield notice
                with reduced_gc(min(around.config.concurrency, execution.batch.planned)):
                    async with aclosing(_sent_on(execution, stop, retry_failed=retry_failed)) as events:
                        async for event in events:
                            if isinstance(event, BatchFinished):
                                cancelled, stopped = stop.is_set(), event.reason
                            yield event
                for notice in execution.lost_spans():
                    yield notice
            finally:
                await execution.update(ended=around.clock.now(), cancelled=cancelled, stopped=stopped)


def _sent_on(
    execution: Execution, stop: asyncio.Event, *, retry_failed: bool
) -> AsyncGenerator[Event] | AsyncGenerator[Event | Notice]:
    """Return the events of an execution, sending its conversations to the collector, if any."""
    events, config = execution.events(stop, retry_failed=retry_failed), execution.around.config
    if not config.otlp:
        return events
    from sparring.app.trace_export import sent_on  # only with --otlp

    return sent_on(events, config.otlp, execution.batch, execution.around.store, config.environment)


def _batch(plan: BatchPlan, inputs: BatchInputs, players: ResolvedPlayers, who: Players, around: Surroundings) -> Batch:
    now = around.clock.now()
    rubrics = fitting(plan.cases, plan.rubrics, plan.case_rubrics, players.judge)
    return Batch(
        id=ulid(now, SystemRandom()),
        created=now,
        who=who,
        cases=tuple(map(_with_functions, plan.cases)),
        name=plan.name,
        seed=around.config.seed,
        repeats=plan.repeats,
        tags=plan.tags,
        rules=_of_today(plan.rules),
        rubrics=rubrics,
        case_rubrics=plan.case_rubrics,
        origin=inputs,
        prompts={each.name: each.hash for each in prompt_versions(players, (*rubrics, *plan.case_rubrics))},
        crash=around.config.crash,
        audit=around.config.audit,
        until=plan.until,
        selected=plan.selected,
    )


def _of_today(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Return rules with a hash of their functions, so that an edited function makes another check."""
    if not rules:
        return ()
    from sparring.runner.verdict_selection import with_functions  # only where there are rules

    return tuple(map(with_functions, rules))


def _with_functions(case: Case) -> Case:
    rules = _of_today(tuple([each.rule for each in case.expectations]))
    if all(rule is each.rule for rule, each in zip(rules, case.expectations, strict=True)):
        return case
    changed = (each.changed(rule=rule) for rule, each in zip(rules, case.expectations, strict=True))
    return case.changed(expectations=tuple(changed))


async def until_decided(plan: BatchPlan, store: Store, config: AppConfig) -> BatchPlan:
    """Return a plan with the question of the gate, and with as many repeats as it may take.

    Raises:
        InputError: there is no gate, or its question cannot be decided.
    """
    from sparring.app.early_stopping import question  # only with --until

    until = await question(plan.name, plan.cases, plan.repeats, config.gate, store)
    rounds = ceil(until.limit / len(plan.cases)) if until.claim == "these" else plan.repeats
    return replace(plan, until=until, repeats=min(rounds, plan.repeats) if plan.repeats > 1 else rounds)


async def _not_passed(batch: Batch, store: Store, unreadable: Callable[[str], None]) -> set[str]:
    """Return the ids of stored conversations that did not pass."""
    found = results(batch, store, unreadable=unreadable)
    return {
        conversation.id async for conversation, verdicts in found if verdicts.decision.outcome is not Outcome.PASSED
    }


def _named(batch: Batch, ids: Collection[str]) -> set[str]:
    """Return the conversations with these ids, or of cases with these ids."""
    planned = {id: case.id for case in batch.cases for id in _ids(batch, case)}
    if wrong := [id for id in ids if id not in planned]:
        lacks = f"batch {batch.id} has no such case"
        raise InputError(
            Problem(path="case", message=f"{lacks}: {id!r}", hint=did_you_mean(id, planned)) for id in wrong
        )
    return {id for id, case in planned.items() if id in ids or case in ids}


def _ids(batch: Batch, case: Case) -> set[str]:
    return {conversation_id(case.id, repeat) for repeat in range(1, batch.repeats + 1)}
