"""Worker process that calls a function of a Python file and prints the returned list as JSON."""

import importlib.util
import json
import random
import sys
from contextlib import redirect_stdout


def main(path: str, name: str, seed: str) -> None:
    """Call `name` in the file at `path`. The arguments are on standard input; mappings are named ones."""
    random.seed(seed)
    arguments = json.load(sys.stdin)
    plain = [argument for argument in arguments if not isinstance(argument, dict)]
    named = {key: value for argument in arguments if isinstance(argument, dict) for key, value in argument.items()}
    with redirect_stdout(sys.stderr):
        spec = importlib.util.spec_from_file_location("listed", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is no Python file")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        values = list(getattr(module, name)(*plain, **named))
    sys.stdout.write(json.dumps(values))


if __name__ == "__main__":
    main(*sys.argv[1:])
