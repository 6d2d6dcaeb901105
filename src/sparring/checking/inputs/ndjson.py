"""Our own conversations, one JSON object a line."""

from pydantic import ValidationError

from sparring.checking.inputs.problem import NotARecording
from sparring.checking.recorded import recording_of
from sparring.checking.recording import Recording
from sparring.core.verdict import Shown


def parse_ndjson_line(line: bytes) -> Recording:
    """The recording that a line holds; rules see nothing of verdicts that stand in it."""
    try:
        return recording_of(Shown.model_validate_json(line))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise NotARecording(f"is not a conversation: {place + ': ' if place else ''}{first['msg']}") from None
