"""Values of tool parameters, found in the words of an utterance by the JSON schemas of the tools.

Grammars therefore contain no menu or catalogue.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import re2

from sparring.core.value import Json
from sparring.llm.grammar.utterance import NUMBERS, Utterance, parse_utterance
from sparring.llm.model import Tool
from sparring.parsing.regex import options

Slot = tuple[str, str]
"""A tool and one of its parameters."""

_INTEGER = re.compile(r"\d{1,9}")
_TENS = range(20, 91, 10)


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that may be a value: from the word `first` to before `end`, with their value by slot."""

    first: int
    end: int
    meanings: Mapping[Slot, Json]


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern of a schema, matched in any case and returned in the case it requires."""

    anywhere: Any
    exactly: Any
    slots: list[Slot] = field(default_factory=list)


@dataclass(slots=True)
class Lexicon:
    """All words that the tools of a chatbot understand.

    `lengths` has for a first word the lengths of the phrases that begin with it, longest first. `lists` are slots with
    several values, `open` are slots with any words. `unreadable` has the patterns that RE2 cannot compile, with the
    reason.
    """

    phrases: dict[str, dict[Slot, Json]] = field(default_factory=dict)
    lengths: dict[str, list[int]] = field(default_factory=dict)
    patterns: dict[str, Pattern] = field(default_factory=dict)
    unreadable: dict[Slot, str] = field(default_factory=dict)
    numbers: list[Slot] = field(default_factory=list)
    open: set[Slot] = field(default_factory=set)
    lists: set[Slot] = field(default_factory=set)
    parameters: dict[str, tuple[str, ...]] = field(default_factory=dict)


def lexicon(tools: tuple[Tool, ...]) -> Lexicon:
    """Build the lexicon from the schemas of all tools."""
    known = Lexicon()
    for tool in tools:
        properties: Mapping[str, Any] = tool.parameters.get("properties", {})
        known.parameters[tool.name] = tuple(properties)
        for name, schema in properties.items():
            _add_schema(known, (tool.name, name), schema, tool.parameters)
    for lengths in known.lengths.values():
        lengths.sort(reverse=True)
    return known


def mentions(utterance: Utterance, known: Lexicon) -> list[Mention]:
    """Return all mentioned values in order. Of overlapping ones, the first wins, then the longer."""
    found = [*_patterns(utterance, known), *_phrases(utterance, known)]
    found.sort(key=lambda mention: (mention.first, -mention.end))
    kept: list[Mention] = []
    for mention in found:
        if not kept or mention.first >= kept[-1].end:
            kept.append(mention)
    return kept


def _add_schema(known: Lexicon, slot: Slot, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    for kind in _alternatives(schema, root):
        if kind.get("type") == "array":
            known.lists.add(slot)
            _add_schema(known, slot, kind.get("items", {}), root)
        elif "enum" in kind or "const" in kind:
            for value in kind.get("enum", [kind.get("const")]):
                _add_value(known, slot, value)
        elif "pattern" in kind:
            _add_pattern(known, slot, kind["pattern"])
        elif kind.get("type") in ("integer", "number"):
            known.numbers.append(slot)
        elif kind.get("type") == "string":
            known.open.add(slot)


def _alternatives(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Return the alternative schemas of a value, with references resolved."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        yield from _alternatives(root.get("$defs", {}).get(name, {}), root)
        return
    choices = schema.get("anyOf") or schema.get("oneOf")
    if not choices:
        yield schema
        return
    for choice in choices:
        yield from _alternatives(choice, root)


def _add_value(known: Lexicon, slot: Slot, value: Json) -> None:
    if value is None or isinstance(value, bool):
        return
    words = " ".join(parse_utterance(str(value)).words)
    for phrase in _forms(words):
        known.phrases.setdefault(phrase, {}).setdefault(slot, value)
        lengths = known.lengths.setdefault(phrase.split(" ", 1)[0], [])
        if phrase.count(" ") + 1 not in lengths:
            lengths.append(phrase.count(" ") + 1)


def _forms(phrase: str) -> list[str]:
    """Return a phrase with its simple plurals and singular; a number has none."""
    if not phrase or not phrase[-1].isalpha():
        return [phrase] if phrase else []
    singular = [phrase[:-1]] if phrase.endswith("s") and not phrase.endswith("ss") and len(phrase) > 3 else []
    return [phrase, phrase + "s", phrase + "es", *singular]


def _add_pattern(known: Lexicon, slot: Slot, pattern: str) -> None:
    if pattern not in known.patterns:
        core = pattern.removeprefix("^").removesuffix("$")
        try:
            known.patterns[pattern] = Pattern(
                re2.compile(rf"\b(?:{core})\b", options(any_case=True)), re2.compile(core, options())
            )
        except re2.error as error:
            known.unreadable[slot] = str(error)
            return
    known.patterns[pattern].slots.append(slot)


def _patterns(utterance: Utterance, known: Lexicon) -> Iterator[Mention]:
    for pattern in known.patterns.values():
        for match in pattern.anywhere.finditer(utterance.text):
            inside = [
                index
                for index, (start, end) in enumerate(utterance.spans)
                if start < match.end() and end > match.start()
            ]
            if inside:
                value = _in_the_right_case(match[0], pattern.exactly)
                yield Mention(inside[0], inside[-1] + 1, dict.fromkeys(pattern.slots, value))


def _in_the_right_case(text: str, exactly: Any) -> str:
    return next((form for form in (text, text.upper(), text.lower()) if exactly.fullmatch(form)), text)


def _phrases(utterance: Utterance, known: Lexicon) -> Iterator[Mention]:
    words, items = utterance.words, utterance.items
    for first, word in enumerate(words):
        for length in known.lengths.get(word, ()):
            end = first + length
            if end > len(words) or items[first] != items[end - 1]:
                continue
            meanings = known.phrases.get(word if length == 1 else " ".join(words[first:end]))
            if meanings is not None:
                yield Mention(first, end, meanings)
                break
        if known.numbers and (number := _number(word)) is not None:
            units = _units(words[first + 1 : first + 2]) if number in _TENS and not word[0].isdigit() else 0
            yield Mention(first, first + 1 + bool(units), dict.fromkeys(known.numbers, number + units))


def _units(words: tuple[str, ...]) -> int:
    """Return the units that follow a ten, as in twenty-five."""
    number = NUMBERS.get(words[0], 0) if words else 0
    return number if number < 10 else 0


def _number(word: str) -> int | None:
    if "0" <= word[0] <= "9":
        return int(word) if _INTEGER.fullmatch(word) else None
    return NUMBERS.get(word)


Span = tuple[int, int]
"""A range of words: the first, and the one after the last."""


@dataclass(frozen=True, slots=True)
class SlotValue:
    """Words with a value for the parameter `name`, which may take a list of them."""

    first: int
    end: int
    name: str
    value: Json
    of_list: bool


class SlotMatches:
    """An utterance during matching. Matched words are removed from its line."""

    def __init__(self, utterance: Utterance, known: Lexicon) -> None:
        self.utterance = utterance
        self.line = utterance.line
        self.known = known
        self.mentions = mentions(utterance, known)
        self._struck: set[int] = set()

    @property
    def understood(self) -> bool:
        """True if no word is left."""
        return len(self._struck) == len(self.utterance.words)

    def strike(self, spans: Sequence[Span]) -> None:
        """Remove matched words."""
        line, offsets, words = self.line, self.utterance.offsets, self.utterance.words
        struck = {index for first, end in spans for index in range(first, end)}
        for index in struck:
            start, length = offsets[index], len(words[index])
            line = line[:start] + "\n" * length + line[start + length :]
        self.line = line
        self._struck |= struck
        self.mentions = [mention for mention in self.mentions if struck.isdisjoint(range(mention.first, mention.end))]

    def words(self, span: tuple[int, int], at: int = 0) -> tuple[int, int]:
        """Return the words in a part of the line that starts at `at`."""
        return self.utterance.word_at(span[0] + at), self.utterance.word_at(span[1] + at)

    def items(self, first: int, end: int) -> tuple[int, int]:
        """Return the range widened to whole items."""
        items = self.utterance.items
        return bisect_left(items, items[first]), bisect_right(items, items[end - 1])


def grouped(matches: SlotMatches, tool: str, groups: dict[str, Span]) -> dict[str, Json]:
    """Return the values in the named groups of a pattern: those of the schema, or any words if open."""
    found: dict[str, Json] = {}
    for name, (first, end) in groups.items():
        inside = arguments(values(matches, tool, [name], (first, end), []))
        if inside:
            found |= inside
        elif (tool, name) in matches.known.open:
            found[name] = matches.utterance.said(first, end)
    return found


def values(
    matches: SlotMatches, tool: str, wanted: Sequence[str], scope: Span, outside: Sequence[Span]
) -> list[SlotValue]:
    """Return the values of the wanted parameters in `scope`, except in the ranges `outside`."""
    found: list[SlotValue] = []
    for mention in matches.mentions:
        if mention.first < scope[0] or mention.end > scope[1]:
            continue
        if any(first <= mention.first < end for first, end in outside):
            continue
        for name in wanted:
            slot = (tool, name)
            if slot in mention.meanings:
                of_list = slot in matches.known.lists
                found.append(SlotValue(mention.first, mention.end, name, mention.meanings[slot], of_list))
                break
    return found


def parts(found: list[SlotValue], each: str) -> list[list[SlotValue]]:
    """Return the values of one call, or of a call for each value of the parameter `each`."""
    calls: list[list[SlotValue]] = []
    waiting: list[SlotValue] = []
    for value in found:
        waiting.append(value)
        if value.name == each:
            calls.append(waiting)
            waiting = []
    if not calls:
        return [waiting]
    calls[-1] += waiting
    return calls


def arguments(found: list[SlotValue]) -> dict[str, Json]:
    """Return the arguments of a call: the first value of each parameter, or all for a list."""
    given: dict[str, Json] = {}
    for value in found:
        several = given.setdefault(value.name, [] if value.of_list else value.value)
        if value.of_list and isinstance(several, list) and value.value not in several:
            several.append(value.value)
    return given
