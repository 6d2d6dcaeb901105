"""Release Sparring: `python tools/release.py 0.1.0`. Without `--tag`, nothing is changed: it is a rehearsal.

It writes the version and the heading of the changelog, builds the wheel and the source distribution, installs the
wheel into an empty environment with the pinned requirements, and runs `sparring --version` and `sparring demo` there.
All of it happens in a copy of the last commit; with `--tag`, the release is committed and tagged here afterwards.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import venv
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSION_FILE = Path("src/sparring/core/version.py")
CHANGELOG = Path("CHANGELOG.md")
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:(?:a|b|rc)\d+)?")
_HEADING = "## [Unreleased]\n"


def main(arguments: list[str] | None = None) -> int:
    """Rehearse or make a release. Return an exit code."""
    parser = argparse.ArgumentParser(prog="release", description=__doc__)
    parser.add_argument("version", help="the version to release, such as 0.1.0")
    parser.add_argument("--tag", action="store_true", help="commit and tag the release here")
    parser.add_argument("--requirements", type=Path, default=ROOT / "requirements/runtime.txt", help="pinned packages")
    chosen = parser.parse_args(arguments)
    try:
        release(chosen.version, ROOT, tag=chosen.tag, requirements=chosen.requirements)
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def release(version: str, root: Path, *, tag: bool, requirements: Path) -> None:
    """Build and try a release in a copy of the last commit; with `tag`, commit and tag it in `root`."""
    if not _VERSION.fullmatch(version):
        raise ValueError(f"expected a version such as 0.1.0, got {version!r}")
    if _git(root, "tag", "--list", f"v{version}"):
        raise ValueError(f"the tag v{version} exists")
    if tag and _git(root, "status", "--porcelain"):
        raise ValueError("the checkout has changes that are not committed")
    today = datetime.now(UTC).date()
    with tempfile.TemporaryDirectory(prefix="sparring-release-") as folder:
        copy = Path(folder) / "source"
        _run("git", "clone", "--quiet", str(root), str(copy), at=root)
        prepare(version, copy, today)
        wheel = build(copy, Path(folder) / "dist", version)
        try_wheel(wheel, Path(folder) / "elsewhere", version, requirements)
        print(f"tried: {wheel.name}, {', '.join(path.name for path in sorted(wheel.parent.glob('*.tar.gz')))}")
    if not tag:
        print("rehearsed: nothing is changed; --tag commits and tags the release")
        return
    prepare(version, root, today)
    _run("git", "commit", "--quiet", "-m", f"build: release {version}", str(VERSION_FILE), str(CHANGELOG), at=root)
    _run("git", "tag", "--annotate", f"v{version}", "-m", f"Sparring {version}", at=root)
    print(f"tagged: v{version}; push it with: git push --follow-tags")


def prepare(version: str, root: Path, today: date) -> None:
    """Write the version, and give the unreleased changes their heading."""
    file = root / VERSION_FILE
    file.write_text(re.sub(r'(?m)^__version__ = ".*"$', f'__version__ = "{version}"', file.read_text("utf-8")), "utf-8")
    changes = root / CHANGELOG
    text = changes.read_text("utf-8")
    if _HEADING not in text:
        raise ValueError(f"{CHANGELOG} has no heading {_HEADING.strip()!r}")
    heading = f"{_HEADING}\n## [{version}] - {today.isoformat()}\n"
    changes.write_text(text.replace(_HEADING, heading, 1).replace(f"The first release, {version}.\n\n", ""), "utf-8")


def build(root: Path, into: Path, version: str) -> Path:
    """Build the source distribution, and the wheel from the same files. Return the wheel."""
    _run(sys.executable, "-m", "hatchling", "build", "--directory", str(into), at=root)
    wheels = list(into.glob(f"sparring-{version}-*.whl"))
    if len(wheels) != 1 or not list(into.glob(f"sparring-{version}.tar.gz")):
        raise ValueError(f"expected a wheel and a source distribution of {version}, got {sorted(into.iterdir())}")
    return wheels[0]


def try_wheel(wheel: Path, elsewhere: Path, version: str, requirements: Path) -> None:
    """Install a wheel into an empty environment, and run the version and the demo there, away from any checkout."""
    venv.create(elsewhere / "venv", with_pip=True)
    pip = [str(elsewhere / "venv/bin/python"), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
    _run(*pip, "--require-hashes", "-r", str(requirements), at=elsewhere)
    _run(*pip, "--no-deps", str(wheel), at=elsewhere)
    command = str(elsewhere / "venv/bin/sparring")
    said = _run(command, "--version", at=elsewhere).strip()
    if said != f"sparring {version}":
        raise ValueError(f"expected 'sparring {version}', got {said!r}")
    if "PASSED" not in _run(command, "demo", at=elsewhere):
        raise ValueError("the demo did not pass")


def _git(root: Path, *arguments: str) -> str:
    return _run("git", *arguments, at=root).strip()


def _run(*command: str, at: Path) -> str:
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{' '.join(command[:4])} ... failed with {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
