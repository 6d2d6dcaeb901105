import errno
import json
import os
import resource
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from command_line import Sparring, called
from sparring.app.export import atomic_file, write_atomically, write_conversations
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError, StoreError
from sparring.testing.factories import a_case, a_conversation

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


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A batch of a scenario in JSON, and a file of its results."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "order.json").write_text(ORDER)
    (folder / "sparring.yaml").write_text("chatbot: pizzeria\nmodel: offline\n")
    env = {name: os.environ[name] for name in ("PATH", "HOME", "SPARRING_NULL_BOTS") if name in os.environ}
    called("run", "order.json", "--name", 'A long name for a batch, with <angles> and "quotes"', folder=folder, env=env)
    called("fetch", "latest", "--output", "results.json", folder=folder, env=env)
    return folder


@pytest.fixture
def project(played: Path, tmp_path: Path) -> Path:
    """A copy of what was played."""
    return shutil.copytree(played, tmp_path, dirs_exist_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("command", WRITING, ids=" ".join)
def test_what_is_written_replaces_an_earlier_one_and_nothing_that_a_person_wrote(
    inside: Sparring, project: Path, command: tuple[str, ...]
):
    first, again = inside(*command, "out/made"), inside(*command, "out/made")
    over_scenario = inside(*command, "order.json")

    assert (first.returncode, again.returncode) == (0, 0), again.stderr
    assert (over_scenario.returncode, (project / "order.json").read_text()) == (2, ORDER)
    assert "order.json: already exists" in over_scenario.stderr
    assert "hint: give another name, or replace that file with --force" in over_scenario.stderr
    assert inside(*command, "order.json", "--force").returncode == 0
    assert (project / "order.json").read_text() != ORDER


@pytest.mark.process
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


@pytest.mark.slow
def test_a_folder_with_foreign_conversations_is_refused_before_the_run(inside: Sparring, project: Path):
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


@contextmanager
def full_disk() -> Iterator[None]:
    """No file may become larger than 4 KB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_leaves_the_earlier_file_and_nothing_else(tmp_path: Path):
    (tmp_path / "report.html").write_text("earlier")

    with full_disk(), pytest.raises(InputError, match=r"report\.html: cannot be written: File too large"):
        write_atomically(tmp_path / "report.html", [b"x" * 10_000])

    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("report.html", "earlier")]


async def test_conversations_that_cannot_be_read_to_their_end_replace_no_earlier_ones(tmp_path: Path):
    async def broken() -> AsyncIterator[Conversation]:
        yield a_conversation(a_case("x/1"))
        raise StoreError("the store is gone")

    (tmp_path / "conversations.ndjson").write_text("earlier")

    with pytest.raises(StoreError):
        await write_conversations(tmp_path, broken())

    assert {name: (tmp_path / name).read_text() for name in os.listdir(tmp_path)} == {"conversations.ndjson": "earlier"}


def test_what_is_replaced_stays_where_a_link_leads_and_as_private_as_it_was(tmp_path: Path):
    (tmp_path / "real").mkdir()
    kept, link = tmp_path / "real/report.json", tmp_path / "report.json"
    kept.write_text("earlier")
    kept.chmod(0o600)
    link.symlink_to("real/report.json")

    with atomic_file(link) as file:
        file.write(b"later")

    assert (link.is_symlink(), kept.read_text(), kept.stat().st_mode & 0o777) == (True, "later", 0o600)


def test_a_new_file_may_be_read_by_whom_any_new_file_may(tmp_path: Path):
    (tmp_path / "other").touch()

    with atomic_file(tmp_path / "made") as file:
        file.write(b"made")

    assert (tmp_path / "made").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_pipe_is_written_into_also_where_its_reader_goes(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)

    with atomic_file(tmp_path / "pipe") as file:
        file.write(b"made")
    heard = os.read(reader, 10)
    with atomic_file(tmp_path / "pipe") as file:
        os.close(reader)
        file.write(b"made")

    assert heard == b"made"


def test_a_file_that_is_mounted_by_itself_is_written_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def busy(self: Path, target: Path) -> Path:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY), str(self), None, str(target))

    (tmp_path / "made").write_text("what was there before, and is longer")
    monkeypatch.setattr(Path, "replace", busy)

    with atomic_file(tmp_path / "made") as file:
        file.write(b"made")

    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("made", "made")]


def test_a_file_in_a_folder_that_takes_no_others_is_written_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "made").write_text("before")
    before = (tmp_path / "made").stat().st_ino
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)

    with atomic_file(tmp_path / "made") as file:
        file.write(b"made")

    assert ((tmp_path / "made").stat().st_ino, (tmp_path / "made").read_text()) == (before, "made")
