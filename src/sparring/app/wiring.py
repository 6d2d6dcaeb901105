"""Names to kinds: who plays whom, as chosen on the command line, in the environment, in sparring.yaml or a profile.

Models of other people's plug-ins, kept from doing more than fail a call.
"""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sparring.app.config import AppConfig
from sparring.chatbots.chatbot import Chatbot, from_plugin
from sparring.chatbots.isolation import run_isolated
from sparring.core import plugins
from sparring.core.batch import NO_JUDGE, PlayerNames, Players
from sparring.core.clock import Clock, SystemClock
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import Prompts
from sparring.core.text import did_you_mean
from sparring.extraction.extractor import BaseReader, Reader
from sparring.extraction.model_extractor import ModelReader
from sparring.judges.checklist import CHECKLIST
from sparring.judges.judge import BaseJudge, Judge
from sparring.judges.model import ModelJudge
from sparring.llm.cache import Cache, cache_in
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.client.rate_limiter import Limits
from sparring.llm.client.transport import Transport
from sparring.llm.metered_model import MeteredModel
from sparring.llm.model import Completion, Model, Request, UnpricedModel
from sparring.llm.plugin_context import PluginContext
from sparring.llm.pricing import Price
from sparring.llm.provider_addresses import placed
from sparring.llm.replay import Recorder
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import ResolvedPlayers
from sparring.runner.prompts import NO_MODEL, check_told, read_by
from sparring.runner.webhook import LARGEST, Webhook
from sparring.users.simulated import Simulated
from sparring.users.user import BaseUser, User


@dataclass(frozen=True)
class IsolatedModel:
    """A model, each call in a task of its own: one that swallows its cancellation is left behind, and ends no batch."""

    model: Model

    @property
    def price(self) -> Price:
        return self.model.price

    async def complete(self, request: Request) -> Completion:
        return await run_isolated(self.model.complete(request))


T = TypeVar("T")
Factory = Callable[[str, PluginContext], T]
"""What an entry point of a plug-in loads: the argument behind the colon and the context in, the kind out."""

OFFLINE = "offline"
PATTERNS = "patterns"
SCRIPTED = "scripted"
_CHOOSE = "--model offline needs no key and no network; --model openai:gpt-4o-mini uses OPENAI_API_KEY"


def player_names(
    config: AppConfig,
    profile_model: str = "",
    temperature: float | None = None,
    *,
    scripted: bool = False,
    rubrics: bool = False,
) -> PlayerNames:
    """The choice that the settings make; `profile_model` is what the scenarios say where nothing else does,
    `temperature` what they say of whichever model plays the user, and `rubrics` whether there are any for a judge.
    Where all is `scripted`, nobody else need be chosen.
    """
    default = config.players.model or _openai(profile_model)
    problems = []
    if not config.players.chatbot:
        known = ", ".join(plugins.names("sparring.chatbots"))
        problems.append(Problem(message="no chatbot is chosen", hint=f"--chatbot pizzeria, or one of: {known}"))
    user = config.players.user or (SCRIPTED if scripted else default)
    if not user:
        problems.append(Problem(message="nobody is chosen to play the user", hint=_CHOOSE))
    if problems:
        raise InputError(problems)
    user = "agenda" if user == OFFLINE else user
    judge = chosen_judge(config, default, rubrics=rubrics)
    chosen = config.players
    return PlayerNames(chosen.chatbot, chosen.chatbot_model or default, user, chosen.reader, temperature, judge)


def chosen_judge(config: AppConfig, default: str = "", *, rubrics: bool = False) -> str:
    """Who judges: the checklist where nobody is named; but where there are `rubrics` to read, the model that plays
    every role that is not named."""
    named = config.players.judge or (default if rubrics else "")
    return CHECKLIST if named in ("", OFFLINE) else named


def _openai(profile_model: str) -> str:
    """Published profiles name OpenAI's models without saying so."""
    return profile_model if ":" in profile_model or not profile_model else f"openai:{profile_model}"


@asynccontextmanager
async def players(
    choice: PlayerNames,
    config: AppConfig,
    *,
    clock: Clock | None = None,
    limits: Limits | None = None,
    tape: Recorder | None = None,
    told: Prompts | None = None,
) -> AsyncIterator[tuple[ResolvedPlayers, Players]]:
    """The players of a choice, and in words who they are; their connections are open inside the block.

    Batches that are played at the same time share `limits`; a batch alone has those of the settings. All calls of
    models go over the `tape`, if there is one, and a judge's through the cache of the settings, if they name one.
    A chatbot that is made of prompts is `told` these instead of its own, if there are any.
    """
    async with LateTransport() as transport, AsyncExitStack() as stack:
        kept_in = config.llm.cache if _is_model(choice.judge) else None
        cache = stack.enter_context(cache_in(kept_in, config.secrets))
        roles = {"chatbot": choice.chatbot_model, "user": choice.user, "reader": choice.reader, "judge": choice.judge}
        models = _Models(roles, tape, cache)
        context = plugin_context(
            config,
            transport,
            clock=clock or SystemClock(),
            models=models,
            limits=limits or Limits(config.llm.limits),
            offline=frozenset({"chatbot"} if choice.chatbot_model == OFFLINE else ()),
            told=told,
        )
        models.context = context
        chatbot = connect(choice.chatbot, context)
        if told is not None:
            check_told(told, chatbot, choice.chatbot, pinned=bool(choice.prompts))
        user, user_is = _user(choice.user, context, choice.temperature)
        reader, reader_is = _reader(choice.reader, context)
        judge = make_judge(choice.judge, context)
        webhook = await stack.enter_async_context(webhook_of(config))
        played_by = _played_by("chatbot", models, context)
        if config.budget.cost is not None and (unpriced := sorted(set(models.unpriced()))):
            raise InputError(
                f"--max-cost cannot be kept: nobody knows the price of {', '.join(unpriced)}",
                hint="write it under `prices` into sparring.yaml; --max-tokens and --max-conversations need no price",
            )
        yield (
            ResolvedPlayers(
                chatbot=chatbot,
                user=user,
                reader=reader,
                clock=context.clock,
                judge=judge,
                webhook=webhook,
                turn_seconds=config.turn_seconds,
                tape=tape,
            ),
            Players(
                chatbot=choice.chatbot,
                chatbot_model=played_by,
                user=user_is,
                reader=reader_is,
                judge=choice.judge,
                prompts=read_by(chatbot, played_by),
            ),
        )


@asynccontextmanager
async def webhook_of(config: AppConfig) -> AsyncIterator[Webhook | None]:
    """The webhook of the settings, if there is one, with connections of its own."""
    if not config.webhook.url:
        yield None
        return
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    async with HttpTransport(max_bytes=LARGEST, ca=config.webhook.ca) as transport:
        yield Webhook(config.webhook, config.environment, transport)


@asynccontextmanager
async def user_model(config: AppConfig, *, tape: Recorder | None = None) -> AsyncIterator[Model | None]:
    """The model that is chosen to play the user, or None if none is."""
    name = config.players.user or config.players.model
    scripted = name.partition(":")[0] in plugins.names("sparring.users") or _given_user(name, config.objects)
    if name in ("", OFFLINE) or scripted:
        yield None
        return
    async with LateTransport() as transport:
        yield _taped(name, "user", plugin_context(config, transport), tape)


@asynccontextmanager
async def rule_model(config: AppConfig) -> AsyncIterator[Model | None]:
    """The model that answers the functions of rules that need one, counted, and through the cache if there is one."""
    async with user_model(config) as model:
        with cache_in(config.llm.cache, config.secrets) as cache:
            name = config.players.user or config.players.model
            cached = cache.model(placed(name, config.environment), model) if cache and model else model
            yield MeteredModel(cached, "rules") if cached else None


def plugin_context(
    config: AppConfig,
    transport: Transport,
    *,
    clock: Clock | None = None,
    limits: Limits | None = None,
    **more: Any,
) -> PluginContext:
    """Return the context in which plug-ins are made; `more` are other fields of it."""
    return PluginContext(
        llm=config.llm,
        clock=clock or SystemClock(),
        transport=transport,
        environment=config.environment,
        limits=limits or Limits(config.llm.limits),
        chosen=config.players.by_role(),
        objects=config.objects,
        **more,
    )


def _played_by(role: str, models: "_Models", context: PluginContext) -> str:
    """The model that plays a role, as far as anybody knows."""
    return NO_MODEL if role in context.stand_ins else models.made.get(role, "")


def connect(name: str, context: PluginContext) -> Chatbot:
    """The chatbot called `name`: a plug-in's name, and behind a colon what it needs to know."""
    if name in context.objects:
        return from_plugin(context.objects[name])
    kind, _, argument = name.partition(":")
    if kind in ("http", "https") and argument.startswith("//"):
        raise InputError(f"{name!r} does not say what it speaks", hint=f"rasa:{name}, or http:FILE.yaml with a preset")
    make: Factory[object] = plugins.find("sparring.chatbots", kind)
    return from_plugin(make(argument, context))


def _user(name: str, context: PluginContext, temperature: float | None) -> tuple[User, str]:
    if (given := _given_user(name, context.objects)) is not None:
        return given, name
    kind, _, argument = name.partition(":")
    if kind in plugins.names("sparring.users"):
        make: Factory[object] = plugins.find("sparring.users", kind)
        user = plugins.with_defaults(make(argument, context), BaseUser())
        return cast("User", user), f"{name} (no model)"
    return Simulated(context.model("user"), temperature=temperature), f"simulated ({name})"


def _given_user(name: str, objects: Mapping[str, Any]) -> User | None:
    """Return the user that a program passed as an object; a model that it passed is not a user."""
    given = objects.get(name)
    return cast("User", plugins.with_defaults(given, BaseUser())) if hasattr(given, "speak") else None


def _reader(name: str, context: PluginContext) -> tuple[Reader, str]:
    name = PATTERNS if name == OFFLINE else name
    kind, _, argument = name.partition(":")
    if kind in plugins.names("sparring.readers"):
        make: Factory[object] = plugins.find("sparring.readers", kind)
        return plugins.with_defaults(make(argument, context), BaseReader()), name
    return ModelReader(context.model("reader"), context.clock), name


def make_judge(name: str, context: PluginContext) -> NamedJudge | None:
    """The judge called `name`: a plug-in's, and behind a colon what it needs to know, or a model; None for nobody."""
    if name in ("", NO_JUDGE):
        return None
    if hasattr(given := context.objects.get(name), "judge"):  # rather than a model
        return NamedJudge(cast("Judge", plugins.with_defaults(given, BaseJudge())), name)
    if not _is_model(name):
        kind, _, argument = name.partition(":")
        make: Factory[object] = plugins.find("sparring.judges", kind)
        judge = plugins.with_defaults(make(argument, context), BaseJudge())
        return NamedJudge(cast("Judge", judge), name)
    return NamedJudge(ModelJudge(context.model("judge")), name)


def _is_model(judge: str) -> bool:
    """Whether a judge is a model, and neither nobody nor a plug-in."""
    return judge not in ("", NO_JUDGE) and judge.partition(":")[0] not in plugins.names("sparring.judges")


@asynccontextmanager
async def judge_alone(
    name: str, config: AppConfig, *, tape: Recorder | None = None, anew: bool = False
) -> AsyncIterator[NamedJudge | None]:
    """A judge of what was recorded; its connections are open inside the block. With `anew` it is asked what is in the
    cache, too."""
    async with LateTransport() as transport, AsyncExitStack() as stack:
        cache = stack.enter_context(cache_in(config.llm.cache, config.secrets, anew=anew))
        models = _Models({"judge": name}, tape, cache)
        models.context = context = plugin_context(config.with_players(judge=name), transport, models=models)
        yield make_judge(name, context)


def model_called(name: str, context: PluginContext) -> Model:
    """The model called `name`: whose it is, a colon, and which of theirs."""
    if name in context.objects:
        return IsolatedModel(cast("Model", plugins.with_defaults(context.objects[name], UnpricedModel())))
    kind, _, argument = name.partition(":")
    if kind in ("http", "https"):
        kind, argument = "url", name
    if not argument:
        roles = [*plugins.names("sparring.users"), *plugins.names("sparring.judges")]
        known = [OFFLINE, *roles, *(f"{each}:" for each in plugins.names("sparring.models"))]
        hint = did_you_mean(name, known) or f"did you mean {'openai:' + name.rstrip(':')!r}?"
        raise InputError(f"{name!r} does not say whose model it is", hint=hint)
    make: Factory[Model] = plugins.find("sparring.models", kind)
    model = make(argument, context)
    if plugins.module_of("sparring.models", kind).startswith("sparring."):
        return model
    return IsolatedModel(cast("Model", plugins.with_defaults(model, UnpricedModel())))


def _taped(name: str, role: str, context: PluginContext, tape: Recorder | None, cache: Cache | None = None) -> Model:
    def make() -> Model:
        model = model_called(name, context)
        return cache.model(placed(name, context.environment), model) if cache else model

    return tape.model(name, role, make) if tape else make()


class _Models(Mapping[str, Model]):
    """The models by role, each made when somebody first wants it: a role that needs none needs no key.

    `made` says which they were, for the head of every report.
    """

    context: PluginContext

    def __init__(self, names: Mapping[str, str], tape: Recorder | None, cache: Cache | None = None) -> None:
        self._tape, self._cache = tape, cache
        self._names = {role: name for role, name in names.items() if name not in ("", OFFLINE, PATTERNS)}
        self._models: dict[str, MeteredModel] = {}
        self.made: dict[str, str] = {}

    def __getitem__(self, role: str) -> Model:
        if role not in self._models:
            name, cache = self._names[role], self._cache if role == "judge" else None
            self._models[role] = MeteredModel(_taped(name, role, self.context, self._tape, cache), role)
            self.made[role] = name
        return self._models[role]

    def unpriced(self) -> Iterator[str]:
        """The names of those made whose calls may cost what nobody knows."""
        for role, model in self._models.items():
            if model.price(1, 1, 0) is None:
                yield self._names[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
