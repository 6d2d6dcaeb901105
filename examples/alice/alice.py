"""A.L.I.C.E. as a chatbot to test: a line in and a line out, or with `--port` the same over HTTP.

What she says is in the AIML files that python-aiml brings along; ours is only the way to her. Equal sessions hear equal
things: she draws lots among what she could say, and the name of the session decides them.
"""

import json
import os
import random
import sys
from contextlib import redirect_stdout
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import aiml


def awake() -> Any:
    """A.L.I.C.E. with all she knows, which takes some seconds."""
    alice = aiml.Kernel()
    alice.verbose(False)
    words = Path(aiml.__file__).parent / "botdata" / "alice"
    with redirect_stdout(sys.stderr):  # it prints an empty line, which would be the first reply
        alice.bootstrap(learnFiles="startup.xml", commands="load alice", chdir=str(words))
    return alice


def answer(alice: Any, session: str, message: str) -> str:
    """What she says to `message`; what she knows of others is kept apart by `session`."""
    said: list[str] = alice.getPredicate("_inputHistory", session) or []
    random.seed(f"{session}/{len(said)}")
    return " ".join(str(alice.respond(message, session)).split())


def in_lines(alice: Any) -> None:
    """One conversation, over standard input and output."""
    session = os.environ.get("SPARRING_SESSION", "")
    for line in sys.stdin:
        print(answer(alice, session, line.strip()), flush=True)


def over_http(alice: Any, port: int) -> None:
    """Many conversations: POST {"session", "message"} to any path, and {"reply"} comes back."""

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps({"reply": answer(alice, asked["session"], asked["message"])}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing of requests."""

    HTTPServer(("127.0.0.1", port), Door).serve_forever()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--port"]:
        over_http(awake(), int(sys.argv[2]))
    else:
        in_lines(awake())
