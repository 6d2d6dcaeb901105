"""Built-in checks: deterministic, always on, and recorded with every conversation like the checklist.

A check fails or does not apply. It never passes, because a conversation without any other check must not pass.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sparring.core.checks import check_hash
from sparring.core.conversation import Conversation
from sparring.core.verdict import CheckOutcome, Verdict
from sparring.judges.builtin.attentive import ATTENTIVE, attentive
from sparring.judges.builtin.consistent import CONSISTENT, consistent
from sparring.judges.builtin.discreet import DISCREET, discreet
from sparring.judges.builtin.honest import HONEST, honest


@dataclass(frozen=True, slots=True)
class BuiltInCheck:
    """A check as a function of a conversation. Raise the `version` whenever its decisions change.

    A check that is not `tried` on null bots says nothing about a case: null bots repeat themselves whatever the user
    says.
    """

    name: str
    version: int
    decide: Callable[[Conversation], Verdict]
    tried: bool = True

    @property
    def hash(self) -> str:
        """The hash under which its verdicts are recorded."""
        return check_hash("builtin", f"{self.name} {self.version}".encode())


BUILT_IN = (
    BuiltInCheck(CONSISTENT, 3, consistent),
    BuiltInCheck(HONEST, 7, honest),
    BuiltInCheck(ATTENTIVE, 2, attentive, tried=False),
    BuiltInCheck(DISCREET, 1, discreet),
)
BY_HASH = {check.hash: check for check in BUILT_IN}


def built_in_failures(conversation: Conversation, *, trial: bool = False) -> Iterator[tuple[str, Verdict]]:
    """Yield hash and verdict of each built-in check that failed; in a trial only `tried` checks."""
    for hash, check in BY_HASH.items():
        if check.tried or not trial:
            verdict = check.decide(conversation)
            if verdict.outcome is CheckOutcome.FAIL:
                yield hash, verdict
