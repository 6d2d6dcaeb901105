"""Clients that others generate from the OpenAPI document: they compile, and run the example of the documentation.

Generators are no dependencies: `.ci/run` installs them into `tests/web/clients`. Without them the tests are skipped.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from sparring.settings import Settings
from sparring.testing.memory_store import MemoryStore
from sparring.web.api.openapi import build_openapi
from sparring.web.app import application
from web.serving import Server

CLIENTS = Path(__file__).parent / "clients"
NODE = CLIENTS / "node_modules" / ".bin"
GENERATOR = CLIENTS / "generator" / "bin" / "openapi-python-client"
STRICT = ("--strict", "--noUncheckedIndexedAccess", "--exactOptionalPropertyTypes")
MODULES = ("--target", "es2022", "--module", "nodenext", "--moduleResolution", "nodenext", "--outDir", "out")

pytestmark = [pytest.mark.extended, pytest.mark.slow, pytest.mark.process]
needs_node = pytest.mark.skipif(not NODE.exists(), reason=f"no npm packages in {CLIENTS.name}: `npm install` there")
needs_generator = pytest.mark.skipif(not GENERATOR.exists(), reason="openapi-python-client is not installed")


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """The OpenAPI document in a file."""
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(build_openapi(application(MemoryStore(), Settings(), {}))), encoding="utf-8")
    return file


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    folder = tmp_path / "served"
    folder.mkdir()
    with Server(folder, "--chatbot", "pizzeria", "--model", "offline") as server:
        yield server


def run(*command: str | Path, folder: Path) -> str:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@needs_node
def test_the_document_has_no_errors(described: Path):
    run(NODE / "redocly", "lint", described, "--skip-rule", "info-license", folder=described.parent)


@needs_node
def test_a_strict_typescript_client_compiles_and_runs_the_example(described: Path, server: Server):
    folder = described.parent / "typescript"
    shutil.copytree(CLIENTS, folder, ignore=shutil.ignore_patterns("node_modules", "generator", "*.py"))
    (folder / "node_modules").symlink_to(CLIENTS / "node_modules")

    run(NODE / "openapi-typescript", described, "-o", "schema.d.ts", folder=folder)
    run(NODE / "tsc", *STRICT, *MODULES, "example.ts", folder=folder)

    assert run("node", "out/example.js", server.address, folder=folder).startswith("Calm reorder: ")


@needs_generator
def test_a_generated_python_client_runs_the_example(described: Path, server: Server):
    folder = described.parent / "python"
    config = described.parent / "config.yaml"
    config.write_text("post_hooks: []\n", encoding="utf-8")
    generate = ("generate", "--path", described, "--output-path", folder, "--config", config, "--fail-on-warning")

    run(GENERATOR, *generate, folder=described.parent)
    shutil.copy(CLIENTS / "example.py", folder)

    assert run(GENERATOR.parent / "python", "example.py", server.address, folder=folder).startswith("Calm reorder: ")
