"""The prose of the documentation names its actors, and pages keep to their limits."""

import ast
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
_REPLACED = {
    *(
        "told",
        "tell",
        "tells",
        "telling",
        "untold",
        "anew",
        "heard",
        "hear",
        "hearing",
        "cast",
        "bench",
        "purse",
        "tape",
        "taped",
        "dice",
        "conduct",
    ),
    *("appointed", "outlook", "nobody", "somebody", "anybody", "everybody", "whoever", "whatever"),
}
"""Words that no name of the source or of a test has; the glossary has the term for each."""
_KEYS_OF_LANGUAGES = {"tell", "tell_thing"}
"""Keys of the files in `extraction/languages`."""
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


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


def _defined(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names of functions, classes, parameters, variables and attributes with their lines."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def _has_replaced_word(name: str) -> bool:
    return not _REPLACED.isdisjoint(word.lower() for word in _WORDS.findall(name))


def _named_otherwise(path: Path, names: Iterator[tuple[int, str]]) -> list[str]:
    return [f"{_name(path)}:{line}: {name}" for line, name in names if _has_replaced_word(name)]


@pytest.mark.slow
def test_names_of_the_source_have_terms_of_the_glossary():
    found = []
    for path in sorted(ROOT.glob("src/**/*.py")):
        defined = _defined(ast.parse(path.read_text(encoding="utf-8")))
        found += _named_otherwise(path, (each for each in defined if each[1] not in _KEYS_OF_LANGUAGES))

    assert found == []


def test_names_of_tests_have_terms_of_the_glossary():
    found = []
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        tests = ((number, test[1]) for number, line in lines if (test := re.match(r"(?:async )?def (test_\w+)", line)))
        found += _named_otherwise(path, tests)

    assert found == []


@pytest.mark.parametrize("name", ["told", "_told", "TOLD_TO", "HeardReply", "is_told"])
def test_a_replaced_word_is_found_in_any_spelling(name: str):
    assert _has_replaced_word(name)


@pytest.mark.parametrize("name", ["toldo", "hearings", "broadcast", "benchmark", "forecast_cost"])
def test_a_word_within_a_word_is_not_found(name: str):
    assert not _has_replaced_word(name)
