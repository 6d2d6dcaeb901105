"""Integration with Inspect AI: export of batches as logs, and experiments as tasks.

Needs the extra `inspect`.
"""

from importlib.util import find_spec

from sparring.core.errors import InputError
from sparring.core.plugins import install


def require_inspect(what: str) -> None:
    """Raise `InputError` unless Inspect AI is installed. Does not import it, which takes over a second."""
    if find_spec("inspect_ai") is None:
        raise InputError(f"{what} needs Inspect AI, which is not installed", hint=install("inspect"))
