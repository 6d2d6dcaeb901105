"""The benchmark of published repeated trials. SPARRING_TRIALS names a folder with trajectories of tau-bench."""

import json
import os
import sys
from pathlib import Path

import pytest

from sparring.statistics import icc, pass_hat_k, rate

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import repeated_trials

PUBLISHED = Path(os.environ.get("SPARRING_TRIALS", ""), "gpt-4o-airline.json")


def test_trials_of_a_task_are_one_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture):
    rewards = {"book": [1, 1, 1, 0.5], "change": [0, 0, 0, 0], "cancel": [1, 1, 1, 1]}
    found = [{"task_id": task, "trial": n, "reward": r} for task, all in rewards.items() for n, r in enumerate(all)]
    (tmp_path / "bot.json").write_text(json.dumps(found))
    monkeypatch.setenv("SPARRING_TRIALS", str(tmp_path))
    monkeypatch.setattr(repeated_trials, "RUNS", 5)

    assert repeated_trials.main() == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "bot: 3 cases x 4, passed 58.3%",
        "  1 cases came out both ways, intraclass correlation 0.75",
    ]


@pytest.mark.skipif(not PUBLISHED.is_file(), reason="SPARRING_TRIALS has no gpt-4o-airline.json")
def test_published_trials_have_the_published_figures():
    rows = repeated_trials.trials(PUBLISHED)
    like = rate(rows)

    assert (len(rows), sum(map(len, rows)), round(like.value or 0, 3)) == (50, 200, 0.42)
    assert [round(pass_hat_k(rows, k).value or 0, 3) for k in (2, 3, 4)] == [0.273, 0.22, 0.2]
    assert (round(like.low, 3), round(like.high, 3), round(like.effective), round(icc(rows) or 0, 2)) == (
        *(0.312, 0.534),
        *(82, 0.4),
    )
