"""What a user means: the intents of a grammar, found in what was said.

Whether what a tool returned is what a grammar speaks of.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import re2

from sparring.core.value import Json
from sparring.llm.grammar.grammar_file import GrammarFile, Intent, alternatives, compiled, delimited
from sparring.llm.grammar.lexicon import Lexicon, Slot, SlotMatches, arguments, grouped, parts, values
from sparring.llm.grammar.utterance import hear


def agrees(fields: Mapping[str, Json], when: Mapping[str, Json]) -> bool:
    """A list in the grammar allows any of its values; a value that is missing is null."""
    for name, expected in when.items():
        value = fields.get(name)
        if value not in expected if isinstance(expected, list) else value != expected:
            return False
    return True


_MEMORY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class IntentMatch:
    """An intent that was found: where it begins, and the arguments for its tool."""

    intent: Intent
    at: int
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A pattern ready to be searched, and the numbers of its named groups."""

    regex: Any
    groups: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Ready:
    """An intent and its patterns, each ready to be searched; `fixed` parameters are not looked for elsewhere.

    Of each entry of `needs`, one parameter at least has to be found; `wanted` are the slots of the first.
    """

    intent: Intent
    patterns: tuple[_Pattern, ...]
    said: tuple[_Pattern, ...]
    fixed: frozenset[str]
    wanted: frozenset[Slot]
    needs: tuple[frozenset[str], ...]


class Intents:
    """The intents of a grammar, ready to be looked for; one pass over a text says which patterns are in it."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._intents = [_ready(intent) for intent in grammar.intents]
        by_itself = [not intent.only and (intent.alone or bool(intent.reply)) for intent in grammar.intents]
        self._alone = frozenset(index for index, alone in enumerate(by_itself) if alone)
        self._following = [index for index, intent in enumerate(grammar.intents) if intent.said]
        self._by_values = [index for index, intent in enumerate(grammar.intents) if not intent.patterns]
        self._owners = [(index, each) for index, ready in enumerate(self._intents) for each in ready.patterns]
        options = re2.Options()
        options.case_sensitive = False
        options.max_mem = _MEMORY
        self._anywhere = re2.Set.SearchSet(options)
        for intent in grammar.intents:
            for pattern in intent.patterns:
                self._anywhere.Add(delimited(pattern))
        self._anywhere.Compile()

    def find(
        self, text: str, known: Lexicon, last: Mapping[str, Json] = MappingProxyType({}), said: str = ""
    ) -> list[IntentMatch]:
        """Everything the text means, in its order, where a tool returned `last` and the chatbot then `said`.

        An intent that wants the message to itself comes first, and then nothing else does. Otherwise, what one intent
        has understood, the next does not see; if that is nothing, the first of the intents that only count alone.
        """
        hearing = SlotMatches(hear(text), known)
        hits = self._hits(hearing.line)
        implied = self._implied(said, known)
        possible = [
            index
            for index in sorted({*hits, *self._by_values})
            if agrees(last, self._intents[index].intent.after) and (index in implied or not self._intents[index].said)
        ]
        for index in possible:
            if self._intents[index].intent.only:
                found = _find(hearing, self._intents[index], hits.get(index, ()), implied.get(index, {}))
                if found:
                    return found[:1]
        found = []
        for index in possible:
            if index not in self._alone and not hearing.understood:
                found += _find(hearing, self._intents[index], hits.get(index, ()), implied.get(index, {}))
        if any(meant.intent.tool for meant in found):
            return _once(sorted(found, key=lambda meant: meant.at))
        alone = (
            _find(hearing, self._intents[index], hits.get(index, ()), implied.get(index, {}))
            for index in possible
            if index in self._alone
        )
        return next((found[:1] for found in alone if found), [])

    def _implied(self, said: str, known: Lexicon) -> dict[int, dict[str, Json]]:
        """The intents that may follow what the chatbot said, and the values it spoke of that they take over."""
        if not said or not self._following:
            return {}
        hearing = SlotMatches(hear(said), known)
        implied: dict[int, dict[str, Json]] = {}
        for index in self._following:
            ready = self._intents[index]
            matches = ((pattern, pattern.regex.search(hearing.line)) for pattern in ready.said)
            pattern, match = next(((pattern, match) for pattern, match in matches if match), (None, None))
            if pattern is not None and match is not None:
                groups = {name: hearing.words(match.span(at)) for name, at in pattern.groups.items() if match[at]}
                implied[index] = grouped(hearing, ready.intent.tool, groups)
        return implied

    def _hits(self, line: str) -> dict[int, list[_Pattern]]:
        """The patterns that are somewhere in a line, by their intents."""
        hits: dict[int, list[_Pattern]] = {}
        for number in sorted(self._anywhere.Match(line) or ()) if self._owners else ():
            index, pattern = self._owners[number]
            hits.setdefault(index, []).append(pattern)
        return hits


def _once(found: list[IntentMatch]) -> list[IntentMatch]:
    """What was said twice in one message is meant once."""
    kept: list[IntentMatch] = []
    for meant in found:
        if not any(meant.intent.tool == other.intent.tool and meant.arguments == other.arguments for other in kept):
            kept.append(meant)
    return kept


def _ready(intent: Intent) -> _Ready:
    patterns, said = _patterns(intent.patterns), _patterns(intent.said)
    grouped = {name for pattern in patterns for name in pattern.groups}
    needs = tuple(frozenset(alternatives(need)) for need in intent.needs)
    wanted = frozenset((intent.tool, name) for name in needs[0]) if needs else frozenset()
    return _Ready(intent, patterns, said, frozenset(grouped | set(intent.arguments)), wanted, needs)


def _patterns(written: Sequence[str]) -> tuple[_Pattern, ...]:
    regexes = [compiled(pattern) for pattern in written]
    return tuple(_Pattern(regex, dict(regex.groupindex)) for regex in regexes)


def _find(
    hearing: SlotMatches, ready: _Ready, hits: Sequence[_Pattern], implied: Mapping[str, Json]
) -> list[IntentMatch]:
    """Every time an intent is meant; what it understood is struck out."""
    if not ready.intent.patterns:
        return _by_values(hearing, ready, implied)
    found: list[IntentMatch] = []
    understood: set[int] = set()
    for pattern in hits:
        found += _by_pattern(hearing, ready, pattern, understood, implied)
    return found


def _by_pattern(
    hearing: SlotMatches, ready: _Ready, pattern: _Pattern, understood: set[int], implied: Mapping[str, Json]
) -> list[IntentMatch]:
    """An item that says it twice means it once: "a pizza, a small pizza" are two, "a pizza, small pizza" is one."""
    found: list[IntentMatch] = []
    for match, at in _matches(hearing, ready, pattern):
        first, end = hearing.words(match.span(1), at)
        groups = {
            name: hearing.words(match.span(number), at) for name, number in pattern.groups.items() if match[number]
        }
        scope = hearing.items(first, end)
        here = [] if scope[0] in understood else _meant(hearing, ready, scope, groups, first, implied)
        if here or scope[0] in understood:
            hearing.strike([(first, end)])
            understood.add(scope[0])
            found += here
    return found


def _matches(hearing: SlotMatches, ready: _Ready, pattern: _Pattern) -> Iterator[tuple[Any, int]]:
    """Where a pattern is in the line, which changes meanwhile, and where the part of it begins that was searched."""
    if ready.intent.within == "item":
        for first, last in hearing.heard.stretches:
            match = pattern.regex.search(hearing.line[first:last])
            if match is not None:
                yield match, first
        return
    start = 0
    while start < len(hearing.line) - 1 and (match := pattern.regex.search(hearing.line, start)) is not None:
        start = match.end(1)
        yield match, 0


def _by_values(hearing: SlotMatches, ready: _Ready, implied: Mapping[str, Json]) -> list[IntentMatch]:
    found: list[IntentMatch] = []
    end = 0
    for mention in hearing.mentions:
        if mention.first >= end and not ready.wanted.isdisjoint(mention.meanings):
            scope = hearing.items(mention.first, mention.end)
            found += _meant(hearing, ready, scope, {}, mention.first, implied)
            end = scope[1]
    return found


def _meant(
    hearing: SlotMatches,
    ready: _Ready,
    scope: tuple[int, int],
    groups: dict[str, tuple[int, int]],
    at: int,
    implied: Mapping[str, Json],
) -> list[IntentMatch]:
    """What an intent means in the words of `scope`; nothing if a value is missing that it needs.

    A value that is only `implied` gives way to one that was said.
    """
    intent = ready.intent
    if not intent.tool:
        return [IntentMatch(intent, at, {})]
    parameters = hearing.known.parameters.get(intent.tool)
    if parameters is None:
        return []
    given = {**intent.arguments, **grouped(hearing, intent.tool, groups)}
    wanted = [name for name in (parameters if intent.slots is None else intent.slots) if name not in ready.fixed]
    found = values(hearing, intent.tool, wanted, scope, [*groups.values()])
    there = {*implied, *given, *(value.name for value in found)}
    if not all(there.intersection(need) for need in ready.needs):
        return []
    if found:
        hearing.strike([(value.first, value.end) for value in found])
    return [
        IntentMatch(intent, min([at, *(value.first for value in part)]), {**implied, **arguments(part), **given})
        for part in parts(found, intent.each)
    ]
