"""Hours that a chatbot names as possible: "every full hour from 9:00 to 16:00"."""

import re
from dataclasses import dataclass

from sparring.extraction.tokens import fold

_CLOCK = r"(\d{1,2})(?: ?[:.h] ?(\d\d))?\s?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|h\b|horas\b|heures\b)?"
_TO = r"(?:to|until|till|and|bis|und|a|y|hasta|e|et|alle|as|ate|до|и|-|–|—)"
_RANGE = re.compile(rf"(?<![\d:.,$€£-]){_CLOCK}\s*{_TO}\s*(?:las? |le )?{_CLOCK}(?![\d:%€]|,\d)")
_TIME = re.compile(r"\d{1,2}:\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m", re.IGNORECASE)
_ASKS_TIME = re.compile(r"\b(?:(?:what|which) (?:time|hour)|uhrzeit|wie ?viel uhr|que horas?|quelle heure|che ora)\b")
_NOON = 12
_ENDS = 2
"""Times of a range."""


@dataclass(frozen=True, slots=True)
class Hours:
    """A range of full hours, and whether they are in 12-hour notation."""

    first: int
    last: int
    halves: bool = False

    def outside(self) -> str:
        """Return an hour before or after the range, by day if there is one."""
        hour = self.first - 3 if self.first > 6 else min(self.last + 2, 23)
        return f"{hour}:00" if not self.halves else f"{(hour - 1) % _NOON + 1} {'am' if hour < _NOON else 'pm'}"

    def pick(self, nth: int, minutes: str = "00") -> str:
        """Return an hour of the range as a user says it; another one each time."""
        hour = self.first + ((self.last - self.first) // 2 + nth) % (self.last - self.first + 1)
        if not self.halves:
            return f"{hour}:{minutes if hour < self.last else '00'}"
        return f"{(hour - 1) % _NOON + 1} {'am' if hour < _NOON else 'pm'}"


def times_in(reply: str) -> tuple[str, ...]:
    """Return the times of a list in a reply, "at 17:00, 19:45 or 22:30"; empty for a range."""
    found = tuple(dict.fromkeys(_TIME.findall(reply)))
    return found if len(found) > _ENDS or not hours_in(reply) else ()


def hours_in(reply: str) -> Hours | None:
    """Return the first range of hours in a reply; None if it names none."""
    for match in _RANGE.finditer(fold(reply)):
        first, minutes, half, last, other_minutes, other_half = match.groups()
        timely = _ASKS_TIME.search(fold(reply)) and int(last) > _NOON  # "At what time (9-17)?"
        if not (minutes or other_minutes or half or timely) and other_half in (None, "h", "horas", "heures"):
            continue  # "2 to 4 persons", "2 to 3 h"
        halves = [(each or "").replace(".", "") for each in (half, other_half)]
        begin, end = _hour(int(first), halves[0]), _hour(int(last), halves[1])
        begin += bool(minutes and int(minutes))
        if 0 <= begin <= end <= 24:
            return Hours(begin, end, any(each in ("am", "pm") for each in halves))
    return None


def _hour(number: int, half: str) -> int:
    if half == "am":
        return number % _NOON
    return number % _NOON + _NOON if half == "pm" else number


def is_clock(answer: str) -> bool:
    """Return True for a time of day."""
    return _TIME.fullmatch(answer) is not None
