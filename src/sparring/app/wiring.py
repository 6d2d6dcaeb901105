"""Makes players from their names: chatbots, users, readers and judges."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, cast

from sparring.app.config import AppConfig
from sparring.app.models import AUTO, OFFLINE, PATTERNS, Factory, RoleModels, recorded_model
from sparring.chatbots.chatbot import Chatbot, from_plugin
from sparring.core import plugins
from sparring.core.batch import NO_JUDGE, PlayerNames, Players, judges_of
from sparring.core.clock import Clock, SystemClock
from sparring.core.errors import InputError, Problem
from sparring.core.prompts import PlayerRole, Prompts
from sparring.core.verdict import CHECKLIST
from sparring.extraction.extractor import BaseReader, Reader
from sparring.judges.judge import BaseJudge, Judge
from sparring.llm.cache import cache_in
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.client.rate_limiter import RateLimits
from sparring.llm.client.transport import Transport
from sparring.llm.model import MeteredModel, Model
from sparring.llm.plugin_context import PluginContext
from sparring.llm.provider_addresses import placed
from sparring.llm.replay import Recorder
from sparring.runner.judge_worker import NamedJudge
from sparring.runner.players import NO_MODEL, ResolvedPlayers, check_prompts, read_by, reads_no_prompt
from sparring.runner.webhook import LARGEST, Webhook
from sparring.traces.book import TraceBook
from sparring.users.simulated import Simulated
from sparring.users.user import BaseUser, User

SCRIPTED = "scripted"
_CHOOSE = "set --user or --model: --model offline needs no key and no network"


def player_names(
    config: AppConfig,
    profile_model: str = "",
    temperature: float | None = None,
    *,
    scripted: bool = False,
    rubrics: bool = False,
) -> PlayerNames:
    """Return the players that the configuration chooses.

    `profile_model` and `temperature` come from the scenarios, for what the configuration leaves open. `scripted` means
    that every case has a script, and `rubrics` that a judge has some to read.
    """
    default = config.players.model or _openai(profile_model)
    problems = []
    if not config.players.chatbot:
        known = ", ".join(plugins.names("sparring.chatbots"))
        problems.append(Problem(message="no chatbot is chosen", hint=f"--chatbot pizzeria, or one of: {known}"))
    user = config.players.user or (SCRIPTED if scripted else default)
    if not user:
        problems.append(Problem(message="no simulated user is configured", hint=_CHOOSE))
    if problems:
        raise InputError(problems)
    user = "agenda" if user == OFFLINE else user
    judge = chosen_judge(config, default, rubrics=rubrics)
    chosen, chatbot_model = config.players, config.players.chatbot_model or default
    reader = _chosen_reader(config, user, judge, chatbot_model)
    return PlayerNames(chosen.chatbot, chatbot_model, user, reader, temperature, judge)


def _chosen_reader(config: AppConfig, user: str, judge: str, chatbot_model: str) -> str:
    """Return the name of the reader; `auto` is the model of user, judge or chatbot, else patterns."""
    chosen = config.players
    if chosen.reader != AUTO:
        return chosen.reader
    prompted, first = chosen.chatbot.partition(":")[0] == "prompted", judges_of(judge)[0]
    models = (
        user if _is_user_model(user, config.objects) else "",
        first if is_model(first) and not hasattr(config.objects.get(first), "judge") else "",
        chatbot_model if prompted else "",
    )
    return next((name for name in models if name not in ("", OFFLINE)), PATTERNS)


def chosen_judge(config: AppConfig, default: str = "", *, rubrics: bool = False) -> str:
    """Return the name of the judge: by default the chosen model, or else the checklist.

    The model of a profile judges only if there are `rubrics`.
    """
    named = config.players.judge or config.players.model or (default if rubrics else "")
    return CHECKLIST if named in ("", OFFLINE) else named


def _openai(profile_model: str) -> str:
    """Return the model with its provider: published profiles omit it for OpenAI."""
    return profile_model if ":" in profile_model or not profile_model else f"openai:{profile_model}"


@asynccontextmanager
async def players(
    choice: PlayerNames,
    config: AppConfig,
    *,
    clock: Clock | None = None,
    limits: RateLimits | None = None,
    recorder: Recorder | None = None,
    prompts: Mapping[PlayerRole, Prompts] | None = None,
    lenient: bool = False,
) -> AsyncIterator[tuple[ResolvedPlayers, Players]]:
    """Make the players, and yield them with their descriptions; connections are open inside the block.

    Concurrent batches share `limits`; by default they are those of the configuration. Model calls go through the
    `recorder`, those of a judge through the configured cache. `prompts` replace theirs, faulty ones if `lenient`.
    """
    prompts = prompts or {}
    async with LateTransport(config.environment) as transport, AsyncExitStack() as stack:
        kept_in = config.llm.cache if is_model(choice.judge) else None
        cache = stack.enter_context(cache_in(kept_in, config.secrets))
        roles = {"chatbot": choice.chatbot_model, "user": choice.user, "reader": choice.reader}
        models = RoleModels(roles | _judge_roles(choice.judge), recorder, cache)
        offline = frozenset({"chatbot"} if choice.chatbot_model == OFFLINE else ())
        own = {"models": models, "offline": offline, "prompts": prompts.get("chatbot"), "lenient": lenient}
        models.context = context = plugin_context(config, transport, clock=clock, limits=limits, **own)
        chatbot = connect(choice.chatbot, context)
        if "chatbot" in prompts:
            check_prompts(prompts["chatbot"], chatbot, choice.chatbot, pinned=bool(choice.prompts) and not lenient)
        user, user_is = _user(choice.user, context, choice.temperature, prompts.get("user"))
        reader, reader_is = _reader(choice.reader, context)
        judge = make_judge(choice.judge, context)
        webhook = await stack.enter_async_context(webhook_of(config))
        traces = await stack.enter_async_context(_traces_of(config))
        played_by = _played_by("chatbot", models, context)
        models.require_prices(config.budget)
        yield (
            ResolvedPlayers(
                chatbot=chatbot,
                user=user,
                reader=reader,
                clock=context.clock,
                judge=judge,
                webhook=webhook,
                turn_seconds=config.turn_seconds,
                recorder=recorder,
                traces=traces,
                tool_errors=config.tool_errors,
            ),
            Players(
                chatbot=choice.chatbot,
                chatbot_model=played_by,
                user=user_is,
                reader=reader_is,
                judge=choice.judge,
                decides=config.decides,
                prompts=read_by(chatbot, played_by),
            ),
        )


@asynccontextmanager
async def _traces_of(config: AppConfig) -> AsyncIterator[TraceBook | None]:
    """Receive the spans of the chatbot if the configuration asks for them; yield None otherwise."""
    if not config.traces:
        yield None
        return
    from sparring.traces.receiver import received  # only where spans are wanted

    async with received(config.traces) as book:
        yield book


@asynccontextmanager
async def webhook_of(config: AppConfig) -> AsyncIterator[Webhook | None]:
    """Open the configured webhook with its own connections; yield None without one."""
    if not config.webhook.url:
        yield None
        return
    from sparring.llm.client.http_transport import HttpTransport  # heavy

    async with HttpTransport(config.environment, max_bytes=LARGEST, ca=config.webhook.ca) as transport:
        yield Webhook(config.webhook, config.environment, transport)


@asynccontextmanager
async def user_model(config: AppConfig, *, recorder: Recorder | None = None) -> AsyncIterator[Model | None]:
    """Open the model that plays the user; yield None if no model does."""
    name = config.players.user or config.players.model
    if name in ("", OFFLINE) or not _is_user_model(name, config.objects):
        yield None
        return
    async with LateTransport(config.environment) as transport:
        yield recorded_model(name, "user", plugin_context(config, transport), recorder)


@asynccontextmanager
async def rule_model(config: AppConfig) -> AsyncIterator[Model | None]:
    """Open the model for rule functions, metered and cached as configured; yield None without one."""
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
    limits: RateLimits | None = None,
    **more: Any,
) -> PluginContext:
    """Return the context in which plug-ins are made; `more` are other fields of it."""
    return PluginContext(
        llm=config.llm,
        clock=clock or SystemClock(),
        transport=transport,
        environment=config.environment,
        limits=limits or RateLimits(config.llm.limits),
        chosen=config.players.by_role(),
        objects=config.objects,
        **more,
    )


def _played_by(role: str, models: "RoleModels", context: PluginContext) -> str:
    return NO_MODEL if role in context.stand_ins else models.made.get(role, "")


def connect(name: str, context: PluginContext) -> Chatbot:
    """Return the chatbot called `name`: a plug-in and, after a colon, its argument."""
    if name in context.objects:
        return from_plugin(context.objects[name])
    kind, _, argument = name.partition(":")
    if kind in ("http", "https") and argument.startswith("//"):
        raise InputError(f"unknown protocol for chatbot {name!r}", hint=f"rasa:{name}, or `sparring init {name}`")
    return from_plugin(_made("sparring.chatbots", name, context))


def _made(group: str, name: str, context: PluginContext) -> object:
    make: Factory[object] = plugins.find(group, name)
    return make(name.partition(":")[2], context)


def _is_user_model(name: str, objects: Mapping[str, Any]) -> bool:
    return not plugins.is_known("sparring.users", name) and not _given_user(name, objects)


def _user(name: str, context: PluginContext, temperature: float | None, prompts: Prompts | None) -> tuple[User, str]:
    if _is_user_model(name, context.objects):
        prompt = {"prompt": prompts.agents[prompts.entry].prompt} if prompts else {}
        return Simulated(context.model("user"), temperature=temperature, **prompt), f"simulated ({name})"
    if prompts:
        raise reads_no_prompt(name)
    if (given := _given_user(name, context.objects)) is not None:
        return given, name
    user = plugins.with_defaults(_made("sparring.users", name, context), BaseUser())
    return cast("User", user), f"{name} (no model)"


def _given_user(name: str, objects: Mapping[str, Any]) -> User | None:
    """Return the user that a program passed as an object; a model is not a user."""
    given = objects.get(name)
    return cast("User", plugins.with_defaults(given, BaseUser())) if hasattr(given, "speak") else None


def _reader(name: str, context: PluginContext) -> tuple[Reader, str]:
    name = PATTERNS if name in (OFFLINE, AUTO) else name
    if plugins.is_known("sparring.readers", name):
        return plugins.with_defaults(_made("sparring.readers", name, context), BaseReader()), name
    from sparring.extraction.model_extractor import ModelReader  # most batches have no model

    return ModelReader(context.model("reader"), context.clock), name


def make_judge(name: str, context: PluginContext) -> NamedJudge | None:
    """Return the judge called `name`: a plug-in with its argument, a model, or a panel; None for `none`.

    Raises:
        InputError: a judge of a panel reads no rubrics.
    """
    if len(names := judges_of(name)) == 1:
        return _judge(name, context)
    members = [_judge(each, context, role) for role, each in _judge_roles(name).items()]
    readers = [each for each in members if each is not None and each.judge.reads_rubrics]
    for each, member in zip(names, members, strict=True):
        if member not in readers:
            raise only_models(each)
    return NamedJudge(readers[0].judge, name, tuple(readers))


def only_models(judge: str) -> InputError:
    """Return the error for a judge that always gives the same verdict and reads no rubrics."""
    return InputError(f"--judge {judge}: only judges that are models are asked several times or in a panel")


def _judge_roles(judge: str) -> dict[str, str]:
    """Return the judges of a panel, or one judge, by the roles of their models."""
    return {f"judge {n}" if n else "judge": name for n, name in enumerate(judges_of(judge))}


def _judge(name: str, context: PluginContext, role: str = "judge") -> NamedJudge | None:
    if name in ("", NO_JUDGE):
        return None
    if hasattr(given := context.objects.get(name), "judge"):  # rather than a model
        return NamedJudge(cast("Judge", plugins.with_defaults(given, BaseJudge())), name)
    if not is_model(name):
        judge = plugins.with_defaults(_made("sparring.judges", name, context), BaseJudge())
        return NamedJudge(cast("Judge", judge), name)
    from sparring.judges.model import ModelJudge  # as above

    return NamedJudge(ModelJudge(context.model(role)), name)


def is_model(judge: str) -> bool:
    """Return True if a judge is a model, and not built in or none."""
    return judge not in ("", NO_JUDGE) and not plugins.is_known("sparring.judges", judge)


@asynccontextmanager
async def judge_alone(name: str, config: AppConfig, *, rejudge: bool = False) -> AsyncIterator[NamedJudge | None]:
    """Open a judge for recorded conversations. With `rejudge`, cached answers are not used."""
    async with LateTransport(config.environment) as transport, AsyncExitStack() as stack:
        cache = stack.enter_context(cache_in(config.llm.cache, config.secrets, refresh=rejudge))
        models = RoleModels({"judge": name}, None, cache)
        models.context = context = plugin_context(config.with_players(judge=name), transport, models=models)
        yield make_judge(name, context)


@asynccontextmanager
async def reader_alone(name: str, config: AppConfig) -> AsyncIterator[Reader]:
    """Make a reader for recorded conversations; its connections are open inside the block."""
    async with LateTransport(config.environment) as transport:
        models = RoleModels({"reader": name}, None)
        models.context = context = plugin_context(config.with_players(reader=name), transport, models=models)
        yield _reader(name, context)[0]
