"""Every row of the page for those who come from the customer-service bot: what its right column says to type works."""

import re
from pathlib import Path

import pytest

import pages

PAGE = (Path(__file__).parents[2] / "docs/how-to/coming-from-the-service-bot.md").read_text(encoding="utf-8")
ROWS = [row.split("|")[1:3] for row in PAGE.splitlines() if re.match(r"\| (?!The bot's)", row)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the page says to have."""
    folder = tmp_path_factory.mktemp("service")
    pages.write_files(PAGE, folder)
    return folder


@pytest.mark.parametrize(("theirs", "ours"), ROWS, ids=[theirs.strip() for theirs, _ in ROWS])
def test_a_row_works_as_it_stands(folder: Path, theirs: str, ours: str):
    commands = re.findall(r"`((?:sparring|inspect) [^`]*)`", ours)
    assert commands, ours
    if "logs" in ours and not (folder / "logs").exists():
        commands.insert(0, "sparring experiment run")

    typed = "\n".join(commands).replace("7575", str(pages.free_port()))
    pages.type_in(f"```sh\n{typed}\n```\n", folder, patience=30)
