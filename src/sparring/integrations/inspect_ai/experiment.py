"""What a plug-in under `sparring.experiments` says: which cases to play, and with which chatbot."""

from collections.abc import Callable
from pathlib import Path

from sparring.core import plugins
from sparring.core.value import Value

GROUP = "sparring.experiments"


class Experiment(Value):
    """Files or folders with playbooks or any other scenarios, and the chatbot they are for.

    The entry point loads a function without arguments that returns one.
    """

    chatbot: str
    files: tuple[Path, ...]


def names() -> list[str]:
    """The experiments there are, sorted."""
    return plugins.names(GROUP)


def named(name: str) -> Experiment:
    """The experiment called `name`."""
    made: Callable[[], Experiment] = plugins.find(GROUP, name)
    return made()
