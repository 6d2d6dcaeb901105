"""Text as folded words, stems and sentences, and word matchers that reject quickly.

Regular expressions with many alternatives are factored by common first letters, because `re` tries one alternative
after the other at the start of every word.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

import re2
from rapidfuzz.distance import OSA
from rapidfuzz.process import extractOne

from sparring.extraction.languages import LANGUAGES
from sparring.extraction.text_pattern import MEMORY, OTHER_LETTER, TextPattern
from sparring.parsing.regex import options

_OPENS = "(?:"
_QUANTIFIERS = ("?", "*", "+", "{")
_NEVER_MATCHES = "(?!)"
_MAX_DEPTH = 3
"""Number of leading letters that are factored out; more rarely helps."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|.", re.DOTALL)


def factor(alternatives: Iterable[str], depth: int = _MAX_DEPTH) -> str:
    """Return a regular expression that matches the same texts, factored by first letters.

    Groups in the alternatives must be written `(?:...)`.
    """
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    parts: list[str] = []
    for one in dict.fromkeys(each for alternative in alternatives for each in _without_group(alternative)):
        if depth and one[:1].isalpha() and not one[1:].startswith(_QUANTIFIERS):
            by_letter[one[0]].append(one[1:])
        else:
            parts.append(one)
    for letter, rests in by_letter.items():
        parts.append(letter + (rests[0] if len(rests) == 1 else f"(?:{factor(rests, depth - 1)})"))
    return "|".join(parts) if parts else _NEVER_MATCHES


def _without_group(alternative: str) -> Iterator[str]:
    """Expand a leading group: `(?:a|b)c` is `ac` or `bc`."""
    for one in _split(alternative):
        inside, rest = _group(one)
        if inside is None or rest.startswith(("*", "+", "{", "??", "?+")):
            yield one
            continue
        optional = rest.startswith("?")
        rest = rest.removeprefix("?")
        for begins in _split(inside):
            yield from _without_group(begins + rest)
        if optional:
            yield from _without_group(rest)


def _split(alternative: str) -> Iterator[str]:
    """Split at each `|` outside of groups."""
    depth, begins = 0, 0
    for token in _TOKEN.finditer(alternative):
        depth += token[0] in ("(", _OPENS)
        depth -= token[0] == ")"
        if token[0] == "|" and not depth:
            yield alternative[begins : token.start()]
            begins = token.end()
    yield alternative[begins:]


def _group(alternative: str) -> tuple[str | None, str]:
    """Return the content of a leading group, or None, and the rest."""
    depth = 0
    if alternative.startswith(_OPENS):
        for token in _TOKEN.finditer(alternative):
            depth += token[0] in ("(", _OPENS)
            depth -= token[0] == ")"
            if not depth:
                return alternative[len(_OPENS) : token.start()], alternative[token.end() :]
    return None, alternative


_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_ELIDED = re.compile(r"^(?:[cdjlmnst]|qu|un|(?:[ds]?a|[dn]e|su|que)ll)'(?=\w{3})")
"""An article or preposition before a vowel: "l'heure", "dell'ordine"."""
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)*")
"""A word in folded ASCII text."""

_PLAIN = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in map(chr, range(128)))
"""Translation table for ASCII text that leaves only words and spaces; splitting is four times faster."""
_END = re.compile(r"[.!?…\n](?:(?<=\n)|(?<![.!?…].)[.!?…]*+[\"'»)\]]*+(?=\s|$))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|nr?|e\.g|i\.e|etc|approx|sr|sra|a\.m|p\.m|ул|пр|просп|пер|наб)\.)$", re.IGNORECASE
)

_DAY = re.compile(r"(?<!\d)\d\d?\.$")
_MONTH = re.compile(r" (?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)\b")
"""A German month after the dot of a day: "am 12. Mai"."""

_ACCENTS = re.compile("[\u0300-\u034e\u0350-\u036f]+")
_LOOKAROUND = re.compile(r"\(\?<?[=!]")
_OTHER_SCRIPT = re.compile("[^\x00-\u0482\u2000-\u20cf]")
"""Characters other than Latin, Greek, Cyrillic and punctuation. Only these need a test each."""

_MAX_CACHED_TEXT = 2_000
_MAX_CACHED = 4096
MAX_MESSAGE = 20_000
"""Maximum characters of a message that are extracted from, more than any person would write."""

T = TypeVar("T")
_Search = Callable[[str], object]


class _TextCache(dict[str, T]):
    """Cache by text, as a dict, so that a hit calls no Python function."""

    def __init__(self, function: Callable[[str], T]) -> None:
        self._function = function

    def __missing__(self, text: str) -> T:
        found = self._function(text)
        if len(text) <= _MAX_CACHED_TEXT:
            if len(self) >= _MAX_CACHED:
                self.clear()
            self[text] = found
        return found


def cached(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache the results of `function` for short texts, which are processed repeatedly."""
    return _TextCache(function).__getitem__


@cached
def fold(text: str) -> str:
    """Return lower case without accents: `Ordené` and `ordene` are the same word."""
    if text.isascii():
        return text.lower().replace("’", "'")
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    if not _OTHER_SCRIPT.search(decomposed):
        return _ACCENTS.sub("", decomposed)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


NUMBERS = {fold(word): number for each in LANGUAGES for number, word in enumerate(each.numbers, 1) if word != "-"} | {
    "duas": 2
}
"""Number words from one to twelve, folded, except words with another meaning in another language, such as "due"."""

_STOP_WORDS = {each.code: frozenset(fold(each.stop_words).split()) for each in LANGUAGES}
_ALL_STOP_WORDS = frozenset[str]().union(*_STOP_WORDS.values()) - {"dos", "uno"}


_PLURAL_ES = ("xes", "shes", "sses")
"""Ends of English plurals with two more letters than the singular: boxes, dishes, glasses."""

_RUSSIAN_ENDINGS = "аеиоуыэюяь"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its span in the text, and True if it asks."""

    text: str
    start: int
    end: int
    asks: bool = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "asks", self.text.rstrip("\"'»)] ").endswith("?"))


@cached
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences of `text`. Line breaks end one; dots in numbers and abbreviations do not."""
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()):
            continue
        end = match.end()
        if match[0] == "." and _MONTH.match(text, end) and _DAY.search(text, max(start, end - 4), end):
            continue
        found += _sentence(text, start, end)
        start = end
    return tuple(found + _sentence(text, start, len(text)))


def _sentence(text: str, start: int, end: int) -> list[Sentence]:
    part = text[start:end]
    stripped = part.strip()
    if not stripped:
        return []
    start += len(part) - len(part.lstrip())
    return [Sentence(stripped, start, start + len(stripped))]


@cached
def tokens(text: str) -> tuple[str, ...]:
    """Return the words of `text`, folded, in order."""
    folded = fold(text)
    if not folded.isascii():
        return tuple(_WORD.findall(folded))
    words = folded.translate(_PLAIN).split()
    if "'" in folded:
        words = [word for each in words for word in (_PLAIN_WORD.findall(each) if "'" in each else (each,))]
    return tuple(words)


@cached
def language_of(text: str) -> str:
    """Return the language of `text` by its function words, such as `en`; empty if it is unclear."""
    words = tokens(text)
    shares = sorted(((sum(word in own for word in words), name) for name, own in _STOP_WORDS.items()), reverse=True)
    return shares[0][1] if shares[0][0] > shares[1][0] else ""


def is_stop_word(word: str) -> bool:
    """Return True for a folded word without a meaning of its own, in any language."""
    return word in _ALL_STOP_WORDS


@cached
def stems(text: str) -> frozenset[str]:
    """Return the stems of `text` without stop words, cut so that inflections agree."""
    return frozenset(filter(None, map(_stem, tokens(text))))


@cached
def _stem(word: str) -> str:
    """Return a word without inflections; an empty string for a stop word."""
    if word in _ALL_STOP_WORDS:
        return ""
    word = _singular(word)
    if len(word) > 6 and word.endswith("ing"):
        word = word[:-3]
    return word if any(c.isdigit() for c in word) else word[:5]


@cached
def _singular(word: str) -> str:
    """Return a word without elided article, plural or case ending; a number word as digits."""
    word = _ELIDED.sub("", word) if "'" in word else word
    if word in NUMBERS:
        return str(NUMBERS[word])
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-2] if word.endswith(_PLURAL_ES) else word[:-1]
    return word.rstrip(_RUSSIAN_ENDINGS) if len(word) > 3 and word[-1] in _RUSSIAN_ENDINGS else word


@cached
def singulars(text: str) -> frozenset[str]:
    """Return the words of `text` without plural or case endings."""
    return frozenset(map(_singular, tokens(text)))


def mentions(text: str, value: str) -> bool:
    """Return True if `text` contains all words of `value`, ignoring case, accents, order and plural."""
    wanted = singulars(value)
    return bool(wanted) and wanted <= singulars(text)


def pattern(*alternatives: str, start: str = r"\b", end: str = "") -> TextPattern:
    r"""Return a pattern of alternatives for folded text. They are folded, too: `\S` becomes `\s`."""
    return TextPattern(fold(f"{start}(?:{'|'.join(alternatives)}){end}"))


def word_matcher(*alternatives: str, start: str = "", end: str = "") -> Callable[[str], bool]:
    """Return a predicate that is True if any alternative occurs at the beginning of a word.

    With `start`, the text itself must begin with `start` and an alternative. Each alternative begins with a letter or
    digit. The expressions are compiled at their first use: by RE2, which takes a tenth of the time, for texts whose
    letters are all ASCII after folding, and by `re` for other texts and for lookarounds, which RE2 does not have.
    """
    folded = [fold(each) for each in alternatives]
    begins = fold(start)

    def looking(words: Iterable[str]) -> _Search:
        # Searching for a non-word character is faster in `re` than testing `\b` at every character.
        wanted = re.compile((begins or r"\W") + f"(?:{factor(words)}){end}")
        return wanted.match if start else lambda said: wanted.search(f" {said}")

    @cache
    def plain() -> _Search:
        linear = [each for each in folded if not _LOOKAROUND.search(each + end)]
        if not linear:
            return any_text()
        found = (re2.Set.MatchSet if start else re2.Set.SearchSet)(options(max_mem=MEMORY))
        found.Add((begins or r"(?:^|\W)") + f"(?:{'|'.join(linear)}){end}")
        found.Compile()
        if len(linear) == len(folded):
            search: _Search = found.Match
            return search
        rest = looking(each for each in folded if _LOOKAROUND.search(each))
        return lambda said: found.Match(said) or rest(said)

    @cache
    def any_text() -> _Search:
        return looking(folded)

    def spots(text: str) -> bool:
        said = fold(text)
        return (any_text if OTHER_LETTER.search(said) else plain)()(said) is not None

    return spots


def share(wanted: frozenset[str], said: frozenset[str]) -> float:
    """Return the share of `wanted` in `said`, from 0 to 1; 0 if nothing is wanted."""
    return len(wanted & said) / len(wanted) if wanted else 0.0


def share_with_typos(wanted: frozenset[str], said: frozenset[str]) -> float:
    """Return the same share, with one typo allowed in words of more than three letters."""
    return share(wanted, said | {word for word in wanted - said if len(word) > 3 and is_near(word, said)})


def is_near(word: str, others: frozenset[str]) -> bool:
    """Return True if a word is one typo away from another one."""
    return extractOne(word, others, scorer=OSA.distance, score_cutoff=1) is not None
