"""Experiments as Inspect tasks: conversations solve samples, and expectations score them.

The evaluated model powers the chatbot. The user is scripted, a model role, or its agenda.
"""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, get_model, model_roles
from inspect_ai.model import Model as InspectModel
from inspect_ai.scorer import Score, Scorer, Target, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sparring.app.config import AppConfig
from sparring.app.discrimination import Discriminator
from sparring.app.models import OFFLINE, model_called
from sparring.app.preflight import check_refusals
from sparring.app.wiring import connect, webhook_of
from sparring.chatbots.chatbot import Chatbot
from sparring.core.case import Case
from sparring.core.checks import Crash
from sparring.core.clock import SystemClock
from sparring.core.conversation import Conversation, Ending
from sparring.core.errors import InputError, UserError
from sparring.core.outcome import Decision, Outcome, decide
from sparring.core.seeding import repeat_seed
from sparring.core.value import Json
from sparring.core.verdict import CHECKLIST, CheckOutcome, Verdict
from sparring.extraction.pattern_extractor import PatternReader
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.integrations.inspect_ai.messages import chat_messages
from sparring.integrations.inspect_ai.model import InspectBackedModel, inspect_role, is_sparring_model, watch_limits
from sparring.integrations.inspect_ai.process import ProcessRule
from sparring.integrations.inspect_ai.scores import METRICS, measure
from sparring.integrations.inspect_ai.start import load_cases
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import MeteredModel, Model, words
from sparring.llm.plugin_context import PluginContext
from sparring.runner.players import ResolvedPlayers
from sparring.runner.webhook import PreparedCase, Webhook
from sparring.settings import load_config
from sparring.simulation.simulate import simulate
from sparring.users.agenda import Agenda
from sparring.users.simulated import Simulated


@dataclass(frozen=True)
class InspectContext(PluginContext):
    """A plug-in context whose models are called through Inspect. `made` caches Sparring's own models."""

    made: dict[tuple[str, str], Model] = field(default_factory=dict)

    def model(self, role: str, *, offline: Callable[[], Model] | None = None) -> Model:
        """Return the model of `role`.

        Raise `InputError` now rather than at the first call if it cannot be used.
        """

        def own(model: InspectModel) -> Model | None:
            if not is_sparring_model(model):
                return None
            if (role, model.name) not in self.made:
                self.made[role, model.name] = self._own(role, model.name, offline)
            return self.made[role, model.name]

        own(get_model(role=inspect_role(role)))
        return MeteredModel(InspectBackedModel(role, own), role)

    def _own(self, role: str, name: str, offline: Callable[[], Model] | None) -> Model:
        if name != OFFLINE:
            return model_called(name, self)
        if offline is None:
            raise InputError(f"the {role} does not work offline", hint="choose a model for it")
        return offline()


class SamplePlayers:
    """The players of all samples.

    The chatbot is created once; connections stay open while any sample runs.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._chatbot: Chatbot | None = None
        self._transport = HttpTransport()
        self._playing = 0

    @asynccontextmanager
    async def players(self) -> AsyncIterator[ResolvedPlayers]:
        """Provide the players of a sample."""
        if not self._playing:
            await self._transport.__aenter__()
        self._playing += 1
        try:
            config = load_config({}, directory=Path.cwd())
            async with webhook_of(config) as webhook:
                yield self._players(config, webhook)
        finally:
            self._playing -= 1
            if not self._playing:
                await self._transport.__aexit__(None, None, None)

    def _players(self, config: AppConfig, webhook: Webhook | None) -> ResolvedPlayers:
        clock = SystemClock()
        context = InspectContext(
            config.llm, clock, self._transport, environment=config.environment, chosen=config.players.by_role()
        )
        self._chatbot = self._chatbot or connect(self._name, context)
        user = Simulated(context.model("user")) if "user" in model_roles() else Agenda()
        return ResolvedPlayers(
            chatbot=self._chatbot, user=user, reader=PatternReader(clock), clock=clock, webhook=webhook
        )


_CASE, _CASE_ID, _CONVERSATION, _PROCESS = "case", "case_id", "conversation", "process"
_VERDICT_FIELDS = {"check", "outcome", "reason", "score", "by"}


class ConversationFailed(Exception):
    """A void conversation: an error of the sample, without a score."""


def make_task(experiment: Experiment, config: AppConfig) -> Task:
    """Return the task of an experiment. All samples run even if some fail; a task with errors has failed."""
    return Task(
        dataset=MemoryDataset([_sample(case, experiment) for case in load_cases(experiment, config)]),
        solver=conversation(experiment.chatbot),
        scorer=expectations(null_bots=config.null_bots, crash=config.crash),
        continue_on_fail=True,
        metadata={
            "chatbot": experiment.chatbot,
            "files": [str(file) for file in experiment.files],
            "seed": config.seed,
            "process": [str(rule) for rule in experiment.process],
        },
    )


@solver
def conversation(chatbot: str) -> Solver:
    """Simulate the conversation of a sample's case with the chatbot called `chatbot`."""
    stage = SamplePlayers(chatbot)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        case = _with_seed(Case.model_validate(state.metadata[_CASE]), state.epoch)
        with watch_limits() as stopped:
            async with stage.players() as players:
                chatbot = players.chatbot
                check_refusals([case], chatbot, informed=players.webhook is not None)
                prepared = await _prepare(case, players)
                talking = simulate(
                    prepared.case,
                    players.user_for(prepared.case),
                    chatbot,
                    reader=players.reader,
                    clock=players.clock,
                    repeat=state.epoch,
                )
                played = prepared.noted(await talking)
        _store_result(state, played)
        if stopped.limit is not None:
            raise stopped.limit
        if played.ending is None or played.ending.void:
            raise ConversationFailed(": ".join(part for part in (played.ending or "did not end", played.error) if part))
        return state

    return solve


@scorer(metrics=[*(each() for each in METRICS), stderr(cluster=_CASE_ID)])
def expectations(null_bots: bool = True, crash: Crash = "failed") -> Scorer:
    """Score passed conversations 1.0 and failed ones 0.0; undecided samples are unscored."""
    checks = Discriminator(CHECKLIST, ())

    async def score(state: TaskState, target: Target) -> Score:
        case = _with_seed(Case.model_validate(state.metadata[_CASE]), state.epoch)
        played = Conversation.model_validate(
            {"case": case.model_dump(), **state.store.get(_CONVERSATION), "repeat": state.epoch}
        )
        verdicts = await checks.verdicts(played)
        if null_bots:
            verdicts.append((await checks(case, played.state)).verdict(played.id))
        decision = decide(played, verdicts, crash=crash)
        metadata: dict[str, Json] = {
            **await measure(played, [ProcessRule.model_validate(rule) for rule in state.metadata[_PROCESS]]),
            "outcome": decision.outcome,
            "blame": decision.blame,
            "verdicts": [verdict.model_dump(mode="json", include=_VERDICT_FIELDS) for verdict in verdicts],
        }
        return _score(decision, verdicts, state.output.completion, metadata)

    return score


def _sample(case: Case, experiment: Experiment) -> Sample:
    wanted = "; ".join(goal.text for goal in case.goals) or "\n".join(case.lines)
    hold = [expectation.rule.then for expectation in case.expectations]
    metadata = {
        _CASE: case.model_dump(mode="json"),
        _CASE_ID: case.id,
        _PROCESS: [rule.model_dump(mode="json") for rule in experiment.process],
    }
    return Sample(id=case.id, input=wanted, target=hold, metadata=metadata)


def _with_seed(case: Case, epoch: int) -> Case:
    return case.model_copy(update={"seed": repeat_seed(case.seed, epoch)})


async def _prepare(case: Case, players: ResolvedPlayers) -> PreparedCase:
    """Return the case with the webhook's values. Raise `ConversationFailed` if a required webhook fails."""
    try:
        return await players.prepared(case)
    except UserError as error:
        raise ConversationFailed(f"{Ending.INFRASTRUCTURE_FAILED}: {error}") from None


def _store_result(state: TaskState, played: Conversation) -> None:
    """Store the conversation in Inspect's state."""
    model = str(state.model)
    state.messages = chat_messages(played.messages, f"{state.uuid}", model)
    last = next((said for said in reversed(played.messages) if said.role == "chatbot"), None)
    if last is not None:
        state.output = ModelOutput.from_message(ChatMessageAssistant(content=words(last), model=model))
    # Values of a webhook are in no file, so the case is stored if one was called.
    known = {"repeat"} if played.provenance else {"case", "repeat"}
    state.store.set(_CONVERSATION, played.model_dump(mode="json", exclude=known))
    state.completed = True


def _score(decision: Decision, verdicts: Sequence[Verdict], answer: str, metadata: dict[str, Json]) -> Score:
    """Return the score of a sample, with all reasons, or the checks that held."""
    reasons = "\n".join(map(str, decision.reasons))
    if decision.outcome is Outcome.FAILED:
        return Score(value=0.0, answer=answer, explanation=reasons, metadata=metadata)
    if decision.outcome is Outcome.PASSED:
        held = ", ".join(verdict.check for verdict in verdicts if verdict.outcome is CheckOutcome.PASS)
        return Score(value=1.0, answer=answer, explanation=f"all met: {held}", metadata=metadata)
    return Score.unscored(reason="scoring_failed", answer=answer, explanation=reasons, metadata=metadata)
