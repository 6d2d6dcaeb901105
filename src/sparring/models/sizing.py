"""How many tokens a call may take, for limits that have to be kept before anybody knows."""

import orjson

from sparring.core.usage import Usage
from sparring.models.chat_request import written_tool
from sparring.models.model import Request

_ANSWER = 256
_AROUND = 20
_FORGETTING = 0.125


class Sizing:
    """A guess at what the calls of one model take: a quarter of the bytes that are sent, and what it may answer.

    Where more was sent than was guessed, as in some languages, the next calls are believed to send that many times more
    at once; and where more was answered, as with reasoning, that their answers are as long. Where calls took less, this
    is believed only little by little.
    """

    def __init__(self) -> None:
        self._factor = 1.0
        self._answer = 0.0

    def guess(self, request: Request) -> int:
        """How many tokens a call may take."""
        asked = int((_sent(request) + _ANSWER) * self._factor) - _ANSWER
        return asked + max(request.max_tokens or _ANSWER, round(self._answer))

    def learn(self, request: Request, usage: Usage) -> None:
        """Remember what a call really took, where somebody said so."""
        if usage.unknown_tokens or not usage.calls:
            return
        # What servers add to every request, such as a template, is no measure of long ones.
        took = (usage.input_tokens / usage.calls + _ANSWER) / (_sent(request) + _ANSWER)
        self._factor = max(1.0, _believed(self._factor, took))
        self._answer = _believed(self._answer, usage.output_tokens / usage.calls)


def _believed(before: float, took: float) -> float:
    return max(took, before + (took - before) * _FORGETTING)


def _sent(request: Request) -> int:
    asked = sum(len(message.content.encode()) + _AROUND for message in request.messages)
    asked += sum(_length(written_tool(tool)) for tool in request.tools)
    if request.answer is not None:
        asked += _length(request.answer.schema)
    return asked // 4


def _length(value: object) -> int:
    return len(orjson.dumps(value, default=dict))
