import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGES = BENCHMARKS / "pages.py"


@pytest.mark.parametrize("number", ["3000", "many"])
def test_who_wants_too_much_of_a_benchmark_is_told_how_much_there_may_be_in_a_few_words(number: str):
    done = subprocess.run([sys.executable, PAGES, "--live", number], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr.splitlines()[-1]) == (
        2,
        "pages.py: error: argument --live: should be a whole number from 1 to 1000",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("offline.py many", "argument conversations: should be a whole number, of at least 1"),
        ("offline.py 10 pizeria", "argument chatbot: invalid choice: 'pizeria'"),
        ("rules.py 1000 0", "argument conversations: should be a whole number, of at least 1"),
        ("store.py 1e3", "argument rows: should be a whole number, of at least 1"),
        ("pages.py --rate -1", "argument --rate: should be a whole number, of at least 1"),
        ("store.py 10 20", "unrecognized arguments: 20"),
        ("styles.py --seeds none", "argument --seeds: should be a whole number, of at least 1"),
        ("audit.py --conversations 0", "argument --conversations: should be a whole number, of at least 1"),
    ],
)
def test_a_benchmark_says_what_it_wants(arguments: str, said: str):
    name, *others = arguments.split()

    done = subprocess.run([sys.executable, BENCHMARKS / name, *others], capture_output=True, text=True, check=False)

    assert (done.returncode, said in done.stderr.splitlines()[-1], "Traceback" in done.stderr) == (2, True, False)
