"""The sales agent: one prompted chatbot for each language."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property

from sparring.chatbots.chatbot import BREAKABLE, BaseChatbot, Capabilities
from sparring.chatbots.prompted import chatbot as prompted
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.errors import Problem
from sparring.core.seeding import session_id
from sparring.core.value import Json
from sparring.llm.plugin_context import PluginContext
from sparring_bots.phone_orders.call import call, unreadable, upper
from sparring_bots.phone_orders.catalogue import shipped_catalogue
from sparring_bots.phone_orders.language import ENGLISH, RUSSIAN, BilingualSession
from sparring_bots.phone_orders.options import FOLDER, SPECS, Options, options

_SEEDS = 2**31


def chatbot(argument: str, context: PluginContext) -> "PhoneOrders":
    """Create the plug-in `phone_orders`, with `fault=NAME`, `tools-url=URL` or `spec=DIR` behind a colon."""
    chosen = options(argument, context)
    agents = {RUSSIAN: _agent("ru", context, chosen), ENGLISH: _agent("en", context, chosen)}
    return PhoneOrders(agents, context.clock)


def _agent(folder: str, context: PluginContext, chosen: Options) -> Prompted:
    agent = prompted.from_folder(
        chosen.prompts[folder],
        context,
        tools=chosen.tools,
        temperature=0,
        grammar=FOLDER / folder / "grammar.yaml",
        name=f"phone_orders/{folder}",
    )
    return replace(agent, model=chosen.played_by(agent.model))


@dataclass(frozen=True)
class PhoneOrders(BaseChatbot):
    """The agent in each of its languages."""

    agents: Mapping[str, Prompted]
    clock: Clock

    @cached_property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        """Prompts in each language, and the other specs in the package."""
        prompts = tuple(prompts for agent in self.agents.values() for prompts in agent.capabilities.prompts)
        tools = {tool.name: tool for agent in self.agents.values() for tool in agent.capabilities.tools or ()}
        stateful = self.agents[ENGLISH].capabilities.reports_state
        return Capabilities(
            reports_tools=True,
            tools=tuple(tools.values()),
            reports_state=stateful,
            calls_tools=stateful,
            injects=BREAKABLE,
            prompts=prompts,
            specs=SPECS,
        )

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        """Return problems of unreadable variables, unknown tools, and variables that the prompts lack."""
        wrong = tuple(Problem(message=message) for message in unreadable(case.variables))
        return (*wrong, *self.agents[ENGLISH].injectable.check(case), *(self._missing(case) if complete else ()))

    def _missing(self, case: Case) -> tuple[Problem, ...]:
        given = upper(case.variables)
        if any(unreadable(given)):
            return ()
        language = self._language(case, given)
        return self.agents[language].missing_variables(self._variables(case, given, language))

    def rendered(self, case: Case) -> Mapping[str, str]:
        """Return the prompts of a case with their placeholders filled."""
        given = upper(case.variables)
        language = self._language(case, given)
        return self.agents[language].filled(session_id(case), self._variables(case, given, language))

    def _language(self, case: Case, given: Mapping[str, Json]) -> str:
        language = str(given.get("LANGUAGE") or case.persona.language)
        return RUSSIAN if language.casefold() in ("russian", "русский", "ru") else ENGLISH

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[BilingualSession]:
        """Open a call in the language of the case, or in that of the customer's first words."""
        given = upper(case.variables)
        fixed = bool(given.get("LANGUAGE") or case.history or case.injections)
        yield BilingualSession(self._language(case, given), lambda spoken: self._open(case, given, spoken), fixed=fixed)

    def _variables(self, case: Case, given: Mapping[str, Json], language: str) -> dict[str, Json]:
        """Return the values of the placeholders in the prompts."""
        today = self.clock.now().date()
        rendered = call(given, shipped_catalogue(), language=language, today=today).prompt()
        facts: dict[str, Json] = {"LANGUAGE": language, "TODAY": today.isoformat(), "GIVEN": dict(given)}
        variables: dict[str, Json] = {**case.variables, **given, **rendered, **facts}
        return variables | {name.lower(): value for name, value in rendered.items()}

    def _open(self, case: Case, given: Mapping[str, Json], language: str) -> PromptedSession:
        variables = self._variables(case, given, language)
        return self.agents[language].open(
            session_id(case), variables=variables, history=case.history, seed=case.seed % _SEEDS
        )
