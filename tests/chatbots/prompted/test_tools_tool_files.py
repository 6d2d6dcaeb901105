from pathlib import Path

import pytest

from sparring.chatbots.prompted import tools
from sparring.core.errors import InputError
from sparring.llm.model import ToolRequest


def write(folder: Path, text: str) -> Path:
    path = folder / "tools.py"
    path.write_text(text)
    return path


async def test_the_class_tools_of_a_file_is_taken(tmp_path: Path):
    box = tools.load(
        write(
            tmp_path,
            """
from __future__ import annotations
from typing import Literal
Size = Literal["small", "big"]
def not_a_tool(): ...
class Tools:
    def order(self, size: Size) -> Size:
        return size
""",
        )
    )

    used = await box.open("s").use(ToolRequest("1", "order", '{"size": "big"}'))
    assert ([tool.name for tool in box.tools], used.call.result) == (["order"], "big")


def test_without_a_class_its_functions_are_taken(tmp_path: Path):
    box = tools.load(write(tmp_path, "from json import dumps\ndef one() -> int: return 1\ndef _two(): ...\n"))

    assert [tool.name for tool in box.tools] == ["one"]


def test_two_files_of_the_same_name_are_two(tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    boxes = [tools.load(write(tmp_path / name, f"def {name}() -> int: return 1\n")) for name in "ab"]

    assert [box.tools[0].name for box in boxes] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def order(:\n", ":1:11: is not Python: invalid syntax"),
        ("import nothing_of_this_name\n", ":1: cannot be imported: ModuleNotFoundError: No module named"),
        ("def f():\n  1/0\n\nf()\n", ":2: cannot be imported: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)\n", ":2: cannot be imported: SystemExit: 3"),
        ("def order(size): ...\n", ":1: order: TypeError: size has no annotation"),
    ],
)
def test_a_failing_tool_file_is_reported_with_its_line(tmp_path: Path, text: str, problem: str):
    path = write(tmp_path, text)

    with pytest.raises(InputError) as caught:
        tools.load(path)

    assert str(caught.value).startswith(f"{path}{problem}")
