"""What is sent to launch a batch, made into a plan; whoever sends it chooses only from what the operator listed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from anyio import to_thread
from pydantic import Field, ValidationError

from sparring.app.launch import Plan
from sparring.app.wiring import choose
from sparring.core import plugins
from sparring.core.batch import Choice
from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.errors import InputError, Problem
from sparring.core.text import meant
from sparring.core.value import Json, Value
from sparring.parsing import Data
from sparring.parsing.json_reader import JsonDocument
from sparring.runner.prompts import named
from sparring.scenarios import scenarios_json
from sparring.scenarios.expansion import Terms
from sparring.scenarios.loading import unique
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
class Offer:
    """What the operator lets others choose from; the first of each where nobody chooses."""

    chatbots: tuple[str, ...]
    models: tuple[str, ...]
    chosen: tuple[str, ...] = ()
    """Models that the operator chose for one role, and which nobody else can choose."""

    def permit(self, choice: Choice) -> None:
        """An InputError for a choice from before, in which something is that is not listed any more."""
        if choice.chatbot not in self.chatbots:
            raise InputError(f"chatbot {choice.chatbot!r} is not offered any more")
        user = "" if choice.user.partition(":")[0] in plugins.names("sparring.users") else choice.user
        judge = "" if choice.judge in JUDGES else choice.judge
        if gone := sorted({choice.chatbot_model, user, judge} - {"", *self.models, *self.chosen}):
            raise InputError(f"model {gone[0]!r} is not offered any more")


async def plan_of(body: bytes, offer: Offer, settings: Settings, clock: Clock, store: Reader) -> tuple[Plan, Settings]:
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


def _plan_of(body: bytes, offer: Offer, settings: Settings, clock: Clock) -> tuple[Plan, Settings, Options]:
    document = _document(body)
    options, problems = _options(document, offer)
    chosen = _settings(options, offer, settings)
    cases: tuple[Case, ...] = ()
    try:
        terms = Terms(chosen.seed, clock.now().date(), settings.case_limits)
        cases = tuple(unique(scenarios_json.cases(document, terms, also=tuple(Options.model_fields)).cases))
    except InputError as error:
        problems += error.problems
    most = settings.serve.scenarios
    if len(cases) * options.repeat > most:
        problems.append(Problem(message=f"a batch may have {most:,} conversations, and this has more", hint="split it"))
    if problems:
        raise InputError(problems)
    plan = Plan(
        cases=cases,
        choice=choose(chosen),
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


def _options(document: JsonDocument, offer: Offer) -> tuple[Options, list[Problem]]:
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
    return [document.problem((name,), f"{chosen[:100]!r} is not offered here", meant(chosen, listed))]


def _settings(options: Options, offer: Offer, settings: Settings) -> Settings:
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
