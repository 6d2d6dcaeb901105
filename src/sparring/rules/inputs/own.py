"""Sparring's own conversations, one a line. Verdicts are not taken over."""

from pydantic import ValidationError

from sparring.core.conversation import Conversation
from sparring.core.outcome import ConversationWithVerdicts
from sparring.rules.inputs import NotARecording
from sparring.rules.inputs.entries import LogEntry
from sparring.rules.inputs.log_format import LogFormat, each
from sparring.rules.inputs.transcript import first_error


def _parsed(entry: LogEntry) -> Conversation:
    try:
        return ConversationWithVerdicts.model_validate(entry.value)
    except ValidationError as error:
        raise NotARecording(f"is not a conversation: {first_error(error)}") from None


FORMAT = LogFormat(lambda entry: isinstance(entry.value, dict) and "case" in entry.value, each(_parsed))
