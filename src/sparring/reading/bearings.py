"""From where what is said is understood: in which language, and on which day."""

from dataclasses import dataclass
from datetime import date

from sparring.core.case import Case

_COMMA = frozenset(
    "albanian armenian azerbaijani basque belarusian bosnian bulgarian catalan croatian czech danish dutch estonian"
    " finnish french galician georgian german greek hungarian icelandic indonesian italian kazakh latvian lithuanian"
    " macedonian norwegian polish portuguese romanian russian serbian slovak slovenian spanish swedish turkish"
    " ukrainian uzbek vietnamese".split()
)
_POINT = frozenset(
    "chinese english filipino hebrew hindi irish japanese korean malay nepali swahili tamil telugu thai urdu"
    " welsh".split()
)


@dataclass(frozen=True, slots=True)
class Bearings:
    """The mark before decimals, `.` or `,`, if it is known; and the day that "tomorrow" is counted from, if it is."""

    decimal: str = ""
    today: date | None = None


NOWHERE = Bearings()
"""Nothing is known of the language or the day."""


def bearings(case: Case, today: date | None = None) -> Bearings:
    """Those of a case: the language of its persona, and its CURRENT_DATE or else `today`."""
    language = case.persona.language.casefold().partition(" ")[0]
    decimal = "," if language in _COMMA else "." if language in _POINT else ""
    return Bearings(decimal, _current(case) or today)


def _current(case: Case) -> date | None:
    """The day that the case itself says it is; years come first in it, as in ISO 8601."""
    for name, value in case.variables.items():
        if name.upper() == "CURRENT_DATE":
            try:
                return date.fromisoformat(str(value).strip()[:10])
            except ValueError:
                return None
    return None
