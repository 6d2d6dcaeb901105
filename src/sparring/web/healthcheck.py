"""Check that the server on this machine answers: `python -m sparring.web.healthcheck`. Imports no server code."""

import json
import os
import sys
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException

_SECONDS = 5


def alive(environment: Mapping[str, str]) -> str:
    """Why the server is not well, or nothing; `environment` is what it was started with."""
    port = environment.get("SPARRING_PORT") or environment.get("PORT") or "5000"
    token = environment.get("SPARRING_SERVE_TOKEN", "").strip()
    headers = {"authorization": f"Bearer {token}"} if token else {}
    try:
        connection = HTTPConnection("127.0.0.1", int(port), timeout=_SECONDS)
        connection.request("GET", "/api/health", headers=headers)
        answer = connection.getresponse()
        told = json.loads(answer.read(10_000))
    except (OSError, HTTPException, ValueError) as error:
        return f"does not answer: {type(error).__name__}"
    if answer.status == 401 and not token:  # it asks for one of its own tokens, which nobody here knows: it is there
        return ""
    if answer.status == 200 and isinstance(told, dict) and told.get("status") == "healthy":
        return ""
    return f"is not healthy: HTTP {answer.status}"


if __name__ == "__main__":
    sys.exit(alive(os.environ) or 0)
