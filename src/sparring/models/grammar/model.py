"""The grammar as a model."""

from pathlib import Path

import orjson

from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.models.grammar.answering import Answers, Result
from sparring.models.grammar.file import GrammarFile, read
from sparring.models.grammar.slots import Lexicon, lexicon
from sparring.models.grammar.understanding import Intents
from sparring.models.model import ChatMessage, Completion, Request, Tool, ToolRequest

_NOTHING = Usage()


class Grammar:
    """A model that is none: equal requests get equal answers, and none of them is a call that counts."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._fallback = grammar.fallback
        self._intents = Intents(grammar)
        self._answers = Answers(grammar)
        self._tools: tuple[Tool, ...] = ()
        self._known = lexicon(())

    async def complete(self, request: Request) -> Completion:
        """Ask for the tools that the user's last words call for, or say what the tools returned."""
        if request.messages[-1].role == "tool":
            return Completion(text=self._answers.text(_results(request.messages)), usage=_NOTHING, model="grammar")
        text = next((line.content for line in reversed(request.messages) if line.role == "user"), "")
        found = self._intents.find(text, self._lexicon(request.tools), _last(request.messages))
        calls = [meant for meant in found if meant.intent.tool]
        if calls:
            asked = len(request.messages)
            requests = tuple(
                ToolRequest(f"call_{asked}_{number}", meant.intent.tool, orjson.dumps(meant.arguments).decode())
                for number, meant in enumerate(calls, start=1)
            )
            return Completion(tool_requests=requests, usage=_NOTHING, model="grammar")
        replies = dict.fromkeys(meant.intent.reply for meant in found)
        return Completion(text=" ".join(replies) or self._fallback, usage=_NOTHING, model="grammar")

    def _lexicon(self, tools: tuple[Tool, ...]) -> Lexicon:
        """The words the tools understand; a chatbot's tools stay the same, so they are read once."""
        if tools is not self._tools and tools != self._tools:
            self._known = lexicon(tools)
        self._tools = tools
        return self._known


def load(path: Path, tools: tuple[Tool, ...] | None = None) -> Grammar:
    """The grammar in a file; an InputError lists all its problems, and with `tools` also where it does not fit them."""
    return Grammar(read(path, tools))


def _last(messages: tuple[ChatMessage, ...]) -> dict[str, Json]:
    """What the tool returned that was used last."""
    return next((_fields(line.content) for line in reversed(messages) if line.role == "tool"), {})


def _results(messages: tuple[ChatMessage, ...]) -> list[Result]:
    """What the tools returned that were asked for last."""
    first = len(messages)
    while first > 0 and messages[first - 1].role == "tool":
        first -= 1
    asked = {request.id: request.name for request in messages[first - 1].tool_requests} if first else {}
    return [Result(asked.get(line.tool_request_id, ""), _fields(line.content)) for line in messages[first:]]


def _fields(content: str) -> dict[str, Json]:
    try:
        result: Json = orjson.loads(content)
    except orjson.JSONDecodeError:
        result = content
    return result if isinstance(result, dict) else {"result": result}
