"""What stands behind the colon of `phone_orders:`: a fault to plant, and where the tools are."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from sparring.core.errors import InputError
from sparring.models.context import Context
from sparring.models.model import Model
from sparring_bots.phone_orders.faults import FAULTS, Fault
from sparring_bots.phone_orders.remote import remote_tools
from sparring_bots.phone_orders.tools import Tools

_BETWEEN = re.compile(r",(?=[a-z-]+=)")


@dataclass(frozen=True, slots=True)
class Options:
    """The tools to use, and who plays the agent in place of its model."""

    tools: type = Tools
    played_by: Callable[[Model], Model] = lambda model: model


def options(argument: str, context: Context) -> Options:
    """Read `fault=NAME` and `tools-url=URL`, with a comma between them; an InputError says what is neither."""
    given = dict(_option(part) for part in _BETWEEN.split(argument) if part)
    fault = _fault(given["fault"]) if "fault" in given else Fault("nothing")
    if "tools-url" not in given:
        return Options(fault.tools, fault.played_by)
    if fault.tools is not Tools:
        raise InputError(f"the fault {given['fault']!r} is in the tools, and those are at {given['tools-url']!r}")
    return Options(remote_tools(given["tools-url"], context.transport), fault.played_by)


def _option(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    if name not in ("fault", "tools-url"):
        raise InputError(f"phone_orders takes fault=NAME and tools-url=URL, and was given {part!r}")
    return name, value


def _fault(name: str) -> Fault:
    if name not in FAULTS:
        meant = get_close_matches(name, FAULTS, n=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"there are: {', '.join(FAULTS)}"
        raise InputError(f"phone_orders has no fault {name!r}", hint=hint)
    return FAULTS[name]
