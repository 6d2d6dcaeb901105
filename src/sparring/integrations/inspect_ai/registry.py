"""What Inspect finds when it looks for us: a task for every experiment that is installed, one for scenarios in files,
and our models. The module is loaded by the entry point `inspect_ai`.
"""

from pathlib import Path

from inspect_ai import Task, task

from sparring.integrations.inspect_ai.experiment import Experiment, named, names
from sparring.integrations.inspect_ai.model import sparring as sparring
from sparring.integrations.inspect_ai.tasks import task_of
from sparring.settings import load_config


def _register(name: str) -> None:
    @task(name=name)
    def experiment(chatbot: str = "", seed: int | None = None) -> Task:
        """An experiment that is installed, with another chatbot or seed than its own if you like."""
        own = named(name)
        chosen = own.model_copy(update={"chatbot": chatbot}) if chatbot else own
        return task_of(chosen, load_config({"seed": seed}, directory=Path.cwd()))


@task
def scenarios(files: str | list[str], chatbot: str, seed: int | None = None) -> Task:
    """Scenarios in files or folders: `-T files=orders.yml -T chatbot=pizzeria`."""
    paths = [files] if isinstance(files, str) else files
    experiment = Experiment(chatbot=chatbot, files=tuple(map(Path, paths)))
    return task_of(experiment, load_config({"seed": seed}, directory=Path.cwd()))


for _name in names():
    _register(_name)
