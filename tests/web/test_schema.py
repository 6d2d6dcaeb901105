"""Schemathesis over the whole description of the service, against a server of its own."""

import os
from collections.abc import Iterator

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from sparring.settings import Settings
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.openapi import build_openapi
from sparring.web.app import application
from web.conftest import scenarios
from web.serving import Server

pytestmark = pytest.mark.extended

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "4"))
NOT_IN_A_SCHEMA = [positive_data_acceptance]
"""Whether a day exists, or two names differ in case only, is said in words."""

schema = schemathesis.openapi.from_dict(build_openapi(application(MemoryStore(), Settings(), {})))
bounded = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, process: None) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    (folder / "sparring.yaml").write_text(
        "serve: {requests_per_minute: 100000000}\n"
    )  # or most answers would be that it is too much
    with Server(folder, "--chatbot", "pizzeria", "--concurrency", "4") as server:
        yield server


@pytest.fixture(scope="module")
def batch(server: Server) -> str:
    """A batch that is completed."""
    id: str = server.post("/api/batches", scenarios(3))["batch_id"]
    server.events(f"/api/batches/{id}/events")
    return id


@schema.parametrize()
@bounded
def test_any_request_is_answered_as_documented(case: schemathesis.Case, server: Server):
    case.call_and_validate(base_url=server.address, excluded_checks=NOT_IN_A_SCHEMA, timeout=240)


@schema.include(path_regex=r"\{id\}").exclude(method="DELETE").parametrize()
@bounded
def test_any_request_about_a_batch_is_answered_as_documented(case: schemathesis.Case, server: Server, batch: str):
    case.path_parameters["id"] = batch
    not_any_more = [negative_data_rejection]  # what was wrong may have been the id

    case.call_and_validate(base_url=server.address, excluded_checks=[*NOT_IN_A_SCHEMA, *not_any_more], timeout=240)


def test_every_route_is_described():
    described = {(method.upper(), path) for path, each in schema.raw_schema["paths"].items() for method in each}

    assert len(described) == 48
