"""Running a Python file as a module of its own."""

import sys
from hashlib import sha256
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType


def run(path: Path) -> ModuleType:
    """The module that a file makes; raises whatever the file does. Files of the same name are different modules."""
    name = f"sparring_file_{sha256(bytes(path.resolve())).hexdigest()[:12]}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("is not a Python file")
    module = module_from_spec(spec)
    # Annotations are looked up in the module of their class by name, so it has to be known before it runs.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
