"""Response models of routes that answer with the document that a command prints with `--json`."""

from collections.abc import Mapping
from typing import Any, Literal

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, create_model

from sparring.core.value import Json, Value
from sparring.reports.documents import SCHEMA, document, document_kinds
from sparring.reports.json_report import printed

_TYPES: Mapping[str, Any] = {"string": str, "integer": int, "number": float, "object": dict[str, Json]}


def document_model(kind: str) -> type[BaseModel]:
    """Return the model of documents of a kind; a document may have more keys than the model names."""
    fields: dict[str, Any] = {"written_as": (Literal[SCHEMA], Field(alias="schema")), "kind": (Literal[kind], ...)}
    fields |= {name: (_type(each), ...) for name, each in document_kinds()[kind].items()}
    return create_model(
        f"{kind.title().replace('_', '')}Document",
        __config__=ConfigDict(extra="allow"),
        __doc__=f"What `--json` prints, of the kind `{kind}`.",
        **fields,
    )


def document_response(kind: str, content: Mapping[str, Json], status: int = 200) -> Response:
    """Return a document of a kind as a response."""
    return Response(printed(document(kind, content)), status, media_type="application/json")


def _type(name: str | type[Value]) -> Any:
    if not isinstance(name, str):
        return name | list[name]  # type: ignore[valid-type]
    plain = name.removesuffix("?")
    found = list[_TYPES[plain[1:-1]]] if plain.startswith("[") else _TYPES[plain]  # type: ignore[misc]
    return found | None if name.endswith("?") else found
