"""Structured output: ask a model for a value of a given type, and repair invalid answers."""

import json
import re
from dataclasses import replace
from functools import lru_cache
from importlib.resources import files
from string import Template
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from sparring.core.errors import BadCompletion
from sparring.llm.client.wire_format import first_object
from sparring.llm.model import ChatMessage, Model, Request, Schema
from sparring.llm.redaction import quote

T = TypeVar("T", bound=BaseModel)

_REPAIR = Template(files("sparring.llm").joinpath("prompts/repair.md").read_text(encoding="utf-8"))
_LONGEST_REPEATED = 8_000
_MOST_ERRORS = 10


async def ask(model: Model, request: Request, answer: type[T], *, repairs: int = 2) -> T:
    """Ask for a value of type `answer`.

    Return invalid answers to the model with their errors, `repairs` times.

    No model is trusted to follow its schema: many accept it and ignore it. Raise `BadCompletion` if no answer is valid.
    """
    schema = _schema(answer)
    request = replace(request, answer=schema)
    wrong = ""
    for _ in range(repairs + 1):
        completion = await model.complete(request)
        value, wrong = _fitting(completion.text, answer)
        if completion.stopped and value is None:
            wrong = f"it was cut off ({completion.stopped}): {wrong}"
        if value is not None:
            return value
        request = _repaired(request, completion.text, wrong)
    raise BadCompletion(f"none of {repairs + 1} answers has the requested format; the last: {quote(wrong)}")


@lru_cache(maxsize=64)
def _schema(answer: type[BaseModel]) -> Schema:
    return Schema(re.sub(r"\W+", "_", answer.__name__, flags=re.ASCII)[:64], answer.model_json_schema())


def _fitting(text: str, answer: type[T]) -> tuple[T | None, str]:
    """Return the value in `text`, or None and the problems."""
    found = first_object(text)
    if found is None:
        return None, "there is no complete JSON object in it"
    try:
        return answer.model_validate_json(json.dumps(found)), ""
    except RecursionError:
        return None, "it is nested too deep"
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False, include_input=False)
        return None, "\n".join(f"- {_place(problem['loc'])}: {problem['msg']}" for problem in problems[:_MOST_ERRORS])


def _place(location: tuple[int | str, ...]) -> str:
    return ".".join(map(str, location)) or "the whole"


def _repaired(request: Request, text: str, wrong: str) -> Request:
    """Return the request with the invalid answer and a message that lists its errors."""
    schema = json.dumps(request.answer.schema) if request.answer else ""
    turns = (
        ChatMessage("assistant", text[:_LONGEST_REPEATED] or "(nothing)"),
        ChatMessage("user", _REPAIR.substitute(errors=wrong, schema=schema)),
    )
    return replace(request, messages=request.messages + turns)
