"""The files of deploy/ start commands that there are, and give workers the time that they ask for."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sparring.cli import COMMANDS

DEPLOY = Path(__file__).parents[2] / "deploy"


def test_compose_has_a_database_two_workers_and_a_server():
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    worker = services["worker"]

    assert services.keys() == {"database", "worker", "server"}
    assert worker["command"][:2] == ["sparring", "worker"]
    assert (worker["command"][1] in COMMANDS, worker["deploy"]) == (True, {"replicas": 2})
    assert int(worker["stop_grace_period"].removesuffix("s")) > int(worker["command"][-1])
    assert {"SPARRING_STORE", "SPARRING_SERVE_TOKEN"} <= services["server"]["environment"].keys()


MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")))


def test_the_manifests_are_of_these_kinds():
    assert [each["kind"] for each in MANIFESTS] == ["Job", "Deployment", "Deployment", "Service", "ScaledObject"]


@pytest.mark.parametrize(
    "manifest", [each for each in MANIFESTS if "template" in each["spec"]], ids=lambda each: each["kind"]
)
def test_every_container_starts_a_command_with_the_store(manifest: dict[str, Any]):
    pod = manifest["spec"]["template"]["spec"]
    (container,) = pod["containers"]

    assert "SPARRING_STORE" in {each["name"] for each in container["env"]}
    if command := container.get("command"):
        assert command[0] == "sparring"
        assert command[1] in COMMANDS
    if "--grace" in container.get("command", ()):
        assert pod["terminationGracePeriodSeconds"] > int(container["command"][-1])


def test_the_image_of_workers_has_pinned_packages_which_are_those_of_the_server_and_more():
    told = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    pinned = {name: _pinned(DEPLOY.parent / "requirements" / f"{name}.txt") for name in ("runtime", "cluster")}

    assert "--require-hashes -r /tmp/requirements.txt" in told
    assert pinned["runtime"] < pinned["cluster"]
    assert {"procrastinate", "psycopg", "psycopg-pool"} < {each.partition("==")[0] for each in pinned["cluster"]}


def _pinned(file: Path) -> set[str]:
    return set(re.findall(r"^[\w.-]+==\S+", file.read_text(encoding="utf-8"), re.MULTILINE))
