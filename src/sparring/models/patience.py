"""Time that passes in a conversation without anybody in it being slow: while a call waits for its turn.

Deadlines are about those who talk. Where a model's limit, or a provider that asks for a pause, makes a call wait, they
stand still.
"""

import asyncio
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar


class Patience:
    """How long the calls of one conversation waited for their turn, and how often one was made again.

    `deadline` is what stands still meanwhile.
    """

    def __init__(self) -> None:
        self.waited = 0.0
        self.retries = 0
        self.deadline: asyncio.Timeout | None = None
        self._waiting = 0

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """A call waits; several of a conversation may do so at a time, and that time passes once."""
        self._waiting += 1
        if self._waiting > 1:
            try:
                yield
            finally:
                self._waiting -= 1
            return
        time = asyncio.get_running_loop().time
        begun, deadline = time(), self.deadline
        when = deadline.when() if deadline is not None and not deadline.expired() else None
        if deadline is not None and when is not None:
            deadline.reschedule(None)
        try:
            yield
        finally:
            self._waiting -= 1
            waited = time() - begun
            self.waited += waited
            if deadline is not None and when is not None and deadline is self.deadline:
                deadline.reschedule(when + waited)


_patience: ContextVar[Patience | None] = ContextVar("patience", default=None)


@contextmanager
def patient() -> Iterator[Patience]:
    """Have patience with whatever is called inside this block."""
    patience = Patience()
    token = _patience.set(patience)
    try:
        yield patience
    finally:
        _patience.reset(token)


def waiting() -> AbstractContextManager[None]:
    """Inside this block a call waits for its turn, and that is nobody's fault."""
    patience = _patience.get()
    return nullcontext() if patience is None else patience.waiting()


def asked_again() -> None:
    """A call is made once more."""
    patience = _patience.get()
    if patience is not None:
        patience.retries += 1
