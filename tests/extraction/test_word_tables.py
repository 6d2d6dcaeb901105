import tomllib
from pathlib import Path

import pytest

import sparring
from sparring.extraction.word_tables import words_of_module

FILES = sorted(Path(sparring.__file__).parent.rglob("words.toml"))


def test_lines_of_a_table_are_alternatives():
    assert words_of_module("sparring.probes.sums")["part"].startswith("deposit|instal+ment|down payment|")


def test_a_name_in_angle_brackets_stands_for_its_words():
    words = words_of_module("sparring.extraction.speech_acts")

    assert words["people"] in words["hands_over"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.parent.name)
def test_every_table_belongs_to_a_module_that_uses_all_its_words(file):
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    sources = {module: file.with_name(f"{module}.py").read_text(encoding="utf-8") for module in tables}

    unused = [
        (module, name)
        for module, words in tables.items()
        for name in words
        if not any(use in sources[module] for use in (f'["{name}"]', f"['{name}']"))
        and f"<{name}>" not in "".join(words.values())
    ]

    assert unused == []
