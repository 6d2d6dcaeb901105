"""What stands behind the colon of `phone_orders:`: a fault to plant, and where the tools are."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from sparring.core.errors import InputError
from sparring.models.context import Context
from sparring.models.model import Model
from sparring_bots.phone_orders.faults import FAULTS, Fault
from sparring_bots.phone_orders.tools import Tools


@dataclass(frozen=True, slots=True)
class Options:
    """The tools to use, and who plays the agent in place of its model."""

    tools: type = Tools
    played_by: Callable[[Model], Model] = lambda model: model


def options(argument: str, context: Context) -> Options:
    """Read `fault=NAME` and `tools-url=URL`, with a comma between them; an InputError says what is neither."""
    given = dict(_option(part) for part in argument.split(",") if part)
    if "fault" not in given:
        return Options()
    fault = _fault(given["fault"])
    return Options(fault.tools, fault.played_by)


def _option(part: str) -> tuple[str, str]:
    name, _, value = part.partition("=")
    if name not in ("fault",):
        raise InputError(f"phone_orders takes fault=NAME, and was given {part!r}")
    return name, value


def _fault(name: str) -> Fault:
    if name not in FAULTS:
        meant = get_close_matches(name, FAULTS, n=1)
        hint = f"did you mean {meant[0]!r}?" if meant else f"there are: {', '.join(FAULTS)}"
        raise InputError(f"phone_orders has no fault {name!r}", hint=hint)
    return FAULTS[name]
