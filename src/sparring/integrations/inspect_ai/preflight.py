"""Checks of an experiment before its first message: scenarios, chatbot and model."""

from collections.abc import Iterable
from dataclasses import replace

from sparring.app.config import AppConfig
from sparring.app.models import OFFLINE, model_called
from sparring.app.preflight import check_expectations, check_refusals
from sparring.app.wiring import connect, plugin_context
from sparring.core.case import Case
from sparring.core.errors import ModelUnavailable
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.integrations.inspect_ai.start import inspect_model
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import Completion, Model, Request, UnpricedModel
from sparring.scenarios import loading


def load_cases(experiment: Experiment, config: AppConfig) -> tuple[Case, ...]:
    """Return the cases of an experiment. Raise `InputError` with all their problems."""
    cases = loading.load(experiment.files, seed=config.seed, limits=config.case_limits).cases
    check_expectations(cases, informed=config.informed)
    return cases


def check_chatbot(name: str, cases: Iterable[Case], *, model: str, config: AppConfig) -> None:
    """Raise `InputError` if the chatbot is unknown, cannot use the model, or refuses any of the cases.

    Sends nothing. Inspect's own models and their keys are not checked.
    """
    context = plugin_context(config, HttpTransport(config.environment))
    own = model.removeprefix("sparring/")
    if own == OFFLINE:
        context = replace(context, offline=frozenset({"chatbot"}))
    else:
        # Inspect's models are written PROVIDER/NAME. All others are looked up in Sparring, which lists the known ones.
        inspects = own == inspect_model(model) and "/" in own
        played_by: Model = _InspectOnlyModel() if inspects else model_called(own, context)
        context = replace(context, models={"chatbot": played_by})
    check_refusals(cases, connect(name, context), informed=config.informed)


class _InspectOnlyModel(UnpricedModel):
    """A placeholder for a model that only Inspect can call."""

    async def complete(self, request: Request) -> Completion:
        raise ModelUnavailable("only Inspect can call this model")
