"""Every example does what its page says; those of chatbots from elsewhere are typed by `make test-interop`."""

import shutil
from pathlib import Path

import pytest

from pages import free_port, type_in, typed

pytestmark = [pytest.mark.extended, pytest.mark.slow]  # its tests play batches

EXAMPLES = Path(__file__).parents[2] / "examples"
FROM_ELSEWHERE = {"alice", "eliza", "rasa", "therapist"}
OURS = sorted(page.parent.name for page in EXAMPLES.glob("*/README.md") if page.parent.name not in FROM_ELSEWHERE)


@pytest.mark.process
@pytest.mark.parametrize("example", OURS)
def test_commands_of_an_example_work(example: str, tmp_path: Path):
    port = str(free_port())
    shutil.copytree(EXAMPLES / example, tmp_path, dirs_exist_ok=True)
    for file in tmp_path.rglob("*.*[!c]"):  # all but compiled modules
        file.write_text(file.read_text("utf-8").replace("5005", port), "utf-8")

    type_in((tmp_path / "README.md").read_text("utf-8"), tmp_path)


def test_every_example_is_listed_and_is_without_errors(tmp_path: Path):
    listed = (EXAMPLES / "README.md").read_text("utf-8")

    assert [page.parent.name for page in EXAMPLES.glob("*/README.md") if f"({page.parent.name}/" not in listed] == []
    ours = [str(file) for file in EXAMPLES.rglob("*.y*ml") if file.name != "domain.yml"]  # which is Rasa's
    done = typed(f"sparring validate {' '.join(ours)}", tmp_path)
    assert done.returncode == 0, done.stdout


def test_a_pizzeria_with_a_fault_does_not_pass_senseis_profile(tmp_path: Path):
    shutil.copytree(EXAMPLES / "pizza_order_test_custom", tmp_path, dirs_exist_ok=True)
    run = "sparring run pizza_order_test_custom.yml --rules rules --model offline --chatbot pizzeria:fault=wrong_total"

    done = typed(run, tmp_path)

    assert (done.returncode, "FAILED: 6 of 6 failed" in done.stdout) == (1, True)
