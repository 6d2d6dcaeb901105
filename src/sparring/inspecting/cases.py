"""The cases of an experiment."""

from sparring.core.case import Case
from sparring.inspecting.experiment import Experiment
from sparring.runner.concluding import check_expectations
from sparring.scenarios import sources
from sparring.settings import Settings


def cases_of(experiment: Experiment, settings: Settings) -> tuple[Case, ...]:
    """Its cases; an InputError with everything that is wrong with them, before anything is played."""
    cases = sources.load(experiment.files, seed=settings.seed, limits=settings.limits).cases
    check_expectations(cases)
    return cases
