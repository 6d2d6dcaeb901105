"""Finding the function or class that a person named, in a module or in a file."""

import importlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from sparring.chatbots import python_files
from sparring.core.errors import InputError
from sparring.core.text import meant


def imported(argument: str) -> Any:
    """What `module:name` or `path/to/file.py:name` stands for. The current directory is importable."""
    source, _, name = argument.rpartition(":")
    if not source or not name:
        raise InputError(
            f"python: cannot tell module and name apart in {argument!r}",
            hint="python:my_module:reply, or python:bot.py:reply",
        )
    module = _file(Path(source)) if source.endswith(".py") else _module(source)
    if not hasattr(module, name):
        names = sorted(name for name, value in vars(module).items() if callable(value) and not name.startswith("_"))
        raise InputError(f"there is no {name!r} in {source}", hint=meant(name, names))
    return getattr(module, name)


def _module(name: str) -> ModuleType:
    _make_importable(Path.cwd())
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            hint = "a module in the current directory or installed here; a file is named with its .py"
            raise InputError(f"there is no module {error.name!r}", hint=hint) from error
        raise _broken(name, error) from error
    except (Exception, SystemExit) as error:
        raise _broken(name, error) from error


def _file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError(f"there is no file {str(path)!r}", hint="paths start from the current directory")
    _make_importable(path.resolve().parent)
    try:
        return python_files.run(path)
    except (Exception, SystemExit) as error:
        raise _broken(str(path), error) from error


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _broken(what: str, error: BaseException) -> InputError:
    return InputError(f"{what} cannot be imported: {type(error).__name__}: {error}")
