"""What whoever is called inside a block can ask for, without being handed it: context variables, held by `with`."""

from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Generic, TypeVar

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
