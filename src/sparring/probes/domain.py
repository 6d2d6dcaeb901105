"""The domain of a chatbot, learned from its replies: its abilities and offers."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from sparring.extraction import typed_values
from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import options
from sparring.extraction.speech_acts import asks_to_confirm, is_question
from sparring.extraction.tokens import fold, mentions, sentences, stems, tokens
from sparring.probes.acts import says_done, turns_down
from sparring.probes.lines import LANGUAGES, lines_of

_MORE_OF = re.compile(r"\b(?:extra|additional|more|without|no|with|double|half)\b")
"""Words of names that are not the thing itself: "extra cheese"."""

FEE = re.compile(r"\bfees?\b|surcharge|service charge|comision|recargo|gebuhr|\bfrais\b|commissione|taxa|комисси|сбор")
_COUNTS = re.compile(
    r"\b(?:how many|quantit|each|apiece|cuant[ao]s|cantidad|wie ?viele|anzahl|combien de|quant[ei]|quant[ao]s|скольк)"
)
_MORE_AFTER = re.compile(r" *(?!and\b|or\b|plus\b|each\b|per\b|y\b|o\b|und\b|oder\b|et\b|ou\b|e\b|и\b|или\b)\w")
"""Words after an amount, on which it may depend."""

_NAME = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_NEAR_FEE = 20
"""Characters between an amount and the word for a fee."""

_BRACKETS = re.compile(r"\s*\([^()]{1,40}\)")
_LINE = re.compile(r"^\s*(?:[-*•–]|\(?(?P<number>\d{1,2}|[A-Za-z])[.)])\s+(?P<item>\S.*)$", re.MULTILINE)
_MORE_OF_LINE = re.compile(r"\s*(?:[(,;]|:(?!\d)|\s[–-]\s).*")
"""Words in a line of a list after the name of its option."""

_MOST_OPTION = 40
"""Characters of the name of an option in a list."""

_PARTS = re.compile(r",| or | and | o | y | oder | und | ou | et | e | или | и ")
_LEADING = re.compile(r"^(?:.*\b(?:have|offer|serve|sell|for|is|costs?|a|an|the|and|or)\b )+", re.IGNORECASE)
_TRAILING = re.compile(
    r" (?:ones? )?(?:is|are|at|for|costs?|adds?|cuestan?|kostet|kosten|coute|costa|стоит)$| ones?$", re.IGNORECASE
)
_NO_NAME = frozenset("plus and makes total sum x und et y e".split())
"""Words before amounts that name nothing."""

_AND = re.compile(
    r"\s*,\s*(?:(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+)?|\s+(?:and|or|und|oder|y|o|et|ou|e|и|или)\s+", re.IGNORECASE
)
_LAST_NAME = re.compile(r"(?:[A-ZÀ-ÝА-Я][\w'-]* )*\S+$")
"""The name at the end of the first thing of a list: "today we show The Lighthouse"."""

_NUMBERED = re.compile(r"^\d+[.)]\s*")
_MOST_WISHES = 4
_MOST_WORDS = 7
_LEAST = 2
"""Options of a set."""

_FIELDS = stems("day date time hour name address phone email number amount quantity fecha hora nombre datum uhrzeit")
"""Stems of names of what a booking holds."""

_CLAUSE = re.compile(r"[.;!?,\n]| and | but | y | und | et | e ")
_CLOSED = re.compile(r"\bclosed\b|\bcerrad|\bgeschlossen|\bferme|\bchius|\bfechad|закрыт")

_OPEN = re.compile(r"\b(?:open|opens|abiert|abrimos|abre|geoffnet|offen|ouvert|apert|abert|работаем|открыт)")
_DAYS_TO = re.compile(r"\b(?P<first>[\w-]+) (?:to|till|until|through|-|–|a|bis|au|al|ate|по|до) (?P<last>[\w-]+)")
"""Days on which a chatbot is open, "open Monday to Friday": it is closed on the others."""

_MOST_NAME = 3
"""Words of an option in a list, or before its price."""

_AS_WISHED = (
    (r"^(?:to|then|also|either) ", ""),
    (r"^(?:take|process|handle) (?:your |an? |the )?orders?(?: for)?", "order"),
    (r"^answer (?:your |any )?questions? (?:about|on)", "ask about"),
    (r"^(?:help|assist)(?: you)? with", "get help with"),
    (r"^tell (?:you )?(?:about )?", "know "),
    (r"\bour\b", "your"),
    (r" for you\b", ""),
    (r"\byour\b", "my"),
    (r"\byou\b", "me"),
)
_LISTING = ("ask about ", "know ")
"""Beginnings of wishes that several things may follow."""

_TOPIC = re.compile(
    r"(?:(?:the|your|our|my|general|other|how|what|when|where|who|why|which)\b|(?!(?:br|s)ing)\w+(?:ing|ions?|ment|ness|[^s]s)\b"
    r"|\w+ (?:hours|prices|information|questions|status|policy|times|options)\b)",
    re.IGNORECASE,
)
"""Beginnings of wishes that are topics, such as "opening hours", and no acts."""

_ARTICLES = frozenset("a an the un una uno une ein eine einen le la um uma".split())
_ARTICLE = re.compile(rf"^(?:{'|'.join(_ARTICLES)}) (?=\S)", re.IGNORECASE)
_OBJECT = re.compile(rf"(?:{'|'.join(_ARTICLES)}|the|your|my)$", re.IGNORECASE)
_THING = "= "
"""Mark of a wish for a thing, not for an act."""

_SAID = re.compile(r"^(?:say|type|write|also say|ask|call|reach|find|see us|pick (?:it|them) up|be|do)\b")
"""Beginnings of abilities that are no service."""


PERSONAL = frozenset({"Sam Sample", "Kim Sample", "A-1001", "555-0134", "sam@example.com"})
"""Answers that no chatbot knows by itself."""


@dataclass
class Domain:
    """What is known about a chatbot.

    `menus` are sets of options, each of one kind, and `items` are things with a price. `taken` and `given` are the
    options that walks took and the facts they stated, `accepted` are answered questions after which the chatbot went
    on, `done` are replies to a requested yes, without numbers, and `ids` are the ids in them. `public` are answers that
    it names itself, as examples. `summed` is True if a total was once the sum of prices, and `counts` if the chatbot
    speaks of numbers of things. `prices` are those of things outside of orders, or an empty text for a thing with
    several; `fees` are amounts of fees, and `closed` is a weekday on which it is closed.
    """

    menus: list[tuple[str, ...]] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    accepted: set[tuple[str, str]] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    public: set[str] = field(default_factory=set)
    summed: bool = False
    counts: bool = False
    prices: dict[str, str] = field(default_factory=dict)
    fees: set[str] = field(default_factory=set)
    closed: str = ""

    def learn(self, replies: Iterable[str], language: str) -> None:
        """Take over the prices and options that replies name; the first of them greets, and offers tasks."""
        for at, each in enumerate(replies):
            if is_fallback(each):
                continue
            self.counts = self.counts or _COUNTS.search(fold(each)) is not None
            self._learn_prices(each)
            self.closed = self.closed or _closed_in(each)
            if at == 0:
                continue
            priced = priced_in(each)
            self.items += [found[0] for found in priced[:1] if found[0] not in self.items]
            for found in (offered_in(each, language), *priced):
                if len(found) >= _LEAST and found not in self.menus:
                    self.menus.append(found)

    def price_of(self, item: str) -> str:
        """Return the price of an item, else of the only thing that has it in its name; else an empty text."""
        found = {price for name, price in self.prices.items() if same_name(name, item)} or {
            price for name, price in self.prices.items() if mentions(name, item) and not _MORE_OF.search(fold(name))
        }
        return found.pop() if len(found) == 1 else ""

    def _learn_prices(self, reply: str) -> None:
        self.fees |= fees_in(reply)
        if asks_to_confirm(reply) or says_done(reply):
            return
        for name, amount in _listed_prices(reply, alone=True):
            self.prices[name] = amount if self.prices.get(name, amount) == amount else ""

    def swap(self, reply: str) -> tuple[str, str, str] | None:
        """Return an option that a reply names, with two others of its kind; the third may be empty."""
        for menu in self.menus:
            named = [each for each in menu if mentions(reply, each)]
            if len(named) == 1:
                others = [each for each in menu if each != named[0]]
                return named[0], others[0], next(iter(others[1:]), "")
        return None


_NOUN = re.compile(r"(?:an?|the|some|my|\d+) ", re.IGNORECASE)
"""The beginning of a wish for a thing: "a small pizza"."""


_WHOLE = re.compile(
    r"(?:i|i'd|we|ich|wir|quiero|quisiera|necesito|je|vorrei|voglio|quero|gostaria|я|мне) ", re.IGNORECASE
)
"""The beginning of a wish that is a sentence."""


def _closed_in(reply: str) -> str:
    """Return the only weekday of a sentence, or part of one, that says that it is closed then."""
    for sentence in sentences(reply):
        for opening in _DAYS_TO.finditer(fold(sentence.text)) if _OPEN.search(fold(sentence.text)) else ():
            first, last = _weekday(opening["first"]), _weekday(opening["last"])
            after = _week_of(last)[WEEKDAYS[last] + 1 :] if first and last and WEEKDAYS[first] < WEEKDAYS[last] else []
            if after and not any(_weekday(word) in after for word in tokens(reply)):
                return after[-1]
    for part in _CLAUSE.split(reply):
        days = [day for word in tokens(part) if (day := _weekday(word))]
        if len(days) == 1 and _CLOSED.search(fold(part)):
            return days[0]
    return ""


def _weekday(word: str) -> str:
    """Return the weekday that a folded word names, also in the plural; else an empty text."""
    return next((each for each in (word, word.removesuffix("s")) if each in WEEKDAYS), "")


def _week_of(day: str) -> list[str]:
    """Return the days of a week in the language of one of them."""
    names = list(WEEKDAYS)
    start = names.index(day) - WEEKDAYS[day]
    return names[start : start + 7]


def wish_line(wish: str, language: str) -> str:
    """Return a line that states a wish."""
    if _WHOLE.match(wish):
        return wish
    lines = lines_of(language)
    if wish.startswith(_THING) or _NOUN.match(wish):
        return str(lines["take"].format(item=wish.removeprefix(_THING)))
    topic = "topic" in lines and _TOPIC.match(wish)
    return str(lines["topic" if topic else "wish"].format(about=wish.removeprefix("know ") if topic else wish))


def abilities_in(replies: Iterable[str], language: str) -> list[str]:
    """Return the abilities that a chatbot names, as wishes of a user: "take your order" becomes "order"."""
    found: list[str] = []
    for text in replies:
        if turns_down(text):
            continue
        plain = fold(text)
        said = text if len(plain) == len(text) else plain
        for match in re.finditer(lines_of(language)["can"], plain):
            name = "what" if match["what"] else "asked"
            start, end = match.span(name)
            about = ""
            for part in _with_objects(_PARTS.split(said[start:end])):
                if wish := _wish(about + part):
                    found.append(wish)
                    about = next((each for each in _LISTING if wish.startswith(each)), "")
            if said[end - 1 : end] == ":" or said[end:].lstrip().startswith(("-", "*", "•")):
                found += [f"{_THING}{each[:1].lower()}{each[1:]}" for each in listed(text)]
    return list(dict.fromkeys(found))[:_MOST_WISHES]


def _with_objects(parts: Iterable[str]) -> list[str]:
    """Return "book a table", "move a table" and "cancel a table" for "book", "move" and "cancel a table"."""
    found = [each.strip() for each in parts]
    whole = next((each.split() for each in found if " " in each), [])
    if len(whole) > 1 and _OBJECT.match(whole[1]):
        verbs = found[: found.index(" ".join(whole))]
        found[: len(verbs)] = [f"{verb} {' '.join(whole[1:])}" for verb in verbs if verb]
    return found


def _wish(ability: str) -> str:
    wish = ability.strip(" :;")
    for pattern, instead in _AS_WISHED:
        wish = re.sub(pattern, instead, wish, flags=re.IGNORECASE).strip()
    words = wish.split()
    if words and fold(words[0]) in _ARTICLES:
        return f"{_THING}{wish}" if len(words) <= _MOST_WORDS else ""
    if not 1 < len(words) <= _MOST_WORDS or not words[0].isalpha() or _SAID.match(wish):
        return ""
    return wish


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
    for line in _LINE.finditer(reply):
        item = line["item"].strip(" .:")
        money = typed_values.find("money", item)
        whole = (item[: money[0].start].strip(" ,;:(–-") if money else item) or item
        name = _TRAILING.sub("", _MORE_OF_LINE.sub("", whole).strip(" .:")) or whole
        price = str(money[0].value) if len(money) == 1 and whole != item else ""
        found.append((whole, ListLine(line["number"] or "", name, price, line.start())))
    names = Counter(each.name for _, each in found)  # "Pizza, small", "Pizza, large"
    lines = [replace(each, name=whole) if names[each.name] > 1 else each for whole, each in found]
    return [each for each in lines if len(each.name) <= _MOST_OPTION]


def without_list(reply: str) -> str:
    """Return a reply without the lines of its list, whose commas separate no options."""
    return _LINE.sub("", reply) if len(list_lines(reply)) >= _LEAST else reply


def listed(reply: str) -> tuple[str, ...]:
    """Return the names of the options of a list with one in each line."""
    return tuple(dict.fromkeys(each.name for each in list_lines(reply)))


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
        head, _, items = _BRACKETS.sub("", sentence.text).rpartition(": ")
        parts = [part.strip(" .!;:") for part in _AND.split(items)]
        if len(parts) <= _LEAST or sentence.asks or not all(parts):
            continue
        named = [parts[0] if head else _LAST_NAME.search(parts[0])[0], *parts[1:]]  # type: ignore[index]
        short = [each for each in named if len(each.split()) <= _MOST_NAME]
        if len(short) > _LEAST and len(short) >= len(named) - 1:
            return unnumbered(short)
    return ()


def priced_in(reply: str) -> list[tuple[str, ...]]:
    """Return the items whose prices a reply lists one after the other, by sentence."""
    found = [tuple(each.name for each in list_lines(reply) if each.price)]
    said = sentences(without_list(reply))
    found += [tuple(dict.fromkeys(name for name, _ in prices_in(sentence.text))) for sentence in said]
    return [each for each in found if len(each) >= _LEAST]


def price_of(item: str, reply: str) -> str | None:
    """Return the price that a reply tells of an item; None if it tells none."""
    for name, amount in _listed_prices(reply):
        if same_name(name, item):
            return amount
    amounts = {str(each.value) for each in typed_values.find("money", reply)}
    return amounts.pop() if len(amounts) == 1 and mentions(reply, item) else None


def _listed_prices(reply: str, *, alone: bool = False) -> Iterator[tuple[str, str]]:
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


def same_name(name: str, item: str) -> bool:
    """Return True if two names are the same without their articles."""
    return fold(_LEADING.sub("", name)) == fold(_LEADING.sub("", item))


def prices_in(sentence: str, *, alone: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the names before amounts of money with the amounts; `alone` leaves out "$10 small"."""
    end = 0
    for each in typed_values.find("money", sentence):
        name = _LEADING.sub("", sentence[end : each.start].rpartition(":")[2].strip(" (,;.–-)"))
        name = _TRAILING.sub("", name).strip(" (,;.–-)")
        if len(name.split()) > _MOST_NAME and (last := _LAST_NAME.search(name)) is not None and last[0][0].isupper():
            name = last[0]
        plain = len(name.split()) <= _MOST_NAME and _NAME.fullmatch(name) is not None and fold(name) not in _NO_NAME
        if plain and not (alone and _MORE_AFTER.match(fold(sentence[each.end :]))):
            yield name, str(each.value)
        end = each.end
