"""Background task that deletes batches older than the setting `keep_days`."""

import asyncio
import logging
from datetime import timedelta

from sparring.app.retention import delete_expired
from sparring.core.errors import SparringError
from sparring.web.api.dependencies import AppState

_INTERVAL = 3600
"""Seconds between two passes."""


async def run_retention(service: AppState) -> None:
    """Delete expired batches at startup and then every hour; running batches are kept."""
    days = service.config.keep_days
    if days is None:
        return
    log = logging.getLogger("uvicorn.error")
    while True:
        before = service.clock.now() - timedelta(days=days)
        try:
            gone = await delete_expired(service.store, before, service.config)
        except SparringError as error:
            log.warning("cannot delete batches older than %d days: %s", days, error)
        else:
            if gone:
                log.warning("deleted %d batches older than %d days", gone, days)
        await asyncio.sleep(_INTERVAL)
