import subprocess
import sys
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[1] / "benchmarks" / "pages.py"


@pytest.mark.parametrize("number", ["3000", "many"])
def test_who_wants_too_much_of_a_benchmark_is_told_how_much_there_may_be_in_a_few_words(number: str):
    done = subprocess.run([sys.executable, PAGES, "--live", number], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "pages.py: error: argument --live: should be a whole number from 1 to 1000",
    )
