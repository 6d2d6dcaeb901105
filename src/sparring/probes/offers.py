"""Offers in replies: options, lists, and things with their prices."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from sparring.extraction import typed_values
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.extractor import ValueMatch
from sparring.extraction.options import options
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.speech_acts import is_question
from sparring.extraction.tokens import fold, mentions, sentences, stems
from sparring.extraction.word_tables import words_of_module
from sparring.probes.lines import LANGUAGES

_WORDS = words_of_module(__name__)
FEE = re.compile(r"\bfees?\b|surcharge|service charge|comision|recargo|gebuhr|\bfrais\b|commissione|taxa|комисси|сбор")
_MORE_AFTER = re.compile(r" *(?!(?:and|or|plus|each|per|once|extra|y|o|und|oder|et|ou|e|и|или)\b)\w")
"""Words after an amount, on which it may depend."""

_NAME = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_NEAR_FEE = 20
"""Characters between an amount and the word for a fee."""

_LONG_BRACKETS = re.compile(r"\s*\([^()]{1,120}\)")
_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
_LINE = re.compile(
    r"^\s*(?:(?:[-*•–▪●‣]|[✅☀-➿🌀-🫿]\ufe0f?(?:\s+(?P<counted>\d{1,2})(?=\s+[^\W\d]))?"
    r"|[(\[]?(?P<number>\d{1,2}|[A-Za-z])(?:[.):\]]|\ufe0f?\u20e3|\s[-–—](?=\s)))\s+|(?P<row>\d{1,2})\s*\|\s*)"
    r"(?P<item>\S.*)$",
    re.MULTILINE,
)
"""A line of a list: "- Small", "2) Small", "2️⃣ Small", or a row of a table, "2 | Small | 5 GB"."""

_BARE_LINE = re.compile(r"^[ \t]*(?P<number>\d{1,2})[ \t]+(?P<item>[^\W\d].*)$", re.MULTILINE)
"""A line of a numbered list without a sign behind the number, "2 Small"; all lines count from 1."""

_PRICED_LINE = re.compile(
    r"(?:^|(?<=[?!:] ))[ \t]*(?P<item>[^\W\d][^\n:?!]{0,40}?(?:\s{2,}| [-–—=] |: )[^\n?!]{1,40})$", re.MULTILINE
)
"""A line of a price list, "Basic  £14.00 per month"."""

_INLINE = re.compile(
    r"(?:(?<=[\s:])|^)\(?(?P<number>\d{1,2}|[A-Ha-h])(?:[.)](?!\d)|\s[-–—](?=\s))\s*(?P<item>[^\n,;/|]+?)"
    r"(?=[\s,;/|]*(?:\b(?:or|and|oder|und|o|y|ou|et)\s)?\(?(?:\d{1,2}|[A-Ha-h])(?:[.)]|\s[-–—])\s|[?.!]|[,;]?\s*$)",
    re.MULTILINE,
)
"""An option of a numbered list in one line: "1) Small, 2) Large"."""

_BARE_INLINE = re.compile(
    r"(?:(?<=[?:.,;!] )|(?<=\b(?:or|ou) )|^)(?P<number>\d{1,2}) (?P<item>[^\W\d][^\n,;?!.()]*?)"
    r"(?=,? (?:or|and|oder|und|o|y|ou|et) \d|[,;.?!]|\s*\(|\s*$)",
    re.MULTILINE,
)
"""An option of a numbered list in one line without signs: "1 Small, 2 Medium, 3 Large"; they count from 1."""

_LEAST_BARE = 3

_SLASHED = re.compile(r"(?:[^\n:?!./|·•]{2,40} [/|·•] )+[^\n:?!./|·•]{2,40}")
"""Options in one line: "Pizza / Pasta / Salad"."""

_INTRODUCED = re.compile(r"^.* [–—-] ")
"""What comes before options in one line: "Which colour - black / white"."""

BRACKETED = re.compile(r"\((?![^()]*\d/\d)([^()\n:]{2,40}(?:[,/] ?[^()\n:,/]{2,40}){2,})\)")
"""Options in brackets: "How can I help? (submit a reading, report a leak, ask about a bill)"."""

_AFTER_QUESTION = re.compile(r"\?\s*(?P<items>[^?;:(\n][^?;:\n]{1,80}(?:; ?[^?;:\n]{2,80})+)$")
"""Options behind a question: "Which show? Tosca (Friday); Carmen (Sunday)."."""

_NO_LETTERS = re.compile(r"^[^\w]+")
_MORE_OF_LINE = re.compile(r"\s*(?:[(,;]|:(?!\d)|\s[–-]\s).*")
"""Words in a line of a list after the name of its option."""

_MOST_OPTION = 40
"""Characters of the name of an option in a list."""

_LEADING = re.compile(rf"^(?:.*\b(?:{_WORDS['leading']})\b )+", re.IGNORECASE)
_TRAILING = re.compile(
    r" (?:ones? )?(?:is|are|at|for|costs?|adds?|cuestan?|kostet|kosten|co[uû]te|(?:est |sont )?à|costa|стоит)$"
    r"| ones?$",
    re.IGNORECASE,
)
_ARTICLE_OF_PRICE = re.compile(
    r"^(?:(?:et|und|y|e|и) )?(?:l[ea]s? |l'|der |die |das |el |los |il |lo |gli |os? |as )", re.IGNORECASE
)
_RANGE_TO = re.compile(r" ?(?:to|and|-|–|bis|y|a|et|e|до) ?\D{0,2}\d")
_NO_NAME = frozenset(
    "plus and makes total sum x und et y e to bis a ate hasta до save saves saving off only they it these those"
    " this that each all both sie es diese ellos ils elles".split()
)
"""Words before amounts that name nothing."""

_AND = re.compile(
    r"\s*,\s*(?:(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+)?|\s+(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+", re.IGNORECASE
)
_LAST_NAME = re.compile(r"(?:[A-ZÀ-ÝА-Я][\w'-]* )*\S+$")
"""The name at the end of the first thing of a list: "today we show The Lighthouse"."""

_AT_TIME = re.compile(
    r"(?<=\w) (?:at|from|um|ab|a las?|à|alle|às|в|с) \d{1,2}(?::\d\d)?(?: ?(?:[ap]m|uhr|h))?$", re.IGNORECASE
)
"""A time behind a thing: "The Long River at 7 pm"."""

_MOST_LISTED = 5
"""Words of an option in a statement."""

_LEADS_TO_PRICE = re.compile(r"\s*(?:[-–—:=@]|\b(?:for|at|is|are|costs?|für|zu|por|a|à|per|за))?\s*$")
_BARE_PRICE = re.compile(r"\s*[+(]?\b\d{1,4}[.,]\d{2}\b(?!\d)\)?")
"""A price without a currency: "espresso 2.20, latte 3.40"."""

_UNIT = re.compile(rf"^ ?(?:/|(?:per|an?|each|pro|im|je|par|al|por|by the) )(?:{_WORDS['units']})\b", re.IGNORECASE)
"""What a price is for, behind it: "/day"."""

_NUMBERED = re.compile(r"^\d+[.)]\s*")
_LEAST = 2
"""Options of a set."""

_FIELDS = stems(
    "day date time hour name address phone email number amount quantity weekday fecha hora nombre dia datum uhrzeit tag"
    " wochentag adresse jour heure nom giorno ora data indirizzo nome"
)
"""Stems of names of what a booking holds."""

_CHANGES = re.compile(
    r"\b(?:what|which|was|welche\w*|que|quoi|cual|quale|cosa|что|как\w+)\b.*"
    r"\b(?:chang|amend|edit|correct|alter|adjust|modif|updat|fix|ander|korrigier|cambi|correg|corrig|alterar|mudar|измен|исправ)"
)
"""A question for what to change: "What would you like to amend: the date, or the name?"."""

_MOST_NAME = 3
"""Words of an option in a list, or before its price."""

_AFTER_COLON = re.compile(r"^[^;(]*?:\s(?=[^;]*\()")
_DETAILS = re.compile(r"\s*[,(].*$")
_GONE = re.compile(rf"\b(?:{_WORDS['gone']})\b")
"""Words for an option that cannot be taken."""

_ARTICLES = frozenset("a an the un una uno une ein eine einen le la um uma".split())
_ARTICLE = re.compile(rf"^(?:(?:and|or|und|oder|y|et|ou) )?(?:(?:{'|'.join(_ARTICLES)}) )?(?=\S)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ListLine:
    """One line of a list, which is one option: its number or letter, name and price, and its place."""

    number: str
    name: str
    price: str
    start: int


def list_lines(reply: str) -> list[ListLine]:
    """Return the lines of a list: "S) Small, 5 GB, $10" is the option "Small" for $10."""
    found: list[tuple[str, ListLine]] = []
    matches = list(_LINE.finditer(reply))
    if len(matches) < _LEAST and _counts(bare := [*_BARE_LINE.finditer(reply)]):
        matches = bare
    if len(matches) < _LEAST:
        matches = list(_INLINE.finditer(reply))
        if len(matches) < _LEAST:
            bare = [*_BARE_INLINE.finditer(reply)]
            matches = bare if len(bare) >= _LEAST_BARE and _counts(bare) else []
    numbers = {line: _number(line) for line in matches}
    fields = sum(not numbers[line] and _is_field(line["item"]) for line in matches)
    if fields and 2 * fields >= len(matches):
        return []
    if not matches:
        priced = [line for line in _PRICED_LINE.finditer(reply) if typed_values.find("money", line["item"])]
        matches = priced if len(priced) >= _LEAST else []
    for line in matches:
        item = line["item"].strip(" .:")
        money = typed_values.find("money", item)
        whole = (item[: money[0].start].strip(" ,;:(|+–-") if money else item) or item
        name = _TRAILING.sub("", _MORE_OF_LINE.sub("", whole).strip(" .:|")) or whole
        price = str(money[0].value) if len(money) == 1 and whole != item else ""
        found.append((whole, ListLine(numbers.get(line, ""), name, price, line.start())))
    names = Counter(each.name for _, each in found)  # "Pizza, small", "Pizza, large"
    lines = [replace(each, name=whole) if names[each.name] > 1 else each for whole, each in found]
    return [each for each in lines if len(each.name) <= _MOST_OPTION]


def _counts(lines: Sequence[re.Match[str]]) -> bool:
    """Return True if the numbers of lines count from 1."""
    return len(lines) >= _LEAST and [int(each["number"]) for each in lines] == [*range(1, len(lines) + 1)]


def _number(line: re.Match[str]) -> str:
    """Return the number or letter of a line of a list; empty if it has none."""
    groups = line.groupdict()
    return next(filter(None, (groups.get(each) for each in ("number", "counted", "row"))), "")


def _is_field(line: str) -> bool:
    """Return True for a line of a summary, "Problem: it does not work", unless it states a price."""
    label, _, value = line.partition(": ")
    return bool(value) and len(label.split()) <= _MOST_NAME and not typed_values.find("money", value)


def without_list(reply: str) -> str:
    """Return a reply without the lines of its list, whose commas separate no options."""
    if len(lines := list_lines(reply)) < _LEAST:
        return reply
    return _LINE.sub("", reply) if _LINE.search(reply, lines[0].start) else _BARE_LINE.sub("", reply)


def listed(reply: str) -> tuple[str, ...]:
    """Return the names of the options of a list, with one in each line or all in one."""
    if lines := list_lines(reply):
        return tuple(dict.fromkeys(each.name for each in lines))
    if apart := _apart(reply):
        return apart
    rows = sum(" | " in line for line in reply.splitlines())
    found, bracketed = _SLASHED.search(reply) if rows < _LEAST else None, BRACKETED.search(reply)
    behind = _AFTER_QUESTION.search(reply) if not (found or bracketed) else None
    parts = (
        re.split(r", (?:or |and )?|/ ?", bracketed[1]) if bracketed else re.split(" [/|·•] ", found[0]) if found else []
    )
    if found and not bracketed:
        parts[0] = _INTRODUCED.sub("", parts[0])
    parts = [_LONG_BRACKETS.sub("", each).strip(" .") for each in behind["items"].split(";")] if behind else parts
    names = [_NO_LETTERS.sub("", each).strip() for each in parts]
    return tuple(dict.fromkeys(filter(None, map(unpriced, names)))) if len(names) > 1 else ()


def _apart(reply: str) -> tuple[str, ...]:
    """Return the names of things with details between semicolons: "Tosca, Friday (30 EUR); Carmen"."""
    for sentence in sentences(reply):
        parts = _AFTER_COLON.sub("", sentence.text).split("; ")
        names = [_DETAILS.sub("", each).strip(" .") for each in parts if not _GONE.search(fold(each))]
        if len(parts) > _LEAST and sum("(" in each for each in parts) >= len(parts) - 1 and all(names):
            return tuple(dict.fromkeys(each for each in names if len(each.split()) <= _MOST_LISTED))
    return ()


def unnumbered(options: Iterable[str]) -> tuple[str, ...]:
    """Return options without the numbers and articles before them."""
    return tuple(dict.fromkeys(_ARTICLE.sub("", _NUMBERED.sub("", each.strip())) for each in options))


def number_of(reply: str, item: str) -> str:
    """Return the number of an item in a numbered list; an empty string if it has none."""
    return next((each.number for each in list_lines(reply) if each.name == item), "")


def offered_in(reply: str, language: str) -> tuple[str, ...]:
    """Return the options that a reply offers anywhere."""
    book = phrasebook(LANGUAGES.get(language, "english"))
    for sentence in sentences(without_list(reply)):
        found = options(sentence.text, book)
        if len(found) >= _LEAST and (sentence.asks or is_question(sentence.text)):
            return unnumbered(found)
    return listed(reply)


def named_in(reply: str) -> tuple[str, ...]:
    """Return the items of a statement: "We have roses, tulips and lilies."."""
    for sentence in sentences(reply):
        head, _, items = unpriced(_LONG_BRACKETS.sub("", sentence.text)).rpartition(": ")
        parts = [part.strip(" .!;:") for part in _AND.split(items)]
        if all(map(_AT_TIME.search, parts)):
            parts = [_AT_TIME.sub("", each) for each in parts]
        if len(parts) <= _LEAST or sentence.asks or not all(parts) or all(map(str.isdigit, parts)):
            continue
        first = _LEADING.sub("", parts[0])
        if not head and (first == parts[0] or len(first.split()) > _MOST_LISTED):
            first = _LAST_NAME.search(parts[0])[0]  # type: ignore[index]
        named = [parts[0] if head else first, *parts[1:]]
        short = [each for each in named if len(each.split()) <= _MOST_LISTED]
        if len(short) > _LEAST and len(short) >= len(named) - 1:
            return unnumbered(short)
    return ()


def unpriced(text: str) -> str:
    """Return a text without amounts of money and the words that lead to them."""
    for each in reversed(typed_values.find("money", text)):
        text = f"{_LEADS_TO_PRICE.sub('', text[: each.start])}{_UNIT.sub('', text[each.end :])}"
    if len(_BARE_PRICE.findall(text)) > 1:
        text = _BARE_PRICE.sub("", text)
    return text.replace(" ()", "")


def priced_in(reply: str) -> list[tuple[str, ...]]:
    """Return the items whose prices a reply lists one after the other, by sentence."""
    found = [tuple(each.name for each in list_lines(reply) if each.price)]
    said = sentences(without_list(reply))
    found += [tuple(dict.fromkeys(name for name, _ in prices_in(sentence.text))) for sentence in said]
    return [each for each in found if len(each) >= _LEAST]


def price_of(item: str, reply: str) -> str | None:
    """Return the price that a reply tells of an item; None if it tells none, or several under headings."""
    if listed := {amount for name, amount in listed_prices(reply) if same_name(name, item)}:
        return listed.pop() if len(listed) == 1 else None
    amounts = {str(each.value) for each in typed_values.find("money", reply)}
    return amounts.pop() if len(amounts) == 1 and mentions(reply, item) else None


def listed_prices(reply: str, *, alone: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the names and prices in a reply: of a list, and of its sentences."""
    yield from ((each.name, each.price) for each in list_lines(reply) if each.price)
    for sentence in sentences(without_list(reply)):
        yield from prices_in(sentence.text, alone=alone)


def fees_in(reply: str) -> set[str]:
    """Return the amounts of fees in a reply."""
    return {
        str(each.value)
        for sentence in sentences(reply)
        for each in typed_values.find("money", sentence.text)
        if FEE.search(fold(sentence.text[max(0, each.start - _NEAR_FEE) : each.start]))
        or FEE.search(fold(sentence.text[each.end : each.end + _NEAR_FEE]))
    }


def is_time(option: str) -> bool:
    """Return True for an option that has no price of its own."""
    return any(typed_values.find(kind, option) for kind in ("time", "date"))


def is_weekday(option: str) -> bool:
    """Return True for the name of a day."""
    return fold(option) in WEEKDAYS


def are_fields(options: Iterable[str]) -> bool:
    """Return True for a menu of what to change, "the day or the time", whose items are not values."""
    return sum(len(found := stems(each)) > 0 and found <= _FIELDS for each in options) >= _LEAST


def asks_for_change(reply: str) -> bool:
    """Return True if a reply asks what to change."""
    return any(each.asks and _CHANGES.search(fold(each.text)) for each in sentences(reply))


def same_name(name: str, item: str) -> bool:
    """Return True if two names are the same without their articles."""
    return fold(_LEADING.sub("", name)) == fold(_LEADING.sub("", item))


def prices_in(sentence: str, *, alone: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the names before amounts of money with the amounts; `alone` leaves out "$10 small"."""
    end = 0
    for each in _amounts(sentence):
        name = _LEADING.sub("", sentence[end : each.start].rpartition(":")[2].strip(" (,;.–-)"))
        name = _ARTICLE_OF_PRICE.sub("", _TRAILING.sub("", name).strip(" (,;.–-)"))
        if len(name.split()) > _MOST_NAME and (last := _LAST_NAME.search(name)) is not None and last[0][0].isupper():
            name = last[0]
        plain = len(name.split()) <= _MOST_NAME and _NAME.fullmatch(name) is not None and fold(name) not in _NO_NAME
        plain = plain and _RANGE_TO.match(fold(sentence[each.end :])) is None
        if plain and not (alone and _MORE_AFTER.match(fold(sentence[each.end :]))):
            yield name, str(each.value)
        end = each.end


def _amounts(sentence: str) -> list[ValueMatch]:
    """Return the amounts in a sentence; of a price list without a currency, the numbers with cents."""
    bare = [ValueMatch(each[0].strip(" +()"), *each.span()) for each in _BARE_PRICE.finditer(sentence)]
    found = typed_values.find("money", sentence)
    return bare if not found and len(bare) > _LEAST else list(found)


@dataclass(frozen=True, slots=True)
class Choice:
    """A question with options, the one that was taken, and the number of the reply, from 1."""

    turn: int
    question: str
    options: tuple[str, ...]
    taken: str

    @property
    def others(self) -> tuple[str, ...]:
        """The options that were not taken."""
        return tuple(each for each in self.options if each != self.taken)
