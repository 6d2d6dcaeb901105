import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sparring.integrations.inspect_ai.start import inspect_model


@pytest.mark.parametrize(
    ("name", "known_as"),
    [
        ("offline", "sparring/offline"),
        ("openai:gpt-4o-mini", "sparring/openai:gpt-4o-mini"),
        ("openrouter:openai/gpt-4o-mini", "sparring/openrouter:openai/gpt-4o-mini"),
        ("ollama:llama3.2", "sparring/ollama:llama3.2"),
        ("http://127.0.0.1:8000/v1#m", "sparring/http://127.0.0.1:8000/v1#m"),
        ("openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("mockllm/model", "mockllm/model"),
        ("openai-api/local/m:7b", "openai-api/local/m:7b"),
    ],
)
def test_a_model_is_ours_or_inspects_by_how_it_is_written(name: str, known_as: str):
    assert inspect_model(name) == known_as


PRETENDING = """\
import signal, sys

signal.signal(signal.SIGTERM, lambda *_: sys.exit(sys.stdout.write("closed\\n") and 0))
sys.stderr.write(f"open {' '.join(sys.argv[1:])}\\n")
sys.stderr.flush()
signal.pause()
"""


@pytest.mark.process
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_stopping_the_viewer_stops_inspect(tmp_path: Path):
    (tmp_path / "inspect_ai").mkdir()
    (tmp_path / "inspect_ai" / "__init__.py").touch()
    (tmp_path / "inspect_ai" / "__main__.py").write_text(PRETENDING)
    viewer = subprocess.Popen(
        [sys.executable, "-m", "sparring", "experiment", "view", "--log-dir", ".", "--port", "7999"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert viewer.stderr is not None
    opened = viewer.stderr.readline()

    viewer.send_signal(signal.SIGTERM)
    _, said = viewer.communicate()

    assert opened == "open view start --log-dir . --host 127.0.0.1 --port 7999\n"
    assert (viewer.wait(), said) == (0, "closed\n")
