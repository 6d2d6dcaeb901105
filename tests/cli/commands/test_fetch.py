import json
import sys
from pathlib import Path

import pytest

from command_line import Sparring
from sparring.core.plugins import install

pytestmark = pytest.mark.slow  # its tests play batches


@pytest.fixture
def played(inside: Sparring, profile: Path) -> Sparring:
    """A command line in a folder in which a batch of three conversations was run."""
    assert inside("run", profile, "--chatbot", "pizzeria", "--model", "offline").returncode == 0
    return inside


def test_conversations_are_printed_line_by_line(played: Sparring):
    done = played("fetch", "latest", "--format", "conversations")

    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["case"]["id"], each["ending"]) for each in said] == [
        (f"order/{n}", "goals_answered") for n in (1, 2, 3)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("format", ["json", "csv", "conversations"])
def test_what_is_written_into_a_file_is_what_is_printed(played: Sparring, tmp_path: Path, format: str):
    written = played("fetch", "latest", "--format", format, "--output", "new/out")

    printed = played("fetch", "latest", "--format", format).stdout
    assert (tmp_path / "new" / "out").read_bytes().decode() == printed
    assert (written.stdout, written.stderr) == ("", "written: new/out\n")


def test_results_are_printed_as_json(played: Sparring):
    told = json.loads(played("fetch", "latest").stdout)

    assert [(each["scenario"], each["status"], each["outcome"]) for each in told["results"]] == [
        (f"order/{n}", "completed", "passed") for n in (1, 2, 3)
    ]


@pytest.mark.parametrize("format", ["json", "ndjson"])
def test_a_result_that_violates_a_rule_has_not_passed(inside: Sparring, profile: Path, tmp_path: Path, format: str):
    (tmp_path / "small.yml").write_text("name: small\nthen: size[0] == 'small'\n")
    inside("run", profile, "--chatbot", "pizzeria", "--model", "offline", "--rules", "small.yml")

    told = inside("fetch", "latest", "--format", format).stdout

    rows = json.loads(told)["results"] if format == "json" else [json.loads(line) for line in told.splitlines()]
    assert [(each["score"], each["outcome"]) for each in rows] == [(3, "passed"), (3, "failed"), (3, "failed")]


def test_results_are_printed_as_csv_and_as_lines(played: Sparring):
    csv = played("fetch", "latest", "--format", "csv").stdout.splitlines()
    lines = played("fetch", "latest", "--format", "ndjson", "--transcripts").stdout.splitlines()

    assert csv[0].startswith('"session_id","scenario","prompt_version","score"')
    assert (len(csv), len(lines)) == (4, 3)
    assert json.loads(lines[0])["conversation_history"][0]["speaker"] in ("client", "agent")


def test_what_cannot_be_fetched_is_refused(played: Sparring):
    unknown = played("fetch", "nothing")
    logs = played("fetch", "latest", "--format", "inspect", "--api-url", "http://localhost:1")

    assert (unknown.returncode, unknown.stdout, logs.returncode, logs.stdout) == (2, "", 2, "")


def test_a_batch_becomes_a_log_that_inspect_reads(played: Sparring, tmp_path: Path):
    inspect_log = pytest.importorskip("inspect_ai.log")

    done = played("fetch", "latest", "--format", "inspect")

    log = inspect_log.read_eval_log(str(tmp_path / done.stdout.strip()))
    assert (log.status, log.eval.task) == ("success", "order")
    assert [(sample.id, sample.scores["passed"].value) for sample in log.samples] == [
        (f"order/{n}", 1.0) for n in (1, 2, 3)
    ]
    assert f"inspect view --log-dir logs/{log.eval.run_id}" in done.stderr


def test_without_the_extra_it_says_how_to_get_it(played: Sparring, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "inspect_ai", None)

    done = played("fetch", "latest", "--format", "inspect")

    assert (done.returncode, done.stdout) == (2, "")
    assert f"hint: {install('inspect')}" in done.stderr
    assert not (tmp_path / "logs").exists()


def test_a_file_is_no_folder(played: Sparring, tmp_path: Path):
    (tmp_path / "taken").touch()

    assert "is not a folder" in played("fetch", "latest", "--format", "inspect", "--output", "taken").stderr
    assert "is a folder" in played("fetch", "latest", "--output", ".").stderr


def test_words_of_real_people_do_not_leave_unnoticed(inside: Sparring, tmp_path: Path):
    (tmp_path / "log.csv").write_text("id,role,text\n1,user,I am Ann\n1,chatbot,Hello Ann\n")
    (tmp_path / "sparring.yaml").write_text("redact: [email]\n")
    hiding = [inside("import", "log.csv"), inside("fetch", "latest", "--format", "conversations")]
    (tmp_path / "sparring.yaml").unlink()
    told = [
        inside("import", "log.csv"),
        inside("fetch", "latest", "--format", "conversations", "--output", "all.ndjson"),
        inside("fetch", "latest", "--partial", "--transcripts"),
        inside("report", "latest", "--html", "report.html"),
    ]
    without_words = inside("fetch", "latest", "--partial", "--format", "csv")

    said = "warning: these are words of real people, stored and shown with their personal data: `redact: "
    assert [said in done.stderr for done in (*hiding, *told, without_words)] == [False] * 2 + [True] * 4 + [False]
    assert all(done.returncode in (0, 3) for done in told), [done.stderr for done in told]
