"""What the documentation says is there, and what it says to type works as printed."""

import json
import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

from pages import free_port, type_in, typed, write_files
from probed_bots import Pizza, served
from sparring.core import plugins
from sparring.core.conversation import Ending
from sparring.scenarios.conversation_settings import LIMITS
from tables import table

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
TYPED_BY_OTHER_TESTS = {
    "CONTRIBUTING.md": "it is about working on Sparring, which is what runs this test",
    "coming-from-the-simulation-service.md": "its own test types it, and looks at every answer",
    "run-experiments-with-inspect.md": "the test of the page for those who come from the service bot types it",
}
_LINK = re.compile(r"\]\(([^)#]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path):
    targets = [link for link in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]

    assert [link for link in targets if not (page.parent / link).exists()] == []


@pytest.mark.extended
@pytest.mark.process
@pytest.mark.parametrize(
    "page",
    [
        page
        for page in PAGES
        if "```sh" in page.read_text("utf-8") and "examples" not in page.parts and page.name not in TYPED_BY_OTHER_TESTS
    ],
    ids=lambda p: p.name,
)
def test_commands_of_a_page_work(page: Path, tmp_path: Path):
    text = page.read_text(encoding="utf-8")
    for port in {"5000", *re.findall(r"--port (\d{4})", text)}:
        text = text.replace(port, str(free_port()))
    if page.parent.name == "how-to":
        write_files((ROOT / "README.md").read_text(encoding="utf-8"), tmp_path)
    write_files(text, tmp_path)
    type_in(text, tmp_path)


def test_every_decision_is_listed_under_a_number_of_its_own():
    files = sorted(file.name for file in (ROOT / "docs/decisions").glob("[0-9]*.md"))
    listed = re.findall(
        r"^- (\d{4}): \[.+\]\((\1-.+\.md)\)$", (ROOT / "docs/decisions/README.md").read_text("utf-8"), re.M
    )

    assert [name for _, name in listed] == files
    assert len({number for number, _ in listed}) == len(files)


@pytest.mark.slow
def test_a_program_is_named_as_the_readme_names_it(tmp_path: Path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.search(r"`(command:\./(\S+))`", readme)
    assert named is not None
    write_files(readme, tmp_path)
    (tmp_path / named[2]).write_text("#!/bin/sh\nexec cat\n")
    (tmp_path / named[2]).chmod(0o755)

    (tmp_path / "echo.yml").write_text("name: echo\noracle: turns() > 0\n", encoding="utf-8")

    done = typed(
        f"sparring run order.yml --chatbot {named[1]} --model offline --judge none --rules echo.yml --json",
        tmp_path,
    )

    assert json.loads(done.stdout)["endings"]["user_done"] == 3, f"{done.stdout}\n{done.stderr}"


@pytest.mark.slow
def test_trying_a_chatbot_with_two_bugs_prints_the_sample_output_of_the_readme(tmp_path: Path):
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    sample = re.search(r"^```text\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    assert sample is not None

    with served(lambda: Pizza("forgets", "charge")) as address:
        printed = _without_ids(typed(f"sparring try {address}", tmp_path).stdout)

    assert [line for line in sample[1].splitlines() if _without_ids(line) not in printed] == []


def _without_ids(text: str) -> str:
    return re.sub(r"order \d+", "order #", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_anchor_names_a_heading(page: Path):
    links = re.findall(r"\]\(([^)#:]*)#([^)]+)\)", page.read_text(encoding="utf-8"))

    missing = [
        f"{link}#{anchor}" for link, anchor in links if anchor not in _anchors(page.parent / link if link else page)
    ]

    assert missing == []


def _anchors(page: Path) -> set[str]:
    """Return the anchors of the headings of a page, as GitHub derives them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _generator() -> Any:
    spec = spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_generated_pages_are_what_the_code_says(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "80")  # restored afterwards: the generator sets it too
    generator = _generator()

    behind = [
        name for name, page in generator.PAGES.items() if (generator.REFERENCE / name).read_text("utf-8") != page()
    ]

    assert behind == [], "run `make docs-write`"


def _names(page: str, heading: str) -> set[str]:
    """Return the names in the rows of the table under a heading, without their arguments."""
    text = "\n" + (ROOT / "docs" / page).read_text(encoding="utf-8")
    section = re.split(r"^#+ ", text.partition(f"\n{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    rows = re.findall(r"^\| (.*) \|$", section, re.MULTILINE)[1:]
    return {re.split("[:#]", span)[0] for row in rows for span in re.findall(r"`([^`]+)`", row)}


@table(
    ("group", "places"),
    [
        ("chatbots", [("reference/players.md", "## Chatbots"), ("reference/presets.md", "## Bundled presets")]),
        ("models", [("reference/players.md", "## Models")]),
        ("users", [("reference/players.md", "# Players")]),
        ("judges", [("reference/players.md", "# Players")]),
        ("reports", [("how-to/report-a-batch.md", "## Markdown, JSON, JUnit, GitHub")]),
    ],
)
def test_every_kind_of_plug_in_has_its_place_in_a_table(group: str, places: list[tuple[str, str]]):
    documented = set[str]().union(*(_names(*place) for place in places))

    assert [name for name in plugins.names(f"sparring.{group}") if name not in documented] == []


@table(
    ("page", "heading", "known"),
    [
        ("reference/conversations.md", "## Endings", {*Ending}),
        ("reference/scenarios.md", "### Limits", {*LIMITS.keys}),
    ],
)
def test_a_table_lists_all_values(page: str, heading: str, known: set[str]):
    assert _names(page, heading) == known
