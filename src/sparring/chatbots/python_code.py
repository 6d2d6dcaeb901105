"""Python code of users: import by module or file, and calls in threads."""

import asyncio
import contextvars
import importlib
import sys
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Thread
from types import CodeType, ModuleType
from typing import Any, TypeVar

from sparring.core.errors import InputError
from sparring.core.text import suggest


class _FromSource(SourceFileLoader):
    """A loader that ignores compiled code, because Python misses edits within the same second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def run(path: Path) -> ModuleType:
    """Return the module of a file. Raise its errors. Files of the same name are different modules."""
    name = f"sparring_file_{sha256(bytes(path.resolve())).hexdigest()[:12]}"
    loader = _FromSource(name, str(path))
    spec = spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ImportError("is not a Python file")
    module = module_from_spec(spec)
    # Annotations are looked up in the module of their class by name, so it has to be known before it runs.
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def imported(argument: str) -> Any:
    """Return the object at `module:name` or `path/to/file.py:name`. The current directory is importable."""
    source, _, name = argument.rpartition(":")
    if not source or not name:
        raise InputError(
            f"python: cannot tell module and name apart in {argument!r}",
            hint="python:my_module:reply, or python:bot.py:reply",
        )
    module = _file(Path(source)) if source.endswith(".py") else _module(source)
    if not hasattr(module, name):
        names = sorted(name for name, value in vars(module).items() if callable(value) and not name.startswith("_"))
        raise InputError(f"there is no {name!r} in {source}", hint=suggest(name, names))
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
        return run(path)
    except (Exception, SystemExit) as error:
        raise _broken(str(path), error) from error


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _broken(what: str, error: BaseException) -> InputError:
    return InputError(f"{what} cannot be imported: {type(error).__name__}: {error}")


T = TypeVar("T")


async def in_thread(call: Callable[..., T], *arguments: Any) -> T:
    """Return the result of `call` in a new thread.

    The threads of asyncio are few and shared, and the program cannot end before they do. A call that hangs here blocks
    no other call, and its thread ends with the program.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Callable[[], T]] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(call, *arguments)
        except BaseException as error:  # noqa: BLE001 - raised in the task that waits
            _deliver(loop, done, _raising(error))
        else:
            _deliver(loop, done, lambda: result)

    Thread(target=work, name="sparring-chatbot", daemon=True).start()
    return (await done)()


def _raising(error: BaseException) -> Callable[[], Any]:
    def raise_it() -> None:
        raise error

    return raise_it


def _deliver(loop: asyncio.AbstractEventLoop, done: asyncio.Future[T], outcome: T) -> None:
    def set_unless_given_up() -> None:
        if not done.done():
            done.set_result(outcome)

    with suppress(RuntimeError):  # the loop is closed, so no task waits any longer
        loop.call_soon_threadsafe(set_unless_given_up)
