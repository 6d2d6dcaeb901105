"""Reading tools from a file `tools.py`: its class `Tools`, or else the functions in it."""

import traceback
from pathlib import Path
from types import ModuleType

from sparring.chatbots import python_files
from sparring.chatbots.tools import Toolbox, described, toolbox
from sparring.core.errors import InputError, Problem


def load(path: Path) -> Toolbox:
    """The tools in a Python file, which is run; an InputError says where it fails and why."""
    module = _imported(path)
    owner = getattr(module, "Tools", module)
    return toolbox(owner if isinstance(owner, type) else module)


def _imported(path: Path) -> ModuleType:
    try:
        return python_files.run(path)
    except (Exception, SystemExit) as error:
        raise InputError(_file_problem(path, error)) from error


def _file_problem(path: Path, error: BaseException) -> Problem:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return Problem(file=str(path), line=error.lineno, column=error.offset, message=f"is not Python: {error.msg}")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    message = f"cannot be imported: {described(error)}"
    return Problem(file=str(path), line=lines[-1] if lines else None, message=message)
