"""Experiments: plug-ins under `sparring.experiments` that name scenario files and a chatbot."""

from collections.abc import Callable
from pathlib import Path

from sparring.core import plugins
from sparring.core.value import Value

GROUP = "sparring.experiments"


class Experiment(Value):
    """Scenario files or folders, and the chatbot to run them with.

    The entry point of an experiment is a function without arguments that returns this value.
    """

    chatbot: str
    files: tuple[Path, ...]


def experiment_names() -> list[str]:
    """Return the names of installed experiments, sorted."""
    return plugins.names(GROUP)


def load_experiment(name: str) -> Experiment:
    """Return the experiment called `name`."""
    made: Callable[[], Experiment] = plugins.find(GROUP, name)
    return made()
