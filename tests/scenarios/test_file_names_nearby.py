"""Files that a file names."""

from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.scenarios.external_values import ExternalValues, compute_values
from sparring.scenarios.file_names import find_folder, find_nearby
from sparring.scenarios.loading import check, load


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a personality in it, and one beside it that is none of its business."""
    for name in ("project/people/kind.yml", "project/profiles/a.yml", "secret/s.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("context: [you are kind]")
    (tmp_path / "project" / "people" / "link.yml").symlink_to("../../secret/s.yml")
    (tmp_path / "project" / "people" / "inside.yml").symlink_to("kind.yml")
    return tmp_path / "project"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("people/kind.yml", True),
        ("people/inside.yml", True),
        ("people/link.yml", False),
        ("../secret/s.yml", False),
        ("people/../../secret/s.yml", False),
        ("/etc/hostname", False),
        ("people", False),
        ("", False),
        ("x" * 5000, False),
        ("a\0b", False),
    ],
)
def test_a_path_leads_down_from_the_folder_of_the_file_or_one_above(project: Path, written: str, found: bool):
    assert find_nearby(project / "profiles" / "a.yml", Path(written)) == (project / written if found else None)
    assert find_folder(project / "profiles" / "a.yml", Path(written)) == (project if found else None)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("../../secret/s.yml", "should be a path that starts at the folder of this file, or at one above it"),
        ("people/link.yml", "there is no such personality"),
        ("x" * 5000, "there is no such personality"),
    ],
)
def test_a_personality_outside_is_not_read(project: Path, written: str, complaint: str):
    (project / "profiles" / "a.yml").write_text(f"user: {{personality: {written}}}\ngoals: [hello]")

    (checked,) = check([project / "profiles" / "a.yml"])

    assert [problem.message for problem in checked.problems] == [complaint]


@pytest.mark.parametrize("written", ["../../secret/f.py", "people/f.py"])
def test_a_function_outside_is_not_run(project: Path, written: str):
    (project.parent / "secret" / "f.py").write_text("def f(): return [1]")
    (project / "people" / "f.py").symlink_to("../../secret/f.py")
    (project / "profiles" / "a.yml").write_text(
        f"goals: ['{{{{x}}}}']\nvariables: {{x: {{data: {{file: {written}, function_name: f}}}}}}"
    )

    with pytest.raises(InputError, match=f"there is no file '{written}' in the folder of this file"):
        load([project / "profiles" / "a.yml"], seed=7, outside=ExternalValues(compute=compute_values))
