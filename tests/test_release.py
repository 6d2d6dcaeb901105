"""The release command: versions, the changelog, and what it refuses. `make release` tries the rest."""

import subprocess
from datetime import date
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def _tool() -> Any:
    spec = spec_from_file_location("release", ROOT / "tools" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _checkout(folder: Path) -> Path:
    for name in ("src/sparring/core/version.py", "CHANGELOG.md"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text((ROOT / name).read_text("utf-8"), "utf-8")
    return folder


def test_the_version_is_written_in_its_one_place(tmp_path: Path):
    _tool().prepare("1.2.3", _checkout(tmp_path), date(2026, 1, 31))

    assert '__version__ = "1.2.3"' in (tmp_path / "src/sparring/core/version.py").read_text("utf-8")
    assert 'version = "' not in (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.")[0]


def test_unreleased_changes_get_a_version_and_a_date(tmp_path: Path):
    _tool().prepare("1.2.3", _checkout(tmp_path), date(2026, 1, 31))

    changes = (tmp_path / "CHANGELOG.md").read_text("utf-8")
    assert "## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n" in changes


def test_a_version_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]):
    assert _tool().main(["next"]) == 1
    assert "expected a version such as 0.1.0, got 'next'" in capsys.readouterr().err


@pytest.mark.process
def test_a_checkout_with_changes_is_not_tagged(tmp_path: Path):
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    (tmp_path / "new").write_text("", "utf-8")

    with pytest.raises(ValueError, match="not committed"):
        _tool().release("1.2.3", tmp_path, tag=True, requirements=ROOT / "requirements/runtime.txt")
