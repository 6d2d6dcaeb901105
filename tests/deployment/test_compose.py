"""compose.yaml against a schema of our own: that part of the Compose Specification which it uses, and nothing else."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from deployment.dockerfile import command, last_stage, only
from json_schema import errors

ROOT = Path(__file__).parents[2]
_TEXT = {"type": "string"}
_SERVICE = {
    "type": "object",
    "additionalProperties": False,
    "required": ["build"],
    "properties": {
        "build": _TEXT,
        "init": {"type": "boolean"},
        "restart": {"enum": ["no", "always", "on-failure", "unless-stopped"]},
        "ports": {"type": "array", "items": _TEXT},
        "environment": {"type": "object", "additionalProperties": _TEXT},
        "volumes": {"type": "array", "items": _TEXT},
        "cap_drop": {"type": "array", "items": _TEXT},
        "security_opt": {"type": "array", "items": _TEXT},
    },
}
SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["services"],
    "properties": {
        "services": {"type": "object", "additionalProperties": _SERVICE},
        "volumes": {
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": False, "properties": {}},
        },
    },
}


@pytest.fixture
def compose() -> Any:
    return yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))


def test_the_compose_file_fits_the_specification(compose: Any):
    assert errors(SCHEMA, compose) == []


@pytest.mark.parametrize(
    "wrong", [{"services": {"a": {}}}, {"services": {"a": {"build": ".", "port": []}}}, {"service": {}}]
)
def test_the_schema_finds_what_is_wrong(wrong: Any):
    assert errors(SCHEMA, wrong) != []


def test_the_service_needs_a_token_and_listens_on_this_machine_only(compose: Any):
    service = compose["services"]["sparring"]

    assert service["environment"]["SPARRING_SERVE_TOKEN"].startswith("${SPARRING_SERVE_TOKEN:?")
    assert service["ports"] == ["127.0.0.1:5000:5000"]


def test_every_volume_of_the_image_is_kept(compose: Any):
    named = dict(volume.split(":") for volume in compose["services"]["sparring"]["volumes"])

    assert sorted(named.values()) == sorted(command(only(last_stage(ROOT / "Dockerfile"), "VOLUME")))
    assert named.keys() == compose["volumes"].keys()
