"""The plan of a run: its conversations, calls and cost, estimated without sending anything."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparring.app.config import AppConfig
from sparring.app.discrimination import OFF, CaseTrials, try_cases
from sparring.app.estimate import (
    NOTHING,
    WISH,
    Estimate,
    Range,
    chatbot_takes,
    judge_takes,
    price_of,
    reader_takes,
    user_takes,
)
from sparring.app.launch import BatchPlan
from sparring.app.models import AUTO, OFFLINE, PATTERNS
from sparring.app.notices import gate_notices
from sparring.app.preflight import check_expectations, check_refusals
from sparring.app.rubrics import RubricSelection, reads_no_rubrics
from sparring.app.user_warnings import used_sentences, user_warnings
from sparring.app.wiring import connect, is_model, player_names, plugin_context, user_model
from sparring.chatbots.chatbot import Chatbot
from sparring.core import plugins
from sparring.core.batch import PlayerNames, Players, judges_of
from sparring.core.case import Case
from sparring.core.checks import Rubric, Rule, require_possible
from sparring.core.errors import ChatbotError, InputError, Problem
from sparring.core.prompts import Prompts
from sparring.core.text import did_you_mean
from sparring.judges.judge import standard
from sparring.judges.model import instructions
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.model import Completion, Model, Request, UnpricedModel
from sparring.llm.pricing import Price
from sparring.llm.provider_addresses import PROVIDERS
from sparring.runner.players import NO_MODEL, read_by, reads_no_prompt
from sparring.scenarios.external_values import FunctionValues, ModelValues
from sparring.scenarios.loading import LoadedScenarios
from sparring.users.simulated_prompt import PROMPT, system_prompt

NOT_CHOSEN = "not chosen"

_OFFLINE_READS = "the offline model reads no prompt: of {!r}, only its greeting, tools and handovers count"


@dataclass(frozen=True, slots=True)
class PlannedRole:
    """A role that a language model plays, with the estimated calls, tokens and cost."""

    name: str
    model: str
    takes: Estimate
    cost: Range | None


@dataclass(frozen=True, slots=True)
class Planned:
    """The conversations of a run, its players, estimates, notes, and warnings about its cases."""

    cases: tuple[Case, ...]
    repeats: int
    who: Players
    roles: tuple[PlannedRole, ...]
    notes: tuple[str, ...]
    chatbot: Chatbot | None = None
    rubrics: Mapping[str, tuple[Rubric, ...]] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    user_prompt: str = PROMPT

    @property
    def shown(self) -> tuple[Case, ...]:
        """The cases to show: those that were named, or all."""
        return tuple(case for case in self.cases if not self.only or case.id in self.only)

    def rendered_prompts(self, case: Case) -> dict[str, str]:
        """Return the prompts for a case: of the user, of every agent of the chatbot, and of the judge."""
        prompts = {"user": system_prompt(case, self.user_prompt)}
        if self.chatbot is not None:
            try:
                prompts |= {f"chatbot/{agent}": text for agent, text in self.chatbot.rendered(case).items()}
            except ChatbotError as error:  # a webhook may say what the case does not
                prompts["chatbot"] = f"({error})"
        asked = self.rubrics.get(case.id, ())
        return prompts | {f"judge/{rubric.name}": instructions(rubric, "=== record ===") for rubric in asked}

    @property
    def conversations(self) -> int:
        """The number of conversations: cases times repeats."""
        return len(self.cases) * self.repeats

    @property
    def calls(self) -> Range:
        """The number of calls of all models."""
        return sum((role.takes.calls for role in self.roles), NOTHING)

    @property
    def cost(self) -> Range | None:
        """The cost of all models in US dollars; None if a model, its price or its usage is unknown."""
        costs = [role.cost for role in self.roles]
        unknown = None in costs or NOT_CHOSEN in (self.who.chatbot, self.who.user)
        return None if unknown else sum((cost for cost in costs if cost is not None), NOTHING)

    def cost_of(self, conversations: int) -> Range | None:
        """Return the cost of another number of conversations of these cases; None if unknown."""
        if self.cost is None or not self.conversations:
            return None
        share = conversations / self.conversations
        return Range(self.cost.low * share, self.cost.high * share)


async def planned(
    loaded: LoadedScenarios,
    wished: Sequence[ModelValues | FunctionValues],
    questions: RubricSelection,
    config: AppConfig,
    *,
    repeats: int = 1,
    only: Sequence[str] = (),
    rules: Sequence[Rule] = (),
    prompts: Iterable[Prompts] = (),
) -> Planned:
    """Return the plan of scenarios under a configuration.

    `wished` are the values that scenarios only ask for, `questions` the rubrics for the judge, `rules` those that the
    run checks, and `prompts` the prompts that replace those of the chatbot and of the user.

    Raises:
        InputError: the files contain something that a run would refuse.
    """
    check_expectations(loaded.cases, informed=config.informed)
    if config.gate is not None:
        require_possible(config.gate, repeats)
    choice = _choice(config, loaded, rubrics=bool(questions))
    wanted = _Wanted()
    await _check_models(choice, config)
    own = {each.role: each for each in prompts}
    if "user" in own and plugins.is_known("sparring.users", choice.user):
        raise reads_no_prompt(choice.user)
    chatbot = _chatbot(choice, config, wanted, own.get("chatbot"))
    user_prompt = own["user"].agents["user"].prompt if "user" in own else PROMPT
    if chatbot is not None:
        check_refusals(loaded.cases, chatbot, informed=config.informed)
    wishes = sum(isinstance(each, ModelValues) for each in wished)
    judging = _asked(choice, questions)
    judged = _judges(choice, questions.cases, judging, repeats, config.llm.prices)
    user = user_takes(loaded.cases, user_prompt) * repeats + WISH * wishes
    roles = (*_roles(choice, loaded.cases, chatbot, wanted, repeats, user, config.llm.prices), *judged)
    notes = tuple(_notes(loaded, choice, roles, wishes, len(wished) - wishes, config.environment))
    _check_shown(only, loaded.cases)
    who = _who(choice, chatbot, wanted)
    trials = await _trials(loaded.cases, choice.judge, rules, config)
    played_by_model = any(role.name == "user" for role in roles)
    used = "" if played_by_model else used_sentences(loaded.cases)
    unread = _OFFLINE_READS.format(own["chatbot"].name) if "chatbot" in own and choice.chatbot_model == OFFLINE else ""
    notes = (*notes, *filter(None, [used, unread]), *trials.notes)
    gate = [Problem(message=each.message) for each in gate_notices(config.gate, len(loaded.cases), repeats)]
    warnings = (*loaded.left_out, *user_warnings(loaded.cases, model=played_by_model), *trials.warnings, *gate)
    return Planned(loaded.cases, repeats, who, roles, notes, chatbot, judging, tuple(only), warnings, user_prompt)


async def planned_batch(plan: BatchPlan, config: AppConfig) -> Planned:
    """Return what a batch would do and cost."""
    cost, chatbot = plan.budget.cost, plan.choice.chatbot
    loaded = LoadedScenarios(plan.cases, max_cost=cost, left_out=plan.left_out, chatbot=chatbot)
    questions = RubricSelection(plan.cases, plan.rubrics, plan.case_rubrics)
    return await planned(loaded, (), questions, config, repeats=plan.repeats, rules=plan.rules, prompts=plan.prompts)


async def _trials(cases: tuple[Case, ...], judge: str, rules: Sequence[Rule], config: AppConfig) -> CaseTrials:
    """Try null bots on the cases, unless a webhook may still change them."""
    if not config.null_bots:
        return OFF
    return CaseTrials() if config.informed else await try_cases(cases, judge, rules)


def _check_shown(only: Sequence[str], cases: tuple[Case, ...]) -> None:
    """Raise InputError for every case to show that does not exist."""
    ids = [case.id for case in cases]
    lacking = [each for each in only if each not in ids]
    problems = [Problem(message=f"there is no case {each[:200]!r}", hint=did_you_mean(each, ids)) for each in lacking]
    if problems:
        raise InputError(problems)


def _who(choice: PlayerNames, chatbot: Chatbot | None, wanted: "_Wanted") -> Players:
    model = choice.chatbot_model or NOT_CHOSEN if "chatbot" in wanted.noted else ""
    model = NO_MODEL if wanted.stand_ins else model
    return Players(
        chatbot=choice.chatbot,
        chatbot_model=model,
        user=choice.user if choice.user == NOT_CHOSEN else _user(choice.user),
        reader=PATTERNS if choice.reader in (AUTO, OFFLINE) else choice.reader,
        judge=choice.judge,
        prompts=read_by(chatbot, model) if chatbot else "",
    )


def _choice(config: AppConfig, loaded: LoadedScenarios, *, rubrics: bool) -> PlayerNames:
    """Return the players chosen so far."""
    scripted = all(case.script for case in loaded.cases)
    chosen = config.players
    user_chosen = chosen.user or chosen.model or loaded.model or scripted
    chatbot = chosen.chatbot or loaded.chatbot or NOT_CHOSEN
    known = config.with_players(chatbot=chatbot, user=chosen.user if user_chosen else NOT_CHOSEN)
    return player_names(known, loaded.model, scripted=scripted, rubrics=rubrics)


async def _check_models(choice: PlayerNames, config: AppConfig) -> None:
    """Make every named model as if its key were set. Raise InputError if a model does not exist."""
    keys = {provider.key: "unset" for provider in PROVIDERS.values() if provider.key}
    config = replace(config, environment=keys | dict(config.environment))
    judges = filter(is_model, judges_of(choice.judge))
    for name in dict.fromkeys((choice.user, choice.chatbot_model, *judges)):
        if name not in ("", NOT_CHOSEN):
            async with user_model(config.with_players(user=name)):
                pass


def _chatbot(choice: PlayerNames, config: AppConfig, wanted: "_Wanted", prompts: Prompts | None) -> Chatbot | None:
    """Return the chatbot, made with a model that records that it is needed.

    Nothing is sent before the first message.
    """
    if choice.chatbot == NOT_CHOSEN:
        return None
    offline = choice.chatbot_model == OFFLINE
    return connect(
        choice.chatbot,
        plugin_context(
            config,
            LateTransport(config.environment),
            models={} if offline else wanted,
            offline=frozenset({"chatbot"} if offline else ()),
            stand_ins=wanted.stand_ins,
            prompts=prompts,
        ),
    )


def _roles(
    choice: PlayerNames,
    cases: tuple[Case, ...],
    chatbot: Chatbot | None,
    wanted: "_Wanted",
    repeats: int,
    user: Estimate,
    prices: Mapping[str, Price],
) -> Iterator[PlannedRole]:
    if choice.user != NOT_CHOSEN and not plugins.is_known("sparring.users", choice.user):
        yield PlannedRole("user", choice.user, user, user.cost(price_of(choice.user, prices)))
    if "chatbot" in wanted.noted:
        takes = chatbot_takes(cases, chatbot) * repeats
        model = choice.chatbot_model or NOT_CHOSEN
        yield PlannedRole("chatbot", model, takes, takes.cost(price_of(model, prices)))
    if choice.reader not in (AUTO, OFFLINE) and not plugins.is_known("sparring.readers", choice.reader):
        takes = reader_takes(cases, each_turn=choice.user.partition(":")[0] == "agenda") * repeats
        if takes.calls.high:
            yield PlannedRole("reader", choice.reader, takes, takes.cost(price_of(choice.reader, prices)))


def _asked(choice: PlayerNames, questions: RubricSelection) -> dict[str, tuple[Rubric, ...]]:
    """Return the rubrics for a model judge, by case id."""
    if not is_model(choice.judge):
        if questions.rubrics:
            raise reads_no_rubrics(choice.judge)
        return {}
    own = {rubric.hash: rubric for rubric in questions.case_rubrics}
    default = standard(questions.cases)
    return {
        case.id: (*questions.rubrics, *(own[hash] for hash in case.rubrics)) or (default,) for case in questions.cases
    }


def _judges(
    choice: PlayerNames,
    cases: tuple[Case, ...],
    judging: Mapping[str, tuple[Rubric, ...]],
    repeats: int,
    prices: Mapping[str, Price],
) -> Iterator[PlannedRole]:
    if judging:
        asked = [(case, rubric) for case in cases for rubric in judging[case.id]]
        takes = judge_takes(asked) * repeats
        for judge in judges_of(choice.judge):
            yield PlannedRole("judge", judge, takes, takes.cost(price_of(judge, prices)))


def _notes(
    loaded: LoadedScenarios,
    choice: PlayerNames,
    roles: tuple[PlannedRole, ...],
    wishes: int,
    calls: int,
    environment: Mapping[str, str],
) -> Iterator[str]:
    if choice.chatbot == NOT_CHOSEN:
        yield "no chatbot is chosen: --chatbot"
    if choice.user == NOT_CHOSEN:
        yield "no simulated user is configured: --user, or --model offline"
    if wishes:
        yield f"a model is to make up the values of {wishes} any(...); until it does, each counts as one value"
    if calls:
        yield f"Python functions list the values of {calls} variables (--allow-code); here each counts as one value"
    scripted = sum(bool(case.script) for case in loaded.cases)
    if scripted and roles:
        yield f"{scripted} of the cases have a script, which plays the user"
    if loaded.max_cost is not None:
        yield f"the batch stops at a cost of ${loaded.max_cost:g}"
    for model in dict.fromkeys(role.model for role in roles):
        provider = PROVIDERS.get(model.partition(":")[0])
        if provider and provider.key_needed and not environment.get(provider.key):
            yield f"{model} needs a key, and {provider.key} is not set"


def _user(name: str) -> str:
    return f"{name} (no model)" if plugins.is_known("sparring.users", name) else f"simulated ({name})"


class _Wanted(Mapping[str, Model]):
    """A model factory for every role that records which roles need one."""

    def __init__(self) -> None:
        self.noted: set[str] = set()
        self.stand_ins: set[str] = set()

    def __getitem__(self, role: str) -> Model:
        self.noted.add(role)
        return _Planned()

    def __iter__(self) -> Iterator[str]:
        return iter(("chatbot",))

    def __len__(self) -> int:
        return 1


class _Planned(UnpricedModel):
    """A placeholder for a model that is not called."""

    async def complete(self, request: Request) -> Completion:
        raise AssertionError("a plan calls no model")
