"""Forgets batches that have become too old while the server runs, where the operator wants that."""

import asyncio
import logging
from datetime import timedelta

from sparring.app.retention import delete_expired
from sparring.core.errors import SparringError
from sparring.web.api.dependencies import AppState

_EVERY = 3600
"""Seconds between two looks."""


async def retain(service: AppState) -> None:
    """Look at the beginning, and then every hour; what is under way is never touched."""
    days = service.settings.keep_days
    if days is None:
        return
    log = logging.getLogger("uvicorn.error")
    while True:
        before = service.clock.now() - timedelta(days=days)
        try:
            gone = await delete_expired(service.store, before, service.settings)
        except SparringError as error:
            log.warning("batches of more than %d days could not be forgotten: %s", days, error)
        else:
            if gone:
                log.warning("%d batches of more than %d days are forgotten", gone, days)
        await asyncio.sleep(_EVERY)
