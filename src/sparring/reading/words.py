"""Text as words and sentences, in any language, well enough to see what two texts share."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)*")
_SENTENCE = re.compile(r"[^\n]+?(?:[.!?…]+[\"'»)\]]*(?=\s|$)|(?=\n)|$)")
_ABBREVIATION = re.compile(r"(?:\b(?:mr|mrs|ms|dr|st|no|vs|e\.g|i\.e|etc|approx|sr|sra|a\.m|p\.m)\.)$", re.IGNORECASE)


@lru_cache(maxsize=8192)
def fold(text: str) -> str:
    """Lower case without accents: `Ordené` and `ordene` are the same word to a tired typist."""
    if text.isascii():
        return text.lower().replace("’", "'")
    decomposed = unicodedata.normalize("NFKD", text.casefold().replace("’", "'"))
    return "".join(c for c in decomposed if not unicodedata.combining(c))


_NUMBERS = {
    fold(word): number
    for words in (
        "one two three four five six seven eight nine ten eleven twelve",
        "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
        "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    )
    for number, word in enumerate(words.split(), 1)
}

# Words that say how something is said rather than what is meant; English, Spanish and Russian.
_EMPTY = frozenset(
    fold(
        """
    a an the of to in on at for from by with and or but if so as is are was were be been am do does did done have has
    had will would can could should may might must shall not no it its this that these those there here i you he she
    we they me him her us them my your his our their what which who whom whose when where why how please thanks thank
    like want need get know ask about tell let just also any some all much many more very okay ok yes hello hi dear
    i'd i'm i've you're it's that's what's don't can't
    un una unos unas el la los las lo de del al en por para con y o u pero si como es son era ser estar esta este esto
    ese esa eso hay no que cual cuales quien cuando donde porque se me te le nos os les mi tu su sus quiero quisiera
    puedo puede puedes podria gracias favor hola muy mas todo algo
    и в во на с со к ко от до по за из у о об не нет да что кто как где когда почему это этот эта эти тот та я ты он
    она мы вы они мне вам нам их его ее мой ваш свой быть есть был была было хочу можно пожалуйста спасибо ли же бы
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


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of `text`; a line break ends one, a dot inside a number or an abbreviation does not."""
    found: list[Sentence] = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        if found and text[found[-1].end : start].strip(" ") == "" and _ABBREVIATION.search(found[-1].text):
            start = found.pop().start
        stripped = text[start:end].strip()
        if stripped:
            start = text.index(stripped, start)
            found.append(Sentence(stripped, start, start + len(stripped)))
    return tuple(found)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """The words of `text`, folded, in order."""
    return tuple(_WORD.findall(fold(text)))


@lru_cache(maxsize=4096)
def stems(text: str) -> frozenset[str]:
    """What `text` is about: its words without the empty ones, cut so that inflections of a word agree."""
    return frozenset(_stem(word) for word in tokens(text) if word not in _EMPTY)


def _stem(word: str) -> str:
    if word in _NUMBERS:
        return str(_NUMBERS[word])
    if any(c.isdigit() for c in word):
        return word
    word = word.removesuffix("'s")
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if len(word) > 6 and word.endswith("ing"):
        word = word[:-3]
    if len(word) > 3 and word[-1] in _RUSSIAN_ENDINGS:
        word = word.rstrip(_RUSSIAN_ENDINGS)
    return word[:5]


@lru_cache(maxsize=4096)
def mentions(text: str, value: str) -> bool:
    """Whether `text` says `value`, whatever the case, the accents, the order of words, or the plural."""
    wanted = frozenset(_stem(word) for word in tokens(value))
    return bool(wanted) and wanted <= frozenset(_stem(word) for word in tokens(text))


def share(wanted: frozenset[str], said: frozenset[str]) -> float:
    """How much of `wanted` was said, from 0 to 1; nothing wanted is not a match."""
    return len(wanted & said) / len(wanted) if wanted else 0.0
