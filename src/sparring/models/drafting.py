"""Answers that are kept only if something comes of them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sparring.core.ambient import Ambient, Holding


@dataclass
class Drafts:
    """What is not kept yet."""

    _waiting: list[Callable[[], None]] = field(default_factory=list)

    def add(self, keep: Callable[[], None]) -> None:
        self._waiting.append(keep)

    def keep(self) -> None:
        """Something came of them."""
        for keep in self._waiting:
            keep()
        self._waiting.clear()


_drafts = Ambient[Drafts]("drafts")


def drafting() -> Holding[Drafts]:
    """Let no cache keep what is answered inside this block, unless the drafts are kept: an answer nobody could make
    sense of would else be given for ever."""
    return _drafts.holding(Drafts())


def drafted(keep: Callable[[], None]) -> None:
    """Keep an answer, at once or with the other drafts."""
    drafts = _drafts.get()
    if drafts is None:
        keep()
    else:
        drafts.add(keep)
