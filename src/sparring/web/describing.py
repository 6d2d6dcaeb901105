"""The description of the service, made from its code."""

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
