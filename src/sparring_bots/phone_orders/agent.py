"""The sales agent: a prompted chatbot for each language, with options for faults, prompts and tools."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from sparring.chatbots.chatbot import BREAKABLE, BaseChatbot, Capabilities
from sparring.chatbots.prompted import chatbot as prompted
from sparring.chatbots.prompted.chatbot import Prompted
from sparring.chatbots.prompted.session import PromptedSession
from sparring.core.case import Case
from sparring.core.clock import Clock
from sparring.core.errors import InputError, Problem
from sparring.core.seeding import session_id
from sparring.core.text import suggest
from sparring.core.value import Json
from sparring.llm.model import Model
from sparring.llm.plugin_context import PluginContext
from sparring_bots.phone_orders.call import call, unreadable, upper
from sparring_bots.phone_orders.catalogue import shipped_catalogue
from sparring_bots.phone_orders.faults import FAULTS, Fault
from sparring_bots.phone_orders.language import ENGLISH, RUSSIAN, BilingualSession
from sparring_bots.phone_orders.remote_tools import remote_tools
from sparring_bots.phone_orders.tools import Tools

FOLDER = Path(__file__).parent
LANGUAGES = ("ru", "en")
SPECS = ("stages",)
"""Names of the bundled specs."""

_BETWEEN = re.compile(r",(?=[a-z-]+=)")


@dataclass(frozen=True, slots=True)
class Options:
    """The tools, a substitute for the agent's model, and the folder of prompts for each language."""

    tools: type = Tools
    played_by: Callable[[Model], Model] = lambda model: model
    prompts: Mapping[str, Path] = field(default_factory=lambda: {each: FOLDER / each for each in LANGUAGES})


def options(argument: str, context: PluginContext) -> Options:
    """Parse `fault=NAME`, `tools-url=URL` and `spec=DIR`, separated by commas.

    Raises an `InputError` for anything else.
    """
    given = dict(_option(part) for part in _BETWEEN.split(argument) if part)
    fault = _fault(given["fault"]) if "fault" in given else Fault("nothing")
    prompts = _prompts(given.get("spec", ""))
    if "tools-url" not in given:
        return Options(fault.tools, fault.played_by, prompts)
    if fault.tools is not Tools:
        raise InputError(
            f"the fault {given['fault']!r} changes the local tools, but the tools are at {given['tools-url']!r}"
        )
    return Options(remote_tools(given["tools-url"], context.transport), fault.played_by, prompts)


def _prompts(spec: str) -> dict[str, Path]:
    """Return the folder of each language.

    The name is that of a bundled spec, of a folder with one folder for each language, or of one folder for all.
    """
    ours = FOLDER / spec
    folder = ours if spec in ("", *SPECS) else Path(spec)
    if not folder.is_dir():
        raise InputError(
            f"phone_orders has no spec {spec!r}, and no such folder exists", hint=f"there are: {', '.join(SPECS)}"
        )
    apart = all((folder / language).is_dir() for language in LANGUAGES)
    return {language: folder / language if apart else folder for language in LANGUAGES}


def _option(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    if name not in ("fault", "tools-url", "spec"):
        raise InputError(f"phone_orders takes fault=NAME, tools-url=URL and spec=DIR, not {part!r}")
    return name, value


def _fault(name: str) -> Fault:
    if name not in FAULTS:
        hint = suggest(name, FAULTS)
        raise InputError(f"phone_orders has no fault {name!r}", hint=hint)
    return FAULTS[name]


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
