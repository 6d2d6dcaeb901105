"""The house rules: plain docstrings and messages, module size, unique public class names."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.slow  # it reads the whole source

ROOT = Path(__file__).parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("house", ROOT / "tools/house.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["house"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


house = _load()


def _tree(root: Path, **modules: str) -> Path:
    for name, text in modules.items():
        path = root / "src/sparring" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def test_the_source_keeps_the_house_rules():
    assert house.check(ROOT) == []


def test_allowances_name_packages_that_exist():
    packages = {folder.name for room in ("src", "src/sparring") for folder in (ROOT / room).iterdir()}

    assert {package for allowed in house.ALLOWED.values() for package in allowed} <= packages


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('def f():\n    """Whether it holds."""\n', "2: interrogative docstring: Whether it holds."),
        ('"""Read by nobody."""\n', "1: indefinite person: Read by nobody."),
        ('MESSAGE = "somebody has to choose"\n', "1: indefinite person: somebody has to choose"),
        (f'"""{"word " * 21}."""\n', f"1: long first line: {('word ' * 21)[:100]}"),
        ("x = 1\n" * 401, "401: module length: 401 lines"),
    ],
)
def test_an_offence_is_reported_with_its_position(tmp_path: Path, text: str, line: str):
    report = house.check(_tree(tmp_path, fresh__a=text))

    assert report[1:] == [f"src/sparring/fresh/a.py:{line}"]


def test_a_class_property_or_module_may_begin_with_when(tmp_path: Path):
    assert house.check(_tree(tmp_path, fresh__a='class A:\n    """When it ends."""\n')) == []


def test_a_line_may_be_exempt(tmp_path: Path):
    text = 'WORDS = "nobody"  # plain: ok, a word of the grammar\n'

    assert house.check(_tree(tmp_path, fresh__a=text)) == []
    assert house.check(_tree(tmp_path, fresh__a=text * 11)) == ["11 lines with '# plain: ok', allowed 10"]


def test_public_class_names_are_unique(tmp_path: Path):
    root = _tree(
        tmp_path, fresh__a="class Reader: ...\nclass _Own: ...\n", store__b="class Reader: ...\nclass _Own: ...\n"
    )

    assert list(house.shared_class_names(house.modules(root))) == ["Reader"]
