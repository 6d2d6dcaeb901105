"""Scenarios, rules and rubrics of a new batch, loaded and checked the same way for every interface."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from sparring.app.config import AppConfig
from sparring.app.fingerprint import besides
from sparring.app.launch import MAX_CONVERSATIONS, BatchPlan
from sparring.app.preflight import check_expectations
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.wiring import is_model, player_names, user_model
from sparring.core.batch import PlayerNames, judges_of
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

_NO_LIMIT = Budget()


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


@dataclass(frozen=True)
class ChosenPrompts:
    """Prompts of chatbot and user, unless bundled, and the judge's prompt as a file or text."""

    versions: tuple[Prompts, ...] = ()
    judge: Path | str | None = None

    def pinned(self, choice: PlayerNames) -> PlayerNames:
        """Return a choice of players with these prompts. Raise `InputError` if the judge is no model."""
        if self.judge is not None and not any(map(is_model, judges_of(choice.judge))):
            message = f"the judge {choice.judge} reads no prompt"
            raise InputError(Problem(path="judge_prompts", message=message, hint="choose a model as judge"))
        hashes = {each.role: each.hash for each in self.versions}
        return replace(choice, prompts=hashes.get("chatbot", ""), user_prompts=hashes.get("user", ""))


_BUNDLED = ChosenPrompts()


async def plan_batch(
    sources: Sequence[Path],
    config: AppConfig,
    *,
    cases: Iterable[Case] = (),
    rules: RuleLike | Iterable[RuleLike] = (),
    rubrics: Sequence[str | Path] = (),
    prompts: ChosenPrompts = _BUNDLED,
    single: int | None = None,
    allow_code: bool = False,
    recorder: Recorder | None = None,
    **fields: Any,
) -> BatchPlan:
    """Return the plan of a new batch of the cases of `sources` and of `cases`, in this order.

    With `single`, only the case at this index is planned, counted from 0. Model calls go through the `recorder`. Files
    read on the way are noted, so that a later resume can detect changes. `fields` are those of `plan_cases`.

    Raise InputError with all problems of the rules, scenarios and rubrics, or else with those of their combination and
    of the players.
    """
    with noting() as read:
        load = partial(load_sources, sources, config, allow_code=allow_code, recorder=recorder)
        check_rubrics = partial(asked, (), rubrics, prompt=prompts.judge)
        loaded, checked = await _loaded(sources, config, rules, load, check_rubrics)
        every = tuple(with_unique_ids([*loaded.cases, *cases]))
        if not every:
            raise InputError("there are no scenarios", hint="name a scenario file, or pass a Case")
        chosen = replace(loaded, cases=every if single is None else (_case_at(single, every),))
        planned = plan_cases(chosen, config, beside=every, rules=checked, rubrics=rubrics, prompts=prompts, **fields)
    written = tuple(map(str, sources))
    return replace(planned, sources=written, others=besides(written, read))


def plan_cases(
    loaded: LoadedScenarios,
    config: AppConfig,
    *,
    beside: tuple[Case, ...] = (),
    rules: tuple[Rule, ...] = (),
    rubrics: Sequence[str | Path] = (),
    own_rubrics: tuple[Rubric, ...] = (),
    prompts: ChosenPrompts = _BUNDLED,
    budget: Budget = _NO_LIMIT,
    most: int = MAX_CONVERSATIONS,
    problems: Iterable[Problem] = (),
    **fields: Any,
) -> BatchPlan:
    """Return the plan of a batch of loaded cases, which come from files, uploads or a request.

    `rubrics` are names or files, and `own_rubrics` are read already. The batch has at most `most` conversations.
    `fields` are other fields of the plan.

    Raise InputError with the `problems` of what was loaded and all others.
    """
    wrong = list(problems)
    if len(loaded.cases) * fields.get("repeats", 1) > most:
        wrong.append(Problem(message=f"a batch may have at most {most:,} conversations", hint="split the batch"))
    with collected(wrong):
        check_expectations(loaded.cases, beside=beside, rules=rules, informed=config.informed)
    questions = RubricSelection(loaded.cases)
    with collected(wrong):
        questions = asked(loaded.cases, rubrics, prompt=prompts.judge)
    if wrong:
        raise InputError(wrong)
    choice = player_names(
        config.with_players(chatbot=config.players.chatbot or loaded.chatbot),
        loaded.model,
        loaded.temperature,
        scripted=all(case.script for case in loaded.cases),
        rubrics=bool(questions) or bool(own_rubrics),
    )
    return BatchPlan(
        cases=questions.cases,
        choice=prompts.pinned(choice),
        prompts=prompts.versions,
        rules=rules,
        rubrics=(*questions.rubrics, *own_rubrics),
        case_rubrics=questions.case_rubrics,
        budget=budget.lowest(Budget(cost=loaded.max_cost)),
        left_out=loaded.left_out,
        **fields,
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


def prompt_files(user: Path | None, judge: Path | None) -> ChosenPrompts:
    """Return the prompts in files. Raise InputError with all problems of the one of the simulated user."""
    if user is None:
        return ChosenPrompts(judge=judge)
    try:
        version = simulated.prompts(text_of(user))
    except InputError as error:
        raise InputError([each.model_copy(update={"file": str(user)}) for each in error.problems]) from error
    return ChosenPrompts(() if version.hash == simulated.prompts().hash else (version,), judge)


def _case_at(index: int, cases: tuple[Case, ...]) -> Case:
    if not 0 <= index < len(cases):
        last = len(cases) - 1
        raise InputError(f"--single {index}: no such case", hint=f"there are {len(cases)}, from 0 to {last}")
    return cases[index]
