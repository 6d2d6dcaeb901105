"""How to install what some commands need besides Sparring."""

import json
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def install(*extras: str) -> str:
    """Return the command that installs extras, from the checkout if Sparring came from one."""
    return f"pip install '{_origin() or 'sparring'}[{','.join(extras)}]'"


def _origin() -> str:
    """Return the folder or file that Sparring was installed from, if it is still there."""
    from urllib.parse import urlsplit  # needed only for a hint, and slow to import
    from urllib.request import url2pathname

    try:
        direct = json.loads(distribution("sparring").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    url = urlsplit(direct.get("url", ""))
    place = Path(url2pathname(url.path))
    if url.scheme != "file" or not place.exists():
        return ""
    return str(place)
