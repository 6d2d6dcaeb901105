"""Every row of the page for those who come from SENSEI: what its right column says to type works."""

import json
import re
import shlex
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from sparring.cli import call
from sparring.core import plugins

PAGE = (Path(__file__).parents[2] / "docs/how-to/coming-from-sensei.md").read_text(encoding="utf-8")
ROWS = [row.split("|")[1:3] for row in PAGE.splitlines() if re.match(r"\| (?!SENSEI)", row)]
FILES = re.findall(r"^```\w+ (\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def answered(path: str, asked: str) -> object:
    """What the servers of all technologies answer, as each is documented to."""
    size = next((size for size in ("small", "big") if size in asked), "")
    said = "I have added one coke to your order."
    if size:
        said = f"I have ordered one {size} custom pizza with ham and corn. Your order ID is c78467."
    return {
        "/webhooks/rest/webhook": [] if "/restart" in asked else [{"text": said}],
        "/conversation/new": {"id": "1"},
        "/conversation/user_message": {"message": said},
        "/cptalk": {"responses": [said], "sessionid": "1"},
        "/AlmeAPI/api/Conversation/Converse": {"text": said},
        "/api/ai": {"response": said},
        "/users": {"user": {"_id": "1"}},
        "/conversations": {"conversation": {"_id": "1"}},
        "/messages": {"response": [{"text": said}]},
    }[path]


class Answering(BaseHTTPRequestHandler):
    """The servers of all technologies at once."""

    def do_POST(self) -> None:
        asked = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        content = json.dumps(answered(self.path, asked)).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.send_header("x-chat-session-token", "t")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """What the page says to have."""
    for name, text in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize(("theirs", "ours"), ROWS, ids=[theirs.strip() for theirs, _ in ROWS])
def test_a_row_works_as_it_stands(
    project: Path,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    theirs: str,
    ours: str,
):
    monkeypatch.chdir(project)
    for name in re.findall(r"`([A-Z_]+)`", ours):
        monkeypatch.setenv(name, "x")
    commands = re.findall(r"`sparring ([^`]*)`", ours)
    if "show latest" in ours or "sensei-check" in theirs:
        commands.insert(0, "run profiles --chatbot pizzeria --model offline --format sensei --output-dir extracted")
    if "init-project" in theirs:
        (project / "rules").rename(project / "own_rules")

    codes = [call(shlex.split(reached(command, url))) for command in commands]

    assert codes, ours
    assert set(codes) == {0}, capsys.readouterr()


def reached(command: str, url: str) -> str:
    """The command, with our server in the place of any other."""
    if "from-curl" in command:
        return command
    command = re.sub(r"http://localhost:\d+", url, command)
    return re.sub(r"(kuki|julie|serviceform|millionbot):$", rf"\1:{url}", command)


def test_every_setting_of_sensei_has_a_row():
    theirs = " ".join(row[0] for row in ROWS)

    options = ("technology", "chatbot", "user", "personality", "extract", "verbose")
    caches = ("clean_cache", "ignore_cache", "update_cache")
    technologies = ("rasa", "taskyto", "kuki", "julie", "serviceform", "millionbot", "ada-uam", "lola", "genion")
    assert [name for name in (*options, *caches) if f"--{name}" not in theirs] == []
    assert [name for name in (*technologies, "rivas_catalina", "saic_malaga") if name not in theirs] == []
    assert {name for name in technologies if name in plugins.names("sparring.chatbots")} <= {
        name for name in technologies if f"{name}:" in PAGE
    }
