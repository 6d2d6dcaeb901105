"""What happens to calls on their way, told to whoever listens to the conversation they are made for."""

from collections.abc import Callable

from sparring.core.ambient import Ambient, Holding
from sparring.core.events import CallRetried, ModelPaused

Notice = CallRetried | ModelPaused
_listener = Ambient[Callable[[Notice], None]]("listener")


def told_to(listener: Callable[[Notice], None]) -> Holding[Callable[[Notice], None]]:
    """Tell `listener` what happens to calls inside this block."""
    return _listener.holding(listener)


def notice(happened: Notice) -> None:
    """Tell whoever listens, if anybody does."""
    listener = _listener.get()
    if listener is not None:
        listener(happened)
