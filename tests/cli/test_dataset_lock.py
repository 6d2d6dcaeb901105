"""`sparring.lock`: the versions of datasets, and what is said where a dataset has another one."""

import json
from pathlib import Path
from typing import Any

import pytest

from command_line import Sparring

pytestmark = pytest.mark.slow

RUN = ("run", "--chatbot", "pizzeria", "--model", "offline", "--judge", "none")
SCENARIO = "goals: [a pizza]\nexpect: [len(chatbot_phrases) > 0]\n"


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """A folder of scenarios, locked at its version."""
    folder = tmp_path / "orders"
    folder.mkdir()
    for name in ("large.yaml", "small.yaml"):
        (folder / name).write_text(SCENARIO, encoding="utf-8")
    return folder


@pytest.fixture
def locked(dataset: Path, inside: Sparring) -> Path:
    assert inside("validate", "--lock", "orders").returncode == 0
    return dataset


def version(inside: Sparring, name: str = "before") -> str:
    played = inside(*RUN, "orders", "--name", name, "--json")
    told: dict[str, Any] = json.loads(played.stdout)
    found: str = told["datasets"]["orders"]
    return found


def test_a_batch_names_the_version_in_the_lock(locked: Path, inside: Sparring):
    lock = json.loads((locked.parent / "sparring.lock").read_text(encoding="utf-8"))

    assert list(lock["datasets"]["orders"]["files"]) == ["large.yaml", "small.yaml"]
    assert version(inside) == lock["datasets"]["orders"]["version"]


def test_a_changed_dataset_fails_validation_until_it_is_locked_again(locked: Path, inside: Sparring):
    (locked / "large.yaml").write_text(SCENARIO.replace("pizza", "soup"), encoding="utf-8")
    (locked / "small.yaml").unlink()
    (locked / "tiny.yaml").write_text(SCENARIO, encoding="utf-8")

    changed = inside("validate")
    again = inside("validate", "--lock")

    assert (changed.returncode, again.returncode, inside("validate").returncode) == (2, 0, 0)
    assert "changed large.yaml; new tiny.yaml; gone small.yaml" in changed.stdout


def test_a_run_of_a_changed_dataset_warns_and_compare_says_so(locked: Path, inside: Sparring):
    before = version(inside)
    (locked / "large.yaml").write_text(SCENARIO.replace("pizza", "soup"), encoding="utf-8")
    (locked.parent / "other.yaml").write_text(SCENARIO, encoding="utf-8")
    played, other = (inside(*RUN, file) for file in ("orders/large.yaml", "other.yaml"))
    after = version(inside, "after")
    compared = inside("compare", "before", "after")

    assert before != after
    assert "sparring.lock: orders has version" in played.stderr
    assert "sparring.lock" not in other.stderr
    assert f"dataset orders: version {before} before, {after} after" in compared.stdout


def test_a_file_with_problems_is_not_locked(dataset: Path, inside: Sparring):
    (dataset / "large.yaml").write_text("goals: 3\n", encoding="utf-8")

    assert inside("validate", "--lock", "orders").returncode == 2
    assert not (dataset.parent / "sparring.lock").exists()
    assert inside("validate", "--lock", "orders/small.yaml").returncode == 0


def test_a_lock_that_locks_nothing_is_an_error(dataset: Path, inside: Sparring):
    assert "validate --lock FOLDER" in inside("validate", "--lock").stderr
