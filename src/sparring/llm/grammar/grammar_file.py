"""The format of grammar files, and validation."""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

import re2
from pydantic import Field, StringConstraints

from sparring import parsing
from sparring.core.errors import InputError, Problem
from sparring.core.text import suggest
from sparring.core.value import Json, Value
from sparring.llm import template
from sparring.llm.grammar.lexicon import lexicon
from sparring.llm.grammar.utterance import NUMBERS
from sparring.llm.model import Tool
from sparring.parsing import Document, KeyPath
from sparring.parsing.document import note
from sparring.parsing.regex import options

Words = Annotated[str, StringConstraints(min_length=1, max_length=1000)]

_NAMED = re.compile(r"\{([a-z_]+)\}")
_NESTED = 3
"""Maximum depth of words that are defined by other words."""

_NUMBER = r"\d+|(?:(?:{tens}) )?(?:{all})".format(
    tens="|".join(word for word, number in NUMBERS.items() if number in range(20, 91, 10)), all="|".join(NUMBERS)
)


class Step(Value):
    """A tool to call first. The next tool is called only if the result matches `when`."""

    tool: str
    when: dict[str, Json] = {}


class Intent(Value):
    """A meaning of a user message: its patterns, and the tool to call or the words to answer.

    With `said`, it applies only after a chatbot message with one of these patterns. An intent that is `only` uses the
    whole message.
    """

    name: str
    patterns: tuple[Words, ...] = ()
    said: tuple[Words, ...] = ()
    needs: tuple[str, ...] = ()
    before: tuple[Step, ...] = ()
    tool: str = ""
    arguments: dict[str, Json] = {}
    slots: tuple[str, ...] | None = None
    each: str = ""
    within: Literal["sentence", "item"] = "sentence"
    after: dict[str, Json] = {}
    alone: bool = False
    only: bool = False
    reply: str = ""


class Reply(Value):
    """A reply to a result of a tool that matches `when`."""

    when: dict[str, Json] = {}
    say: str


class GrammarFile(Value):
    """Content of a grammar file."""

    fallback: Words
    words: dict[Annotated[str, StringConstraints(pattern=r"^[a-z_]+$")], Words] = {}
    intents: Annotated[tuple[Intent, ...], Field(max_length=500)]
    replies: dict[str, tuple[Reply, ...]] = {}
    closing: tuple[Reply, ...] = ()


def read(path: Path, tools: tuple[Tool, ...] | None = None) -> GrammarFile:
    """Read a grammar file. Raise InputError with all problems, including those with these tools."""
    note(path)
    document, grammar, own = _parsed(path, path.read_bytes() if path.is_file() else b"")
    problems = list(own)
    if tools is not None:
        problems += _problems_with_tools(document, grammar, tools)
    if problems:
        raise InputError(sorted(problems, key=lambda problem: (problem.line or 0, problem.column or 0)))
    return grammar


@lru_cache(maxsize=8)  # the same chatbot is made for every batch, and its grammar takes 0.2 s to parse
def _parsed(path: Path, content: bytes) -> tuple[Document, GrammarFile, tuple[Problem, ...]]:
    """Return the grammar in a file, which has this content, with its problems apart from those with tools."""
    document = parsing.load(path)
    grammar = _spelt_out(parsing.validate(document, GrammarFile))
    return document, grammar, tuple(_problems(document, grammar))


def _spelt_out(grammar: GrammarFile) -> GrammarFile:
    """Return the grammar with every `{name}` in its patterns replaced by the words it stands for."""
    words = {"number": _NUMBER, **grammar.words}

    def spelt(pattern: str) -> str:
        for _ in range(_NESTED):
            pattern = _NAMED.sub(lambda match: f"(?:{words[match[1]]})" if match[1] in words else match[0], pattern)
        return pattern

    intents = tuple(
        intent.model_copy(
            update={"patterns": tuple(map(spelt, intent.patterns)), "said": tuple(map(spelt, intent.said))}
        )
        for intent in grammar.intents
    )
    return grammar.model_copy(update={"intents": intents})


@lru_cache(maxsize=4096)  # RE2's own cache has 128 places, fewer than a grammar has patterns
def compiled(pattern: str) -> Any:
    """Compile a pattern for the line of an utterance: whole words, any case.

    `^` and `$` around it match the beginning and the end of the part that is not understood yet, question marks aside.
    """
    begin, end = r"^[\s?]*" if pattern.startswith("^") else "", r"[\s?]*$" if pattern.endswith("$") else ""
    return re2.compile(f"{begin}{delimited(pattern)}{end}", options(any_case=True))


def alternatives(need: str) -> list[str]:
    """Return the alternatives in an entry of `needs`: `size|kind` is satisfied by either."""
    return [name.strip() for name in need.split("|")]


def delimited(pattern: str) -> str:
    """Return a pattern that matches whole words only; every word in a line has blanks around it."""
    return f" ({pattern.removeprefix('^').removesuffix('$')}) "


def _problems(document: Document, grammar: GrammarFile) -> Iterator[Problem]:
    for index, intent in enumerate(grammar.intents):
        at: KeyPath = ("intents", index)
        if intent.tool and intent.reply:
            yield document.problem((*at, "reply"), "an intent has a tool or a reply, not both", key=True)
        for name in ("needs", "arguments", "slots", "each", "before"):
            if name in intent.model_fields_set and not intent.tool:
                yield document.problem((*at, name), "means nothing without a tool", key=True)
        if not intent.patterns and not intent.needs:
            yield document.problem(at, "an intent has patterns, or needs, or both")
        for key, patterns in (("patterns", intent.patterns), ("said", intent.said)):
            for number, pattern in enumerate(patterns):
                for name in _NAMED.findall(pattern):
                    yield document.problem((*at, key, number), *_unknown("words", name, ["number", *grammar.words]))
                yield from _pattern_problems(document, (*at, key, number), pattern)
    for place, reply in _replies(grammar):
        try:
            template.read(reply.say)
        except InputError as error:
            yield from (document.problem((*place, "say"), found.message, found.hint) for found in error.problems)


def _replies(grammar: GrammarFile) -> Iterator[tuple[KeyPath, Reply]]:
    for tool, replies in grammar.replies.items():
        yield from ((("replies", tool, index), reply) for index, reply in enumerate(replies))
    yield from ((("closing", index), reply) for index, reply in enumerate(grammar.closing))


def _pattern_problems(document: Document, at: KeyPath, pattern: str) -> Iterator[Problem]:
    try:
        re2.compile(pattern, options(any_case=True))
        if compiled(pattern).search("  "):
            yield document.problem(at, "the pattern matches no words at all", "it would apply to everything")
    except re2.error as error:
        yield document.problem(at, f"is not a pattern: {_text(error)}", "RE2 has no lookaround")


def _text(error: Exception) -> str:
    said = error.args[0]
    return said.decode() if isinstance(said, bytes) else str(said)


def _problems_with_tools(document: Document, grammar: GrammarFile, tools: tuple[Tool, ...]) -> Iterator[Problem]:
    known = lexicon(tools)
    for (tool, slot), reason in known.unreadable.items():
        yield Problem(file=document.file, message=f"the pattern of {tool}.{slot} cannot be read by RE2: {reason}")
    for index, intent in enumerate(grammar.intents):
        at: KeyPath = ("intents", index)
        if intent.tool and intent.tool not in known.parameters:
            yield document.problem((*at, "tool"), *_unknown("tool", intent.tool, known.parameters))
        elif intent.tool:
            yield from _slot_problems(document, at, intent, known.parameters[intent.tool])
            if intent.tool not in grammar.replies:
                yield document.problem((*at, "tool"), f"there are no replies for {intent.tool!r}")
        for number, step in enumerate(intent.before):
            place: KeyPath = (*at, "before", number, "tool")
            if step.tool not in known.parameters:
                yield document.problem(place, *_unknown("tool", step.tool, known.parameters))
            elif step.tool not in grammar.replies:
                yield document.problem(place, f"there are no replies for {step.tool!r}")
    for tool in grammar.replies:
        if tool not in known.parameters:
            yield document.problem(("replies", tool), *_unknown("tool", tool, known.parameters), key=True)


def _slot_problems(document: Document, at: KeyPath, intent: Intent, parameters: tuple[str, ...]) -> Iterator[Problem]:
    used: list[tuple[KeyPath, str]] = [
        *(((*at, "needs", index), name) for index, need in enumerate(intent.needs) for name in alternatives(need)),
        *(((*at, "slots", index), name) for index, name in enumerate(intent.slots or ())),
        *(((*at, "arguments", name), name) for name in intent.arguments),
        *([((*at, "each"), intent.each)] if intent.each else []),
    ]
    for key, patterns in (("patterns", intent.patterns), ("said", intent.said)):
        for number, pattern in enumerate(patterns):
            used += [((*at, key, number), name) for name in _groups(pattern)]
    for place, name in used:
        if name not in parameters:
            yield document.problem(place, *_unknown(f"parameter of {intent.tool}", name, parameters))


def _groups(pattern: str) -> list[str]:
    try:
        return list(compiled(pattern).groupindex)
    except re2.error:
        return []


def _unknown(kind: str, name: str, known: Iterable[str]) -> tuple[str, str]:
    return f"unknown {kind} {name!r}", suggest(name, sorted(known))
