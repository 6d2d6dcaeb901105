"""A server as a process of its own, as an operator has it."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any, Self


class Server:
    """`sparring serve` in a folder; use it as a context manager. It takes any free port, and tells which."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self._folder = folder
        self._arguments = (*arguments, "--port", "0")
        kept = {
            name: os.environ[name]
            for name in ("PATH", "PYTHONPATH", "HOME", "SPARRING_NULL_BOTS")
            if name in os.environ
        }
        self._environment = {**kept, **environment}

    def __enter__(self) -> Self:
        self.said: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "sparring", "serve", *self._arguments],
            cwd=self._folder,
            env=self._environment,
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)
            if line.startswith("serving at "):
                self.address = line.split()[2].rstrip(";")
                return self
        raise AssertionError(f"the server does not start: {self.said}")

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Stop it in good order; its exit code."""
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=240)
        return self.process.returncode

    def kill(self) -> None:
        """What `kill -9` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate(timeout=240)

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(self.address + path, timeout=240) as answer:
            return json.load(answer)

    def post(self, path: str, body: Any) -> Any:
        request = urllib.request.Request(
            self.address + path, json.dumps(body).encode(), {"content-type": "application/json"}, method="POST"
        )
        with urllib.request.urlopen(request, timeout=240) as answer:
            return json.load(answer)

    def events(self, path: str) -> list[tuple[str, Any]]:
        """(name, data) of every event until the stream ends, or the server does."""
        found, name = [], ""
        with urllib.request.urlopen(self.address + path, timeout=120) as answer:
            for line in answer:
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    found.append((name, json.loads(value)))
        return found
