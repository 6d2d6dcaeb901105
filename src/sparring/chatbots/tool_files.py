"""Reading tools from a file `tools.py`: its class `Tools`, or else the functions in it."""

import sys
import traceback
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from sparring.chatbots.tools import Toolbox, described, toolbox
from sparring.core.errors import InputError, Problem


def load(path: Path) -> Toolbox:
    """The tools in a Python file, which is run; an InputError says where it fails and why."""
    module = _imported(path)
    owner = getattr(module, "Tools", module)
    return toolbox(owner if isinstance(owner, type) else module)


def _imported(path: Path) -> ModuleType:
    name = f"sparring_tools_{sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise InputError(Problem(file=str(path), message="is not a Python file"))
    module = module_from_spec(spec)
    # Annotations are looked up in the module of their class by name, so it has to be known before it runs.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InputError(_problem(path, error)) from error
    return module


def _problem(path: Path, error: BaseException) -> Problem:
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return Problem(file=str(path), line=error.lineno, column=error.offset, message=f"is not Python: {error.msg}")
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
    message = f"cannot be imported: {described(error)}"
    return Problem(file=str(path), line=lines[-1] if lines else None, message=message)
