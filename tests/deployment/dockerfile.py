"""What a Dockerfile says, as far as ours says anything."""

import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    """One instruction: its name and what stands behind it, on one line."""

    name: str
    rest: str


def instructions(path: Path) -> list[Instruction]:
    """The instructions of a file, in order; what continues on the next line is one."""
    text = re.sub(r"^\s*#.*\n", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    return [Instruction(*line.split(None, 1)) for line in lines if line.strip()]


def last_stage(path: Path) -> list[Instruction]:
    """The instructions of the image that comes out."""
    found = instructions(path)
    start = max(index for index, each in enumerate(found) if each.name == "FROM")
    return found[start:]


def only(found: list[Instruction], name: str) -> str:
    """What stands behind the one instruction of this name."""
    (rest,) = (each.rest for each in found if each.name == name)
    return rest


def command(rest: str) -> list[str]:
    """The words of a command in its JSON form, which no shell reads."""
    words = json.loads(rest[rest.index("[") :])
    assert all(isinstance(word, str) for word in words)
    return words


def variables(found: list[Instruction]) -> dict[str, str]:
    """What ENV sets."""
    words = [word for each in found if each.name == "ENV" for word in shlex.split(each.rest)]
    return dict(word.split("=", 1) for word in words)
