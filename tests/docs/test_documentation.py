"""What the documentation says is there, and what it says to type works as printed."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from sparring.core import plugins

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
_FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")
_NEEDS_A_MODEL = "openai:"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path):
    targets = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]

    assert [link for link in targets if not (page.parent / link).exists()] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```sh" in page.read_text(encoding="utf-8")], ids=lambda p: p.name
)
def test_what_a_page_says_to_type_works(page: Path, tmp_path: Path):
    if page.name in ("CONTRIBUTING.md",):
        pytest.skip("it is about working on Sparring, which is what runs this test")
    text = page.read_text(encoding="utf-8").replace("5005", str(_free_port()))
    if page.parent.name == "how-to":
        _write_files((ROOT / "README.md").read_text(encoding="utf-8"), tmp_path)
    _write_files(text, tmp_path)
    servers = []
    try:
        for command in _commands(text):
            if " --port " in command:
                servers.append(_serve(command, tmp_path))
                continue
            done = subprocess.run(
                command,
                shell=True,
                cwd=tmp_path,
                env=_env(),
                capture_output=True,
                text=True,
                timeout=60,
                input="",
                check=False,
            )
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    finally:
        for server in servers:
            server.terminate()
            server.wait(10)


def test_a_program_is_named_as_the_readme_names_it(tmp_path: Path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.search(r"`(command:\./(\S+))`", readme)
    assert named is not None
    _write_files(readme, tmp_path)
    (tmp_path / named[2]).write_text("#!/bin/sh\nexec cat\n")
    (tmp_path / named[2]).chmod(0o755)

    done = subprocess.run(
        ["sparring", "run", "order.yml", "--chatbot", named[1], "--model", "offline", "--judge", "none", "--json"],
        cwd=tmp_path,
        env=_env(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def _commands(text: str) -> Iterator[str]:
    for language, _, block in _FENCE.findall(text):
        if language != "sh":
            continue
        for line in block.replace("\\\n", " ").splitlines():
            command = line.strip().replace(".venv/bin/", "").replace("make demo", "sparring demo")
            if command and not command.startswith(("#", "make ")) and _NEEDS_A_MODEL not in command:
                yield command


def _write_files(text: str, folder: Path) -> None:
    for _, name, block in _FENCE.findall(text):
        if name:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block, encoding="utf-8")


def _serve(command: str, folder: Path) -> "subprocess.Popen[bytes]":
    server = subprocess.Popen(
        command, shell=True, cwd=folder, env=_env(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    port = int(command.rpartition(" ")[2])
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server
        time.sleep(0.05)
    raise AssertionError(f"nothing answers: {command}")


def _env() -> dict[str, str]:
    """An environment without keys, in which `sparring` and `python` are ours."""
    kept = {name: os.environ[name] for name in ("HOME", "PYTHONPATH") if name in os.environ}
    return {**kept, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _generator() -> Any:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_generated_pages_are_what_the_code_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")  # restored afterwards: the generator sets it too
    generator = _generator()

    behind = [
        name for name, page in generator.PAGES.items() if (generator.REFERENCE / name).read_text("utf-8") != page()
    ]

    assert behind == [], "run `make docs-write`"


@pytest.mark.parametrize("group", ["sparring.chatbots", "sparring.models", "sparring.users"])
def test_every_kind_of_plug_in_is_documented(group: str):
    reference = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)

    assert [name for name in plugins.names(group) if f"`{name}" not in reference and f"{name}:" not in reference] == []
