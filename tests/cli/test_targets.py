"""Chatbots that `try` and `init` take for a TARGET."""

import json
import sys
from http.server import ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

import mcp_server
from command_line import Sparring
from sparring.cli.targets import mcp_hint, name_of
from sparring.core.errors import InputError
from tables import table

BOT = "import sys\nfor line in sys.stdin:\n    print('Hello! We sell large pizzas.', flush=True)\n"


@table(
    ("text", "kind"),
    [
        ("url: http://localhost:1/chat\nreply: text\n", "http"),
        ('url: ws://localhost:1\nbody: {text: "{{message}}"}\nreply: text\n', "websocket"),
        ('url: "${SOCKET}"\nbody: {text: "{{message}}"}\nreply: text\nquiet: 1\n', "websocket"),
        ("command: cat\n", "command"),
    ],
)
def test_a_preset_file_is_read_by_the_chatbot_of_its_kind(tmp_path: Path, text: str, kind: str):
    path = tmp_path / "bot.yaml"
    path.write_text(text, encoding="utf-8")

    assert name_of(str(path)) == f"{kind}:{path}"


def test_a_scenario_is_no_chatbot(tmp_path: Path):
    path = tmp_path / "order.yml"
    path.write_text("name: order\nscript: [Hello]\n", encoding="utf-8")

    with pytest.raises(InputError, match="is a scenario, not a chatbot"):
        name_of(str(path))


@pytest.mark.process
@table(("command", "key"), [("try", "target"), ("init", "written")])
def test_a_command_preset_is_a_target(inside: Sparring, tmp_path: Path, command: str, key: str):
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    (tmp_path / "bot.yaml").write_text(f"command: [{json.dumps(sys.executable)}, bot.py]\n", encoding="utf-8")
    most = ["--max-messages", "4"] if command == "try" else []

    done = inside(command, "bot.yaml", *most, "--json")

    assert key in json.loads(done.stdout), done.stderr


@pytest.mark.process
def test_a_server_of_tools_is_no_chatbot_and_says_how_it_is_reached(inside: Sparring):
    class Server(ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:  # of requests that are no calls
            pass

    with Server(("127.0.0.1", 0), mcp_server.Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()

        done = inside("try", f"http://127.0.0.1:{server.server_port}/mcp")
        server.shutdown()

    assert (done.returncode, done.stderr.splitlines()[1:]) == (
        2,
        [f"hint: {mcp_hint(f'http://127.0.0.1:{server.server_port}/mcp')}"],
    )
