"""What the plug-in can be told: `service:customer=CUST-001,fault=NAME,api-url=URL`."""

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urlsplit

from sparring.core.errors import InputError, Problem
from sparring.core.text import close
from sparring_bots.service.faults import FAULTS
from sparring_bots.service.identity import is_customer

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
    return close(name, known) or f"there are: {', '.join(known)}"
