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

    Where calls took more than was guessed, as with reasoning or in some languages, the next ones are believed to take
    that much more at once; where they took less, only little by little.
    """

    def __init__(self) -> None:
        self._factor = 1.0

    def guess(self, request: Request) -> int:
        """How many tokens a call may take."""
        return int(_plain(request) * self._factor)

    def learn(self, request: Request, usage: Usage) -> None:
        """Remember what a call really took, where somebody said so."""
        if usage.unknown_tokens or not usage.calls:
            return
        took = usage.tokens / usage.calls / _plain(request)
        self._factor = max(1.0, took, self._factor + (took - self._factor) * _FORGETTING)


def _plain(request: Request) -> int:
    asked = sum(len(message.content.encode()) + _AROUND for message in request.messages)
    asked += sum(_length(written_tool(tool)) for tool in request.tools)
    if request.answer is not None:
        asked += _length(request.answer.schema)
    return asked // 4 + (request.max_tokens or _ANSWER)


def _length(value: object) -> int:
    return len(orjson.dumps(value, default=dict))
