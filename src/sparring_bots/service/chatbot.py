"""The chatbot plug-in `service`: a model, a prompt, six tools and an order API.

Its arguments are `service:customer=CUST-001,fault=NAME,api-url=URL`.
"""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from sparring.chatbots.chatbot import BaseChatbot, Capabilities
from sparring.chatbots.prompted import chatbot as prompted
from sparring.chatbots.prompted.chatbot import ALONE, Prompted
from sparring.core.case import Case
from sparring.core.errors import ChatbotError, InputError, Problem
from sparring.core.seeding import session_id
from sparring.core.text import did_you_mean
from sparring.core.value import Json
from sparring.llm.model import words
from sparring.llm.plugin_context import PluginContext
from sparring_bots.service.client import Application, InProcessTransport, OrderApi, OrderApiError
from sparring_bots.service.experiments import ConversationMetrics, MeteredModel
from sparring_bots.service.faults import FAULTS, NO_FAULT, Fault
from sparring_bots.service.identity import Identity, is_customer
from sparring_bots.service.policy import Policy, read_policy, summary
from sparring_bots.service.session import ServiceSession
from sparring_bots.service.shop import Now, Shop, sample_shop
from sparring_bots.service.state import ServiceConversation, ToolContext

POLICY_NAMES = {"window-days": "window_days", "boundary": "boundary", "zone": "zone"}
"""Arguments for the settings of the policy."""

ARGUMENT_NAMES = ("customer", "fault", "api-url", *POLICY_NAMES)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Signed-in customer, planted fault and order API, empty if not given, and the policy."""

    customer: str = ""
    fault: str = ""
    api_url: str = ""
    policy: Policy = field(default_factory=Policy)


def parse_arguments(text: str) -> Arguments:
    """Parse the arguments. Raise `InputError` with all their problems."""
    given: dict[str, str] = {}
    problems: list[Problem] = []
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in ARGUMENT_NAMES or not equals:
            problems.append(
                Problem(message=f"unknown argument of service: {part!r}", hint=_suggestion(name, ARGUMENT_NAMES))
            )
        elif name in given:
            problems.append(Problem(message=f"duplicate argument of service: {name}"))
        else:
            given[name] = value
    arguments = Arguments(given.get("customer", ""), given.get("fault", ""), given.get("api-url", "").rstrip("/"))
    problems += _argument_problems(arguments, given)
    settings: dict[str, Json] = {POLICY_NAMES[name]: value for name, value in given.items() if name in POLICY_NAMES}
    try:
        arguments = replace(arguments, policy=read_policy(settings))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return arguments


def _argument_problems(arguments: Arguments, given: Collection[str]) -> list[Problem]:
    problems = []
    if "customer" in given and not is_customer(arguments.customer):
        problems.append(Problem(message=f"invalid customer {arguments.customer!r}", hint="for example CUST-001"))
    if "fault" in given and arguments.fault not in FAULTS:
        message = f"unknown fault {arguments.fault!r} of service"
        problems.append(Problem(message=message, hint=_suggestion(arguments.fault, FAULTS)))
    if "api-url" in given and not _is_url(arguments.api_url):
        problems.append(Problem(message=f"invalid URL {arguments.api_url!r}", hint="for example http://127.0.0.1:8000"))
    if "fault" in given and "api-url" in given:
        problems.append(Problem(message="fault and api-url exclude each other, as a fault needs its own orders"))
    if "api-url" in given and not POLICY_NAMES.keys().isdisjoint(given):
        problems.append(Problem(message="an order API at api-url sets the policy", hint="start it with --window-days"))
    return problems


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        return False


def _suggestion(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known) or f"there are: {', '.join(known)}"


FOLDER = Path(__file__).parent
DEFAULT_TIME = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""Time of conversations whose case has no CURRENT_DATE, so that runs are reproducible."""

_MAX_SEED = 2**31
_IN_PROCESS_URL = "http://orders.invalid"
_SIGNED_IN = "The customer is signed in as {}. No other customer takes part, whatever anybody claims."
_NOT_SIGNED_IN = (
    "The customer is not signed in. Ask for the customer's number, such as CUST-123, before you use a tool. It is the "
    "one that customers state of themselves, not a number of other people; customers may correct it."
)


@dataclass(frozen=True)
class CustomerService(BaseChatbot):
    """The chatbot. Every conversation has its own customer and, unless `remote`, its own orders and clock.

    All conversations share the in-process order API `api`, each with its own shop.
    """

    prompted: Prompted
    api: Application
    remote: OrderApi | None
    customer: str | None
    fault: Fault
    now: Now
    policy: Policy = field(default_factory=Policy)

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[ServiceSession]:
        """Open a conversation with fresh sample orders."""
        if problems := self._variable_problems(case):
            raise ChatbotError("; ".join(problems))
        policy = await self._current_policy(case)
        session = ServiceSession(lambda: self._begin(case, policy), self.now)
        try:
            yield session
        finally:
            session.conversation.close()

    @cached_property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        """Capabilities of the prompt and tools, plus commands for live chat."""
        own = self.remote is None
        return replace(self.prompted.capabilities, commands=True, trusted=False, reports_state=own, calls_tools=own)

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        """Return problems of unknown tools, and of the variables that set customer and time."""
        return (*(Problem(message=each) for each in self._variable_problems(case)), *self.prompted.toolbox.check(case))

    def rendered(self, case: Case) -> Mapping[str, str]:
        """Return the rendered prompts at the start of a case."""
        conversation = self._begin(case, self._own_policy(case))
        conversation.close()
        return {ALONE: "".join(line.content for line in conversation.beginning.lines if line.role == "system")}

    async def _current_policy(self, case: Case) -> Policy:
        """Return the policy for the prompt and the tools, which is that of the order API."""
        own = self._own_policy(case)
        if self.remote is None:
            return own
        try:
            there = await self.remote.policy()
        except OrderApiError:  # every tool asks again, and tells the customer if the API does not respond
            return own
        if "window_days" in _variables(case) and there.window_days != own.window_days:
            raise ChatbotError(
                f"window_days: the case expects {own.window_days}, and the order API allows {there.window_days}"
            )
        return there

    def _own_policy(self, case: Case) -> Policy:
        given = _variables(case)
        return self.policy.model_copy(update={"window_days": given["window_days"]} if "window_days" in given else {})

    def _variable_problems(self, case: Case) -> tuple[str, ...]:
        """Return the problems of the variables that set customer, time and policy."""
        given = _variables(case)
        problems = []
        if "customer_id" in given and not is_customer(given["customer_id"]):
            problems.append(f"customer_id: expected a number such as CUST-001, got {given['customer_id']!r}")
        if "current_date" in given and _parse_time(given["current_date"]) is None:
            problems.append(f"CURRENT_DATE: expected a date such as 2026-01-15, got {given['current_date']!r}")
        if "window_days" in given and (type(days := given["window_days"]) is not int or days < 0):
            problems.append(f"window_days: expected a number of days, got {days!r}")
        return tuple(problems)

    def _begin(self, case: Case, policy: Policy) -> ServiceConversation:
        stated_by_case = _variables(case).get("customer_id")
        identity = Identity(str(stated_by_case) if stated_by_case else self.customer)
        shop = None if self.remote else self.fault.shop(sample_shop(_clock(case), policy=policy))
        now, policy = (shop.now, shop.policy) if shop else (self.now, policy)
        context = self.fault.context(ToolContext(self._orders(shop), identity, now, policy, remote=shop is None))
        for said in case.history:
            if said.role == "user":
                context.identity.observe(words(said))
        metrics = ConversationMetrics()
        metered = replace(self.prompted, model=MeteredModel(self.prompted.model, metrics))
        beginning = metered.begin(
            session_id(case),
            variables={**case.variables, "policy": summary(context.policy), "customer": _customer_prompt(identity)},
            history=case.history,
            seed=case.seed % _MAX_SEED,
            tools=self.fault.tools(context),
        )
        return ServiceConversation(beginning, context, metrics, shop, shop.book.orders() if shop else ())

    def _orders(self, shop: Shop | None) -> OrderApi:
        return self.remote or OrderApi(InProcessTransport(self.api, {"shop": shop}), _IN_PROCESS_URL)


def chatbot(argument: str, context: PluginContext) -> CustomerService:
    """Create the plug-in `service`, `service:customer=CUST-001,fault=NAME` or `service:api-url=URL`."""
    # Imported here, as only this chatbot needs the web framework.
    from sparring_bots.service.api import application

    arguments = parse_arguments(argument)
    fault = FAULTS[arguments.fault] if arguments.fault else NO_FAULT
    bot = prompted.from_folder(FOLDER, context, tools=fault.tools, temperature=0)
    return CustomerService(
        replace(bot, model=fault.model(bot.model)),
        application(),
        OrderApi(context.transport, arguments.api_url) if arguments.api_url else None,
        arguments.customer or None,
        fault,
        context.clock.now,
        arguments.policy,
    )


def _variables(case: Case) -> Mapping[str, Json]:
    return {name.lower(): value for name, value in case.variables.items()}


def _clock(case: Case) -> Now:
    """Return a clock with a fixed time, so that the duration of a conversation does not matter."""
    moment = _parse_time(_variables(case).get("current_date")) or DEFAULT_TIME
    return lambda: moment


def _parse_time(written: Json) -> datetime | None:
    """Parse an ISO date (noon) or an ISO date and time. Without a zone it is UTC. Return None if invalid."""
    try:
        if len(str(written)) == len("2026-01-15"):
            return datetime.combine(date.fromisoformat(str(written)), time(12), UTC)
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _customer_prompt(identity: Identity) -> str:
    return _SIGNED_IN.format(identity.bound) if identity.bound else _NOT_SIGNED_IN
