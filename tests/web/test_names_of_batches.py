"""Batches by name: in REST, and on pages."""

from urllib.parse import quote

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


def test_pages_of_a_report_and_of_one_conversation_in_two_runs_take_names(client: Client):
    ids = [finished(client, {"scenarios": [scenario()], "name": "nightly"}) for _ in range(2)]
    html = {"accept": "text/html"}

    report = client.get("/batches/nightly@1/report.html", headers=html, follow_redirects=False)
    conversation = client.get(f"/api/batches/{ids[0]}/results").json()["results"][0]["conversation_id"]
    query = {"before": "nightly@1", "after": "nightly", "id": conversation}
    both = client.get("/compare/conversation", params=query, headers=html)
    compared = client.get("/compare", params=query, headers=html)

    assert (report.status_code, report.headers["location"]) == (303, f"/api/batches/{ids[0]}/report?format=html")
    assert (both.status_code, "nightly @2" in both.text) == (200, True)
    assert "sparring compare nightly@1 nightly@2" in compared.text


def test_a_name_with_a_slash_has_a_page(client: Client):
    id = finished(client, {"scenarios": [scenario()], "name": "team/nightly"})

    page = client.get("/batches/team/nightly", headers={"accept": "text/html"}, follow_redirects=False)

    assert (page.status_code, page.headers["location"]) == (303, f"/batches/{id}")
    assert client.get("/batches/team/weekly", headers={"accept": "text/html"}).status_code == 404


@pytest.mark.parametrize(
    "name", ["team/nightly", "a%2Fb", "Ночной прогон 日本", "100%", "q?x#y", "a/conversations", "/x/"]
)
def test_any_name_stands_in_a_path_as_it_is_quoted(client: Client, name: str):
    id = finished(client, {"scenarios": [scenario("Order/one, %2F")], "name": name})
    path = quote(name, safe="")

    for suffix in ("", "/summary", "/cost", "/conversations/" + quote("scenarios/Order-one-2F", safe="")):
        answer = client.get(f"/api/batches/{path}{suffix}")
        assert (answer.status_code, id in answer.text or "Order/one" in answer.text) == (200, True), answer.text
    for suffix in ("", "/conversations"):
        page = client.get(f"/batches/{path}{suffix}", headers={"accept": "text/html"})
        assert (page.status_code, id in page.text) == (200, True)


def test_a_path_that_is_none_says_how_names_are_written(client: Client):
    id = finished(client, {"scenarios": [scenario()], "name": "team/nightly"})

    missing = client.get("/api/batches/team/nightly/summary")
    rerun = client.post(f"/api/batches/{id}/rerun", json={"case": ["scenarios/Order"]})

    assert (missing.status_code, missing.json()["hint"]) == (404, "write / in the name of a batch as %2F")
    assert rerun.json()["problems"][0]["path"] == "case"


def test_a_batch_is_deleted_by_its_id_only(client: Client):
    id = finished(client, {"scenarios": [scenario()], "name": "nightly"})

    assert client.delete("/api/batches/latest").status_code == 409
    assert client.delete(f"/api/batches/{id}").status_code == 204
