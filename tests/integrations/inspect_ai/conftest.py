import os
from functools import partial
from pathlib import Path

import pytest

from command_line import Sparring, called

ORDERS = """\
scenarios:
  - name: it knows when it is open
    script: [{say: When are you open?, expect: ["called('opening_hours')", "chatbot_says('pm')"]}]
  - name: it sells no shoes
    script: [{say: A pair of red shoes please, expect: "not_called('place_order')"}]
"""
HOPES = """\
scenarios:
  - name: it never sleeps
    script: [{say: When are you open?, expect: "chatbot_says('24 hours')"}]
  - name: it is open
    script: [{say: When are you open?, expect: "chatbot_says('pm')"}]
"""
PLUG_IN = """\
from pathlib import Path
from sparring.integrations.inspect_ai.experiment import Experiment

HERE = Path(__file__).parent


def orders():
    return Experiment(chatbot="pizzeria", files=(HERE / "orders.yml",))


def hopes():
    return Experiment(chatbot="pizzeria", files=(HERE / "hopes.yml",))
"""
ENTRIES = "[sparring.experiments]\norders = some_bot:orders\nhopes = some_bot:hopes\n"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, process: None) -> Sparring:
    """`sparring` in `tmp_path`, where a package with two experiments is installed; Inspect is a process of its own."""
    package = tmp_path / "installed"
    (package / "some_bot-1.dist-info").mkdir(parents=True)
    (package / "some_bot-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: some-bot\nVersion: 1\n")
    (package / "some_bot-1.dist-info" / "entry_points.txt").write_text(ENTRIES)
    (package / "some_bot.py").write_text(PLUG_IN)
    (package / "orders.yml").write_text(ORDERS)
    (package / "hopes.yml").write_text(HOPES)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.syspath_prepend(str(package))
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(package), "HOME": str(home)}
    return partial(called, folder=tmp_path, env=environment)
