"""The prose of the documentation names its actors, and pages keep to their limits."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GENERATED = {"command-line.md", "python.md", "rest.md", "rule-functions.md", "settings.md"}
OTHERS = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")]
WRITTEN = (page for page in ROOT.glob("docs/**/*.md") if page.name not in GENERATED)
PAGES = sorted([*OTHERS, *WRITTEN, *ROOT.glob("examples/**/*.md")])
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
LONG_PAGES = {"rules.md", "scenarios.md", "conversations.md"}
"""Reference of record: these pages may exceed the limit of words."""

_PERSONS = re.compile(r"\b(nobody|whoever|somebody|anybody|no one)\b", re.IGNORECASE)
_CODE_SPAN = re.compile(r"`[^`]*`")


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def _words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


def _prose(page: Path) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines outside fences, without code spans and exempted lines."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and "plain: ok" not in line:
            yield number, _CODE_SPAN.sub("", line)


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_page_names_its_actors(page: Path):
    found = [(number, person) for number, line in _prose(page) for person in _PERSONS.findall(line)]

    assert found == [], "name the actor, or end the line with `<!-- plain: ok -->`"


def test_the_readme_has_at_most_800_words():
    assert _words(ROOT / "README.md") <= 800


def test_a_picture_is_at_most_150_kilobytes():
    sizes = {each.name: each.stat().st_size for each in (ROOT / "docs/images").iterdir()}

    assert {name: size for name, size in sizes.items() if size > 150_000} == {}


def test_the_changelog_has_at_most_1800_words():
    assert _words(ROOT / "CHANGELOG.md") <= 1800


def test_an_entry_of_the_changelog_has_at_most_25_words():
    entries = re.findall(r"^- (.*(?:\n  .*)*)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert [entry for entry in entries if len(entry.split()) > 25] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "docs" in page.parts and page.name not in LONG_PAGES], ids=_name
)
def test_a_page_has_at_most_1500_words(page: Path):
    assert _words(page) <= 1500


@pytest.mark.parametrize("page", DECISIONS, ids=_name)
def test_a_decision_has_the_common_form(page: Path):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)

    assert re.match(rf"# {page.name[:4]} \S", text)
    assert re.search(r"^Status: (Accepted|Proposed|Rejected|Superseded by \S+)$", text, re.MULTILINE)
    assert re.search(r"^Date: \d{4}-\d{2}-\d{2}$", text, re.MULTILINE)
    assert headings == ["Context", "Decision", "Alternatives", "Consequences"]
    assert len(text.splitlines()) <= 80
