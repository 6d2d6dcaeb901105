"""What is sent to launch a batch, made into a plan; whoever sends it chooses only from what the operator listed.

Files that came over the network, made into a plan: they may name each other, and nothing else of this machine.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Annotated

from anyio import to_thread
from pydantic import Field, ValidationError

from sparring import parsing
from sparring.app.launch import BatchPlan
from sparring.app.preflight import check_expectations
from sparring.app.rubrics import RubricSelection, asked
from sparring.app.wiring import player_names
from sparring.core import plugins
from sparring.core.batch import PlayerNames
from sparring.core.case import Case
from sparring.core.checks import Rule
from sparring.core.clock import Clock
from sparring.core.errors import InputError, Problem
from sparring.core.text import suggest
from sparring.core.value import Json, Value
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.rules.rule_file import SIGNS, parse_rule, valid
from sparring.runner.prompts import named
from sparring.scenarios import loading, scenarios_json
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.loading import LoadedScenarios, unique
from sparring.settings import Settings
from sparring.store.store import Reader

BODY = "scenarios"
"""What the body is called in complaints, and how the ids of its cases begin."""

JUDGES = ("checklist", "order", "none")
"""Those that call no model; a model that the operator listed can judge too."""

_LARGEST = 2**63 - 1
Label = Annotated[str, Field(max_length=200)]


class Options(Value):
    """What may stand beside `scenarios`. Chatbots, models and judges are names that the operator listed."""

    prompt_version: Label = Field("v1.0", description="a label that is kept and shown, and changes nothing")
    chatbot: Label | None = Field(None, description="the chatbot to test; the operator's first if not given")
    model: Label | None = Field(None, description="who plays every role that needs a model; the operator's first")
    judge: Label | None = Field(None, description="who judges; the operator's choice if not given")
    seed: int | None = Field(None, ge=0, le=2**53, description="equal seeds give equal batches")
    repeat: int = Field(1, ge=1, le=1000, description="how often every scenario is played")
    name: Label = Field("", description="a name to find the batch by")
    tags: tuple[Label, ...] = Field((), max_length=50, description="labels of the batch")
    prompts: Label | None = Field(None, description="what the chatbot is told: a saved name, or a hash; else its own")
    prompt_spec_name: Label | None = Field(None, description="the same, if it was saved; else without a meaning here")
    use_tools: bool | None = Field(None, description="taken, and without a meaning here")


@dataclass(frozen=True)
class AllowedChoices:
    """What the operator lets others choose from; the first of each where nobody chooses."""

    chatbots: tuple[str, ...]
    models: tuple[str, ...]
    chosen: tuple[str, ...] = ()
    """Models that the operator chose for one role, and which nobody else can choose."""

    def permit(self, choice: PlayerNames) -> None:
        """An InputError for a choice from before, in which something is that is not listed any more."""
        if choice.chatbot not in self.chatbots:
            raise InputError(f"chatbot {choice.chatbot!r} is not offered any more")
        user = "" if choice.user.partition(":")[0] in plugins.names("sparring.users") else choice.user
        judge = "" if choice.judge in JUDGES else choice.judge
        if gone := sorted({choice.chatbot_model, user, judge} - {"", *self.models, *self.chosen}):
            raise InputError(f"model {gone[0]!r} is not offered any more")


async def plan_of(
    body: bytes, offer: AllowedChoices, settings: Settings, clock: Clock, store: Reader
) -> tuple[BatchPlan, Settings]:
    """The batch that a body asks for, and the settings with what it chose; an InputError with everything that is wrong
    with any part of it.
    """
    plan, chosen, options = await to_thread.run_sync(partial(_plan_of, body, offer, settings, clock))
    name = options.prompts or ""
    if not name and options.prompt_spec_name and await store.saved_prompts(options.prompt_spec_name):
        name = options.prompt_spec_name
    if name:
        plan = replace(plan, choice=replace(plan.choice, prompts=(await named(name, store)).hash))
    return plan, chosen


def _plan_of(
    body: bytes, offer: AllowedChoices, settings: Settings, clock: Clock
) -> tuple[BatchPlan, Settings, Options]:
    document = _document(body)
    options, problems = _options(document, offer)
    chosen = _settings(options, offer, settings)
    cases: tuple[Case, ...] = ()
    try:
        terms = LoadOptions(chosen.seed, clock.now().date(), settings.case_limits)
        cases = tuple(unique(scenarios_json.cases(document, terms, also=tuple(Options.model_fields)).cases))
    except InputError as error:
        problems += error.problems
    most = settings.serve.scenarios
    if len(cases) * options.repeat > most:
        problems.append(Problem(message=f"a batch may have {most:,} conversations, and this has more", hint="split it"))
    if problems:
        raise InputError(problems)
    plan = BatchPlan(
        cases=cases,
        choice=player_names(chosen),
        name=options.name,
        repeats=options.repeat,
        tags=options.tags,
        prompt_version=options.prompt_version,
    )
    return plan, chosen, options


def _document(body: bytes) -> JsonDocument:
    try:
        document = JsonDocument(body.decode("utf-8-sig"), BODY)
    except UnicodeDecodeError as error:
        raise InputError("the body is not UTF-8 text") from error
    if _too_large(document.data):
        raise InputError("the body has a whole number of more than 64 bits")
    return document


def _options(document: JsonDocument, offer: AllowedChoices) -> tuple[Options, list[Problem]]:
    """The options, and what is wrong with them; where something is, the defaults stand in."""
    data = document.data if isinstance(document.data, dict) else {}
    written = {name: value for name, value in data.items() if name in Options.model_fields and value is not None}
    try:
        options = Options.model_validate(written, strict=False)
    except ValidationError as error:
        told = error.errors(include_input=False, include_url=False)
        return Options(), [document.problem((str(each["loc"][0]),), _said(each["msg"])) for each in told]
    return options, [
        *_listed(document, "chatbot", options.chatbot, offer.chatbots),
        *_listed(document, "model", options.model, offer.models),
        *_listed(document, "judge", options.judge, (*JUDGES, *offer.models)),
    ]


def _listed(document: JsonDocument, name: str, chosen: str | None, listed: Sequence[str]) -> list[Problem]:
    if chosen is None or chosen in listed:
        return []
    return [document.problem((name,), f"{chosen[:100]!r} is not offered here", suggest(chosen, listed))]


def _settings(options: Options, offer: AllowedChoices, settings: Settings) -> Settings:
    chosen: dict[str, Json] = {
        "chatbot": options.chatbot or offer.chatbots[0],
        "model": options.model or offer.models[0],
        "judge": options.judge or settings.judge,
        "seed": settings.seed if options.seed is None else options.seed,
    }
    return settings.model_copy(update=chosen)


def _said(message: str) -> str:
    return message.replace("Input should", "should")


def _too_large(data: Data) -> bool:
    if isinstance(data, int):
        return abs(data) > _LARGEST
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(map(_too_large, inner))


_DEPTH = Path("a/b/c/d")
"""A file may name others up to four folders above it: so deep, these are all ours."""

_ALONE = "rules alone are checked over what is stored: sparring check --rules RULES --conversations BATCH"
_NAME = re.compile(r"[^\w.() -]+")
_YAML = (".yml", ".yaml")
_ENDINGS = (*_YAML, ".json")
_BESIDE = (".md",)
_LINES = re.compile(rf"^({'|'.join(sorted(SIGNS))})\s*:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Upload:
    """A file by its name, and the text in it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class UploadedFiles:
    """What files came to."""

    sources: LoadedScenarios
    questions: RubricSelection
    plan: BatchPlan
    settings: Settings


def read(
    files: Sequence[Upload], settings: Settings, *, name: str, tags: tuple[str, ...], repeats: int, most: int
) -> UploadedFiles:
    """The plan that files come to; an InputError with everything that is wrong with any of them.

    No Python is run and no model makes anything up: who sends files may not spend what is not shown in the plan.
    """
    named, problems = _named(files)
    with TemporaryDirectory(prefix="sparring-") as folder, parsing.once():
        place = Path(folder) / _DEPTH
        place.mkdir(parents=True)
        written = _written(named, place)
        ruling = {path for path in written if _is_rule(path, named[path.name])}
        for path in ruling:  # nothing may take it for a personality
            path.unlink()
        wrong, rules = _rules({path.name: named[path.name] for path in written if path in ruling})
        problems += wrong
        try:
            paths = [path for path in written if path not in ruling]
            if not paths and not problems:
                raise InputError(Problem(message="there is no scenario among the files", hint=_ALONE if rules else ""))
            uploaded = _read(paths, rules, settings, name=name, tags=tags, repeats=repeats, most=most)
        except InputError as error:
            raise InputError([*problems, *(_without(problem, place) for problem in error.problems)]) from error
    if problems:
        raise InputError(problems)
    return uploaded


def _is_rule(path: Path, text: str) -> bool:
    """Whether this is a rule, by what stands at its top; by its lines, where it is no YAML."""
    if path.suffix.lower() not in _YAML:
        return False
    try:
        document = parsing.load(path)
    except InputError:
        return _LINES.search(text) is not None
    data = document.data
    return isinstance(data, dict) and not SIGNS.isdisjoint(data) and not loading.kind(document)


def _rules(files: Mapping[str, str]) -> tuple[tuple[Problem, ...], tuple[Rule, ...]]:
    """What is wrong with rules, or the rules."""
    try:
        return (), valid(parse_rule(text, name) for name, text in files.items())
    except InputError as error:
        return error.problems, ()


def _read(
    paths: Sequence[Path],
    rules: tuple[Rule, ...],
    settings: Settings,
    *,
    name: str,
    tags: tuple[str, ...],
    repeats: int,
    most: int,
) -> UploadedFiles:
    loaded = loading.load(paths, seed=settings.seed, limits=settings.case_limits)
    check_expectations(loaded.cases, rules=rules, informed=bool(settings.webhook.url))
    if len(loaded.cases) * repeats > most:
        raise InputError(
            Problem(message=f"a batch may have {most:,} conversations, and this has more", hint="split it")
        )
    questions = asked(loaded.cases)
    scripted = all(case.script for case in loaded.cases)
    choice = player_names(settings, "", loaded.temperature, scripted=scripted, rubrics=bool(questions))
    plan = BatchPlan(
        cases=questions.cases,
        choice=choice,
        name=name,
        repeats=repeats,
        tags=tags,
        rules=rules,
        rubrics=questions.rubrics,
        case_rubrics=questions.case_rubrics,
        max_cost=loaded.max_cost,
    )
    return UploadedFiles(loaded, questions, plan, settings)


def _named(files: Sequence[Upload]) -> tuple[dict[str, str], list[Problem]]:
    """The texts of files by names that can be written, and what is wrong with the names."""
    named: dict[str, str] = {}
    problems = []
    for each in files:
        name = _NAME.sub("_", PurePosixPath(each.name.replace("\\", "/")).name).strip(". ")[:120]
        suffix = Path(name).suffix.lower()
        if not Path(name).stem or suffix not in (*_ENDINGS, *_BESIDE):
            problems.append(
                Problem(
                    file=each.name[:120],
                    message="is no kind of file that is known here",
                    hint="there are: .yml, .yaml and .json; rubrics beside them may be .md, and no code is taken",
                )
            )
        elif name in named:
            problems.append(Problem(file=each.name[:120], message="there are two files of this name"))
        else:
            named[name] = each.text
    return named, problems


def _written(files: Mapping[str, str], place: Path) -> list[Path]:
    """The scenarios and rules among the files, written beside the files that they may name."""
    for name, text in files.items():
        (place / name).write_text(text, encoding="utf-8", errors="replace", newline="")
    return [place / name for name in files if Path(name).suffix.lower() in _ENDINGS]


def _without(problem: Problem, place: Path) -> Problem:
    """A complaint that calls files by the names they came with."""

    def short(text: str) -> str:
        return text.replace(f"{place.resolve()}/", "").replace(f"{place}/", "")

    return problem.model_copy(
        update={"file": short(problem.file), "message": short(problem.message), "hint": short(problem.hint)}
    )
