"""The description of the service, made from its code."""

import re
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi


def openapi(app: FastAPI) -> dict[str, Any]:
    """The description of the app, without the answers that it never gives."""
    described = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, openapi_version="3.1.0"
    )
    for path in described["paths"].values():
        for operation in path.values():
            operation["responses"].pop("422", None)
    for unused in ("HTTPValidationError", "ValidationError"):
        described["components"]["schemas"].pop(unused, None)
    described["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    described["security"] = [{}, {"token": []}]
    return described


def described(app: FastAPI) -> dict[str, Any]:
    """The description, made once."""
    made: dict[str, Any] | None = getattr(app.state, "described", None)
    if made is None:
        made = app.state.described = openapi(app)
    return made


def methods(app: FastAPI, path: str) -> list[str]:
    """The methods that a path of the app has."""
    return sorted(
        method.upper()
        for template, operations in described(app)["paths"].items()
        if re.fullmatch(
            re.sub(r"\{conversation}", ".+", template).replace("{id}", "[^/]+").replace("{hash}", "[0-9a-f]+"), path
        )
        for method in operations
    )
