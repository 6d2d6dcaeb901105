"""The page on trust: its script runs in a short form, and the page that is kept was written by it."""

import re
from pathlib import Path

import pytest

from benchmarking import benchmark

pytestmark = pytest.mark.extended

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/explanation/trust-measured.md"


@pytest.mark.slow
@pytest.mark.process
def test_the_script_finds_all_that_is_planted_and_says_what_was_not_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    for peer in ("PEER_DEEPEVAL", "PEER_INSPECT"):
        monkeypatch.delenv(peer, raising=False)

    benchmark("trust.py", "--short")

    page = capsys.readouterr().out
    assert "| Sparring, policy.yaml without a judge | 0 of 1 | 4 of 4 | 5 of 5 | 0 of 200 |" in page
    assert "| deepeval | not run: PEER_DEEPEVAL names no interpreter |" in page
    assert "| refunds | 23 | 0 of 46 | 0 |" in page
    assert "1 of 1 planted faults were found" in page


def test_the_page_is_the_template_with_figures():
    template = (ROOT / "benchmarks/trust_page.md").read_text("utf-8")
    pattern = "".join(".+" if part.startswith("{") else re.escape(part) for part in re.split(r"(\{\w+\})", template))

    assert re.fullmatch(pattern, PAGE.read_text("utf-8"), re.DOTALL)
    assert "| Sparring, policy.yaml without a judge | 0 of 1 |" in PAGE.read_text("utf-8")
