"""`sparring calibrate BATCH`: compare a judge with the blind labels of people."""

from typing import Annotated

import typer

from sparring.app.calibrate import calibrate
from sparring.app.config import AppConfig
from sparring.cli import options
from sparring.cli.arguments import opened
from sparring.cli.console import answer, warn_given_up
from sparring.cli.process import PASSED, UNDECIDED
from sparring.core.batch import panel
from sparring.core.clock import SystemClock
from sparring.reports.calibration_text import calibration_text


@options.configured("cache", "concurrency", "store")
async def calibrate_command(
    which: options.Batch = "latest",
    judges: Annotated[list[str] | None, typer.Option("--judge", metavar="TEXT")] = None,
    rubric: Annotated[str, typer.Option("--rubric", metavar="NAME")] = "",
    probe: Annotated[int, typer.Option("--probe", metavar="N", min=0, max=1000)] = 0,
    *,
    config: AppConfig,
    as_json: options.Json = False,
) -> int:
    """Compare a judge with blind labels: its errors, and the pass rate and mean score corrected for them."""
    async with opened(config, which) as (batch, store):
        found = await calibrate(
            batch,
            store,
            config,
            SystemClock().now(),
            judge=panel(*(judges or ())),
            rubric=rubric,
            probe=probe,
            given_up=warn_given_up,
        )
    answer("calibration", {"calibration": found.model_dump(mode="json")}, calibration_text(found), as_json=as_json)
    return UNDECIDED if found.refused else PASSED
