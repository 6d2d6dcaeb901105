"""Loading scenarios from the command line, with what only a command may allow."""

from collections.abc import Callable, Sequence
from pathlib import Path

from sparring.app.wiring import user_model
from sparring.cli.loop import run_in_loop
from sparring.core.case import Case
from sparring.llm.replay import Tape
from sparring.parsing import Data, note
from sparring.scenarios import loading
from sparring.scenarios.external_values import Call, Outside, Wish, computed, made_up, no_code
from sparring.scenarios.loading import Sources
from sparring.settings import Settings, environment


def load_sources(
    files: Sequence[Path],
    settings: Settings,
    *,
    allow_code: bool,
    tape: Tape | None = None,
    before: Callable[[tuple[Case, ...]], None] = lambda cases: None,
) -> Sources:
    """The cases of files and folders. Values that are to be made up are asked of the model that plays the user, and
    `before` that, somebody may look at the cases with samples of such values.
    """

    def compute(call: Call) -> tuple[Data, ...]:
        if call.folder is not None:
            note(call.folder / call.file)
        return computed(call) if allow_code else no_code(call)

    loaded, asked = loading.asked(files, seed=settings.seed, limits=settings.case_limits)
    if not asked:
        return loaded
    wishes = [each for each in asked if isinstance(each, Wish)]
    if not wishes:
        return loading.load(files, seed=settings.seed, limits=settings.case_limits, outside=Outside(compute=compute))

    before(loaded.cases)

    async def ask() -> Outside:
        async with user_model(settings, environment(Path.cwd()), tape=tape) as model:
            if model is None:
                return Outside(compute=compute)
            ideas = await made_up(wishes, model, seed=settings.seed)
        return Outside(make_up=ideas.__getitem__, compute=compute)

    return loading.load(files, seed=settings.seed, limits=settings.case_limits, outside=run_in_loop(ask()))
