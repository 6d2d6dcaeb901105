"""Batches by name: in REST, and on pages."""

import pytest

from web.conftest import Client, finished, scenario

pytestmark = pytest.mark.slow  # its tests play batches


def test_a_batch_is_found_by_what_the_command_line_calls_it(client: Client):
    first, second = (finished(client, {"scenarios": [scenario()], "name": "nightly"}) for _ in range(2))

    for ref, id in (("nightly", second), ("nightly@1", first), ("latest", second)):
        assert client.get(f"/api/batches/{ref}").json()["batch_id"] == id
        page = client.get(f"/batches/{ref}", headers={"accept": "text/html"}, follow_redirects=False)
        assert (page.status_code, page.headers["location"]) == (303, f"/batches/{id}")
    compared = client.get("/api/compare", params={"before": "nightly@1", "after": "latest"}).json()
    assert (compared["before"]["batch"], compared["after"]["batch"]) == (first, second)
    assert client.get("/api/batches/nightli").status_code == 404


def test_a_name_with_a_slash_has_a_page(client: Client):
    id = finished(client, {"scenarios": [scenario()], "name": "team/nightly"})

    page = client.get("/batches/team/nightly", headers={"accept": "text/html"}, follow_redirects=False)

    assert (page.status_code, page.headers["location"]) == (303, f"/batches/{id}")
    assert client.get("/batches/team/weekly", headers={"accept": "text/html"}).status_code == 404


def test_a_batch_is_deleted_by_its_id_only(client: Client):
    id = finished(client, {"scenarios": [scenario()], "name": "nightly"})

    assert client.delete("/api/batches/latest").status_code == 409
    assert client.delete(f"/api/batches/{id}").status_code == 204
