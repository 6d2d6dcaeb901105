"""The grammar as a model: what it asks the tools for, and what it says about what they returned."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sparring.core.errors import BadCompletion, InputError
from sparring.core.usage import Usage
from sparring.core.value import Json
from sparring.llm.grammar import Grammar, load
from sparring.llm.grammar.grammar_file import read
from sparring.llm.grammar.intents import Intents
from sparring.llm.grammar.lexicon import lexicon
from sparring.llm.model import ChatMessage, Completion, Request, Tool, ToolRequest

BOOKSHOP = r"""
fallback: Sorry?
intents:
  - {name: aside, patterns: [between you and me]}
  - {name: hours, patterns: [.*when.* open.*], tool: hours}
  - {name: swap, patterns: ['(?P<new>.+) instead of (?P<old>.+)'], tool: swap, needs: [new, old]}
  - {name: search, patterns: ['search for (?P<words>.+)'], tool: search}
  - {name: book, patterns: [books?], tool: order_book}
  - {name: title, needs: [title|format], tool: order_book, each: title}
  - {name: track, patterns: [where is], needs: [order_id], tool: track}
  - name: copies
    patterns: ['(?P<copies>.+) copies']
    needs: [copies]
    tool: order_book
    arguments: {format: paperback}
    slots: []
  - {name: "yes", patterns: ["yes", fine], alone: true, tool: accept}
  - {name: hello, patterns: [hello], reply: Hello there.}
  - {name: thanks, patterns: [thanks], reply: You're welcome.}
replies:
  order_book:
    - {when: {status: [ordered, added]}, say: "{{title}} is ordered."}
    - {when: {status: incomplete}, say: ""}
  track:
    - {when: {found: true}, say: "it is {{state}}."}
    - {when: {found: null, error: null}, say: It is lost.}
  hours: [{say: "open {{hours}}."}]
  search: [{say: "We have {{^result}}nothing{{/result}}{{#result}}{{.}}{{/result}}."}]
  accept: [{say: "{{missing}}"}]
closing:
  - {when: {next: format}, say: Which format?}
"""

WORDS = ["a", "two", "book", "Emma", "Dracula", "hardback", "instead of", "copies", "search for", "when", "open", "yes"]
NOISE = [",", ".", "!", "\n", "é", "9", "", "of"]


@pytest.fixture
def grammar(write: Callable[[str], Path]) -> Grammar:
    return load(write(BOOKSHOP))


async def asked(grammar: Grammar, text: str, tools: tuple[Tool, ...]) -> list[tuple[str, Json]]:
    completion = await grammar.complete(Request((ChatMessage("user", text),), tools))
    return [(request.name, json.loads(request.arguments)) for request in completion.tool_requests]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("A book, please", [("order_book", {})]),
        ("I'd like Emma", [("order_book", {"title": "Emma"})]),
        (
            "the trial as a PAPERBACK book with bookmarks and a gift wrap",
            [("order_book", {"title": "The Trial", "format": "paperback", "extras": ["bookmark"]})],
        ),
        ("two books: Emma", [("order_book", {"title": "Emma", "copies": 2})]),
        ("Emma, Dracula", [("order_book", {"title": "Emma"}), ("order_book", {"title": "Dracula"})]),
        (
            "2 Emma 3 Dracula",
            [("order_book", {"title": "Emma", "copies": 2}), ("order_book", {"title": "Dracula", "copies": 3})],
        ),
        ("a book and a book and another book about Emma", [("order_book", {}), ("order_book", {"title": "Emma"})]),
        ("When are you open? And Emma.", [("hours", {}), ("order_book", {"title": "Emma"})]),
        ("Emma. When do you open?", [("order_book", {"title": "Emma"}), ("hours", {})]),
        ("When do you open for Emma and a book", [("hours", {})]),
        ("Emma instead of Dracula", [("swap", {"new": "Emma", "old": "Dracula"})]),
        ("Emma instead of something", [("order_book", {"title": "Emma"})]),
        ("search for The Castle by Kafka", [("search", {"words": "The Castle by Kafka"})]),
        ("three copies", [("order_book", {"copies": 3, "format": "paperback"})]),
        ("many copies", []),
        ("where is bk-001?", [("track", {"order_id": "BK-001"})]),
        ("where is my mind?", []),
        ("yes", [("accept", {})]),
        ("yes, fine", [("accept", {})]),
        ("yes, and Emma", [("order_book", {"title": "Emma"})]),
        ("between you and me", []),
        ("Hello, a book", [("order_book", {})]),
    ],
)
async def test_the_tools_are_asked_for_what_was_said(
    grammar: Grammar, tools: tuple[Tool, ...], text: str, calls: list[tuple[str, Json]]
):
    assert await asked(grammar, text, tools) == calls


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Hello!", "Hello there."),
        ("Thanks, hello", "Hello there."),
        ("yesterday", "Sorry?"),
        ("between you and me", "Sorry?"),
        ("", "Sorry?"),
    ],
)
async def test_words_are_answered_with_words(grammar: Grammar, tools: tuple[Tool, ...], text: str, reply: str):
    assert await grammar.complete(Request((ChatMessage("user", text),), tools)) == Completion(
        text=reply, model="grammar"
    )


async def test_a_tool_that_is_not_offered_is_not_asked_for(grammar: Grammar):
    assert (await grammar.complete(Request((ChatMessage("user", "Emma, a book"),)))).text == "Sorry?"


async def said(grammar: Grammar, *results: tuple[str, str]) -> str:
    requests = tuple(ToolRequest(f"id{index}", name, "{}") for index, (name, _) in enumerate(results))
    answers = [ChatMessage("tool", answer, tool_request_id=f"id{index}") for index, (_, answer) in enumerate(results)]
    completion = await grammar.complete(Request((ChatMessage("assistant", "", requests), *answers)))
    return completion.text


@pytest.mark.parametrize(
    ("results", "text"),
    [
        ([("order_book", '{"status": "added", "title": "emma"}')], "Emma is ordered."),
        ([("track", '{"found": true, "state": "on its way"}')], "It is on its way."),
        ([("track", "{}")], "It is lost."),
        ([("track", '{"error": "broken"}')], "Sorry?"),
        ([("search", '["Emma", "Dracula"]')], "We have Emma and Dracula."),
        ([("search", "[]")], "We have nothing."),
        ([("search", "not json")], "We have not json."),
        ([("order_book", '{"status": "incomplete", "next": "format"}')], "Which format?"),
        ([("nothing_known", "{}")], "Sorry?"),
        (
            [
                ("order_book", '{"status": "ordered", "title": "Emma", "next": "format"}'),
                ("hours", '{"hours": "daily"}'),
            ],
            "Emma is ordered. Open daily.",
        ),
        (
            [
                ("hours", '{"hours": "daily"}'),
                ("hours", '{"hours": "daily"}'),
                ("order_book", '{"status": "ordered", "title": "Emma", "next": "format"}'),
            ],
            "Open daily. Emma is ordered. Which format?",
        ),
    ],
)
async def test_results_of_tools_are_in_the_reply(grammar: Grammar, results: list[tuple[str, str]], text: str):
    assert await said(grammar, *results) == text


async def test_a_reply_that_needs_what_the_tool_did_not_return_is_an_error(grammar: Grammar):
    with pytest.raises(BadCompletion, match="reply to accept needs missing, which is not there"):
        await said(grammar, ("accept", "{}"))


async def test_a_grammar_is_no_model_call(grammar: Grammar, tools: tuple[Tool, ...]):
    assert (await grammar.complete(Request((ChatMessage("user", "Emma"),), tools))).usage == Usage()


async def test_requests_of_one_conversation_have_ids_of_their_own(grammar: Grammar, tools: tuple[Tool, ...]):
    first = await grammar.complete(Request((ChatMessage("user", "Emma, Dracula"),), tools))
    history = (
        ChatMessage("user", "Emma, Dracula"),
        ChatMessage("assistant", "", first.tool_requests),
        ChatMessage("user", "Emma"),
    )
    second = await grammar.complete(Request(history, tools))

    assert len({request.id for request in (*first.tool_requests, *second.tool_requests)}) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(
    st.lists(
        st.sampled_from(WORDS + NOISE),
        max_size=14,
    )
)
async def test_answers_are_deterministic_and_only_have_values_of_the_tools(
    grammar: Grammar, tools: tuple[Tool, ...], words: list[str]
):
    request = Request((ChatMessage("user", " ".join(words)),), tools)

    completion = await grammar.complete(request)

    assert completion == await grammar.complete(request)
    assert bool(completion.text) != bool(completion.tool_requests)
    for call in completion.tool_requests:
        assert json.loads(call.arguments).get("title", "Emma") in ("Emma", "Dracula")


RUSSIAN = r"""
fallback: Простите?
words:
  copies: копи[ия]|экземпляр\S*
intents:
  - {name: hours, patterns: [когда .*открыты], tool: hours}
  - name: answer
    after: {next: words}
    patterns: [^(?P<words>.+)$]
    tool: search
  - name: book
    within: item
    patterns: ['^(?P<copies>{number})$', '(?P<copies>{number}) {copies} (?P<words>.+)']
    tool: order_words
replies: {hours: [{say: "{{hours}}"}], search: [{say: "{{words}}"}], order_words: [{say: "{{words}}"}]}
"""


@pytest.fixture
def russian(write: Callable[[str], Path]) -> Callable[..., list[tuple[str, Json]]]:
    tools = (
        Tool("hours", "", {"properties": {}}),
        Tool("search", "", {"properties": {"words": {"type": "string"}}}),
        Tool("order_words", "", {"properties": {"words": {"type": "string"}, "copies": {"type": "integer"}}}),
    )
    intents, known = Intents(read(write(RUSSIAN), tools)), lexicon(tools)

    def understood(text: str, **last: Json) -> list[tuple[str, Json]]:
        return [(meant.intent.tool, meant.arguments) for meant in intents.find(text, known, last)]

    return understood


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("Когда вы открыты?", [("hours", {})]),
        ("три экземпляра Эммы", [("order_words", {"copies": 3, "words": "Эммы"})]),
        (
            "двадцать две копии Эммы и 5 копий Дракулы",
            [
                ("order_words", {"copies": 22, "words": "Эммы и"}),
            ],
        ),
        (
            "две копии Эммы, 3 экземпляра Дракулы",
            [
                ("order_words", {"copies": 2, "words": "Эммы"}),
                ("order_words", {"copies": 3, "words": "Дракулы"}),
            ],
        ),
        ("двадцать пять", [("order_words", {"copies": 25})]),
        ("двадцать пять Эмм", []),
    ],
)
def test_russian_is_understood_too_an_item_at_a_time(
    russian: Callable[..., list[tuple[str, Json]]], said: str, meant: list[tuple[str, Json]]
):
    assert russian(said) == meant


def test_a_short_answer_counts_only_after_its_question(russian: Callable[..., list[tuple[str, Json]]]):
    assert (russian("Дракула"), russian("Дракула", next="words")) == ([], [("search", {"words": "Дракула"})])


def test_unknown_words_are_reported_with_their_place(write: Callable[[str], Path]):
    with pytest.raises(InputError) as caught:
        read(write(RUSSIAN.replace("{copies} (", "{copy} (")))

    assert [(problem.message, problem.hint) for problem in caught.value.problems] == [
        ("unknown words 'copy'", "did you mean 'copies'?")
    ]
