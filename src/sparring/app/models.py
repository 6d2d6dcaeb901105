"""The models of a batch by role, each made from its name.

Models of other plug-ins are isolated, so that a broken one fails only its own calls.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar, cast

from sparring.chatbots.isolation import run_isolated
from sparring.core import plugins
from sparring.core.errors import InputError
from sparring.core.text import did_you_mean
from sparring.core.usage import Budget
from sparring.llm.cache import Cache
from sparring.llm.model import Completion, MeteredModel, Model, Request, UnpricedModel
from sparring.llm.plugin_context import PluginContext
from sparring.llm.pricing import Price
from sparring.llm.provider_addresses import placed
from sparring.llm.replay import Recorder

T = TypeVar("T")
Factory = Callable[[str, PluginContext], T]
"""The factory that an entry point loads: from the argument behind the colon and the context to the plug-in."""

OFFLINE = "offline"
PATTERNS = "patterns"
AUTO = "auto"


@dataclass(frozen=True)
class IsolatedModel:
    """A model whose calls run in their own tasks: one that ignores its cancellation is left behind."""

    model: Model

    @property
    def price(self) -> Price:
        return self.model.price

    async def complete(self, request: Request) -> Completion:
        return await run_isolated(self.model.complete(request))


def model_called(name: str, context: PluginContext) -> Model:
    """Return the model called `name`: a provider, a colon, and the provider's name for it."""
    if name in context.objects:
        return IsolatedModel(cast("Model", plugins.with_defaults(context.objects[name], UnpricedModel())))
    kind, _, argument = name.partition(":")
    if kind in ("http", "https"):
        kind, argument = "url", name
    if not argument:
        roles = [*plugins.names("sparring.users"), *plugins.names("sparring.judges")]
        known = [OFFLINE, *roles, *(f"{each}:" for each in plugins.names("sparring.models"))]
        hint = did_you_mean(name, known) or f"did you mean {'openai:' + name.rstrip(':')!r}?"
        raise InputError(f"{name!r} has no provider", hint=hint)
    make: Factory[Model] = plugins.find("sparring.models", kind)
    model = make(argument, context)
    if plugins.module_of("sparring.models", kind).startswith("sparring."):
        return model
    return IsolatedModel(cast("Model", plugins.with_defaults(model, UnpricedModel())))


def recorded_model(
    name: str, role: str, context: PluginContext, recorder: Recorder | None, cache: Cache | None = None
) -> Model:
    """Return the model called `name`, with its calls recorded and cached."""

    def make() -> Model:
        model = model_called(name, context)
        return cache.model(placed(name, context.environment), model) if cache else model

    return recorder.model(name, role, make) if recorder else make()


class RoleModels(Mapping[str, Model]):
    """The models by role, each made at its first use, so that an unused role needs no key.

    `made` has the names of those that were made, for the head of reports.
    """

    context: PluginContext

    def __init__(self, names: Mapping[str, str], recorder: Recorder | None, cache: Cache | None = None) -> None:
        self._recorder, self._cache = recorder, cache
        self._names = {role: name for role, name in names.items() if name not in ("", OFFLINE, PATTERNS, AUTO)}
        self._models: dict[str, MeteredModel] = {}
        self.made: dict[str, str] = {}

    def __getitem__(self, role: str) -> Model:
        if role not in self._models:
            name, kind = self._names[role], role.partition(" ")[0]
            cache = self._cache if kind == "judge" else None
            self._models[role] = MeteredModel(recorded_model(name, kind, self.context, self._recorder, cache), kind)
            self.made[role] = name
        return self._models[role]

    def require_prices(self, budget: Budget) -> None:
        """Raise InputError if a budget limits the cost and a model has no known price."""
        unpriced = {self._names[role] for role, model in self._models.items() if model.price(1, 1, 0) is None}
        if budget.cost is not None and unpriced:
            raise InputError(
                f"cannot enforce max_cost: no price for model {', '.join(sorted(unpriced))}",
                hint="add it to `prices` in sparring.yaml; --max-tokens and --max-conversations need no price",
            )

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
