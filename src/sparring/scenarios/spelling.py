"""What was probably meant by a name that nobody knows."""

from collections.abc import Iterable
from difflib import get_close_matches

_MANY = 20


def meant(name: str, known: Iterable[str]) -> str:
    """A hint: the closest of the known names, or all of them where none is close, or some where there are many."""
    names = list(known)
    lower = {other.lower(): other for other in names}
    close = get_close_matches(name.lower(), lower, n=1)
    if close:
        return f"did you mean {lower[close[0]]!r}?"
    if len(names) > _MANY:
        return f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"there are: {', '.join(names) or 'none'}"
