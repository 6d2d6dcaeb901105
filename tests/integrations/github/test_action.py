"""The GitHub action: its steps in a local shell, against an API on this machine."""

import json
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

import sparring

pytestmark = pytest.mark.extended

ROOT = Path(__file__).parents[3]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOSTILE = (
    "::set-output name=x::y @admin #1 https://evil.example/ <img src=x onerror=alert(1)> ```` [a](javascript:b) **x** |"
)
SCENARIO = """\
script: [{say: "{{greeting}}"}]
variables:
  greeting: [Hello, Bye]
expect: ["chatbot_says('Hello')"]
"""


class Api(ThreadingHTTPServer):
    """Comments of pull request 7. With a `status`, it refuses everything."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        stranger = {"id": 1, "user": {"type": "User"}, "body": "<!-- sparring:CI-test-nightly/test/ci -->\nmine"}
        self.comments: list[dict[str, Any]] = [stranger]
        self.status = 0
        self.asked: list[str] = []


class _Handler(BaseHTTPRequestHandler):
    server: Api

    def _answer(self, status: int, body: object) -> None:
        self.server.asked.append(f"{self.command} {self.path.partition('?')[0]}")
        data = json.dumps(body).encode()
        self.send_response(self.server.status or status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["content-length"])))["body"])

    def do_GET(self) -> None:
        self._answer(200, self.server.comments)

    def do_POST(self) -> None:
        comment = {"id": len(self.server.comments) + 1, "user": {"type": "Bot"}, "body": self._body()}
        if not self.server.status:
            self.server.comments.append(comment)
        self._answer(201, {"html_url": "https://github.com/o/r/pull/7#issuecomment-2"})

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        self.server.comments[number - 1]["body"] = self._body()
        self._answer(200, {"html_url": f"https://github.com/o/r/pull/7#issuecomment-{number}"})

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def api() -> Iterator[Api]:
    with Api() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Job:
    """A job in a folder, which runs steps of the action as a runner does: with bash, inputs, and files for outputs."""

    def __init__(self, folder: Path, api: Api, *, head: str = "o/r") -> None:
        self.folder = folder
        event = {"pull_request": {"number": 7, "head": {"repo": {"full_name": head}}}}
        (folder / "event.json").write_text(json.dumps(event), encoding="utf-8")
        self.values = {f"inputs.{name}": each.get("default", "") for name, each in ACTION["inputs"].items()}
        self.values |= {"inputs.chatbot": "python:bot:reply", "inputs.cases": "greet.yml", "github.token": "t0ken"}
        self.values |= {"steps.upload.outputs.artifact-url": "https://github.com/o/r/actions/runs/5/artifacts/6"}
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("SPARRING_")},
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "GITHUB_API_URL": f"http://127.0.0.1:{api.server_port}",
            "GITHUB_EVENT_PATH": str(folder / "event.json"),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_WORKFLOW": "CI test: nightly",
            "GITHUB_JOB": "test",
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }

    def step(self, name: str) -> subprocess.CompletedProcess[str]:
        """Run the step with this name, and take over its outputs."""
        (step,) = (each for each in ACTION["runs"]["steps"] if each["name"] == name)
        given = {name: self._evaluated(value) for name, value in step.get("env", {}).items()}
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment | given, capture_output=True, text=True, check=False
        )
        if (output := self.folder / "output").exists():
            for line in output.read_text(encoding="utf-8").splitlines():
                key, _, value = line.partition("=")
                self.values[f"steps.{step['id']}.outputs.{key}"] = value
            output.unlink()
        return done

    def _evaluated(self, value: str) -> str:
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda found: self.values[found[1]], value)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose baseline passed, and whose chatbot now says something hostile in one of two cases."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "greet.yml").write_text(SCENARIO, encoding="utf-8")
    code = f"def reply(messages, variables):\n    return {HOSTILE!r} if 'Bye' in messages[-1].text else 'Hello'\n"
    (tmp_path / "bot.py").write_text(code, encoding="utf-8")
    (tmp_path / "sparring.yaml").write_text("null_bots: false\n", encoding="utf-8")
    sparring.run("greet.yml", lambda messages, variables: "Hello", name="ci")
    return tmp_path


@pytest.mark.process
def test_a_pull_request_has_one_comment_that_every_run_updates(project: Path, api: Api):
    job = Job(project, api)

    ran, reported, commented, result = map(job.step, ("Run", "Report", "Comment", "Result"))

    assert (ran.returncode, result.returncode) == (0, 1), ran.stderr
    assert job.values["steps.run.outputs.code"] == "1"
    stop, *said, go_on = ran.stdout.splitlines()
    assert stop.removeprefix("::stop-commands::") == go_on.strip(":")
    assert said
    assert {each.name for each in (project / "sparring-report").iterdir()} == {
        *("report.html", "results.xml", "summary.json")
    }
    assert "::error title=" in reported.stdout
    assert commented.stdout.startswith("commented: https://github.com/o/r/pull/7#issuecomment-2\n"), commented.stderr
    body = api.comments[1]["body"]
    assert body.startswith("<!-- sparring:CI-test-nightly/test/ci -->\n## Sparring: ci\n")
    assert "| passed before | 1 | 1 |" in body
    assert "| 1 failed, 100 % | new |" in body
    assert "@admin" not in body
    assert "(https://github.com/o/r/actions/runs/5/artifacts/6)" in body

    job.step("Comment")

    assert [each["body"] for each in api.comments] == ["<!-- sparring:CI-test-nightly/test/ci -->\nmine", body]
    assert api.asked[-1] == "PATCH /repos/o/r/issues/comments/2"


@pytest.mark.process
@pytest.mark.parametrize(
    ("head", "status", "why"),
    [
        ("stranger/r", 0, "no comment: the pull request comes from a fork, whose jobs must not write comments"),
        ("o/r", 403, "no comment: GitHub answers with status 403: the job lacks `permissions: pull-requests: write`"),
    ],
)
def test_a_job_that_must_not_comment_writes_its_summary(project: Path, api: Api, head: str, status: int, why: str):
    api.status = status
    job = Job(project, api, head=head)

    done = job.step("Comment")

    assert (done.returncode, len(api.comments)) == (0, 1)
    assert why in done.stderr
    assert "t0ken" not in done.stderr + done.stdout
    assert "## Sparring: ci" in (project / "summary.md").read_text(encoding="utf-8")


def test_expressions_stand_in_no_script_and_actions_are_pinned():
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"actions/\S+@[0-9a-f]{40}", step["uses"]) if "uses" in step else step["shell"] == "bash"
