"""What the tests of rules are made of: recordings in a line, and the value of an expression over them."""

from collections.abc import Callable
from typing import Any

import pytest

from sparring.rules.evaluate.calls import EvaluationContext, evaluate
from sparring.rules.evaluate.compiler import closure
from sparring.rules.language.parser import parse
from sparring.rules.recording import RecordedMessage, Recording


def _recording(id: str = "c", said: str = "", **names: Any) -> Recording:
    texts = [text.strip() for text in said.split("/")] if said else []
    messages = tuple(RecordedMessage("chatbot" if at % 2 else "user", text) for at, text in enumerate(texts))
    return Recording(id, names, messages)


def _value(text: str, *recordings: Recording) -> Any:
    return evaluate(closure(parse(text, message=True)), EvaluationContext(recordings or (_recording(),)))


@pytest.fixture(name="recording")
def recording() -> Callable[..., Recording]:
    """A recording with these names; `said` is "user's text / chatbot's text / user's text ..."."""
    return _recording


@pytest.fixture(name="value")
def value() -> Callable[..., Any]:
    """What an expression is worth over some recordings, or the Failure that stands for it."""
    return _value
