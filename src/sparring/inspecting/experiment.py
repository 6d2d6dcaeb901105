"""What a plug-in under `sparring.experiments` says: which cases to play, and with which chatbot."""

from collections.abc import Callable
from pathlib import Path

from sparring.core import plugins
from sparring.core.case import Case
from sparring.core.value import Value
from sparring.runner.concluding import check_expectations
from sparring.scenarios import sources
from sparring.settings import Settings

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


def cases_of(experiment: Experiment, settings: Settings) -> tuple[Case, ...]:
    """Its cases; an InputError with everything that is wrong with them, before anything is played."""
    cases = sources.load(experiment.files, seed=settings.seed, limits=settings.limits).cases
    check_expectations(cases)
    return cases
