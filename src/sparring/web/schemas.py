"""Request and response bodies of the REST service.

Result rows and states of batches: `reports.service_results`.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, create_model

from sparring.app.label import Label
from sparring.core.conversation import Conversation
from sparring.core.value import Json, Value
from sparring.core.verdict import Verdict
from sparring.reports.calibration_text import BlameAgreement
from sparring.reports.documents import SCHEMA, document, document_kinds
from sparring.reports.json_report import printed
from sparring.reports.service_results import BatchStatus, ScenarioResult, Status


class LaunchResponse(Value):
    """A batch that was accepted."""

    batch_id: str
    status: Literal["launched"] = "launched"
    total_scenarios: NonNegativeInt
    prompt_version: str = ""
    chatbot: str = ""
    seed: NonNegativeInt = 0


class BatchList(Value):
    """A page of batches, newest first. Pass `next` as `before` to get the next page."""

    batches: tuple[BatchStatus, ...]
    total_count: NonNegativeInt
    next: str | None = None


class ScenarioResults(Value):
    """Results of all scenarios of a batch."""

    batch_id: str
    results: tuple[ScenarioResult, ...]
    total_results: NonNegativeInt


class ConversationPage(Value):
    """A page of conversations in scenario order. Pass `next` as `after` to get the next page."""

    conversations: tuple[ScenarioResult, ...]
    next: str | None = None


class Labels(Value):
    """Labels of a batch, and how often its audit and its checks blame the party that blind labels do."""

    labels: tuple[Label, ...]
    agreement: tuple[BlameAgreement, ...]


class ConversationDetail(Value):
    """One conversation with its result, its verdicts, and the full stored record."""

    result: ScenarioResult
    verdicts: tuple[Verdict, ...]
    conversation: Conversation


class RequestProblem(Value):
    """One problem with a request."""

    path: str = ""
    line: int | None = None
    column: int | None = None
    message: str
    hint: str = ""


class Error(Value):
    """Reason why a request failed. `problems` lists every problem with the body."""

    error: str
    hint: str | None = None
    current_status: Status | None = None
    problems: tuple[RequestProblem, ...] = ()

    def body(self) -> bytes:
        """Return the response body without empty fields."""
        return self.model_dump_json(exclude_defaults=True).encode(errors="replace")


class Health(Value):
    """Health of the service; `problems` are what keeps it from storing conversations."""

    status: Literal["healthy", "unhealthy"]
    service: str
    version: str
    timestamp: datetime
    error: str | None = None
    problems: tuple[str, ...] = ()


_PLAIN = {"Extra inputs are not permitted": "unknown key", "Field required": "is missing"}
"""Plain words for messages of pydantic."""


def shortened(message: str) -> str:
    """Return a message of pydantic without its subject, which is the path."""
    for subject in ("Input ", "String ", "Value error, ", "List ", "Tuple "):
        message = message.removeprefix(subject)
    return _PLAIN.get(message, message.partition(", unable to")[0])


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
