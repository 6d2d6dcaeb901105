"""The grammar in docs/reference/grammar.md does what the tables beside it say."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.llm.grammar import Grammar, load
from sparring.llm.model import ChatMessage, Request, Tool, ToolRequest

PAGE = (Path(__file__).parents[3] / "docs/reference/grammar.md").read_text()
RESERVE = {"properties": {"title": {"enum": ["Emma", "Dracula"]}, "copies": {"type": "integer"}}}
TOOLS = (Tool("reserve", "", RESERVE), Tool("opening_hours", "", {"properties": {}}))


def table(heading: str) -> list[list[str]]:
    rows = PAGE.partition(f"| {heading} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


@pytest.fixture
def grammar(write: Callable[[str], Path]) -> Grammar:
    example = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    return load(write(example[0]), TOOLS)


@pytest.mark.parametrize(("said", "expected"), table("the user says"))
async def test_the_tools_are_asked_for_as_documented(grammar: Grammar, said: str, expected: str):
    completion = await grammar.complete(Request((ChatMessage("user", said),), TOOLS))

    calls = [(request.name, json.loads(request.arguments)) for request in completion.tool_requests]
    assert calls == [(name, json.loads(given)) for name, given in re.findall(r"`(\w+) (\{.*?\})`", expected)]
    if not calls:
        assert completion.text.split(".")[0] in (*re.findall('"(.*)"', expected), "I'm sorry, I did not get that")


@pytest.mark.parametrize(("result", "expected"), table("the tools return"))
async def test_results_are_stated_as_documented(grammar: Grammar, result: str, expected: str):
    asked = ChatMessage("assistant", "", (ToolRequest("1", "reserve", "{}"),))
    answered = ChatMessage("tool", result.strip("`"), tool_request_id="1")

    assert (await grammar.complete(Request((asked, answered), TOOLS))).text == expected
