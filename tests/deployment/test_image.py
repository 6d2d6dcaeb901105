"""No image is built here: what the Dockerfile says is read, and its commands are run from an installed wheel."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

from deployment.dockerfile import command, instructions, last_stage, only, variables
from pages import free_port

pytestmark = pytest.mark.extended

ROOT = Path(__file__).parents[2]
FILE = ROOT / "Dockerfile"
TOKEN = "a-token-of-our-own-0123456789"


def test_the_image_does_not_run_as_root():
    found = [each for each in last_stage(FILE) if each.name in ("USER", "CMD", "HEALTHCHECK")]

    assert (found[0].name, found[0].rest not in ("root", "0")) == ("USER", True)
    assert f"useradd --uid 10001 --create-home {found[0].rest}" in " ".join(each.rest for each in last_stage(FILE))


def test_the_image_is_slim_listens_at_port_5000_and_writes_to_volumes():
    found, named = last_stage(FILE), variables(last_stage(FILE))

    assert [each.rest.split()[0] for each in instructions(FILE) if each.name == "FROM"] == ["python:3.12-slim"] * 2
    assert (named["HOST"], named["PORT"], only(found, "EXPOSE")) == ("0.0.0.0", "5000", "5000")
    assert command(only(found, "VOLUME")) == ["/data/.sparring", "/data/results", "/data/logs"]
    assert (only(found, "WORKDIR"), named["LOGS_DIR"]) == ("/data", "/data/logs")


def test_no_secret_is_in_the_image():
    assert [name for name in variables(instructions(FILE)) if re.search("KEY|TOKEN|SECRET|PASSWORD", name)] == []
    assert [each for each in instructions(FILE) if each.name == "ARG"] == []
    assert (ROOT / ".dockerignore").read_text().splitlines()[0] == "*"


def test_copied_files_exist_and_are_not_ignored():
    sent = {line[1:].rstrip("/") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = [
        each.rest.split()[:-1] for each in instructions(FILE) if each.name == "COPY" and "--from" not in each.rest
    ]

    names = [name for names in copied for name in names]
    assert [name for name in names if not (ROOT / name).exists() or name not in sent] == []


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, process: None) -> Path:
    """The folder of programs of an environment in which the wheel is installed, as the image has it."""
    folder = tmp_path_factory.mktemp("image")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    source = folder / "source"
    for name in ("src", "pyproject.toml", "README.md", "LICENSE"):
        kept = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        source.mkdir(exist_ok=True)
        kept(ROOT / name, source / name)
    subprocess.run([*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", folder, source], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    scripts = folder / "venv" / "bin"
    site = subprocess.run(
        [scripts / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    (wheel,) = folder.glob("*.whl")
    target = [*pip, "--python", str(scripts / "python"), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(target, check=True)
    # What it needs is not downloaded again: the wheel comes first, and everything else from where the tests run.
    Path(site, "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return scripts


def environment(installed: Path, **more: str) -> dict[str, str]:
    """What the image sets, at a port that is free here."""
    told = variables(last_stage(FILE))
    return {**told, "PATH": f"{installed}:{os.environ['PATH']}", "HOME": os.environ["HOME"], "LOGS_DIR": "logs", **more}


@pytest.fixture
def data(installed: Path, tmp_path: Path) -> Path:
    """The working folder of the image, made as the image makes it."""
    (made,) = [each.rest for each in last_stage(FILE) if each.name == "RUN" and each.rest.startswith("sparring")]
    subprocess.run(made.split(), cwd=tmp_path, env=environment(installed), check=True, capture_output=True)
    return tmp_path


def test_the_wheel_brings_the_words_of_all_languages(installed: Path):
    (packed,) = installed.parent.rglob("sparring/extraction/languages")

    written = (ROOT / "src/sparring/extraction/languages").glob("*.toml")
    assert {each.name for each in packed.glob("*.toml")} == {each.name for each in written}


def test_the_image_runs_the_installed_wheel(installed: Path, data: Path):
    where = "import sparring; print(sparring.__file__)"

    told = subprocess.run(
        ["python", "-c", where], cwd=data, env=environment(installed), capture_output=True, text=True, check=True
    )

    assert told.stdout.startswith(str(installed.parent))


def test_without_a_token_it_does_not_start(installed: Path, data: Path):
    done = subprocess.run(
        command(only(last_stage(FILE), "CMD")),
        cwd=data,
        env=environment(installed, PORT=str(free_port())),
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == 2
    assert "there is no token" in done.stderr


@pytest.fixture
def serving(installed: Path, data: Path) -> Iterator[dict[str, str]]:
    """The environment of a server that runs as the image runs it."""
    own = environment(installed, PORT=str(free_port()), SPARRING_SERVE_TOKEN=TOKEN)
    words = command(only(last_stage(FILE), "CMD"))
    with subprocess.Popen(words, cwd=data, env=own, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = server.stderr.readline()
        assert said.startswith("serving at http://0.0.0.0:"), said
        yield own
        server.terminate()
        server.communicate(timeout=240)
    assert server.returncode == 0


def test_the_server_is_found_well_and_a_missing_one_is_not(serving: dict[str, str], data: Path):
    check = command(only(last_stage(FILE), "HEALTHCHECK"))

    def healthy(**changed: str) -> int:
        return subprocess.run(
            check, cwd=data, env={**serving, **changed}, capture_output=True, timeout=240, check=False
        ).returncode

    assert (healthy(), healthy(PORT=str(free_port())), healthy(SPARRING_SERVE_TOKEN="another")) == (0, 1, 1)
