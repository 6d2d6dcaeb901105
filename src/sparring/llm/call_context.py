"""Where in a batch a call of a model is made, for those who need to find it again.

What happens to calls on their way, told to whoever listens to the conversation they are made for.

Answers that are kept only if something comes of them.

What whoever is called inside a block can ask for, without being handed it: context variables, held by `with`.
"""

from collections import Counter
from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from types import TracebackType
from typing import Generic, TypeVar

from sparring.core.events import CallRetried, ModelPaused

T = TypeVar("T")


class Ambient(Generic[T]):
    """Something of which there is one at a time for a task and the tasks that it begins, or none."""

    def __init__(self, name: str) -> None:
        self._variable: ContextVar[T | None] = ContextVar(name, default=None)
        self.get: Callable[[], T | None] = self._variable.get
        """What is held by the innermost block around."""

    def holding(self, value: T) -> "Holding[T]":
        """A block that holds this."""
        return Holding(self._variable, value)


class Holding(Generic[T]):
    """A block inside which something can be asked for; a generator would do, and take five times the memory."""

    __slots__ = ("_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[T | None], value: T) -> None:
        self._variable, self._value = variable, value

    def __enter__(self) -> T:
        self._token: Token[T | None] = self._variable.set(self._value)
        return self._value

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._variable.reset(self._token)


@dataclass
class Place:
    """A conversation, how often its user has spoken, and how many calls each role has made.

    `diverged` says where it first was not as it had been recorded, and `remarks` are what else should be known of it.
    """

    conversation: str
    turn: int = 0
    diverged: str = ""
    remarks: tuple[str, ...] = ()
    _calls: Counter[str] = field(default_factory=Counter)

    def remark(self, words: str) -> None:
        """Say this of the conversation, once."""
        if words not in self.remarks:
            self.remarks += (words,)

    def number(self, role: str) -> int:
        """The number of the call that `role` makes now, counted from 1."""
        self._calls[role] += 1
        return self._calls[role]


_place = Ambient[Place]("place")


def inside(conversation: str) -> Holding[Place]:
    """Whatever is called inside this block is called in this conversation."""
    return _place.holding(Place(conversation))


def here() -> Place:
    """The place of the current call; one that belongs to no conversation has no name."""
    return _place.get() or Place("")


Notice = CallRetried | ModelPaused
_listener = Ambient[Callable[[Notice], None]]("listener")


def on_call_event(listener: Callable[[Notice], None]) -> Holding[Callable[[Notice], None]]:
    """Tell `listener` what happens to calls inside this block."""
    return _listener.holding(listener)


def emit(happened: Notice) -> None:
    """Tell whoever listens, if anybody does."""
    listener = _listener.get()
    if listener is not None:
        listener(happened)


@dataclass
class DeferredWrites:
    """What is not kept yet."""

    _waiting: list[Callable[[], None]] = field(default_factory=list)

    def add(self, keep: Callable[[], None]) -> None:
        self._waiting.append(keep)

    def keep(self) -> None:
        """Something came of them."""
        for keep in self._waiting:
            keep()
        self._waiting.clear()


_drafts = Ambient[DeferredWrites]("drafts")


def defer_cache_writes() -> Holding[DeferredWrites]:
    """Let no cache keep what is answered inside this block, unless the drafts are kept: an answer nobody could make
    sense of would else be given for ever."""
    return _drafts.holding(DeferredWrites())


def write_or_defer(keep: Callable[[], None]) -> None:
    """Keep an answer, at once or with the other drafts."""
    drafts = _drafts.get()
    if drafts is None:
        keep()
    else:
        drafts.add(keep)
