"""Everything about an experiment that can be found wrong before anything is played."""

from collections.abc import Iterable
from dataclasses import replace

from sparring.app.config import AppConfig
from sparring.app.preflight import check_expectations, check_refusals
from sparring.app.wiring import OFFLINE, connect, model_called, plugin_context
from sparring.core.case import Case
from sparring.core.errors import ModelUnavailable
from sparring.integrations.inspect_ai.experiment import Experiment
from sparring.integrations.inspect_ai.start import inspect_model
from sparring.llm.client.http_transport import HttpTransport
from sparring.llm.model import Completion, Model, Request
from sparring.scenarios import loading


def cases_of(experiment: Experiment, config: AppConfig) -> tuple[Case, ...]:
    """Its cases; an InputError with everything that is wrong with them."""
    cases = loading.load(experiment.files, seed=config.seed, limits=config.case_limits).cases
    check_expectations(cases, informed=config.informed)
    return cases


def check_chatbot(name: str, cases: Iterable[Case], *, model: str, config: AppConfig) -> None:
    """An InputError if there is no such chatbot, if this model cannot play it, or if it refuses any of the cases.

    Nothing is sent, and what only Inspect knows, such as the keys of its own models, is left to it.
    """
    context = plugin_context(config, HttpTransport())
    own = model.removeprefix("sparring/")
    if own == OFFLINE:
        context = replace(context, offline=frozenset({"chatbot"}))
    else:
        # Inspect's own are written PROVIDER/NAME. What is neither is looked up among ours, which says what there is.
        inspects = own == inspect_model(model) and "/" in own
        played_by: Model = _Inspects() if inspects else model_called(own, context)
        context = replace(context, models={"chatbot": played_by})
    check_refusals(cases, connect(name, context), informed=config.informed)


class _Inspects:
    """A model that only Inspect can ask."""

    async def complete(self, request: Request) -> Completion:
        raise ModelUnavailable("only Inspect can ask this model")
