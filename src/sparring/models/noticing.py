"""What happens to calls on their way, told to whoever listens to the conversation they are made for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from sparring.core.events import CallRetried, ModelPaused

Notice = CallRetried | ModelPaused
_listener: ContextVar[Callable[[Notice], None] | None] = ContextVar("listener", default=None)


@contextmanager
def told_to(listener: Callable[[Notice], None]) -> Iterator[None]:
    """Tell `listener` what happens to calls inside this block."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


def notice(happened: Notice) -> None:
    """Tell whoever listens, if anybody does."""
    listener = _listener.get()
    if listener is not None:
        listener(happened)
