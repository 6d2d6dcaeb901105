"""Turns a launch request into a batch plan, limited to what the operator allows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any

import orjson
from anyio import to_thread
from pydantic import Field, ValidationError

from sparring.app.config import AppConfig
from sparring.app.launch import BatchPlan
from sparring.app.prompt_library import chosen_prompts
from sparring.app.sources import ChosenPrompts, plan_cases
from sparring.app.uploads import UploadedFile, plan_uploads, request_hash
from sparring.core import plugins
from sparring.core.batch import NO_JUDGE, THE_REQUEST, Decides, PlayerNames, judges_of
from sparring.core.checks import Rule
from sparring.core.clock import Clock
from sparring.core.errors import InputError, Problem, collected
from sparring.core.prompts import PlayerRole
from sparring.core.text import suggest
from sparring.core.usage import Budget
from sparring.core.value import Value
from sparring.judges.rubric_files import built_in
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.rules.rule_file import parse_rule, require_valid, rule_of
from sparring.scenarios.expansion import LoadOptions
from sparring.scenarios.kinds import CALLS, scenario_kind
from sparring.scenarios.loading import LoadedScenarios, with_unique_ids
from sparring.store.store import StoreReader
from sparring.web.api.large_request import LARGE, in_process, planned
from sparring.web.schemas import shortened

BODY = "scenarios"
"""Name of the body in problems, and prefix of its case ids."""

FILES = "files"
"""Key of a launch request with files instead of scenarios."""


def plain_judges() -> tuple[str, ...]:
    """Return the judges that are not models, and `none`. Any allowed model can judge, too."""
    return (*plugins.names("sparring.judges"), NO_JUDGE)


_LARGEST = 2**63 - 1
Label = Annotated[str, Field(max_length=200)]
RuleText = Annotated[str, Field(max_length=100_000)]


class Options(Value):
    """Options of a launch request. The operator lists the allowed chatbots, models and judges."""

    prompt_version: Label = Field("v1.0", description="label to store and show; no effect")
    chatbot: Label | None = Field(None, description="chatbot to test; default: the first allowed one")
    model: Label | None = Field(None, description="model for all roles that need one; default: the first allowed one")
    judge: Label | None = Field(None, description="judge, or a panel joined by ` + `; default: the operator's choice")
    decides: Decides | None = Field(None, description="judgement of several that decides; default: the operator's")
    seed: int | None = Field(None, ge=0, le=2**53, description="random seed; the same seed repeats a batch")
    repeat: int = Field(1, ge=1, le=1000, description="runs of each scenario")
    name: Label = Field("", description="name of the batch")
    tags: tuple[Label, ...] = Field((), max_length=50, description="labels of the batch")
    rule: tuple[RuleText, ...] = Field((), max_length=200, description="expressions that must hold, as in turns() < 12")
    rules: tuple[RuleText, ...] = Field((), max_length=200, description="texts of rule files")
    rubric: tuple[Label, ...] = Field(
        (), max_length=50, description="rubrics for the judge: bundled ones, or names of files"
    )
    max_cost: float | None = Field(None, gt=0, le=1e9, description="stop at this cost in US dollars")
    max_tokens: int | None = Field(None, gt=0, le=2**53, description="stop at this number of tokens")
    max_seconds: float | None = Field(None, gt=0, le=1e9, description="stop after this time")
    max_conversations: int | None = Field(None, gt=0, le=2**53, description="stop after this many conversations")
    null_bots: bool | None = Field(None, description="try null bots on the cases; default: the operator's choice")
    callback_url: Annotated[str, Field(max_length=2000)] | None = Field(
        None, description="address that is told the end of the batch; the operator lists those allowed"
    )
    prompts: Label | None = Field(None, description="prompt version for the chatbot: a saved name or a hash")
    user_prompts: Label | None = Field(None, description="prompt version for the simulated user: the same")
    judge_prompts: Label | None = Field(None, description="prompt version for a judge that is a model: the same")
    prompt_spec_name: Label | None = Field(None, description="the same; ignored if no prompts have this name")
    use_tools: bool | None = Field(None, description="accepted and ignored")
    use_autogen: bool | None = Field(None, description="accepted and ignored")


class SentFile(Value):
    """A file as text: a scenario of any kind, a rule, or what they refer to."""

    name: Label
    text: str


class SentFiles(Value):
    """Files of a launch request, which it has instead of scenarios."""

    files: tuple[SentFile, ...] = Field(max_length=200, json_schema_extra={"minItems": 1})


@dataclass(frozen=True)
class AllowedChoices:
    """Chatbots and models that clients may choose. The first of each is the default."""

    chatbots: tuple[str, ...]
    models: tuple[str, ...]
    chosen: tuple[str, ...] = ()
    """Models that the operator assigned to single roles; clients cannot choose them."""
    callbacks: tuple[str, ...] = ()

    def may_call(self, url: str) -> bool:
        """Return True if an address is on the list of callbacks, or below one that is."""
        return any(url == each or url.startswith(f"{each.rstrip('/')}/") for each in self.callbacks)

    def permit(self, choice: PlayerNames) -> None:
        """Raise `InputError` if a stored batch has a chatbot or model that this server may not use."""
        if choice.chatbot not in self.chatbots:
            hint = f"sparring serve --chatbot {choice.chatbot}"
            raise InputError(f"chatbot {choice.chatbot!r} is not allowed on this server", hint=hint)
        user = "" if plugins.is_known("sparring.users", choice.user) else choice.user
        judges = set(judges_of(choice.judge)) - {*plain_judges()}
        if gone := sorted({choice.chatbot_model, user, *judges} - {"", *self.models, *self.chosen}):
            raise InputError(
                f"model {gone[0]!r} is not allowed on this server", hint=f"sparring serve --model {gone[0]}"
            )


async def parse_launch(
    body: bytes, allowed: AllowedChoices, config: AppConfig, most: int, clock: Clock, store: StoreReader
) -> tuple[BatchPlan, AppConfig]:
    """Return the requested batch plan, of at most `most` conversations, and the chosen configuration.

    Raise `InputError` with all problems of the body.
    """
    run = in_process if len(body) > LARGE else to_thread.run_sync
    options, problems = await run(_read_options, body, allowed)
    name = options.prompts or ""
    if not name and options.prompt_spec_name and await store.saved_prompts(options.prompt_spec_name):
        name = options.prompt_spec_name
    prompts = ChosenPrompts()
    with collected(problems):
        named: dict[PlayerRole, str] = {
            "chatbot": name,
            "user": options.user_prompts or "",
            "judge": options.judge_prompts or "",
        }
        prompts = await chosen_prompts(named, store)
    chosen = _chosen_config(options, allowed, config)
    fields = {
        "prompts": prompts,
        "most": most,
        "rubrics": options.rubric,
        "budget": Budget(**{name: getattr(options, f"max_{name}") for name in Budget.model_fields}),
        "callback_url": options.callback_url or "",
        "name": options.name,
        "repeats": options.repeat,
        "tags": options.tags,
        "prompt_version": options.prompt_version,
    }
    return await planned(partial(_plan, body, options, chosen, problems, clock, fields), len(body)), chosen


def _plan(
    body: bytes,
    options: Options,
    chosen: AppConfig,
    problems: list[Problem],
    clock: Clock,
    fields: dict[str, Any],
) -> BatchPlan:
    """Return the plan of a request. Raise `InputError` with its problems and those that are known already."""
    document, rules = _document(body), tuple[Rule, ...]()
    with collected(problems):
        rules = rules_of(options.rules, options.rule)
    if isinstance(document.data, dict) and FILES in document.data:
        return plan_uploads(_files(document, problems), chosen, rules=rules, problems=problems, **fields)
    loaded = LoadedScenarios(cases=())
    terms = LoadOptions(chosen.seed, clock.now().date(), chosen.case_limits, extra_keys=tuple(Options.model_fields))
    with collected(problems):
        cases = tuple(with_unique_ids(scenario_kind(CALLS).expanded(document, terms).cases))
        loaded = LoadedScenarios(cases)
    sent = {THE_REQUEST: request_hash(_scenarios(document.data))}
    return plan_cases(loaded, chosen, rules=rules, problems=problems, request=sent, **fields)


def _files(document: JsonDocument, problems: list[Problem]) -> tuple[UploadedFile, ...]:
    """Return the files of a request, and add its problems: wrong files and unknown keys."""
    assert isinstance(document.data, dict)
    allowed = (FILES, *Options.model_fields)
    for name in document.data.keys() - {*allowed}:
        hint = f"send scenarios or {FILES}" if name == BODY else suggest(name, allowed)
        problems.append(document.problem((name,), "unknown key", hint, key=True))
    try:
        sent = SentFiles.model_validate_json(orjson.dumps({FILES: document.data[FILES]}), strict=True)
    except ValidationError as error:
        wrong = error.errors(include_input=False, include_url=False)
        problems += [document.problem(each["loc"], shortened(each["msg"])) for each in wrong]
        return ()
    return tuple(UploadedFile(each.name, each.text) for each in sent.files)


def rules_of(texts: Sequence[str], expressions: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules in texts of rule files and in expressions. Raise `InputError` with all problems."""
    parsed = [parse_rule(text, f"rules[{number}]") for number, text in enumerate(texts)]
    return require_valid([*parsed, *map(rule_of, expressions)])


def _scenarios(data: Data) -> Data:
    """Return the scenarios of a body without its options."""
    if isinstance(data, dict):
        return {name: each for name, each in data.items() if name not in Options.model_fields}
    return data


def _document(body: bytes) -> JsonDocument:
    try:
        document = JsonDocument(body.decode("utf-8-sig"), BODY)
    except UnicodeDecodeError as error:
        raise InputError("the body is not UTF-8 text") from error
    if _has_too_large_integer(document.data):
        raise InputError("the body contains an integer of more than 64 bits")
    return document


def _read_options(body: bytes, allowed: AllowedChoices) -> tuple[Options, list[Problem]]:
    return _options(_document(body), allowed)


def _options(document: JsonDocument, allowed: AllowedChoices) -> tuple[Options, list[Problem]]:
    """Return the options and their problems; defaults if there are any."""
    data = document.data if isinstance(document.data, dict) else {}
    written = {name: value for name, value in data.items() if name in Options.model_fields and value is not None}
    try:
        options = Options.model_validate_json(orjson.dumps(written), strict=True)
    except ValidationError as error:
        errors = error.errors(include_input=False, include_url=False)
        return Options(), [document.problem((str(each["loc"][0]),), shortened(each["msg"])) for each in errors]
    return options, [
        *_check_allowed(document, "chatbot", options.chatbot, allowed.chatbots),
        *_check_allowed(document, "model", options.model, allowed.models),
        *(
            problem
            for each in judges_of(options.judge or "")
            for problem in _check_allowed(document, "judge", each or None, (*plain_judges(), *allowed.models))
        ),
        *_check_callback(document, options.callback_url, allowed),
        *(each for name in options.rubric for each in _check_allowed(document, "rubric", name, _rubrics(data))),
    ]


def _rubrics(data: Mapping[str, Data]) -> tuple[str, ...]:
    """Return the rubrics that a request may name: the bundled ones and its files."""
    files = data.get(FILES)
    sent = [each.get("name") for each in files if isinstance(each, dict)] if isinstance(files, list) else []
    return (*built_in(), *(name for name in sent if isinstance(name, str)))


def require_allowed(name: str, chosen: str, listed: Sequence[str]) -> None:
    """Raise `InputError` if a choice is not on the list."""
    if chosen not in listed:
        message = f"{chosen[:100]!r} is not allowed on this server"
        raise InputError(Problem(path=name, message=message, hint=suggest(chosen, listed)))


def _check_callback(document: JsonDocument, url: str | None, allowed: AllowedChoices) -> list[Problem]:
    if not url or allowed.may_call(url):
        return []
    return [document.problem(("callback_url",), "is not allowed on this server", "list it in `serve: callbacks:`")]


def _check_allowed(document: JsonDocument, name: str, chosen: str | None, listed: Sequence[str]) -> list[Problem]:
    if chosen is None or chosen in listed:
        return []
    return [document.problem((name,), f"{chosen[:100]!r} is not allowed on this server", suggest(chosen, listed))]


def _chosen_config(options: Options, allowed: AllowedChoices, config: AppConfig) -> AppConfig:
    chosen = config.with_players(
        chatbot=options.chatbot or allowed.chatbots[0],
        model=options.model or allowed.models[0],
        judge=options.judge or config.players.judge,
    )
    return replace(
        chosen,
        seed=config.seed if options.seed is None else options.seed,
        null_bots=config.null_bots if options.null_bots is None else options.null_bots,
        decides=options.decides or config.decides,
    )


def _has_too_large_integer(data: Data) -> bool:
    if isinstance(data, int):
        return abs(data) > _LARGEST
    inner = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return any(map(_has_too_large_integer, inner))
