"""What was probably meant by a name that nobody knows."""

from collections.abc import Iterable

_MANY = 20
_CLOSE = 0.6


def meant(name: str, known: Iterable[str]) -> str:
    """A hint: the closest of the known names, or all of them where none is close, or some where there are many."""
    names = list(known)
    if hint := close(name, names):
        return hint
    if len(names) > _MANY:
        return f"there are {len(names)}, such as {', '.join(names[:3])}"
    return f"there are: {', '.join(names) or 'none'}"


def close(name: str, known: Iterable[str]) -> str:
    """A hint: the closest of the known names, if any is close."""
    found = closest(name, known)
    return "" if found is None else f"did you mean {found!r}?"


def closest(name: str, known: Iterable[str], *, cutoff: float = _CLOSE) -> str | None:
    """The closest of the known names, whatever their case, if any is close."""
    from difflib import get_close_matches  # only who misspells pays for it

    lower = {other.lower(): other for other in known}
    found = get_close_matches(name.lower(), lower, n=1, cutoff=cutoff)
    return lower[found[0]] if found else None
