"""Texts that a prompt is made of: files that are read whole, and never from outside of their folder."""

from pathlib import Path, PurePosixPath

from sparring.core.errors import InputError, Problem
from sparring.llm import template
from sparring.llm.template import Template

LARGEST_TEXT = 1_000_000


def template_in(path: Path, problems: list[Problem]) -> Template | None:
    """A template in a file, or None and what is wrong with it."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(LARGEST_TEXT + 1)
        if len(content) > LARGEST_TEXT:
            problems.append(Problem(file=str(path), message=f"is larger than {LARGEST_TEXT:,} bytes"))
            return None
        return template.read(content.decode("utf-8-sig"))
    except FileNotFoundError:
        hint = "write what the model should know and do, in Markdown"
        problems.append(Problem(file=str(path), message="there is no such file", hint=hint))
    except OSError as error:
        problems.append(Problem(file=str(path), message=f"cannot be read: {error.strerror}"))
    except UnicodeDecodeError:
        problems.append(Problem(file=str(path), message="is not UTF-8 text"))
    except InputError as error:
        problems += [problem.model_copy(update={"file": str(path)}) for problem in error.problems]
    return None


def outside(folder: Path, name: str) -> str:
    """Why this is not the name of a text in the folder; empty if it is one."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or ".." in parts or "\0" in name or Path(name).is_absolute() or parts[0] == "/" or ":" in parts[0]:
        return "is not the name of a file in this folder"
    if not name.endswith(".md"):
        return "is no Markdown file: its name should end with .md"
    if not (folder / name).resolve().is_relative_to(folder.resolve()):
        return "leads out of this folder"
    return ""
