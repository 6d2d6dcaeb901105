from pathlib import Path

import pytest

from sparring.core.errors import Problem
from sparring.rules.language.parser import excerpt


def test_the_line_is_shown_with_a_caret_under_the_thing(tmp_path: Path):
    file = tmp_path / "r.yaml"
    file.write_text("name: r\nthen: conv[0].size == conv[1].pirce\n")

    assert excerpt(Problem(file=str(file), line=2, column=23, message="")) == [
        "then: conv[0].size == conv[1].pirce",
        "                      ^^^^^^^^^^^^^",
    ]


def test_an_expression_of_the_command_line_is_its_own_line():
    assert excerpt(Problem(file="--rule", line=1, column=5, message=""), "1 + pirce > 2") == [
        "1 + pirce > 2",
        "    ^^^^^",
    ]


@pytest.mark.parametrize("place", [{}, {"line": 9, "column": 1}, {"line": 1, "column": 99}, {"line": 1}])
def test_without_a_line_there_is_nothing_to_show(place: dict[str, int]):
    assert excerpt(Problem(file="", message="", **place), "x") == []  # type: ignore[arg-type]
