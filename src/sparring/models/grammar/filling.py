"""Which words of an utterance are values for which parameters of a tool."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from sparring.core.value import Json
from sparring.models.grammar.slots import Lexicon, mentions
from sparring.models.grammar.utterance import Utterance

Span = tuple[int, int]
"""Words: the first, and the one after the last."""


@dataclass(frozen=True, slots=True)
class Value:
    """Words that are a value for the parameter `name`, which may take a list of them."""

    first: int
    end: int
    name: str
    value: Json
    of_list: bool


class Hearing:
    """An utterance while it is being understood. Words that were understood are struck out of its line."""

    def __init__(self, heard: Utterance, known: Lexicon) -> None:
        self.heard = heard
        self.line = heard.line
        self.known = known
        self.mentions = mentions(heard, known)
        self._struck: set[int] = set()

    @property
    def understood(self) -> bool:
        """Whether no word is left."""
        return len(self._struck) == len(self.heard.words)

    def strike(self, spans: Sequence[Span]) -> None:
        """These words are understood."""
        line, offsets, words = self.line, self.heard.offsets, self.heard.words
        struck = {index for first, end in spans for index in range(first, end)}
        for index in struck:
            start, length = offsets[index], len(words[index])
            line = line[:start] + "\n" * length + line[start + length :]
        self.line = line
        self._struck |= struck
        self.mentions = [mention for mention in self.mentions if struck.isdisjoint(range(mention.first, mention.end))]

    def words(self, span: tuple[int, int], at: int = 0) -> tuple[int, int]:
        """The words in a part of the line, counted from `at`."""
        return self.heard.word_at(span[0] + at), self.heard.word_at(span[1] + at)

    def items(self, first: int, end: int) -> tuple[int, int]:
        """Some words, widened to the whole items they are in."""
        items = self.heard.items
        return bisect_left(items, items[first]), bisect_right(items, items[end - 1])


def grouped(hearing: Hearing, tool: str, groups: dict[str, Span]) -> dict[str, Json]:
    """The values in the named groups of a pattern: those the schema knows, or the words themselves where it is open."""
    found: dict[str, Json] = {}
    for name, (first, end) in groups.items():
        inside = arguments(values(hearing, tool, [name], (first, end), []))
        if inside:
            found |= inside
        elif (tool, name) in hearing.known.open:
            found[name] = hearing.heard.said(first, end)
    return found


def values(hearing: Hearing, tool: str, wanted: Sequence[str], scope: Span, outside: Sequence[Span]) -> list[Value]:
    """The values for the parameters that are wanted, among the words of `scope` that lie outside some others."""
    found: list[Value] = []
    for mention in hearing.mentions:
        if mention.first < scope[0] or mention.end > scope[1]:
            continue
        if any(first <= mention.first < end for first, end in outside):
            continue
        for name in wanted:
            slot = (tool, name)
            if slot in mention.meanings:
                of_list = slot in hearing.known.lists
                found.append(Value(mention.first, mention.end, name, mention.meanings[slot], of_list))
                break
    return found


def parts(found: list[Value], each: str) -> list[list[Value]]:
    """All values for one call, or a call for each value of the parameter `each`, with what was said before it."""
    calls: list[list[Value]] = []
    waiting: list[Value] = []
    for value in found:
        waiting.append(value)
        if value.name == each:
            calls.append(waiting)
            waiting = []
    if not calls:
        return [waiting]
    calls[-1] += waiting
    return calls


def arguments(found: list[Value]) -> dict[str, Json]:
    """One value for each parameter, the first that was said; all of them where it takes a list."""
    given: dict[str, Json] = {}
    for value in found:
        several = given.setdefault(value.name, [] if value.of_list else value.value)
        if value.of_list and isinstance(several, list) and value.value not in several:
            several.append(value.value)
    return given
