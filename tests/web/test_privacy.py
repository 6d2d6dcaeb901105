from pathlib import Path

import pytest

from web.conftest import Open, events, finished, launched, scenario, wait_for

pytestmark = pytest.mark.slow  # its tests play batches

PHONE = "+1 555 010-0199"


def test_personal_data_is_neither_stored_nor_sent(opened: Open, tmp_path: Path):
    client = opened(redact=("phone",))
    id = launched(client, [scenario(PERSONALITY=f"calm, at {PHONE}", ORDER_GOAL=[f"be called at {PHONE}"])])

    heard = str(events(client, id))
    told = client.get(f"/api/batches/{id}/conversations/scenarios/Calm-reorder").text
    client.stop()

    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert PHONE.encode() not in kept
    assert "at ***************" in told
    assert (PHONE in heard, PHONE in told) == (False, False)


def test_a_redacted_batch_cannot_be_rerun_and_says_so(opened: Open):
    client = opened(redact=("phone",), concurrency=1)
    body = [scenario(f"Order {n}", PERSONALITY=f"calm, at {PHONE}") for n in range(60)]
    id = launched(client, body)
    client.post(f"/api/batches/{id}/cancel")

    refused = client.post(f"/api/batches/{id}/resume")

    assert (refused.status_code, "were redacted before they were stored" in refused.json()["error"]) == (409, True)


@pytest.mark.slow
def test_a_batch_without_personal_data_can_be_rerun(opened: Open):
    client = opened(redact=("phone",), concurrency=1)
    id = launched(client, [scenario(f"Order {n}") for n in range(40)])
    client.stop()

    assert wait_for(opened(redact=("phone",)), id)["completed_scenarios"] == 40


@pytest.mark.slow
def test_a_key_is_neither_stored_nor_sent(opened: Open, tmp_path: Path):
    token = "planted-token-0123456789abcdef"
    client = opened(token=token)
    id = finished(client, [scenario()])

    told = "".join(client.get(path).text for path in ("/", "/docs", "/openapi.json", f"/api/batches/{id}/results"))
    refused = client.get("/api/batches", headers={"authorization": f"Bearer {token}x"}).text
    client.stop()

    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert (token in told, token in refused, token.encode() in kept) == (False, False, False)
