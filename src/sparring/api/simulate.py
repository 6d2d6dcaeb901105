"""Functions that simulate users against a chatbot."""

import warnings
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypedDict, Unpack

from sparring.api.arguments import ChatbotLike, StoreLike, StorePlace, config_of, store_of
from sparring.api.conversation_result import ConversationResult
from sparring.api.recorded import results_in
from sparring.api.results import Results
from sparring.app.config import AppConfig
from sparring.app.event_loop import run_blocking
from sparring.app.launch import BatchPlan, launch
from sparring.app.launch import rerun as rerun_batch
from sparring.app.launch import resume as resume_batch
from sparring.app.notices import Notice
from sparring.app.plan import Planned, planned
from sparring.app.rubrics import asked
from sparring.app.sources import RuleLike, plan_batch, valid_rules
from sparring.app.stores import run_id
from sparring.core.case import Case
from sparring.core.checks import Rubric
from sparring.core.errors import InputError, SparringWarning
from sparring.core.events import BatchStarted, Event
from sparring.judges.judge import Judge
from sparring.llm.model import Model
from sparring.scenarios import loading
from sparring.scenarios.goal_keys import with_goal_expectations
from sparring.scenarios.loading import with_unique_ids
from sparring.settings import Settings
from sparring.store.store import Store
from sparring.users.user import User

Scenarios = str | Path | Case | Iterable[str | Path | Case]
"""Run as `run` does."""


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The last event of `stream`: the results of the batch."""

    results: Results


class RunOptions(TypedDict, total=False):
    """The options of every function that runs scenarios.

    - `model`, `user`, `judge`, `chatbot_model`, `reader`: players by role, as names of the command line
      (`"offline"`, `"openai:gpt-4o-mini"`) or as objects. `model` plays every role that is not named.
    - `rules`, `rubrics`: checks of the conversations: files, folders, expressions or values.
    - `repeat`, `seed`, `concurrency`: runs of each case, the random seed, and conversations at the same time.
    - `max_cost`: maximum cost in US dollars.
    - `name`, `tags`: labels of the batch.
    - `store`: a path, `":memory:"`, which keeps nothing, or an open store.
    - `settings`: settings in place of sparring.yaml, .env and the environment; `Settings()` has all defaults.
    - `allow_code`: let profiles call Python functions.
    """

    model: str | Model | None
    user: str | User | Model | None
    judge: str | Judge | Model | None
    chatbot_model: str | Model | None
    reader: str | None
    rules: RuleLike | Iterable[RuleLike]
    rubrics: Iterable[str | Path | Rubric]
    repeat: int
    seed: int | None
    concurrency: int | None
    max_cost: float | None
    name: str
    tags: Iterable[str]
    store: StoreLike
    settings: Settings | None
    allow_code: bool


def run(
    scenarios: Scenarios,
    chatbot: ChatbotLike | type | None = None,
    *,
    model: str | Model | None = None,
    user: str | User | Model | None = None,
    judge: str | Judge | Model | None = None,
    chatbot_model: str | Model | None = None,
    reader: str | None = None,
    rules: RuleLike | Iterable[RuleLike] = (),
    rubrics: Iterable[str | Path | Rubric] = (),
    repeat: int = 1,
    seed: int | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    name: str = "",
    tags: Iterable[str] = (),
    store: StoreLike = None,
    settings: Settings | None = None,
    on_event: Callable[[Event], None] | None = None,
    allow_code: bool = False,
) -> Results:
    """Simulate users against a chatbot, judge and check the conversations, and return the results.

    `chatbot` is a name of the command line (`"http:bot.yaml"`), a `Chatbot`, or `reply(messages, variables)`, a
    function that may be async. `model`, `user`, `judge` and `chatbot_model` are names (`"offline"`,
    `"openai:gpt-4o-mini"`) or objects. Defaults come from `settings`, else from sparring.yaml, .env and the
    environment; `Settings()` reads none of these. `store=":memory:"` keeps nothing. `on_event` is called with every
    event of the run.

    Failing conversations do not raise: see `Results.ok` and `Results.raise_for_failures`. In a running event loop, such
    as a notebook's, the run has a thread of its own.

    >>> import sparring
    >>> def reply(messages, variables):
    ...     return "One small pizza. That is $10."
    >>> case = sparring.Case(id="order", script=({"kind": "say", "text": "A small pizza, please."},))
    >>> settings = sparring.Settings()
    >>> results = sparring.run(case, reply, rules="chatbot_says('One small')", store=":memory:", settings=settings)
    >>> results.ok, results[0].conversation.messages[-1].text
    (True, 'One small pizza. That is $10.')

    Raises:
        InputError: an argument or a file is invalid; raised before the first message, with all problems.
    """
    options: RunOptions = {
        "model": model,
        "user": user,
        "judge": judge,
        "chatbot_model": chatbot_model,
        "reader": reader,
        "rules": rules,
        "rubrics": rubrics,
        "repeat": repeat,
        "seed": seed,
        "concurrency": concurrency,
        "max_cost": max_cost,
        "name": name,
        "tags": tags,
        "store": store,
        "settings": settings,
        "allow_code": allow_code,
    }
    return run_blocking(_results(stream(scenarios, chatbot, **options), on_event))


async def run_async(
    scenarios: Scenarios,
    chatbot: ChatbotLike | type | None = None,
    *,
    on_event: Callable[[Event], None] | None = None,
    **options: Unpack[RunOptions],
) -> Results:
    """Run as `run` does, in the running event loop; `options` are those of `run`."""
    return await _results(stream(scenarios, chatbot, **options), on_event)


async def stream(
    scenarios: Scenarios, chatbot: ChatbotLike | type | None = None, **options: Unpack[RunOptions]
) -> AsyncGenerator[Event | RunFinished]:
    """Run as `run` does, and yield every event; the last one is `RunFinished` with the results.

    Close the generator to stop: conversations that have ended are stored.
    """
    config = _config(chatbot, options)
    plan = await _plan(scenarios, config, options)
    async with aclosing(_played(plan, config, options)) as events:
        async for event in events:
            yield event


def simulate(
    chatbot: ChatbotLike | type,
    scenario: str | Path | Case,
    *,
    on_event: Callable[[Event], None] | None = None,
    **options: Unpack[RunOptions],
) -> ConversationResult:
    """Run one case once and return its conversation with verdicts; `options` are those of `run`.

    Raise InputError if the scenario expands to several cases.
    """
    return run_blocking(simulate_async(chatbot, scenario, on_event=on_event, **options))


async def simulate_async(
    chatbot: ChatbotLike | type,
    scenario: str | Path | Case,
    *,
    on_event: Callable[[Event], None] | None = None,
    **options: Unpack[RunOptions],
) -> ConversationResult:
    """Run one case once, in the running event loop; `options` are those of `run`."""
    if options.get("repeat", 1) != 1:
        raise InputError("simulate runs one case once", hint="use run for repeats")
    config = _config(chatbot, options)
    plan = await _plan(scenario, config, options)
    if len(plan.cases) != 1:
        raise InputError(f"expected one case, got {len(plan.cases)} from {scenario}", hint="use run for several cases")
    found = [each async for each in await _results(_played(plan, config, options), on_event)]
    if not found:
        raise InputError("the conversation was not run: a limit of the settings was reached")
    return found[0]


def resume(
    batch: str = "latest",
    *,
    retry_failed: bool = False,
    chatbot: ChatbotLike | type | None = None,
    store: StoreLike = None,
    settings: Settings | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Results:
    """Run what a batch lacks, with its original players, and return all its results.

    With `retry_failed`, void conversations run again. Pass `chatbot` again if it is a function or an object. Raise
    InputError if the batch cannot be resumed.
    """
    go_on = partial(resume_batch, retry_failed=retry_failed)
    return run_blocking(_continued(batch, go_on, chatbot, store, settings, on_event))


def rerun(
    batch: str = "latest",
    *,
    conversations: Iterable[str] = (),
    chatbot: ChatbotLike | type | None = None,
    store: StoreLike = None,
    settings: Settings | None = None,
    on_event: Callable[[Event], None] | None = None,
) -> Results:
    """Rerun conversations of a batch with the same seeds as a new batch, and return its results.

    `conversations` are ids of conversations or cases; by default, all that did not pass. Pass `chatbot` again if it is
    a function or an object. Raise InputError if there is nothing to rerun.
    """
    again = partial(rerun_batch, conversations=tuple(conversations))
    return run_blocking(_continued(batch, again, chatbot, store, settings, on_event))


async def _continued(
    batch: str,
    play: Callable[[str, Store, AppConfig], AsyncGenerator[Event | Notice]],
    chatbot: ChatbotLike | type | None,
    store: StoreLike,
    settings: Settings | None,
    on_event: Callable[[Event], None] | None,
) -> Results:
    """Run more of a stored batch, and return the results of this run."""
    config = _config(chatbot, {"settings": settings})
    place = store_of(store, config)
    async with place.open() as opened:
        events = play((await opened.batch(await run_id(batch, opened))).id, opened, config)
        return await _results(_events(events, opened, place, config), on_event)


def plan(scenarios: Scenarios, chatbot: ChatbotLike | type | None = None, **options: Unpack[RunOptions]) -> Planned:
    """Return what `run` would do and cost, without sending anything. `options` are those of `run`.

    A set of values that a model makes up counts as one value. Raise InputError as `run` does.
    """
    config = _config(chatbot, options)
    files, cases = _sources(scenarios)
    loaded, wanted = loading.load_with_samples(files, seed=config.seed, limits=config.case_limits)
    loaded = replace(loaded, cases=tuple(with_unique_ids([*loaded.cases, *cases])))
    named, own = _rubrics(options.get("rubrics", ()))
    questions = asked(loaded.cases, named)
    questions = replace(questions, rubrics=(*questions.rubrics, *own))
    rules = valid_rules(options.get("rules", ()))
    repeats = options.get("repeat", 1)
    return run_blocking(planned(loaded, wanted, questions, config, repeats=repeats, rules=rules))


_CONFIGURED = ("model", "user", "judge", "chatbot_model", "reader", "seed", "concurrency", "max_cost")
"""Options that replace settings."""


def _config(chatbot: ChatbotLike | type | None, options: RunOptions) -> AppConfig:
    chosen = {name: options.get(name) for name in _CONFIGURED}
    return config_of(options.get("settings"), chatbot=chatbot, **chosen)


def _sources(scenarios: Scenarios) -> tuple[list[Path], list[Case]]:
    several = [scenarios] if isinstance(scenarios, str | Path | Case) else list(scenarios)
    files = [Path(each) for each in several if not isinstance(each, Case)]
    return files, [with_goal_expectations(each) for each in several if isinstance(each, Case)]


def _rubrics(rubrics: Iterable[str | Path | Rubric]) -> tuple[list[str | Path], tuple[Rubric, ...]]:
    several = list(rubrics)
    named = [each for each in several if not isinstance(each, Rubric)]
    return named, tuple(each for each in several if isinstance(each, Rubric))


async def _plan(scenarios: Scenarios, config: AppConfig, options: RunOptions) -> BatchPlan:
    files, cases = _sources(scenarios)
    named, own = _rubrics(options.get("rubrics", ()))
    repeats = options.get("repeat", 1)
    if repeats < 1:
        raise InputError(f"expected repeat to be at least 1, got {repeats}")
    return await plan_batch(
        files,
        config,
        cases=cases,
        rules=options.get("rules", ()),
        rubrics=named,
        own_rubrics=own,
        repeats=repeats,
        name=options.get("name", ""),
        tags=tuple(options.get("tags", ())),
        allow_code=options.get("allow_code", False),
    )


async def _played(plan: BatchPlan, config: AppConfig, options: RunOptions) -> AsyncGenerator[Event | RunFinished]:
    place = store_of(options.get("store"), config)
    async with (
        place.open(must_exist=False) as opened,
        aclosing(_events(launch(plan, opened, config), opened, place, config)) as events,
    ):
        async for event in events:
            yield event


async def _events(
    events: AsyncGenerator[Event | Notice], store: Store, place: StorePlace, config: AppConfig
) -> AsyncGenerator[Event | RunFinished]:
    """Yield the events of a batch and then its results; notices become warnings."""
    batch = ""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Notice):
                warnings.warn(event.message, SparringWarning, stacklevel=2)
                continue
            batch = event.batch.id if isinstance(event, BatchStarted) else batch
            yield event
    yield RunFinished(await results_in(await store.batch(batch), store, place, config.gate))


async def _results(events: AsyncGenerator[Event | RunFinished], on_event: Callable[[Event], None] | None) -> Results:
    """Return the results at the end of the events."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, RunFinished):
                return event.results
            if on_event is not None:
                on_event(event)
    raise AssertionError("the last event has the results")
