"""Keys for comparing values: by Python's equality, or by everything a function could observe."""

import datetime
from collections.abc import Hashable
from typing import Any

_PLAIN = (str, int, bool, type(None))


class Unequal:
    """A key that equals no other key, for NaN."""

    __slots__ = ()


def key_of(value: Any) -> Hashable:
    """Return a key that is equal for values equal in Python: 1, 1.0 and True, but not [1] and (1,).

    NaN equals nothing.
    """
    return frozen(value)[0]


def equals_itself(value: Any) -> bool:
    """Return False if the value contains NaN."""
    return frozen(value)[1]


def frozen(value: Any) -> tuple[Hashable, bool]:
    """Return the key of a value, and False if the value does not equal itself."""
    kind = type(value)
    if kind in _PLAIN:
        return value, True
    if kind is float:
        return (value, True) if value == value else (Unequal(), False)
    if kind in (list, tuple):
        parts = [frozen(part) for part in value]
        return (kind, tuple([key for key, _ in parts])), all(itself for _, itself in parts)
    if kind is dict:
        items = [(frozen(name), frozen(part)) for name, part in value.items()]
        keys = frozenset([(name[0], part[0]) for name, part in items])
        return (dict, keys), all(name[1] and part[1] for name, part in items)
    if kind in (set, frozenset):
        parts = [frozen(part) for part in value]
        return (set, frozenset([key for key, _ in parts])), all(itself for _, itself in parts)
    hash(value)
    return ("value", value), True


def exact_key(value: Any, index: int) -> Hashable:
    """Return a key that is equal only for values no function can tell apart.

    1 and 1.0 differ, as do 0.0 and -0.0. `index` makes each NaN unique, because in Python `[nan] == [nan]` holds for
    the same object.
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind in (int, bool, type(None), datetime.date):
        return kind, value
    if kind is float:
        if value == value:
            return (kind, value) if value else (kind, repr(value))
        return kind, "nan", index
    text = repr(value)
    if "nan" in text and not equals_itself(value):
        return kind, "nan", index
    return kind, text
