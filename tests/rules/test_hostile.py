"""The catalogue in hostile/, in a process of its own that may use little."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process


def test_hostile_rules_are_refused_or_bounded_and_their_look_alikes_accepted():
    script = Path(__file__).with_name("hostile") / "catalogue.py"

    done = subprocess.run([sys.executable, "-W", "error", script], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)
