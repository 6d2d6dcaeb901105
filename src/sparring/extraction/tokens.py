"""Text as words and sentences, in any language, well enough to see what two texts share.

Many alternatives as one regular expression that is quick to say no.

`re` tries one alternative after the other at the beginning of every word; where they share their first letters, all but
a few are out of the question at once. What is found is the same, though not always by the same alternative.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from rapidfuzz.distance import OSA

_OPENS = "(?:"
_REPEATED = ("?", "*", "+", "{")
_NOTHING = "(?!)"
_DEEPEST = 3
"""How many letters are shared; what comes after seldom matters."""

_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?:|.", re.DOTALL)


def factored(alternatives: Iterable[str], depth: int = _DEEPEST, *, ascii: bool = False) -> str:
    """A regular expression that matches where any of these does; groups in them are written `(?:...)`. One for texts in
    `ascii` lacks those that begin with a letter no such text has."""
    by_letter: defaultdict[str, list[str]] = defaultdict(list)
    parts: list[str] = []
    for one in dict.fromkeys(each for alternative in alternatives for each in _plain(alternative)):
        if depth and one[:1].isalpha() and not one[1:].startswith(_REPEATED):
            if ascii and not one[0].isascii():
                continue
            by_letter[one[0]].append(one[1:])
        else:
            parts.append(one)
    for letter, rests in by_letter.items():
        parts.append(letter + (rests[0] if len(rests) == 1 else f"(?:{factored(rests, depth - 1)})"))
    return "|".join(parts) if parts else _NOTHING


def _plain(alternative: str) -> Iterator[str]:
    """The alternative without a group at its beginning: `(?:a|b)c` is `ac` or `bc`."""
    for one in _split(alternative):
        inside, rest = _group(one)
        if inside is None or rest.startswith(("*", "+", "{", "??", "?+")):
            yield one
            continue
        optional = rest.startswith("?")
        rest = rest.removeprefix("?")
        for begins in _split(inside):
            yield from _plain(begins + rest)
        if optional:
            yield from _plain(rest)


def _split(alternative: str) -> Iterator[str]:
    """What stands between the `|` that are in no group."""
    depth, begins = 0, 0
    for token in _TOKEN.finditer(alternative):
        depth += token[0] in ("(", _OPENS)
        depth -= token[0] == ")"
        if token[0] == "|" and not depth:
            yield alternative[begins : token.start()]
            begins = token.end()
    yield alternative[begins:]


def _group(alternative: str) -> tuple[str | None, str]:
    """What is in the group with which it begins, if it does, and what comes after."""
    depth = 0
    if alternative.startswith(_OPENS):
        for token in _TOKEN.finditer(alternative):
            depth += token[0] in ("(", _OPENS)
            depth -= token[0] == ")"
            if not depth:
                return alternative[len(_OPENS) : token.start()], alternative[token.end() :]
    return None, alternative


_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_PLAIN_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)*")
"""The same in folded text that is ASCII."""

_PLAIN = "".join(letter if letter.isalnum() or letter == "'" else " " for letter in map(chr, range(128)))
"""What becomes of each letter of such a text where its words are split, four times as fast as they are found."""
_END = re.compile(r"[.!?…\n](?:(?<=\n)|(?<![.!?…].)[.!?…]*+[\"'»)\]]*+(?=\s|$))")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|e\.g|i\.e|etc|approx|sr|sra|a\.m|p\.m|ул|пр|просп|пер|наб)\.)$", re.IGNORECASE
)

_ACCENTS = re.compile("[\u0300-\u034e\u0350-\u036f]+")
_FAR = re.compile("[^\x00-\u0482\u2000-\u20cf]")
"""What is neither Latin, Greek, Cyrillic nor punctuation: only of such letters has each to be asked what it is."""

_LONG = 2_000
_MOST = 1024
LONGEST = 20_000
"""What a reader reads of one message, in characters: more than any person would."""

T = TypeVar("T")


class _Remembered(dict[str, T]):
    """What came of texts. Whoever looks one up does not pass a function of Python's, but where there is nothing yet."""

    def __init__(self, function: Callable[[str], T]) -> None:
        self._function = function

    def __missing__(self, text: str) -> T:
        found = self._function(text)
        if len(text) <= _LONG:
            if len(self) >= _MOST:
                self.clear()
            self[text] = found
        return found


def remembered(function: Callable[[str], T]) -> Callable[[str], T]:
    """Remember what came of short texts, which are read again and again; long ones would fill the memory."""
    return _Remembered(function).__getitem__


@remembered
def fold(text: str) -> str:
    """Lower case without accents: `Ordené` and `ordene` are the same word to a tired typist."""
    if text.isascii():
        return text.lower().replace("’", "'")
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    if not _FAR.search(decomposed):
        return _ACCENTS.sub("", decomposed)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


NUMBERS = {
    fold(word): number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    )
    for number, word in enumerate(words.split(), 1)
}
"""The numbers from one to twelve in words, folded."""

# Words that say how something is said rather than what is meant; English, Spanish and Russian.
_EMPTY = frozenset(
    fold(
        """
    a an the of to in on at for from by with and or but if so as is are was were be been am do does did done have has
    had will would can could should may might must shall not no it its this that these those there here i you he she
    we they me him her us them my your his our their what which who whom whose when where why how please thanks thank
    like want need get whether ask about tell let just also too any some all much many more very okay ok yes hello hi
    i'd i'm i've you're it's that's what's don't can't
    un una unos unas el la los las lo de del al en por para con y o u pero si como es son era ser estar esta este esto
    ese esa eso hay no que cual cuales quien cuando donde porque se me te le nos os les mi tu su sus quiero quisiera
    puedo puede puedes podria gracias favor hola muy mas todo algo
    какой какая какое какие какую каком какому каким каких
    и в во на с со к ко от до по за из у о об не нет да что кто как где когда почему это этот эта эти тот та я ты он
    она мы вы они мне вам нам их его ее мой ваш свой быть есть был была было хочу можно пожалуйста спасибо ли же бы ли
    """
    ).split()
)


_RUSSIAN_ENDINGS = "аеиоуыэюяь"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text, and where it stands in it."""

    text: str
    start: int
    end: int

    @property
    def asks(self) -> bool:
        return self.text.rstrip("\"'»)] ").endswith("?")


@remembered
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of `text`; a line break ends one, a dot inside a number or an abbreviation does not."""
    found: list[Sentence] = []
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text, max(start, match.end() - 8), match.end()):
            continue
        found += _sentence(text, start, match.end())
        start = match.end()
    return tuple(found + _sentence(text, start, len(text)))


def _sentence(text: str, start: int, end: int) -> list[Sentence]:
    part = text[start:end]
    stripped = part.strip()
    if not stripped:
        return []
    start += len(part) - len(part.lstrip())
    return [Sentence(stripped, start, start + len(stripped))]


@remembered
def tokens(text: str) -> tuple[str, ...]:
    """The words of `text`, folded, in order."""
    folded = fold(text)
    if not folded.isascii():
        return tuple(_WORD.findall(folded))
    words = folded.translate(_PLAIN).split()
    if "'" in folded:
        words = [word for each in words for word in (_PLAIN_WORD.findall(each) if "'" in each else (each,))]
    return tuple(words)


@remembered
def stems(text: str) -> frozenset[str]:
    """What `text` is about: its words without the empty ones, cut so that inflections of a word agree."""
    return frozenset(filter(None, map(_stem, tokens(text))))


@remembered
def _stem(word: str) -> str:
    """What is left of a word without its inflections; nothing of an empty one."""
    if word in _EMPTY:
        return ""
    word = _singular(word)
    if len(word) > 6 and word.endswith("ing"):
        word = word[:-3]
    return word if any(c.isdigit() for c in word) else word[:5]


def _singular(word: str) -> str:
    """A word without its plural or case ending; a number word as its digits."""
    if word in NUMBERS:
        return str(NUMBERS[word])
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word.rstrip(_RUSSIAN_ENDINGS) if len(word) > 3 and word[-1] in _RUSSIAN_ENDINGS else word


@remembered
def singulars(text: str) -> frozenset[str]:
    """Every word of `text`, whole but for its plural or case ending."""
    return frozenset(map(_singular, tokens(text)))


def mentions(text: str, value: str) -> bool:
    """Whether `text` says `value`, whatever the case, the accents, the order of words, or the plural."""
    wanted = singulars(value)
    return bool(wanted) and wanted <= singulars(text)


def pattern(*alternatives: str, start: str = r"\b", end: str = "") -> re.Pattern[str]:
    """Any of these over folded text; they are folded too, so that nothing in them may mean something by its capital."""
    return re.compile(fold(f"{start}(?:{'|'.join(alternatives)}){end}"))


def spotting(*alternatives: str, start: str = "", end: str = "") -> Callable[[str], bool]:
    """Whether any of these, each of which begins with a letter or a digit, is in a text: at the beginning of a word,
    or right after `start`, which is how the text begins then.

    Texts in plain ASCII, which most are, are asked only what can be in them, and sooner.
    """
    folded = [fold(each) for each in alternatives]
    # A word is looked for after what is none: `re` finds that faster than it asks at every letter for a boundary.
    before = fold(start) or r"\W"
    anywhere = re.compile(f"{before}(?:{factored(folded)}){end}")
    plain = re.compile(f"{before}(?:{factored(folded, ascii=True)}){end}", re.ASCII)

    def spots(text: str) -> bool:
        said = fold(text)
        wanted = plain if said.isascii() else anywhere
        return (wanted.match(said) if start else wanted.search(f" {said}")) is not None

    return spots


def share(wanted: frozenset[str], said: frozenset[str]) -> float:
    """How much of `wanted` was said, from 0 to 1; nothing wanted is not a match."""
    return len(wanted & said) / len(wanted) if wanted else 0.0


def share_misspelt(wanted: frozenset[str], said: frozenset[str]) -> float:
    """As `share`, where longer words count as said with one slip in them."""
    missing = wanted - said
    slipped = {word for word in missing if len(word) > 3 and any(_one_slip(word, other) for other in said)}
    return share(wanted, said | slipped)


def _one_slip(word: str, other: str) -> bool:
    return abs(len(word) - len(other)) <= 1 and OSA.distance(word, other, score_cutoff=1) <= 1
