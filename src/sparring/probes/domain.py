"""The domain of a chatbot, learned from its replies: its abilities and offers."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import reduce

from sparring.extraction.dates_and_times import WEEKDAYS
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.tokens import Sentence, fold, mentions, sentences, stems, tokens
from sparring.extraction.typed_values import find
from sparring.extraction.word_tables import words_of_module
from sparring.probes.acts import asks_to_confirm, says_done, turns_down
from sparring.probes.asking import is_about_day
from sparring.probes.invitations import without_invitations
from sparring.probes.lines import lines_of
from sparring.probes.offers import fees_in, listed, listed_prices, offered_in, priced_in, same_name
from sparring.probes.other_answers import TriedAnswers

_WORDS = words_of_module(__name__)
_MORE_OF = re.compile(r"\b(?:extra|additional|more|without|no|with|double|half)\b")
"""Words of names that are not the thing itself: "extra cheese"."""

_SHOWS = re.compile(r"\b(?:STATUS|TRACK|MY [A-Z]{4,})\b")
"""Commands in capitals that show what was ordered."""

_COUNTS = re.compile(
    r"\b[2-9] ?[x×] [^\W\d]"
    r"|\b(?:how many|quantit|each|apiece|cuant[ao]s|cantidad|wie ?viele|anzahl|combien de|quant[ei]|quant[ao]s|скольк)"
)
_PARTS = re.compile(r",| or | and | o | y | oder | und | ou | et | e | или | и ")
_CHOICES = re.compile(r",? (?:or|oder|o|ou|или) (?:to )?|, ?(?:to )?")
_MOST_OF_ACT = 5
"""Words of an act to choose."""

_MOST_WISHES = 4
_MOST_WORDS = 7
_LEAST = 2
"""Options of a set."""

_CLAUSE = re.compile(r"[.;!?,\n]| and | but | y | und | et | e ")
CLOSED = re.compile(r"\bclosed\b|\bcerra[dm]|\bgeschlossen|\bferme|\bchius|\bfechad|закрыт")
_OPEN = re.compile(r"\b(?:open|opens|abiert|abrimos|abre|geoffnet|offen|ouvert|apert|abert|работаем|открыт)")
_DAYS_TO = re.compile(
    r"\b(?P<first>[^\W\d]+)(?: (?:to|till|until|through|thru|a|bis|au|al|ate|по|до) | ?[-–] ?)(?P<last>[^\W\d]+)"
)
"""Days on which a chatbot is open, "open Monday to Friday": it is closed on the others."""

_ADVERB = r"^(?:to|then|also|either|only|just) "
_AS_WISHED = (
    (_ADVERB, ""),
    (r"^(?:take|process|handle) (?:your |an? |the )?orders?(?: for)?", "order"),
    (r"^answer (?:your |any )?questions? (?:about|on)", "ask about"),
    (r"^(?:help|assist)(?: you)? with", "get help with"),
    (r"^tell (?:you )?(?:about )?", "know "),
    (r"^(\w+) you (?=an?\b|the\b|your\b|some\b)", r"\1 "),
    (r"\bour\b", "your"),
    (r" for you\b", ""),
    (r"\byour\b", "my"),
    (r"\byou\b", "me"),
)
_LISTING = ("ask about ", "know ", "get help with ")
"""Beginnings of wishes that several things may follow."""

_TOPIC = re.compile(
    r"(?:(?:the|your|our|my|general|other|how|what|when|where|who|why|which)\b|(?!(?:br|s)ing)\w+(?:ing|ions?|ment|ness|[^s]s)\b"
    r"|\w+ (?:hours|prices|information|questions|status|policy|times|options)\b)",
    re.IGNORECASE,
)
"""Beginnings of wishes that are topics, such as "opening hours", and no acts."""

_ARTICLES = frozenset("a an the un una uno une ein eine einen le la um uma".split())
_OBJECT = re.compile(rf"(?:{'|'.join(_ARTICLES)}|the|your|my)$", re.IGNORECASE)
_THING = "= "
"""Mark of a wish for a thing, not for an act."""

_SAID = re.compile(rf"^(?:{_WORDS['said']})\b")
_LOOKS_UP = re.compile(rf"\b(?:{_WORDS['looks_up']})")
_OWN = re.compile(rf"(?:{_WORDS['own']})")
PERSONAL = frozenset({"Sam Sample", "Kim Sample", "A-1001", "555-0134", "sam@example.com"})
"""Answers that no chatbot knows by itself."""


@dataclass
class Domain:
    """What is known about a chatbot.

    `menus` are sets of options, each of one kind, `tasks` the one with which it greets, and `asked` the stems of the
    replies that offered them. `items` are
    things with a price. `taken` and `given` are the options that walks took and the facts they stated, `accepted` are
    answered questions after which the chatbot went on, `done` are replies to a requested yes, without numbers, `finals`
    the questions that they answer, and `ids` are the ids in them. `public` are answers and ids that it names itself,
    as examples. `summed` is True if a total was once the sum of prices, and `counts` if the chatbot speaks of numbers
    of things. `prices` are those of things outside of orders, or an empty text for a thing with several; `fees` are
    amounts of fees, and `closed` is a weekday on which it is closed. `cancels` is True if it once stopped when it was
    told so, `recap` is an option that shows what was ordered, and `to_try` are sentences that tell values for a try.
    `ledger` is True if the sum of a list was once that of its lines, `free_from` the amount from which delivery is
    free, `limits` the most that each option takes, and `stays` is True if the chatbot speaks of nights. `described` are
    values for a try that the tester tells, by the words for them, and `question` is one that the chatbot can answer.
    `more` is by how much the total of each thing exceeds its price, by the other answers, `reads_two` is True if it
    once took a number in words, and `numbers` are the ids of what was done, by the report without them.
    """

    menus: list[tuple[str, ...]] = field(default_factory=list)
    tasks: tuple[str, ...] = ()
    asked: dict[tuple[str, ...], frozenset[str]] = field(default_factory=dict)
    taken: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    given: set[str] = field(default_factory=set)
    accepted: set[tuple[str, str]] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    finals: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    public: set[str] = field(default_factory=set)
    summed: bool = False
    counts: bool = False
    prices: dict[str, str] = field(default_factory=dict)
    fees: set[str] = field(default_factory=set)
    closed: str = ""
    cancels: bool = False
    recap: str = ""
    tried: TriedAnswers = field(default_factory=TriedAnswers)
    to_try: list[str] = field(default_factory=list)
    ledger: bool = False
    free_from: Decimal | None = None
    stays: bool = False
    limits: dict[str, int] = field(default_factory=dict)
    described: dict[str, tuple[str, ...]] = field(default_factory=dict)
    question: str = ""
    more: dict[frozenset[str], dict[str, Decimal]] = field(default_factory=dict)
    reads_two: bool = False
    numbers: dict[str, set[str]] = field(default_factory=dict)

    @property
    def numbers_each(self) -> bool:
        """True if the same, done twice, once got two numbers."""
        return any(len(each) > 1 for each in self.numbers.values())

    def learn(self, replies: Iterable[str], language: str) -> None:
        """Take over the prices and options that replies name; the first of them greets, and offers tasks."""
        for at, each in enumerate(replies):
            if is_fallback(each):
                continue
            self.learn_recap(_SHOWS.findall(each))
            self.counts = self.counts or _COUNTS.search(fold(each)) is not None
            self._learn_prices(each)
            self.closed = self.closed or closed_in(each, language)
            priced = priced_in(each)
            self.items += [found[0] for found in priced[:1] if found[0] not in self.items]
            for found in (*([offered_in(each, language)] if at else []), *priced):
                self.add_menu(found, each)

    def add_menu(self, options: tuple[str, ...], asked: str) -> None:
        """Take over options, with the words beside which they were offered."""
        if len(options) >= _LEAST and options not in self.menus:
            self.menus.append(options)
            self.asked[options] = stems(asked)
            self.learn_recap(options)

    def learn_recap(self, words: Iterable[str]) -> None:
        """Note the first of some words that shows what was ordered."""
        shows = [each for each in words if _LOOKS_UP.search(fold(each))]
        own = [each for each in (self.recap, *shows) if _OWN.match(fold(each))]
        self.recap = next(iter(own), self.recap or next(iter(shows), ""))

    def options_for(self, question: str) -> tuple[str, ...]:
        """Return the options that the chatbot offered for most words of a question, else things with a price."""
        said = stems(question)
        alike = {menu: len((words - stems(" ".join(menu))) & said) for menu, words in self.asked.items()}
        best = max(alike, key=lambda menu: alike[menu], default=())
        if best and alike[best]:
            return best
        return next((menu for menu in self.menus if any(map(self.prices.get, menu))), ())

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
        for name, amount in listed_prices(reply, alone=True):
            if name in PERSONAL:
                continue
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


def closed_in(reply: str, language: str) -> str:
    """Return the weekday on which a reply says that it is closed, or one beside those that it names.

    It names them where it is open, "open Monday to Friday", or asks for one: "Which day? (Mon-Fri)".
    """
    for part in _CLAUSE.split(reply):
        days = [day for word in tokens(part) if (day := _weekday(word))]
        if len(days) == 1 and CLOSED.search(fold(part)):
            return days[0]
    named = days_open_in(reply, language)
    others = [day for day in _week_of(named[0]) if day not in named] if named else []
    return others[-1] if others and not any(_weekday(word) in others for word in tokens(reply)) else ""


def days_open_in(reply: str, language: str) -> list[str]:
    """Return the days of the first range in a reply that asks for a day, or says when it is open."""
    plain, week = fold(reply), _week_of(fold(lines_of(language)["day"]))
    for opening in _DAYS_TO.finditer(plain) if _OPEN.search(plain) or "?" in reply or is_about_day(reply) else ():
        named = _weekday(opening["first"])
        week = _week_of(named) if named else week
        first, last = (_nth_of(week, opening[each]) for each in ("first", "last"))
        if 0 <= first < last:
            return week[first : last + 1]
    return []


def _nth_of(week: list[str], word: str) -> int:
    """Return the number of the only day of a week that begins with a word; -1 if there is none."""
    found = [at for at, day in enumerate(week) if day.startswith(word) and len(word) >= _LEAST]
    return found[0] if len(found) == 1 else -1


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
        text = reduce(lambda left, each: left.replace(each.text, ""), filter(_offers_more, sentences(text)), text)
        text = without_invitations(text)
        plain = fold(text)
        said = text if len(plain) == len(text) else plain
        for match in re.finditer(lines_of(language)["can"], plain):
            if plain[: match.start()].endswith("so "):  # "your e-mail, so we can send it"
                continue
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


def _offers_more(sentence: Sentence) -> bool:
    """Return True if a sentence asks for a yes to something with a price."""
    return sentence.asks and bool(find("money", sentence.text))


def acts_offered(question: str, language: str) -> tuple[str, ...]:
    """Return the acts that a question offers: "Would you like to book a class or see bookings?"."""
    found = re.search(lines_of(language)["can"], fold(question))
    if (
        found is None
        or not found["asked"]
        or not question.rstrip().endswith("?")
        or len(fold(question)) != len(question)
    ):
        return ()
    parts = _CHOICES.split(question[found.start("asked") : found.end("asked")].strip())
    parts = [each.strip() for each in parts]
    return tuple(parts) if len(parts) > 1 and all(0 < len(each.split()) <= _MOST_OF_ACT for each in parts) else ()


def _with_objects(parts: Iterable[str]) -> list[str]:
    """Return "book a table", "move a table" and "cancel a table" for "book", "move" and "cancel a table"."""
    found = [re.sub(_ADVERB, "", each.strip()) for each in parts]
    whole = next((each.split() for each in found if " " in each), [])
    if len(whole) > 1 and (_OBJECT.match(whole[1]) or whole[-1].endswith("s")):
        verbs = found[: found.index(" ".join(whole))]
        found[: len(verbs)] = [f"{verb} {' '.join(whole[1:])}" for verb in verbs if verb]
    return found


def _wish(ability: str) -> str:
    wish = ability.partition(" - ")[0].strip(" :;")
    for pattern, instead in _AS_WISHED:
        wish = re.sub(pattern, instead, wish, flags=re.IGNORECASE).strip()
    words = wish.split() if wish.count("(") == wish.count(")") else []
    if words and fold(words[0]) in _ARTICLES:
        return f"{_THING}{wish}" if len(words) <= _MOST_WORDS else ""
    if not 1 < len(words) <= _MOST_WORDS or not words[0].isalpha() or _SAID.match(wish):
        return ""
    return wish
