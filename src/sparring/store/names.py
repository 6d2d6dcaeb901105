"""Names of batches and conversations, the same in every kind of store.

Files are readable for their owner only, because they contain conversations. Existing files keep their permissions.
"""

import os
import re
import secrets
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sparring.core.batch import Batch
from sparring.core.errors import InputError, Problem

LATEST = "latest"

_REPEATED = re.compile(r"(.+)#([2-9]|[1-9][0-9]{1,8})", re.DOTALL)


def acceptable(batch: Batch) -> None:
    """Refuse a batch with names that could not be found again."""
    problems = [
        Problem(path=f"cases.{id}", message=f"{count} cases have this id") for id, count in _several(batch).items()
    ]
    if batch.name == LATEST:
        problems.append(
            Problem(path="name", message=f"{LATEST!r} always means the newest batch", hint="choose another")
        )
    if problems:
        raise InputError(problems)


def places(id: str) -> list[tuple[str, int]]:
    """Return the (case id, repeat) pairs that a conversation's id may mean, the likeliest first.

    A case id may hold a `#`.
    """
    repeated = _REPEATED.fullmatch(id)
    return [(id, 1), (repeated[1], int(repeated[2]))] if repeated else [(id, 1)]


def unknown_batch(which: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown batch; `known` are the names and ids of all batches."""
    names = [name for name in known if name]
    if not names:
        return InputError("nothing has been run yet", hint="`sparring demo` shows an example")
    hint = _meant(which, [*names, LATEST])
    if "/" in which and not hint.startswith("did you mean"):
        hint = f"a conversation comes after its batch: {LATEST} {which}"
    return InputError(f"there is no batch {which!r}", hint=hint)


def unknown_conversation(batch: str, id: str, known: Iterable[str]) -> InputError:
    """Return the error for an unknown conversation; `known` are the ids of the batch's cases."""
    cases = list(known)
    if any(case in cases for case, _ in places(id)):
        return InputError(f"batch {batch} holds no conversation {id!r}", hint="it was planned but not run")
    return InputError(f"batch {batch} has no case {id!r}", hint=_meant(id, cases))


def unplanned(batch: Batch | None, id: str) -> InputError:
    """Return the error for a conversation that its batch does not plan."""
    where = f"batch {batch.id} with {batch.repeats} repeats" if batch else "a batch that is not stored"
    return InputError(f"conversation {id!r} does not belong to {where}")


def _meant(name: str, known: list[str]) -> str:
    from rapidfuzz import fuzz, process

    below = [each for each in known if each.startswith(f"{name}/")]  # `orders` of the only file has `orders/1`
    best = process.extractOne(name, below or known, scorer=fuzz.ratio, score_cutoff=0 if below else 60)
    return f"did you mean {best[0]!r}?" if best else f"there are: {', '.join(known[:5])}{', …' if known[5:] else ''}"


def _several(batch: Batch) -> dict[str, int]:
    return {id: count for id, count in Counter(case.id for case in batch.cases).items() if count > 1}


FILE, FOLDER = 0o600, 0o700


def opener(path: str, flags: int) -> int:
    """For `open`: a file that it makes is its owner's."""
    return os.open(path, flags, FILE)


def make_empty(path: Path) -> None:
    """Create an empty file with owner-only permissions if none exists; SQLite's other files inherit them.

    It is created beside and linked: closing the file itself here would release the locks that SQLite holds on it.
    """
    if path.exists():
        return
    beside = path.with_name(f"{path.name}-{secrets.token_hex(8)}")
    with suppress(OSError):
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))
        try:
            os.link(beside, path)
        finally:
            beside.unlink()
