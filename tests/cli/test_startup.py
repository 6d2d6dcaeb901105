"""Nothing heavy is imported by a command that does not need it: what a start takes is mostly imports."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

LISTED = """\
import sys
from sparring.cli import call
call(sys.argv[1:])
print("imported:", *sys.modules)
"""
NEVER = {
    *("fastapi", "starlette", "uvicorn", "jinja2", "genai_prices", "rich", "inspect_ai", "matplotlib"),
    *("multipart", "dotenv", "openai", "sparring.web", "sparring.integrations.inspect_ai", "sparring.testing"),
}
NO_HTTP = {"aiohttp", "httptools", "aiohappyeyeballs", "attr", "yarl", "multidict", "http.client", "urllib.request"}
NO_MODEL = {"sparring.llm.client.openai_compatible", "sparring.llm.providers", "sparring.llm.recording"}
COMMANDS = {
    "--help": {
        "pydantic",
        "typer",
        "asyncio",
        "ruamel",
        "re2",
        "sqlite3",
        "numpy",
        "sparring.core.value",
        "sparring.settings",
    },
    "check --rule turns()<12 --conversations ten": {
        *NO_HTTP,
        *NO_MODEL,
        *("sqlite3", "yaml", "rapidfuzz", "numpy", "sparring.store", "sparring.scenarios", "sparring.runner"),
    },
    "run one.yml --chatbot pizzeria --model offline": {
        *NO_HTTP,
        *("yaml", "sparring.rules", "sparring.llm.client.openai_compatible", "sparring.llm.providers"),
        *("sparring.reports.html", "sparring.reports.comparing_batches", "sparring.reports.junit"),
    },
    "validate one.yml": {
        *NO_HTTP,
        *NO_MODEL,
        *(
            "sqlite3",
            "yaml",
            "uvloop",
            "numpy",
            "sparring.rules",
            "sparring.chatbots",
            "sparring.judges",
            "sparring.store",
        ),
    },
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.yml").write_text("goals: [a small custom pizza with corn]\n", encoding="utf-8")
    (tmp_path / "ten").mkdir()
    for n in range(10):
        line = '{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]}\n'
        (tmp_path / "ten" / f"{n}.jsonl").write_text(line, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_only_what_it_needs(folder: Path, command: str):
    done = subprocess.run(
        [sys.executable, "-c", LISTED, *command.split()], cwd=folder, capture_output=True, text=True, check=True
    )

    said, _, imported = done.stdout.rpartition("imported:")
    assert said.strip(), done.stderr
    assert "Traceback" not in done.stderr
    assert sorted({*imported.split()} & {*NEVER, *COMMANDS[command]}) == []


INTERRUPTED = """\
import sys
from sparring import cli
from sparring.cli import process

def interrupted(target):
    raise KeyboardInterrupt

process.command_app = interrupted
sys.argv = ["sparring", "run"]
cli.main()
"""


def test_an_interruption_while_a_command_is_imported_prints_nothing():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
