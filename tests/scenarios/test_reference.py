"""What the reference says about scenarios."""

import re
from pathlib import Path

import pytest

from sparring.scenarios import scenario_files
from sparring.scenarios.loading import load

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "scenarios.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(yaml|json)(?: (\S+))?\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("language", "name", "text"), BLOCKS, ids=lambda part: part[:20])
def test_every_example_is_cases(tmp_path: Path, language: str, name: str, text: str):
    file = tmp_path / (name or f"example.{language}")
    file.write_text(text, encoding="utf-8")
    numbers = {
        "pizza": 2,
        "support": 1,
        "clinic": 1,
        "combinations": 5,
        "greeting": 1,
        "hours": 3,
        "lost": 1,
        "example": 1,
        "shop": 1,
        "cancelling": 1,
    }

    assert len(load([file], seed=7).cases) == numbers[file.stem]


def test_every_key_is_explained_and_shown():
    shown = {key for _, _, text in BLOCKS for key in re.findall(r"^ *(?:- )?(\w+):", text, re.MULTILINE)}
    known = {*scenario_files.KEYS.keys, "scenarios", "role", "personality", "traits", "language", "styles"}

    assert ([key for key in known if f"`{key}`" not in PAGE], known - shown) == ([], set())
