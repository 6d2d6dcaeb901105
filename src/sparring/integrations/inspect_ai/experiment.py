"""Experiments: plug-ins under `sparring.experiments` that name scenario files and a chatbot."""

from collections.abc import Callable
from pathlib import Path

from sparring.core import plugins
from sparring.core.value import Value
from sparring.integrations.inspect_ai.process import ProcessRule

GROUP = "sparring.experiments"


class Experiment(Value):
    """Scenario files or folders, the chatbot to run them with, and the process that it has to follow.

    Reports list violations of the `process`; they do not fail a case. The entry point of an experiment is a function
    without arguments that returns this value.
    """

    chatbot: str
    files: tuple[Path, ...]
    process: tuple[ProcessRule, ...] = ()


def experiment_names() -> list[str]:
    """Return the names of installed experiments, sorted."""
    return plugins.names(GROUP)


def load_experiment(name: str) -> Experiment:
    """Return the experiment called `name`."""
    made: Callable[[], Experiment] = plugins.find(GROUP, name)
    return made()
