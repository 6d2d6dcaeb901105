"""Result of a battery of probes: findings with their replays, and what could not be tried."""

from dataclasses import dataclass, field

from sparring.core.conversation import Conversation
from sparring.probes.domain import Domain
from sparring.probes.found import Found, short

REPLAYS = 2
"""Times that the same words are said again for each finding."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One finding with its probe, its user messages, and the number of replays that showed it again."""

    found: Found
    probe: str
    lines: tuple[str, ...]
    again: int
    replays: int = REPLAYS
    others: int = 0
    """Number of other probes that saw the same."""
    fails: bool = True
    """True if the scenario for it failed in all replays."""

    @property
    def certain(self) -> bool:
        """True if the finding is certain, and every replay showed it and failed its scenario."""
        return self.found.certain and self.again == self.replays and self.fails

    def said(self, turn: int) -> str:
        """Return what the user said in a turn, shortened; empty if it is unknown."""
        known = self.found.kind != "sessions" and turn <= len(self.lines)  # else turns of two conversations
        return short(self.lines[turn - 1]) if known else ""


@dataclass
class TryResult:
    """The findings of the battery, and the probes that could not be tried, by name with the reason.

    `unreachable` is the error if no conversation got a reply, `stuck` the question that the probes could not answer.
    `constant` is true if all replies were the same, and `played` are all conversations.
    """

    tried: list[Tried] = field(default_factory=list)
    missed: dict[str, str] = field(default_factory=dict)
    probes: int = 0
    conversations: int = 0
    messages: int = 0
    unreachable: str = ""
    stuck: str = ""
    constant: bool = False
    domain: Domain = field(default_factory=Domain)
    played: list[Conversation] = field(default_factory=list)

    @property
    def certain(self) -> list[Tried]:
        """Findings that are certain."""
        return [each for each in self.tried if each.certain]

    @property
    def undecided(self) -> bool:
        """True if a third of the probes or more could not be tried, or all replies were the same."""
        return self.constant or 3 * len(self.missed) >= self.probes

    @property
    def doubtful(self) -> list[Tried]:
        """Findings to look at."""
        return [each for each in self.tried if not each.certain]
