import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from command_line import Sparring

ORDER = json.dumps([{"name": "order", "variables": {"ORDER_GOAL": ["a small custom pizza with ham"]}}], indent=2)
WRITING = [
    ("report", "--html"),
    ("report", "--md"),
    ("report", "--json"),
    ("report", "--junit"),
    ("run", "order.json", "--junit"),
    ("check", "--rule", "turns() < 9", "--junit"),
    ("check", "--rule", "turns() < 9", "--csv"),
    ("check", "--rule", "turns() < 9", "--markdown"),
    ("fetch", "latest", "--format", "json", "--output"),
    ("fetch", "latest", "--format", "ndjson", "--output"),
    ("fetch", "latest", "--format", "csv", "--output"),
    ("fetch", "latest", "--format", "conversations", "--output"),
    ("summarize", "results.json", "--format", "json", "--output"),
    ("summarize", "results.json", "--format", "csv", "--output"),
]


@pytest.fixture
def project(inside: Sparring, tmp_path: Path) -> Path:
    """A batch of a scenario in JSON, and a file of its results."""
    (tmp_path / "order.json").write_text(ORDER)
    (tmp_path / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\n")
    inside("run", "order.json", "--name", 'A long name for a batch, with <angles> and "quotes"')
    inside("fetch", "latest", "--output", "results.json")
    return tmp_path


@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_what_is_written_replaces_an_earlier_one_and_nothing_that_a_person_wrote(
    inside: Sparring, project: Path, command: tuple[str, ...]
):
    first, again = inside(*command, "out/made"), inside(*command, "out/made")
    over_scenario = inside(*command, "order.json")

    assert (first.returncode, again.returncode) == (0, 0), again.stderr
    assert (over_scenario.returncode, (project / "order.json").read_text()) == (2, ORDER)
    assert "order.json: is there already" in over_scenario.stderr
    assert "hint: give another name" in over_scenario.stderr


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
@pytest.mark.skipif(find_spec("matplotlib") is None, reason="pictures need matplotlib")
def test_a_picture_replaces_an_earlier_one_and_no_other_picture(inside: Sparring, project: Path, suffix: str):
    command = ("summarize", "results.json", "--histogram")
    other = project / f"other.{suffix}"
    other.write_bytes(b"\x89PNG, drawn by hand")

    first, again = inside(*command, f"made.{suffix}"), inside(*command, f"made.{suffix}")
    over_other = inside(*command, other.name)

    assert (first.returncode, again.returncode, over_other.returncode) == (0, 0, 2), again.stderr
    assert other.read_bytes() == b"\x89PNG, drawn by hand"


def test_one_kind_of_output_does_not_replace_another(inside: Sparring, project: Path):
    """Conversations may be the only ones there are: a table of results does not take their place."""
    inside("fetch", "latest", "--format", "conversations", "--output", "kept")
    before = (project / "kept").read_bytes()

    done = inside("fetch", "latest", "--format", "csv", "--output", "kept")

    assert (done.returncode, (project / "kept").read_bytes()) == (2, before)


def test_a_folder_with_conversations_of_somebody_else_is_refused_before_anything_is_played(
    inside: Sparring, project: Path
):
    (project / "mine").mkdir()
    (project / "mine/conversations.ndjson").write_text('{"id": 1, "role": "user", "text": "Hello"}\n')

    done = inside("run", "order.json", "--output-dir", "mine", "--name", "never")
    twice = [inside("run", "order.json", "--output-dir", "ours").returncode for _ in range(2)]

    assert (done.returncode, inside("show", "never").returncode, twice) == (2, 2, [0, 0])
    assert (project / "mine/conversations.ndjson").read_text().startswith('{"id": 1')


def test_what_is_no_file_and_what_is_empty_is_written_into(inside: Sparring, project: Path):
    (project / "empty").touch()

    done = inside("report", "--json", "empty", "--junit", "/dev/null")

    assert (done.returncode, json.loads((project / "empty").read_text())["stored"]) == (0, 1), done.stderr
