"""Check that the server on this machine answers: `python -m sparring.web.healthcheck`.

Imports no server code.
"""

import json
import os
import sys
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException

_TIMEOUT = 5


def server_problem(environment: Mapping[str, str]) -> str:
    """Return the server's problem, or "" if it is healthy. `environment` holds the server's variables."""
    port = environment.get("SPARRING_PORT") or environment.get("PORT") or "5000"
    token = environment.get("SPARRING_SERVE_TOKEN", "").strip()
    headers = {"authorization": f"Bearer {token}"} if token else {}
    try:
        connection = HTTPConnection("127.0.0.1", int(port), timeout=_TIMEOUT)
        connection.request("GET", "/api/health", headers=headers)
        answer = connection.getresponse()
        health = json.loads(answer.read(10_000))
    except (OSError, HTTPException, ValueError) as error:
        return f"does not answer: {type(error).__name__}"
    if answer.status == 401 and not token:  # the server runs, but only accepts tokens from its store
        return ""
    if answer.status == 200 and isinstance(health, dict) and health.get("status") == "healthy":
        return ""
    return f"is not healthy: HTTP {answer.status}"


if __name__ == "__main__":
    sys.exit(server_problem(os.environ) or 0)
