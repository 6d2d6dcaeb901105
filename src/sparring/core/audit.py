"""Faults of a conversation that are not the chatbot's, and the party to blame for each."""

from enum import StrEnum
from typing import Literal

from pydantic import NonNegativeInt, PositiveInt

from sparring.core.conversation import Evidence
from sparring.core.value import Value

AUDIT = "audit"
"""Name of the check, and of `Verdict.by`, of the audit."""

EVERYTHING = "*"
"""Entry of `Fault.touches` or `Need.names` that stands for all goals, variables, outputs and tools."""

AuditMode = Literal["void", "report", "off"]
"""Effect of faults of the user: they void a conversation, are only reported, or are not looked for."""


class Blame(StrEnum):
    """Party to blame for a conversation that did not pass.

    `case` is the author of the case; `infrastructure` is beyond the control of either side.
    """

    CHATBOT = "chatbot"
    USER = "user"
    JUDGE = "judge"
    INFRASTRUCTURE = "infrastructure"
    CASE = "case"


class Fault(Value):
    """A fault of the simulated user, the case, a judge or the infrastructure, with the words that show it.

    A `certain` fault has no innocent explanation; the reason of a `likely` one names it. `touches` lists what the fault
    may have changed: `goal:1` (from 1), `output:NAME`, `tool:NAME`, the name of a variable, or `*` for everything.
    """

    kind: str
    blame: Blame
    certainty: Literal["certain", "likely"] = "certain"
    reason: str
    evidence: tuple[Evidence, ...]
    touches: tuple[str, ...] = ()


class Need(Value):
    """Names that one part of a check reads, as in `Fault.touches`; literal values are `value:TEXT`.

    A fault after message `until` cannot excuse that part; None means that every fault can.
    """

    names: tuple[str, ...] = ()
    until: NonNegativeInt | None = None


AUDIT_VERSION = 5
"""Version of the audit's rules. Raise it when a rule changes its decisions."""


class Audit(Value):
    """Faults found in a conversation, the earliest first.

    `unmeasured` are kinds that could not be decided.
    """

    faults: tuple[Fault, ...] = ()
    unmeasured: tuple[str, ...] = ()
    version: PositiveInt = AUDIT_VERSION
