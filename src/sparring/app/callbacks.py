"""Signed requests that notify an address of the end of a batch, until it accepts one.

Requests follow Standard Webhooks: `webhook-id` identifies the batch, so that a receiver can ignore repeats, and
`webhook-signature` is `v1,` with the base64 HMAC-SHA-256 over id, timestamp and body.
"""

import asyncio
import base64
import binascii
import hashlib
import hmac
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import orjson

from sparring.app.compare import contender, with_baseline
from sparring.app.config import AppConfig
from sparring.app.report import report
from sparring.app.results import batch_status
from sparring.core.batch import Batch
from sparring.core.clock import Clock
from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.llm.client.late_transport import LateTransport
from sparring.llm.client.transport import Transport, TransportError
from sparring.reports.comparing_batches import compare
from sparring.reports.comparison import Comparison
from sparring.reports.documents import document
from sparring.reports.gate import gate_json
from sparring.reports.json_report import comparison_json, run_json
from sparring.store.store import Store

SECRET = "SPARRING_CALLBACK_SECRET"
_PREFIX = "whsec_"
_ATTEMPTS = 8
_SECONDS = 20.0


@dataclass(frozen=True)
class Callbacks:
    """Sends callbacks, at most eight times, with pauses of 1, 2, 4, ... seconds."""

    clock: Clock
    secret: str
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def deliver(self, url: str, id: str, content: bytes, transport: Transport) -> bool:
        """Send the content to an address. Return True once it responds with a success status."""
        for attempt in range(_ATTEMPTS):
            if attempt:
                await self.sleep(2.0 ** (attempt - 1))
            try:
                async with asyncio.timeout(_SECONDS):
                    sent = await transport.send("POST", url, headers=self._headers(id, content), body=content)
            except (TimeoutError, TransportError):
                continue
            if 200 <= sent.status < 300:
                return True
        return False

    def _headers(self, id: str, content: bytes) -> dict[str, str]:
        at = str(int(self.clock.now().timestamp()))
        headers = {"content-type": "application/json", "webhook-id": id, "webhook-timestamp": at}
        return headers | {"webhook-signature": signature(self.secret, id, at, content)} if self.secret else headers


def signature(secret: str, id: str, timestamp: str, content: bytes) -> str:
    """Return the signature of a callback."""
    signed = hmac.new(signing_key(secret), b".".join([id.encode(), timestamp.encode(), content]), hashlib.sha256)
    return f"v1,{base64.b64encode(signed.digest()).decode()}"


def signing_key(secret: str) -> bytes:
    """Return the key of a secret: after the prefix `whsec_` it is base64, and other secrets are bytes."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        raise InputError(f"{SECRET} is not base64 after {_PREFIX!r}", hint="leave out the prefix") from None


async def call_back(batch: Batch, url: str, store: Store, config: AppConfig, callbacks: Callbacks) -> bool:
    """Notify an address that a batch has ended. Return True if it accepted the request."""
    async with LateTransport(config.environment) as transport:
        return await callbacks.deliver(url, batch.id, await ended(batch, store, config), transport)


async def ended(batch: Batch, store: Store, config: AppConfig) -> bytes:
    """Return the body of a callback.

    It has the state, numbers, causes and gate of a batch, and the changes since the one before.
    """
    made = await report(batch, store, gate=config.gate)
    changes = await with_baseline(batch, made.summary, store) or await _with_previous(batch, store)
    payload: dict[str, Json] = {
        "type": "batch.ended",
        "status": (await batch_status(store, batch)).model_dump(mode="json"),
        "batch": document("batch", run_json(made.summary, made.gated)),
        "gate": document("gate", gate_json(made.gated)) if made.gated else None,
        "comparison": document("comparison", comparison_json(changes)) if changes else None,
    }
    return orjson.dumps(payload)


async def _with_previous(batch: Batch, store: Store) -> Comparison | None:
    """Compare a batch with the one of its name before it; None if there is none."""
    before = max((id for id in await store.namesakes(batch.name) if id < batch.id), default="") if batch.name else ""
    if not before:
        return None
    return compare(await contender(await store.batch(before), store), await contender(batch, store))
