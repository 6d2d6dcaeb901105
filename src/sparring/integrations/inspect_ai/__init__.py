"""Inspect AI: logs that its viewer opens, and experiments that it runs. Needs the extra `inspect`.

The extra without which nothing here works.
"""

from importlib.util import find_spec

from sparring.core.errors import InputError


def needed(what: str) -> None:
    """An InputError unless Inspect AI is installed. Importing it takes over a second, so it is only looked for."""
    if find_spec("inspect_ai") is None:
        raise InputError(f"{what} needs Inspect AI, which is not installed", hint='pip install "sparring[inspect]"')
