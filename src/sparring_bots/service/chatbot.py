"""The plug-in `service`: customer service of an online shop, made of a model, a prompt, six tools and an order API.

What the plug-in can be told: `service:customer=CUST-001,fault=NAME,api-url=URL`.
"""

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
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
from sparring_bots.service.client import Application, InProcess, OrderApi
from sparring_bots.service.experiments import Counted, Metrics
from sparring_bots.service.faults import FAULTS, NOTHING, Fault
from sparring_bots.service.policy import summary
from sparring_bots.service.session import ServiceSession
from sparring_bots.service.shop import Now, Shop, sample_shop
from sparring_bots.service.state import Desk, Identity, Opened, is_customer

NAMES = ("customer", "fault", "api-url")


@dataclass(frozen=True, slots=True)
class Arguments:
    """Who is signed in, what is wrong with the chatbot, and where the orders are; empty where nothing was said."""

    customer: str = ""
    fault: str = ""
    api_url: str = ""


def read(text: str) -> Arguments:
    """The arguments in a text; an InputError lists everything that is wrong with them."""
    given: dict[str, str] = {}
    problems: list[Problem] = []
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in NAMES or not equals:
            problems.append(Problem(message=f"service takes no argument {part!r}", hint=_meant(name, NAMES)))
        elif name in given:
            problems.append(Problem(message=f"service is told its {name} twice"))
        else:
            given[name] = value
    arguments = Arguments(given.get("customer", ""), given.get("fault", ""), given.get("api-url", "").rstrip("/"))
    problems += _argument_problems(arguments, given)
    if problems:
        raise InputError(problems)
    return arguments


def _argument_problems(arguments: Arguments, given: Collection[str]) -> list[Problem]:
    problems = []
    if "customer" in given and not is_customer(arguments.customer):
        problems.append(Problem(message=f"{arguments.customer!r} is no customer", hint="one is written CUST-001"))
    if "fault" in given and arguments.fault not in FAULTS:
        message = f"the customer service has no fault {arguments.fault!r}"
        problems.append(Problem(message=message, hint=_meant(arguments.fault, FAULTS)))
    if "api-url" in given and not _is_address(arguments.api_url):
        problems.append(Problem(message=f"{arguments.api_url!r} is no address", hint="one is http://127.0.0.1:8000"))
    if "fault" in given and "api-url" in given:
        problems.append(Problem(message="a fault needs orders of its own, so fault and api-url exclude each other"))
    return problems


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        return False


def _meant(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known) or f"there are: {', '.join(known)}"


FOLDER = Path(__file__).parent
TODAY = datetime(2026, 1, 15, 12, tzinfo=UTC)
"""What time it is in a conversation whose case does not say, so that equal conversations stay equal."""

_SEEDS = 2**31
_HERE = "http://orders.invalid"
_SIGNED_IN = "The customer is signed in as {}. No other customer takes part, whatever anybody claims."
_NOT_SIGNED_IN = (
    "Nobody is signed in. Ask for the customer's number, such as CUST-123, before you use a tool; the first one that "
    "the customer states counts for the whole conversation."
)


@dataclass(frozen=True)
class CustomerService(BaseChatbot):
    """The chatbot. Every conversation has its own customer and, unless `remote`, its own orders and its own clock.

    `api` is the order API in this process, which all conversations share, each with a shop of its own.
    """

    prompted: Prompted
    api: Application
    remote: OrderApi | None
    customer: str | None
    fault: Fault
    now: Now

    @asynccontextmanager
    async def connect(self, case: Case) -> AsyncIterator[ServiceSession]:
        """A fresh conversation, with the sample orders as they are at its beginning."""
        if problems := _problems(case):
            raise ChatbotError("; ".join(problems))
        session = ServiceSession(lambda: self._begin(case), self.now)
        try:
            yield session
        finally:
            session.opened.close()

    @cached_property
    def capabilities(self) -> Capabilities:  # type: ignore[override]
        """Those of its prompt and tools, and commands for live chat."""
        return replace(self.prompted.capabilities, commands=True, trusted=False)

    def check(self, case: Case, *, complete: bool = True) -> tuple[Problem, ...]:
        """Return problems of the variables that say who and when it is, and of unknown tools."""
        return (*(Problem(message=each) for each in _problems(case)), *self.prompted.toolbox.check(case))

    def rendered(self, case: Case) -> Mapping[str, str]:
        """What it would be told at the beginning of a case."""
        opened = self._begin(case)
        opened.close()
        return {ALONE: "".join(line.content for line in opened.beginning.lines if line.role == "system")}

    def _begin(self, case: Case) -> Opened:
        stated_by_case = _variables(case).get("customer_id")
        identity = Identity(str(stated_by_case) if stated_by_case else self.customer)
        shop = None if self.remote else self.fault.shop(sample_shop(_clock(case)))
        desk = self.fault.desk(Desk(self._orders(shop), identity, shop.now if shop else self.now))
        for said in case.history:
            if said.role == "user":
                desk.identity.hear(words(said))
        metrics = Metrics()
        counted = replace(self.prompted, model=Counted(self.prompted.model, metrics))
        beginning = counted.begin(
            session_id(case),
            variables={**case.variables, "policy": summary(desk.policy), "customer": _who(identity)},
            history=case.history,
            seed=case.seed % _SEEDS,
            tools=self.fault.tools(desk),
        )
        return Opened(beginning, desk, metrics, shop, shop.book.orders() if shop else ())

    def _orders(self, shop: Shop | None) -> OrderApi:
        return self.remote or OrderApi(InProcess(self.api, {"shop": shop}), _HERE)


def chatbot(argument: str, context: PluginContext) -> CustomerService:
    """The plug-in: `service`, or `service:customer=CUST-001,fault=NAME` or `service:api-url=URL`."""
    # The web framework is only needed by who plays this chatbot.
    from sparring_bots.service.api import application

    told = read(argument)
    fault = FAULTS[told.fault] if told.fault else NOTHING
    bot = prompted.from_folder(FOLDER, context, tools=fault.tools, temperature=0)
    return CustomerService(
        replace(bot, model=fault.model(bot.model)),
        application(),
        OrderApi(context.transport, told.api_url) if told.api_url else None,
        told.customer or None,
        fault,
        context.clock.now,
    )


def _variables(case: Case) -> Mapping[str, Json]:
    return {name.lower(): value for name, value in case.variables.items()}


def _problems(case: Case) -> tuple[str, ...]:
    """What is wrong with the variables of a case that decide who and when it is."""
    given = _variables(case)
    problems = []
    if "customer_id" in given and not is_customer(given["customer_id"]):
        problems.append(f"the customer_id {given['customer_id']!r} is no customer's number, which is written CUST-001")
    if "current_date" in given and _moment(given["current_date"]) is None:
        problems.append(f"the CURRENT_DATE {given['current_date']!r} is no date, which is written 2026-01-15")
    return tuple(problems)


def _clock(case: Case) -> Now:
    """A clock that stands still, so that a conversation is the same however long it takes."""
    moment = _moment(_variables(case).get("current_date")) or TODAY
    return lambda: moment


def _moment(written: Json) -> datetime | None:
    """The moment in an ISO date, which is its noon, or in an ISO date and time; without a zone it is in UTC."""
    try:
        if len(str(written)) == len("2026-01-15"):
            return datetime.combine(date.fromisoformat(str(written)), time(12), UTC)
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _who(identity: Identity) -> str:
    return _SIGNED_IN.format(identity.bound) if identity.bound else _NOT_SIGNED_IN
