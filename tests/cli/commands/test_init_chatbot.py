"""`sparring init TARGET` over a real socket: from an address to a project that runs."""

import json
from pathlib import Path

import pytest
import yaml

from command_line import Sparring
from probed_bots import Bot, Clinic, Faq, Pizza, served
from sparring import message
from sparring.app.first_files import SCENARIO, first_files
from sparring.app.played_probes import Learned
from sparring.core.case import Case
from sparring.core.conversation import Conversation

KEY = "planted-0123456789-key"
FILES = ["rules/generic.yml", "scenarios/first.yml", "sparring.yaml", "sparring/chatbot.yaml"]


def written(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "expected"),
    [(Pizza, "margherita"), (Clinic, "Gray"), (Faq, r"\$15\.00")],
    ids=["pizza", "clinic", "faq"],
)
def test_an_address_becomes_a_project_about_what_the_chatbot_offers(
    inside: Sparring, tmp_path: Path, bot: type[Bot], expected: str
):
    with served(bot) as address:
        done = inside("init", address)
        files = written(tmp_path)
        run = inside("run", "scenarios", "--rules", "rules")

    assert (done.returncode, files) == (0, FILES)
    assert expected in (tmp_path / "scenarios" / "first.yml").read_text(encoding="utf-8")
    assert run.returncode == 0, run.stdout
    assert inside("validate").returncode == 0


def test_the_scenario_fails_if_the_chatbot_forgets(inside: Sparring):
    answers: list[type[Bot]] = [Pizza]
    with served(lambda: answers[-1]()) as address:
        inside("init", address)
        answers.append(Clinic)
        run = inside("run", "scenarios")

    assert run.returncode == 1


def test_files_that_are_there_are_named_and_nothing_is_sent_or_written(inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("seed: 9\n", encoding="utf-8")

    done = inside("init", "http://127.0.0.1:9/chat")

    assert done.returncode == 2
    assert "sparring.yaml: already exists" in done.stderr
    assert "--force" in done.stderr
    assert written(tmp_path) == ["sparring.yaml"]


def test_force_overwrites_them(inside: Sparring, tmp_path: Path):
    (tmp_path / "sparring.yaml").write_text("seed: 9\n", encoding="utf-8")
    with served(Pizza) as address:
        done = inside("init", address, "--force")

    assert done.returncode == 0
    assert "http:sparring/chatbot.yaml" in (tmp_path / "sparring.yaml").read_text(encoding="utf-8")


def test_a_server_that_is_not_there_is_not_reachable_and_nothing_is_written(inside: Sparring, tmp_path: Path):
    done = inside("init", "http://127.0.0.1:9/chat", "--json")

    assert (done.returncode, json.loads(done.stdout)["written"]) == (3, [])
    assert "could not be reached" in done.stderr
    assert written(tmp_path) == []


def test_nothing_is_sent_to_a_server_elsewhere_unless_that_is_asked_for(inside: Sparring):
    done = inside("init", "http://192.0.2.7/chat")

    assert done.returncode == 2
    assert "it may take orders for real" in done.stderr


@pytest.mark.parametrize(("ci", "path"), [("github", ".github/workflows/sparring.yml"), ("gitlab", ".gitlab-ci.yml")])
def test_a_job_for_the_build_server_is_written_too(inside: Sparring, tmp_path: Path, ci: str, path: str):
    assert inside("init", "empty", "--ci", ci).returncode == 0

    text = (tmp_path / path).read_text(encoding="utf-8")
    assert yaml.safe_load(text)
    assert "sparring run scenarios" in text


def test_a_check_that_could_not_be_tried_is_left_out():
    said = (message("user", "Hello"), message("chatbot", "ok"))
    files = first_files(Learned((Conversation(case=Case(id="walk"), messages=said),)))

    assert yaml.safe_load(files["rules/generic.yml"])["then"] == "all(len(phrase) > 0 for phrase in chatbot_phrases)"
    assert "names no value" in files["scenarios/first.yml"]


def test_guesses_that_the_chatbot_did_not_take_are_left_out():
    day = "On which day do you arrive?"
    told = [("a room", day), ("Friday", day), ("Monday", day), ("12 June", "That is $95.00. Shall I book?")]
    said = tuple(message(role, text) for pair in told for role, text in zip(("user", "chatbot"), pair, strict=True))

    (case,) = yaml.safe_load(first_files(Learned((Conversation(case=Case(id="w"), messages=said),)))[SCENARIO])["cases"]

    assert [each["user"] for each in case["steps"] if "user" in each] == ["a room", "12 June"]


def test_secrets_of_a_curl_command_go_into_env_and_are_sent(inside: Sparring, tmp_path: Path):
    with served(Pizza) as address:
        (tmp_path / "curl.txt").write_text(
            f"""curl {address} -H 'X-Api-Key: {KEY}' --json '{{"message": "Hi", "session_id": "8f2a"}}'"""
        )
        done = inside("init", "curl.txt")
        run = inside("run", "scenarios", "--rules", "rules")

    assert (done.returncode, run.returncode) == (0, 0), done.stderr + run.stdout
    assert (tmp_path / ".env").read_text() == f"CHATBOT_X_API_KEY='{KEY}'\n"
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name not in (".env", "curl.txt")]
    assert [path.name for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in done.stdout + done.stderr + run.stdout + run.stderr
    assert 'reply: "reply"' in (tmp_path / "sparring" / "chatbot.yaml").read_text()
