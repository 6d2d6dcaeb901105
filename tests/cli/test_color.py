import io
import json
import sys

import pytest

from command_line import Sparring
from sparring.cli.color import colored, painted, plain_signs
from sparring.cli.console import say

RED = "\x1b[31merror:\x1b[0m"


@pytest.mark.parametrize(
    ("arguments", "env", "red"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color=always",), {"NO_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
    ],
)
def test_the_option_and_two_variables_choose_colors(
    inside: Sparring, arguments: tuple[str, ...], env: dict[str, str], red: bool
):
    assert (RED in inside("show", *arguments, env=env).stderr) is red


def test_an_unknown_mode_is_bad_input(inside: Sparring):
    done = inside("show", "--color", "allways")

    assert (done.returncode, done.stderr) == (2, "error: --color: expected auto, always, never, got 'allways'\n")


def test_only_signs_at_the_beginning_are_painted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)

    assert painted("  ✗ FAILED: 1 of 2", sys.stdout) == "  \x1b[31m✗ FAILED\x1b[0m: 1 of 2"
    assert painted("  | ✗ FAILED: said a chatbot", sys.stdout) == "  | ✗ FAILED: said a chatbot"
    assert painted("WORSE on these cases: 9 points", sys.stdout) == "\x1b[31mWORSE\x1b[0m on these cases: 9 points"
    assert painted("  - INCONCLUSIVE: errors", sys.stdout) == "  - \x1b[33mINCONCLUSIVE\x1b[0m: errors"
    assert painted("failed, blame: chatbot", sys.stdout) == "\x1b[31mfailed\x1b[0m, blame: chatbot"
    assert painted("passed 30 % (96 of 320)", sys.stdout) == "passed 30 % (96 of 320)"


def test_a_dumb_terminal_has_no_colors(monkeypatch: pytest.MonkeyPatch):
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert colored(Screen())
    monkeypatch.setenv("TERM", "dumb")
    assert not colored(Screen())


def test_an_encoding_without_the_signs_gets_ascii_and_json_stays_json(monkeypatch: pytest.MonkeyPatch):
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", out)
    plain_signs()

    say("✗ FAILED – “x”")
    say('{"said": "é \U0001f355"}')
    out.flush()

    lines = out.buffer.getvalue().decode().splitlines()  # type: ignore[attr-defined]
    assert lines[0] == 'x FAILED - "x"'
    assert json.loads(lines[1]) == {"said": "é \U0001f355"}
