"""Words of real people do not leave unnoticed."""

from sparring.cli.console import tell
from sparring.core.batch import Batch
from sparring.settings import Settings

IMPORTED = "imported"
"""Who spoke in logs of real conversations."""


def warn_of_people(batch: Batch, settings: Settings) -> None:
    """Say so where what is written holds what real people said, and nothing of it is hidden."""
    if batch.who.user == IMPORTED and not settings.redact:
        tell("warning: these are words of real people, and nothing is hidden; set `redact` and import them anew")
