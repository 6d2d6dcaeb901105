"""Options behind the colon of `phone_orders:`: a planted fault, the tool server, and the prompts."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from sparring.core.errors import InputError
from sparring.core.text import did_you_mean
from sparring.llm.model import Model
from sparring.llm.plugin_context import PluginContext
from sparring_bots.phone_orders.faults import FAULTS, Fault
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
        hint = did_you_mean(name, FAULTS) or f"there are: {', '.join(FAULTS)}"
        raise InputError(f"phone_orders has no fault {name!r}", hint=hint)
    return FAULTS[name]
