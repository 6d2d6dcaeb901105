"""Scenarios, rules and rubrics of a new batch, loaded and checked the same way for every interface."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.fingerprint import besides
from sparring.app.launch import BatchPlan
from sparring.app.preflight import check_expectations
from sparring.app.rubrics import asked
from sparring.app.wiring import player_names, user_model
from sparring.core.case import Case
from sparring.core.checks import InvalidRule, Rubric, Rule
from sparring.core.errors import InputError, Problem, collected
from sparring.core.prompts import Prompts
from sparring.core.usage import Budget
from sparring.judges.rubric_files import text_of
from sparring.llm.replay import Recorder
from sparring.parsing import Data, note, noting
from sparring.scenarios import loading
from sparring.scenarios.external_values import (
    ExternalValues,
    FunctionValues,
    ModelValues,
    compute_values,
    generate_values,
    no_code,
)
from sparring.scenarios.loading import LoadedScenarios, with_unique_ids
from sparring.users import simulated

RuleLike = str | Path | Rule
"""An expression, a rule file, a folder of rule files, or a rule."""


def read_rules(rules: RuleLike | Iterable[RuleLike]) -> list[Rule | InvalidRule]:
    """Return the rules, including invalid ones. Raise InputError if all of them are inactive."""
    from sparring.rules import rule_file

    several: Iterable[RuleLike] = [rules] if isinstance(rules, str | Path | Rule) else rules
    found: list[Rule | InvalidRule] = []
    for each in several:
        if isinstance(each, Rule):
            found.append(each)
        elif isinstance(each, Path) or _is_file(each):
            found += rule_file.read_rules([each])
        else:
            found.append(rule_file.rule_of(each))
    rule_file.require_active_rule(found)
    return found


def valid_rules(rules: RuleLike | Iterable[RuleLike]) -> tuple[Rule, ...]:
    """Return the rules. Raise InputError with everything that is wrong with any of them."""
    if rules == ():  # a run without rules does not wait for their language
        return ()
    from sparring.rules.rule_file import require_valid

    return require_valid(read_rules(rules))


def _is_file(text: str) -> bool:
    """Return True if a text names a file or folder rather than an expression."""
    if text.endswith((".yml", ".yaml")):
        return True
    try:
        return Path(text).exists()
    except OSError:  # too long for a name
        return False


async def load_sources(
    files: Sequence[Path],
    config: AppConfig,
    *,
    allow_code: bool = False,
    recorder: Recorder | None = None,
    before: Callable[[tuple[Case, ...]], None] = lambda cases: None,
) -> LoadedScenarios:
    """Load the cases of files and folders. The user's model makes up values that files only describe.

    `before` is called first, with cases that have sample values.
    """

    def compute(call: FunctionValues) -> tuple[Data, ...]:
        if call.folder is not None:
            note(call.folder / call.file)
        return compute_values(call) if allow_code else no_code(call)

    loaded, wanted = loading.load_with_samples(files, seed=config.seed, limits=config.case_limits)
    if not wanted:
        return loaded
    outside = ExternalValues(compute=compute)
    if made := [each for each in wanted if isinstance(each, ModelValues)]:
        before(loaded.cases)
        async with user_model(config, recorder=recorder) as model:
            if model is not None:
                values = await generate_values(made, model, seed=config.seed)
                outside = ExternalValues(make_up=values.__getitem__, compute=compute)
    return loading.load(files, seed=config.seed, limits=config.case_limits, outside=outside)


async def plan_batch(
    sources: Sequence[Path],
    config: AppConfig,
    *,
    cases: Iterable[Case] = (),
    rules: RuleLike | Iterable[RuleLike] = (),
    rubrics: Sequence[str | Path] = (),
    own_rubrics: tuple[Rubric, ...] = (),
    judge_prompt: Path | None = None,
    single: int | None = None,
    repeats: int = 1,
    name: str = "",
    tags: tuple[str, ...] = (),
    allow_code: bool = False,
    recorder: Recorder | None = None,
) -> BatchPlan:
    """Return the plan of a new batch of the cases of `sources` and of `cases`, in this order.

    With `single`, only the case at this index is planned, counted from 0. Model calls go through the `recorder`. Files
    read on the way are noted, so that a later resume can detect changes.

    Raise InputError with all problems of the rules, scenarios and rubrics, or else with those of their combination and
    of the players.
    """
    with noting() as read:
        load = partial(load_sources, sources, config, allow_code=allow_code, recorder=recorder)
        loaded, checked = await _loaded(sources, config, rules, load, partial(asked, (), rubrics, prompt=judge_prompt))
        every = tuple(with_unique_ids([*loaded.cases, *cases]))
        if not every:
            raise InputError("there are no scenarios", hint="name a scenario file, or pass a Case")
        planned = every if single is None else (_case_at(single, every),)
        check_expectations(planned, beside=every, rules=checked, informed=config.informed)
        questions = asked(planned, rubrics, prompt=judge_prompt)
    written = tuple(map(str, sources))
    return BatchPlan(
        cases=questions.cases,
        choice=player_names(
            config,
            loaded.model,
            loaded.temperature,
            scripted=all(case.script for case in planned),
            rubrics=bool(questions) or bool(own_rubrics),
        ),
        rubrics=(*questions.rubrics, *own_rubrics),
        case_rubrics=questions.case_rubrics,
        name=name,
        repeats=repeats,
        tags=tags,
        rules=checked,
        sources=written,
        others=besides(written, read),
        budget=Budget(cost=loaded.max_cost),
        left_out=loaded.left_out,
    )


async def _loaded(
    sources: Sequence[Path],
    config: AppConfig,
    rules: RuleLike | Iterable[RuleLike],
    load: Callable[..., Awaitable[LoadedScenarios]],
    check_rubrics: Callable[[], object],
) -> tuple[LoadedScenarios, tuple[Rule, ...]]:
    """Return the scenarios and the rules. Raise InputError with all problems of them and of the rubrics."""
    problems: list[Problem] = []
    loaded, checked = LoadedScenarios(cases=()), tuple[Rule, ...]()
    with collected(problems):
        checked = valid_rules(rules)
    check = partial(check_expectations, (), rules=checked, informed=config.informed)
    with collected(problems):
        if problems and sources:  # no model makes up values for a batch that cannot start
            loading.load_with_samples(sources, seed=config.seed, limits=config.case_limits)
        elif sources:  # a rule that can never match costs no call
            loaded = await load(before=lambda samples: check(beside=samples))
    if problems:
        with collected(problems):
            check_rubrics()
        raise InputError(problems)
    return loaded, checked


def with_user_prompt(plan: BatchPlan, prompt: Prompts | None) -> BatchPlan:
    """Return a plan whose simulated user has this prompt, unless it is None."""
    if prompt is None or prompt.hash == simulated.prompts().hash:
        return plan
    return replace(plan, choice=replace(plan.choice, user_prompts=prompt.hash), prompts=(prompt,))


def user_version(file: Path) -> Prompts:
    """Return the prompt of the simulated user in a file. Raise InputError with all its problems."""
    try:
        return simulated.prompts(text_of(file))
    except InputError as error:
        raise InputError([each.model_copy(update={"file": str(file)}) for each in error.problems]) from error


def _case_at(index: int, cases: tuple[Case, ...]) -> Case:
    if not 0 <= index < len(cases):
        last = len(cases) - 1
        raise InputError(f"--single {index}: no such case", hint=f"there are {len(cases)}, from 0 to {last}")
    return cases[index]
