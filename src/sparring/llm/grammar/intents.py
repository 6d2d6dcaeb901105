"""Intents of a grammar, matched in user messages, and conditions on results of tools."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import re2

from sparring.core.value import Json
from sparring.llm.grammar.grammar_file import GrammarFile, Intent, alternatives, compiled, delimited
from sparring.llm.grammar.lexicon import Lexicon, Slot, SlotMatches, arguments, grouped, parts, values
from sparring.llm.grammar.utterance import NUMBERS, parse_utterance
from sparring.parsing.regex import options


def agrees(fields: Mapping[str, Json], when: Mapping[str, Json]) -> bool:
    """Return True if a result matches a condition.

    A list allows any of its values; a missing value is null.
    """
    for name, expected in when.items():
        value = fields.get(name)
        if value not in expected if isinstance(expected, list) else value != expected:
            return False
    return True


_MEMORY = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class IntentMatch:
    """A matched intent: its position and the arguments of its tool."""

    intent: Intent
    at: int
    arguments: dict[str, Json]


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A compiled pattern with the numbers of its named groups."""

    regex: Any
    groups: dict[str, int]


@dataclass(frozen=True, slots=True)
class _Ready:
    """An intent with compiled patterns. `fixed` parameters are not searched for elsewhere.

    At least one parameter of each entry of `needs` has to be found. `wanted` are the slots of the first.
    """

    intent: Intent
    patterns: tuple[_Pattern, ...]
    said: tuple[_Pattern, ...]
    fixed: frozenset[str]
    wanted: frozenset[Slot]
    needs: tuple[frozenset[str], ...]


_NUMBER = rf"(?:\d+|{'|'.join(NUMBERS)})\b"
_BEFORE_NUMBER = re.compile(rf", (?={_NUMBER})", re.IGNORECASE)
_AFTER_UNIT = re.compile(rf"\b({_NUMBER} \w+),", re.IGNORECASE)


class Intents:
    """The intents of a grammar, compiled. One pass over a text finds the patterns in it."""

    def __init__(self, grammar: GrammarFile) -> None:
        self._intents = [_ready(intent) for intent in grammar.intents]
        by_itself = [not intent.only and (intent.alone or bool(intent.reply)) for intent in grammar.intents]
        self._alone = frozenset(index for index, alone in enumerate(by_itself) if alone)
        self._following = [index for index, intent in enumerate(grammar.intents) if intent.said]
        self._by_values = [index for index, intent in enumerate(grammar.intents) if not intent.patterns]
        self._owners = [(index, each) for index, ready in enumerate(self._intents) for each in ready.patterns]
        self._anywhere = re2.Set.SearchSet(options(any_case=True, max_mem=_MEMORY))
        for intent in grammar.intents:
            for pattern in intent.patterns:
                self._anywhere.Add(delimited(pattern))
        self._anywhere.Compile()

    def find(
        self, text: str, known: Lexicon, last: Mapping[str, Json] = MappingProxyType({}), said: str = ""
    ) -> list[IntentMatch]:
        """Return all intents in a text, in order.

        `last` is the last tool result, `said` the chatbot message after it.

        An intent that uses the whole message excludes all others. Each intent removes the words it matched. If none
        matches, the first intent that only counts alone is returned. A number after a comma belongs to the words before
        it, and a comma after its unit ends an item, if more is understood so: "tuna, 2 boxes, lemons, 1 kg".
        """
        readings = dict.fromkeys((text, _AFTER_UNIT.sub(r"\1;", _BEFORE_NUMBER.sub("  ", text))))
        found = [self._found(each, known, last, said) for each in readings]
        return max(found, key=lambda matches: sum(len(match.arguments) for match in matches))

    def _found(self, text: str, known: Lexicon, last: Mapping[str, Json], said: str) -> list[IntentMatch]:
        slot_matches = SlotMatches(parse_utterance(text), known)
        hits = self._hits(slot_matches.line)
        implied = self._implied(said, known)
        possible = [
            index
            for index in sorted({*hits, *self._by_values})
            if agrees(last, self._intents[index].intent.after) and (index in implied or not self._intents[index].said)
        ]
        for index in possible:
            if self._intents[index].intent.only:
                found = _find(slot_matches, self._intents[index], hits.get(index, ()), implied.get(index, {}))
                if found:
                    return found[:1]
        found = []
        for index in possible:
            if index not in self._alone and not slot_matches.understood:
                found += _find(slot_matches, self._intents[index], hits.get(index, ()), implied.get(index, {}))
        if any(meant.intent.tool for meant in found):
            return _once(sorted(found, key=lambda meant: meant.at))
        alone = (
            _find(slot_matches, self._intents[index], hits.get(index, ()), implied.get(index, {}))
            for index in possible
            if index in self._alone
        )
        return next((found[:1] for found in alone if found), [])

    def _implied(self, said: str, known: Lexicon) -> dict[int, dict[str, Json]]:
        """Return the intents that may follow the chatbot message, with the values it implies."""
        if not said or not self._following:
            return {}
        slot_matches = SlotMatches(parse_utterance(said), known)
        implied: dict[int, dict[str, Json]] = {}
        for index in self._following:
            ready = self._intents[index]
            matches = ((pattern, pattern.regex.search(slot_matches.line)) for pattern in ready.said)
            pattern, match = next(((pattern, match) for pattern, match in matches if match), (None, None))
            if pattern is not None and match is not None:
                groups = {name: slot_matches.words(match.span(at)) for name, at in pattern.groups.items() if match[at]}
                implied[index] = grouped(slot_matches, ready.intent.tool, groups)
        return implied

    def _hits(self, line: str) -> dict[int, list[_Pattern]]:
        """Return the patterns found in a line, by intent."""
        hits: dict[int, list[_Pattern]] = {}
        for number in sorted(self._anywhere.Match(line) or ()) if self._owners else ():
            index, pattern = self._owners[number]
            hits.setdefault(index, []).append(pattern)
        return hits


def _once(found: list[IntentMatch]) -> list[IntentMatch]:
    """Remove repetitions within a message."""
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
    slot_matches: SlotMatches, ready: _Ready, hits: Sequence[_Pattern], implied: Mapping[str, Json]
) -> list[IntentMatch]:
    """Return all matches of an intent and remove the words they used."""
    if not ready.intent.patterns:
        return _by_values(slot_matches, ready, implied)
    found: list[IntentMatch] = []
    understood: set[int] = set()
    for pattern in hits:
        found += _by_pattern(slot_matches, ready, pattern, understood, implied)
    return found


def _by_pattern(
    slot_matches: SlotMatches, ready: _Ready, pattern: _Pattern, understood: set[int], implied: Mapping[str, Json]
) -> list[IntentMatch]:
    """Return matches by pattern. "a pizza, a small pizza" are two, "a pizza, small pizza" is one."""
    found: list[IntentMatch] = []
    for match, at in _matches(slot_matches, ready, pattern):
        first, end = slot_matches.words(match.span(1), at)
        groups = {
            name: slot_matches.words(match.span(number), at) for name, number in pattern.groups.items() if match[number]
        }
        scope = slot_matches.items(first, end)
        here = [] if scope[0] in understood else _meant(slot_matches, ready, scope, groups, first, implied)
        if here or scope[0] in understood:
            slot_matches.strike([(first, end)])
            understood.add(scope[0])
            found += here
    return found


def _matches(slot_matches: SlotMatches, ready: _Ready, pattern: _Pattern) -> Iterator[tuple[Any, int]]:
    """Yield the positions of a pattern in a line, each with the start of the searched part.

    The line may change meanwhile.
    """
    if ready.intent.within == "item":
        for first, last in slot_matches.utterance.stretches:
            match = pattern.regex.search(slot_matches.line[first:last])
            if match is not None:
                yield match, first
        return
    start = 0
    while start < len(slot_matches.line) - 1 and (match := pattern.regex.search(slot_matches.line, start)) is not None:
        start = match.end(1)
        yield match, 0


def _by_values(slot_matches: SlotMatches, ready: _Ready, implied: Mapping[str, Json]) -> list[IntentMatch]:
    found: list[IntentMatch] = []
    end = 0
    for mention in slot_matches.mentions:
        if mention.first >= end and not ready.wanted.isdisjoint(mention.meanings):
            scope = slot_matches.items(mention.first, mention.end)
            found += _meant(slot_matches, ready, scope, {}, mention.first, implied)
            end = scope[1]
    return found


def _meant(
    slot_matches: SlotMatches,
    ready: _Ready,
    scope: tuple[int, int],
    groups: dict[str, tuple[int, int]],
    at: int,
    implied: Mapping[str, Json],
) -> list[IntentMatch]:
    """Return the match of an intent in `scope`, or None if a value it needs is missing.

    A value in the message replaces one that is only `implied`.
    """
    intent = ready.intent
    if not intent.tool:
        return [IntentMatch(intent, at, {})]
    parameters = slot_matches.known.parameters.get(intent.tool)
    if parameters is None:
        return []
    given = {**intent.arguments, **grouped(slot_matches, intent.tool, groups)}
    wanted = [name for name in (parameters if intent.slots is None else intent.slots) if name not in ready.fixed]
    found = values(slot_matches, intent.tool, wanted, scope, [*groups.values()])
    there = {*implied, *given, *(value.name for value in found)}
    if not all(there.intersection(need) for need in ready.needs):
        return []
    if found:
        slot_matches.strike([(value.first, value.end) for value in found])
    return [
        IntentMatch(intent, min([at, *(value.first for value in part)]), {**implied, **arguments(part), **given})
        for part in parts(found, intent.each)
    ]
