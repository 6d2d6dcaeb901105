"""User messages, split into words, items and sentences."""

import re
import tomllib
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

LONGEST = 10_000
NUMBERS = {
    word: int(number)
    for number, words in tomllib.loads(Path(__file__).with_name("numbers.toml").read_text(encoding="utf-8")).items()
    for word in words.split()
}
"""Numbers that are one word in English or Russian."""

_WORD = re.compile(r"\d+(?:[.,:]\d+)+|\w+(?:'\w+)*|\?")
_SENTENCE_END = re.compile(r"[.!?;\n]")
_AND = frozenset({"and", "plus", "then", "also", "и", "плюс", "ещё", "еще", "также"})
_BEFORE_ITEM = _AND | {"?"}
_ANSWER = frozenset({"yes", "no", "да", "нет"})
_ABBREVIATED = frozenset({"mr", "mrs", "ms", "dr", "st", "ул", "пр", "просп", "пер", "наб"})
_BEGINNING = frozenset({"a", "an", "another", *NUMBERS})


@dataclass(frozen=True, slots=True)
class Utterance:
    """A text and its words: in lower case, with their positions in the text and their items.

    An item is something that may be ordered on its own: "two small pizzas with ham and olives | and a coke". It begins
    with a sentence, or at "and" or a comma before a number, "a" or "another". "No, ham" is two sentences, and "no ham"
    is one. A question mark is a word. `line` has all words with a blank on either side and a line break between
    sentences; `offsets` has the positions of words in it.
    """

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]
    items: tuple[int, ...]
    line: str
    offsets: tuple[int, ...]

    @property
    def stretches(self) -> tuple[tuple[int, int], ...]:
        """Ranges of the items in the line, including the blanks around them."""
        found: dict[int, tuple[int, int]] = {}
        for item, offset, word in zip(self.items, self.offsets, self.words, strict=True):
            found[item] = (found.get(item, (offset - 1, 0))[0], offset + len(word) + 1)
        return tuple(found.values())

    def word_at(self, offset: int) -> int:
        """Return the index of the word at `offset` of the line, or of the first word after it."""
        return bisect_left(self.offsets, offset)

    def said(self, first: int, end: int) -> str:
        """Return the words from `first` to before `end` as written, without a question mark at the end."""
        return self.text[self.spans[first][0] : self.spans[end - 1][1]].rstrip("? ")


def parse_utterance(text: str) -> Utterance:
    """Split a text into words, items and sentences. Ignore text beyond 10,000 characters."""
    # Half of a surrogate pair is no text; "?" is as long as it.
    text = text[:LONGEST].replace("’", "'").encode("utf-8", "replace").decode()
    words: list[str] = []
    spans: list[tuple[int, int]] = []
    items: list[int] = []
    offsets: list[int] = []
    line = [" "]
    length, item, end, last = 1, 0, 0, ""
    for match in _WORD.finditer(text):
        word, start = match[0].lower(), match.start()
        # Most words follow the one before after a blank, and then only "and" or "?" can stand between two items.
        gap = text[end:start]
        if last and word != "?" and (gap != " " or last in _BEFORE_ITEM):
            if _ends_sentence(last, gap):
                item += 1
                line.append("\n ")
                length += 2
            elif _begins_item(last, gap, word):
                item += 1
        end = match.end()
        words.append(word)
        spans.append((start, end))
        items.append(item)
        offsets.append(length)
        line.append(word + " ")
        length += len(word) + 1
        last = word
    return Utterance(text, tuple(words), tuple(spans), tuple(items), "".join(line), tuple(offsets))


def _ends_sentence(last: str, gap: str) -> bool:
    if last in _ABBREVIATED and gap == ". ":
        return False
    if last == "?":
        return True
    return _SENTENCE_END.search(gap) is not None or (last in _ANSWER and "," in gap)


def _begins_item(last: str, gap: str, word: str) -> bool:
    return (last in _AND or "," in gap or "&" in gap) and (word in _BEGINNING or word.isdigit())
