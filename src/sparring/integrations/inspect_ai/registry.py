"""Registration with Inspect, which loads this module by its entry point.

Registers a task for each experiment, the task `scenarios`, and the model provider.
"""

from pathlib import Path

from inspect_ai import Task, task

from sparring.integrations.inspect_ai.experiment import Experiment, experiment_names, load_experiment
from sparring.integrations.inspect_ai.model import sparring as sparring
from sparring.integrations.inspect_ai.tasks import make_task
from sparring.settings import load_config


def _register(name: str) -> None:
    @task(name=name)
    def experiment(chatbot: str = "", seed: int | None = None) -> Task:
        """Return the task of an installed experiment, optionally with another chatbot or seed."""
        own = load_experiment(name)
        chosen = own.model_copy(update={"chatbot": chatbot}) if chatbot else own
        return make_task(chosen, load_config({"seed": seed}, directory=Path.cwd()))


@task
def scenarios(files: str | list[str], chatbot: str, seed: int | None = None) -> Task:
    """Return the task of scenario files or folders: `-T files=orders.yml -T chatbot=pizzeria`."""
    paths = [files] if isinstance(files, str) else files
    experiment = Experiment(chatbot=chatbot, files=tuple(map(Path, paths)))
    return make_task(experiment, load_config({"seed": seed}, directory=Path.cwd()))


for _name in experiment_names():
    _register(_name)
