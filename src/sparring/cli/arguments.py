"""The batch that a command is given by its id, by its name, or as `latest`.

Loading scenarios from the command line, with what only a command may allow.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from sparring.app.config import AppConfig
from sparring.app.notices import listed
from sparring.app.wiring import user_model
from sparring.cli.console import tell
from sparring.cli.process import run_in_loop
from sparring.core.batch import Batch
from sparring.core.case import Case
from sparring.core.text import visible
from sparring.llm.replay import Recorder
from sparring.parsing import Data, note
from sparring.scenarios import loading
from sparring.scenarios.external_values import (
    ExternalValues,
    FunctionValues,
    ModelValues,
    compute_values,
    generate_values,
    no_code,
)
from sparring.scenarios.loading import LoadedScenarios
from sparring.store.store import Reader


async def batch_called(which: str, store: Reader) -> Batch:
    """The batch, with its cases; where others have the same name, which of them it is is told."""
    batch = await store.batch(which)
    await _tell(which, batch, store)
    return batch


async def head_called(which: str, store: Reader) -> Batch:
    """The same without the cases."""
    batch = await store.head(which)
    await _tell(which, batch, store)
    return batch


async def _tell(which: str, batch: Batch, store: Reader) -> None:
    if which == batch.name and which != batch.id and (others := (await store.namesakes(which))[1:]):
        tell(
            f"warning: several batches are called {visible(repr(which))}: this is the newest, {batch.id}, and not "
            f"{listed(others)}"
        )


def load_sources(
    files: Sequence[Path],
    config: AppConfig,
    *,
    allow_code: bool,
    tape: Recorder | None = None,
    before: Callable[[tuple[Case, ...]], None] = lambda cases: None,
) -> LoadedScenarios:
    """The cases of files and folders. Values that are to be made up are asked of the model that plays the user, and
    `before` that, somebody may look at the cases with samples of such values.
    """

    def compute(call: FunctionValues) -> tuple[Data, ...]:
        if call.folder is not None:
            note(call.folder / call.file)
        return compute_values(call) if allow_code else no_code(call)

    loaded, asked = loading.load_with_samples(files, seed=config.seed, limits=config.case_limits)
    if not asked:
        return loaded
    wishes = [each for each in asked if isinstance(each, ModelValues)]
    if not wishes:
        return loading.load(files, seed=config.seed, limits=config.case_limits, outside=ExternalValues(compute=compute))

    before(loaded.cases)

    async def ask() -> ExternalValues:
        async with user_model(config, tape=tape) as model:
            if model is None:
                return ExternalValues(compute=compute)
            ideas = await generate_values(wishes, model, seed=config.seed)
        return ExternalValues(make_up=ideas.__getitem__, compute=compute)

    return loading.load(files, seed=config.seed, limits=config.case_limits, outside=run_in_loop(ask()))
