"""What could not be decided, grouped by why."""

from sparring.checking.deciding import Where
from sparring.checking.reasons import short
from sparring.checking.undecided import reason
from sparring.core.verdict import Cause

MOST = 20


class Causes:
    """The reasons that came up so far: for each, how often, and in which conversation first."""

    def __init__(self) -> None:
        self._found: dict[tuple[Where, str], tuple[int, str]] = {}

    def note(self, clause: Where, error: Exception, conversation: str, conversations: int = 1) -> None:
        """Count one more, or several that have the same reason."""
        key = (clause, short(reason(error), 160))
        if key in self._found or len(self._found) < MOST * 10:
            times, first = self._found.get(key, (0, conversation))
            self._found[key] = (times + conversations, first)

    def most_frequent(self) -> tuple[Cause, ...]:
        """Those that came up most often."""
        found = sorted(self._found.items(), key=lambda item: -item[1][0])[:MOST]
        return tuple(
            Cause(clause=clause, reason=why, conversations=times, first=first)
            for (clause, why), (times, first) in found
        )
