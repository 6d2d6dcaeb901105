"""Foreign chatbots, over their own protocols: `make test-interop`.

They are installed from PyPI into a virtual environment of their own, whose folder is in `SPARRING_INTEROP`. Every page
of `examples/` about one of them is typed as it is printed.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from pages import free_port, type_in, typed

pytestmark = [pytest.mark.interop, pytest.mark.process, pytest.mark.timeout(1800)]

EXAMPLES = Path(__file__).parents[2] / "examples"
INTEROP = Path(os.environ.get("SPARRING_INTEROP", ""))
TOOLS = INTEROP / "bin"


def copied(example: str, folder: Path) -> str:
    """A copy of an example with a port of its own, in `folder`; the page of it."""
    port = str(free_port())
    for file in (EXAMPLES / example).iterdir():
        text = file.read_text(encoding="utf-8")
        for printed in ("5000", "5001", "5055"):
            text = text.replace(printed, port)
        (folder / file.name).write_text(text, encoding="utf-8")
    return (folder / "README.md").read_text(encoding="utf-8")


def last_batch(folder: Path) -> tuple[dict[str, int], dict[str, int]]:
    """How its conversations ended, and how they came out."""
    told: dict[str, Any] = json.loads(typed("sparring show latest --json", folder).stdout)
    counted = ({name: n for name, n in told[what].items() if n} for what in ("endings", "outcomes"))
    return next(counted), next(counted)


@pytest.fixture
def eliza(tmp_path: Path) -> str:
    shutil.copytree(INTEROP / "rivescript-1.15.0", tmp_path / "rivescript-1.15.0")
    return copied("eliza", tmp_path)


def with_command(page: str, file: str) -> str:
    """Return a page that also types its command with this file, which fails."""
    return page.replace(f"```text\nsparring run {file}", f"```sh\nsparring run {file}")


def test_eliza_over_her_own_rest_server_keeps_users_apart_and_shows_an_undefined_name(eliza: str, tmp_path: Path):
    with pytest.raises(AssertionError, match="a value that is undefined: 'undefined'"):
        type_in(with_command(eliza, "conversations.yml"), tmp_path, tools=TOOLS)

    assert last_batch(tmp_path) == ({"goals_answered": 5, "user_done": 10}, {"passed": 10, "failed": 5})


def test_eliza_with_one_session_for_all_is_found_out(eliza: str, tmp_path: Path):
    preset = tmp_path / "rivescript.yaml"
    preset.write_text(preset.read_text().replace("{{session}}", "everybody"))
    page = with_command(eliza, "conversations.yml").replace("--repeat", "--concurrency 1 --repeat")

    with pytest.raises(AssertionError, match=r"knows-no-name, turn 1: expected 'robin' not in chatbot_phrases"):
        type_in(page, tmp_path, tools=TOOLS)


def test_eliza_does_not_understand_nonsense(eliza: str, tmp_path: Path):
    with pytest.raises(AssertionError, match="FAILED: 1 of 1 failed"):
        type_in(with_command(eliza, "nonsense.yml"), tmp_path, tools=TOOLS)

    assert last_batch(tmp_path)[1] == {"failed": 1}


def test_alice_as_a_program_and_over_http_keeps_sessions_apart(tmp_path: Path):
    type_in(copied("alice", tmp_path), tmp_path, tools=TOOLS, patience=60)

    assert last_batch(tmp_path) == ({"goals_answered": 5, "user_done": 10}, {"passed": 15})


def test_the_therapist_as_the_program_it_is_takes_its_leave(tmp_path: Path):
    type_in(copied("therapist", tmp_path), tmp_path, tools=TOOLS)

    assert last_batch(tmp_path) == ({"chatbot_done": 3}, {"passed": 3})


@pytest.mark.skipif("SPARRING_INTEROP_RASA" not in os.environ, reason="2.7 GB and minutes: set SPARRING_INTEROP_RASA=1")
def test_rasa_is_sent_the_payloads_of_its_buttons_and_shows_its_slots(tmp_path: Path):
    page, tools = copied("rasa", tmp_path), INTEROP / "rasa" / "bin"
    (tmp_path / "bot").mkdir()
    for command in (
        "rasa init --no-prompt --init-dir bot",
        "rasa train --domain domain.yml --data bot/data --config bot/config.yml --out models",
    ):
        made = typed(f"RASA_TELEMETRY_ENABLED=false {command}", tmp_path, tools, patience=900)
        assert made.returncode == 0, made.stderr

    type_in(page, tmp_path, tools=tools, patience=600)

    assert last_batch(tmp_path) == ({"goals_answered": 3, "user_done": 6}, {"passed": 9})
