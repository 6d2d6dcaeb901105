"""A grammar that asks for several tools one after the other, and that minds what was said before."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from sparring.core.errors import InputError
from sparring.core.value import Json
from sparring.llm.grammar import Grammar, load
from sparring.llm.model import ChatMessage, Request, Tool

LIBRARY = r"""
fallback: Sorry?
intents:
  - name: never mind
    only: true
    patterns: ['(?s:.*)\bnever mind\b(?s:.*)']
    reply: All right.
  - name: "yes, order it"
    said: ['shall i order (?P<title>.+)']
    patterns: ["yes", fine]
    tool: order_book
    slots: []
  - {name: "no", said: [shall i order], patterns: ["no"], reply: As you like.}
  - name: buy
    patterns: [buy]
    needs: [title]
    tool: order_book
    each: title
    before: [{tool: search, when: {found: true}}, {tool: swap, when: {status: [free, ours]}}]
  - {name: title, needs: [title], tool: swap}
replies:
  search: [{when: {found: false}, say: "Nothing is called {{name}}."}]
  swap: [{when: {status: lent}, say: "{{name}} is lent."}, {say: "{{name}} is there."}]
  order_book: [{say: "{{name}} is ordered."}]
"""


@pytest.fixture
def grammar(write: Callable[[str], Path]) -> Grammar:
    return load(write(LIBRARY))


TOOLS = tuple(
    Tool(name, "", {"type": "object", "properties": {"title": {"enum": ["Emma", "Dracula"]}}})
    for name in ("search", "swap", "order_book")
)


async def talked(grammar: Grammar, text: str, *results: Json, said: str = "") -> tuple[list[tuple[str, Json]], str]:
    """What the grammar asks for in the end, or says, if the tools return these results in their order."""
    left = [*results]
    messages = [*([ChatMessage("assistant", said)] if said else []), ChatMessage("user", text)]
    while True:
        done = await grammar.complete(Request(tuple(messages), TOOLS))
        asked = [(request.name, json.loads(request.arguments)) for request in done.tool_requests]
        if not asked or not left:
            return asked, done.text
        messages.append(ChatMessage("assistant", "", done.tool_requests))
        for request in done.tool_requests:
            messages.append(ChatMessage("tool", json.dumps(left.pop(0)), tool_request_id=request.id))


EMMA = {"title": "Emma"}


@pytest.mark.parametrize(
    ("results", "asked", "text"),
    [
        ([], [("search", EMMA)], ""),
        ([{"found": True}], [("swap", EMMA)], ""),
        ([{"found": False, "name": "Emma"}], [], "Nothing is called Emma."),
        ([{"found": True}, {"status": "ours"}], [("order_book", EMMA)], ""),
        ([{"found": True}, {"status": "lent", "name": "Emma"}], [], "Emma is lent."),
        ([{"found": True}, {"status": "free"}, {"name": "Emma"}], [], "Emma is ordered."),
        ([{"error": "no connection"}], [], "Sorry?"),
    ],
)
async def test_a_step_follows_the_one_before_if_its_result_is_right(
    grammar: Grammar, results: list[Json], asked: list[tuple[str, Json]], text: str
):
    assert await talked(grammar, "buy Emma", *results) == (asked, text)


async def test_several_walk_side_by_side_and_each_ends_where_it_has_to(grammar: Grammar):
    first = [{"found": True}, {"found": False, "name": "Dracula"}]

    assert await talked(grammar, "buy Emma and Dracula", *first) == ([("swap", EMMA)], "")
    assert await talked(grammar, "buy Emma and Dracula", *first, {"status": "lent", "name": "Emma"}) == (
        [],
        "Emma is lent. Nothing is called Dracula.",
    )


async def test_what_was_used_before_the_user_spoke_does_not_count(grammar: Grammar):
    done = await grammar.complete(Request((ChatMessage("user", "buy Emma"),), TOOLS))
    past = (
        ChatMessage("user", "buy Emma"),
        ChatMessage("assistant", "", done.tool_requests),
        ChatMessage("tool", '{"found": true}', tool_request_id=done.tool_requests[0].id),
        ChatMessage("assistant", "Well."),
    )

    again = await grammar.complete(Request((*past, ChatMessage("user", "buy Emma")), TOOLS))

    assert [request.name for request in again.tool_requests] == ["search"]


async def test_without_tools_it_says_what_it_has(grammar: Grammar):
    done = await grammar.complete(Request((ChatMessage("user", "buy Emma"),), TOOLS))
    messages = (
        ChatMessage("user", "buy Emma"),
        ChatMessage("assistant", "", done.tool_requests),
        ChatMessage("tool", '{"found": false, "name": "Emma"}', tool_request_id=done.tool_requests[0].id),
    )

    assert (await grammar.complete(Request(messages))).text == "Nothing is called Emma."


@pytest.mark.parametrize(
    ("said", "text", "expected"),
    [
        ("It is there. Shall I order Emma?", "yes", ([("order_book", EMMA)], "")),
        ("It is there. Shall I order Emma?", "no", ([], "As you like.")),
        (
            "It is there. Shall I order Emma?",
            "yes, Dracula",
            ([("order_book", EMMA), ("swap", {"title": "Dracula"})], ""),
        ),
        ("Emma is there.", "yes", ([], "Sorry?")),
        ("", "no", ([], "Sorry?")),
    ],
)
async def test_an_answer_means_something_after_its_question(
    grammar: Grammar, said: str, text: str, expected: tuple[list[tuple[str, Json]], str]
):
    assert await talked(grammar, text, said=said) == expected


async def test_what_wants_the_message_to_itself_gets_it(grammar: Grammar):
    assert await talked(grammar, "Buy Emma. Oh, never mind.") == ([], "All right.")


def test_steps_that_do_not_fit_the_tools_are_reported(write: Callable[[str], Path], tools: tuple[Tool, ...]):
    path = write(
        r"""
fallback: Sorry?
intents:
  - {name: a, patterns: [x], said: ['(?P<titel>x)', '(y'], tool: hours, before: [{tool: trak}, {tool: track}]}
  - {name: b, patterns: [x], reply: Hi, before: [{tool: hours}]}
replies:
  hours: [{say: "Open."}]
"""
    )

    with pytest.raises(InputError) as caught:
        load(path, tools)

    assert [str(problem).replace(str(path), "g.yaml") for problem in caught.value.problems] == [
        "g.yaml:4:37: intents[0].said[0]: unknown parameter of hours 'titel' (there are: none)",
        "g.yaml:4:53: intents[0].said[1]: is not a pattern: missing ): (y (RE2 has no lookaround)",
        "g.yaml:4:89: intents[0].before[0].tool: unknown tool 'trak' (did you mean 'track'?)",
        "g.yaml:4:103: intents[0].before[1].tool: there are no replies for 'track'",
        "g.yaml:5:41: intents[1].before: means nothing without a tool",
    ]
