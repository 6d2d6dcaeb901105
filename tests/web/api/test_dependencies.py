from collections.abc import Callable

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from sparring.web.api.dependencies import ListenerLimit
from sparring.web.api.errors import RequestError


def test_a_caller_gets_at_most_half_of_the_slots_and_all_slots_can_be_used():
    limit = ListenerLimit(5)

    with limit.acquire("anna"), limit.acquire("anna"), limit.acquire("ben"):
        with pytest.raises(RequestError, match="you have 2 event streams open"):
            limit.check("anna")
        limit.check("ben")
        with limit.acquire("ben"), limit.acquire("carl"), pytest.raises(RequestError, match="5 event streams are open"):
            limit.check("dora")

    assert limit.count == 0
    limit.check("anna")


def test_a_single_slot_is_open_to_every_caller():
    limit = ListenerLimit(1)

    limit.check("anna")
    with limit.acquire("anna"), pytest.raises(RequestError):
        limit.check("ben")


def test_a_client_that_goes_away_in_the_middle_of_a_request_is_no_fault(opened: Callable[[], TestClient]):
    client, answered = opened(), list[Message]()
    headers = [(b"host", b"127.0.0.1:5000"), (b"content-type", b"application/json"), (b"content-length", b"99")]
    where = {"method": "POST", "path": "/api/validate", "query_string": b"", "client": ("127.0.0.1", 1)}
    scope = {"type": "http", "scheme": "http", "http_version": "1.1", "root_path": "", "headers": headers, **where}

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answered.append(message)

    assert client.portal is not None
    client.portal.call(client.app, scope, receive, send)

    assert answered[0]["status"] == 400
