"""Sparring's own conversations, one a line. Verdicts are not taken over."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from sparring.core.conversation import Conversation
from sparring.core.errors import Problem
from sparring.core.outcome import ConversationWithVerdicts
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat
from sparring.rules.inputs.transcript import first_error


def _read(entries: Iterable[LogEntry]) -> Iterator[Conversation | Problem]:
    for entry in entries:
        try:
            yield ConversationWithVerdicts.model_validate(entry.value)
        except ValidationError as error:
            yield entry.problem(f"is not a conversation: {first_error(error)}")


FORMAT = LogFormat(lambda entry: isinstance(entry.value, dict) and "case" in entry.value, _read)
