"""What the user of a probe answers: facts about itself, options, and forms."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from sparring.core.value import Json
from sparring.extraction import typed_values
from sparring.extraction.options import options
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.questions import ChatbotQuestion, Kind, variables_asked_for
from sparring.extraction.speech_acts import (
    is_open_question,
    is_yes_or_no_question,
)
from sparring.extraction.tokens import fold, mentions, tokens
from sparring.probes.about import described_value, fact_for, other_number
from sparring.probes.asking import (
    HOW_MANY,
    counts_something,
    example_in,
    in_brackets,
    is_about_day,
    options_of,
    parts_asked,
)
from sparring.probes.domain import Domain
from sparring.probes.examples import date_as, day_near, demo_value, in_format, whole_example
from sparring.probes.hours import Hours, is_clock
from sparring.probes.lines import LANGUAGES, answer_to, facts_in, lines_of
from sparring.probes.offers import (
    Choice,
    are_fields,
    is_weekday,
    number_of,
    unnumbered,
)

PERSON: Mapping[str, Json] = facts_in("person")
"""Answers to questions for the user itself."""

_DATES = ("12 June", "2031-06-12")
"""Said if a chatbot does not take a weekday."""

NUMBERED = ("order number",)
NUMBER = re.compile(r"numb|nummer|numer|номер|\bids?\b|code|reference")
_NUMBERS_TO = re.compile(r"\(?\b1 ?(?:-|–|to) ?\d{1,2}\b\)?")
_MOST_OPTION = 40
EXAMPLE = "<example>"
"""Stands for the example that a chatbot gives, in what is said instead."""

OUTSIDE = "outside"
"""An odd time that is outside of the hours that a chatbot names."""

OTHER_FACTS = facts_in("other")
"""Facts about the user, with others of their kind."""

_ANOTHER = {**OTHER_FACTS, **facts_in("later")}
"""Answers to a second question of the same kind: a later day, another address."""

_NUMBER_BEHIND = re.compile(r" \d+$")
_WAY = re.compile(r"(?<=where )(?:from|to)\b|\b(?:from|to)(?= where)")
RETURN = re.compile(r"\b(?:return|back|end|until|bis|ruckgabe|vuelta|retour)\b")
_HALF_PAST = 2
"""The option with which the user wants times half past an hour."""

_ANY = "Standard"
"""Said for a label of a form that asks for nothing known."""

_LEAST_TOGETHER = 2
"""Facts of a question that asks for several."""

_EACH = re.compile(r"\b(?:each|every|jede\w*|cada|chaque|chacun\w*|ciascun\w*|ogni|кажд\w+)\b")
_CLOCK_TIME = re.compile(r"\b(?:time|uhrzeit|hora|heure|ora|время)\b")
MOST_TIMES = 3
"""Answers to the same question."""


@dataclass
class Answerer:
    """Answers questions for facts, takes options, and fills in forms.

    `wishes` are said one after the other where the chatbot asks for none. `nth` is the option that is taken, `task` the
    one that is taken first of its menu, and `quantity` the number of things. `prefers` are options that are taken
    before others, `said_as` the words for some, `facts` the answers to questions that have all words of their names,
    `days` the answers to a question for a date, `later_days` those if it `asks_past` days, `until_day` that if it
    `asks_return`, and `odd_time` that to one for a time. `tried_day` is the day of these that was said, as it was said.
    Facts are said as `instead` has them, at first, and everything in small letters if `lower`.
    Each question for a number gets another one if `differs`. Ids that the chatbot
    tells are said with other digits if `unknown`. `choices` and `given` are what was taken and
    said so far, `counted` is the number that was given, and `hours` are those that the chatbot named last.
    `dated` is true once the chatbot asked for a day, alone or with other facts.
    """

    wishes: list[str]
    language: str = "en"
    nth: int = 0
    task: str = ""
    quantity: str = "1"
    domain: Domain = field(default_factory=Domain)
    said_as: dict[str, str] = field(default_factory=dict)
    prefers: list[str] = field(default_factory=list)
    facts: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    days: tuple[str, ...] = ()
    later_days: tuple[str, ...] = ()
    until_day: str = ""
    tried_day: str = ""
    today: date = field(default_factory=date.today)
    asks_past: bool = False
    asks_return: bool = False
    odd_time: str = ""
    lower: bool = False
    differs: bool = False
    unknown: bool = False
    choices: list[Choice] = field(default_factory=list)
    given: dict[str, str] = field(default_factory=dict)
    counted: int = 1
    dated: bool = False
    turn: int = 0
    hours: Hours | None = None
    _times: int = 0
    _menus: Counter[tuple[str, ...]] = field(default_factory=Counter)
    _invited: Counter[str] = field(default_factory=Counter)

    def _fact(self, question: ChatbotQuestion) -> str | None:
        """Return the tester's fact for a question, or the day that a probe asks for."""
        fact = fact_for(question.text, self.facts)
        tried = self.days if fact is not None and (is_weekday(fact) or "date" in question.variables) else ()
        if fact is None or self._times > len(tried) or is_yes_or_no_question(question.text):
            return None
        said = (*tried, fact)[self._times]
        self.dated |= bool(tried)
        self.tried_day = said if tried else self.tried_day
        self.given["date" if tried else question.text] = said
        return said

    def _fact_of(self, name: str) -> str:
        """Return a fact about the user, in another form if it was refused."""
        if name != "date":
            return self._timely(str(PERSON[name]))
        lines = lines_of(self.language)
        dates = (*self._days(), lines["day"], lines["other_day"], *_DATES)
        first = dates[min(self._times, len(dates) - 1)]
        given = [each for each in self.given.values() if each in _ANOTHER and each in (lines["day"], *_DATES)]
        if self.asks_return and self._times == len(self._days()) and given:
            first = _ANOTHER[given[-1]]
        return self._timely(self._noted_day(str(first)))

    def _days(self) -> tuple[str, ...]:
        """Return the days that a probe tries, as far as the question is for them."""
        if self.asks_return:
            return (self.until_day,) if self.until_day else ()
        return self.later_days if self.asks_past else self.days

    def _noted_day(self, said: str) -> str:
        self.dated = True
        if self._times < len(self._days()) and not self.asks_return:
            self.tried_day = said
        return said

    def _formatted_day(self, reply: str) -> str:
        """Return a day in the format that a reply tells: "YYYY-MM-DD"."""
        days = self._days()
        if self._times < len(days):
            self.given["date"] = self._noted_day(in_format(reply, days[self._times], self.today))
        else:
            times = self._times - len(days) + self.asks_return
            near = day_near(self.today, times, past=self.asks_past)
            self.given["until" if self.asks_return else "date"] = self._noted_day(date_as(reply, near))
        return self.given.get("until", "") if self.asks_return and "until" in self.given else self.given["date"]

    def _one_more(self) -> str:
        """Return an order of one more thing with a price, up to three times; else an empty text."""
        prices = {name: float(price.replace(",", ".")) for name, price in self.domain.prices.items() if price}
        self._invited["minimum"] += 1
        if not prices or self._invited["minimum"] > MOST_TIMES:
            return ""
        return str(lines_of(self.language)["take"].format(item=max(prices, key=lambda name: prices[name])))

    def _whole(self, question: str, reply: str) -> str:
        """Return the whole example that a reply tells how to answer, the first time; else an empty text."""
        whole = whole_example(reply)
        self._invited[whole] += 1
        return self._said_whole(question, reply, whole) if whole and self._invited[whole] == 1 else ""

    def _demo_value(self, question: str) -> str:
        """Return a value that the tester or the chatbot told for a try, if a question asks for it."""
        said = " ".join(self.given.values())
        if value := described_value(question, self.domain.described, self.nth, self._times):
            self.given[question] = value
            return value
        if self._times or not (value := demo_value(question, self.domain.to_try, said, self.nth)):
            return ""
        value = other_number(value) if self.unknown else self.instead.get(value, value)
        self.given[question] = value
        return value

    def _said_whole(self, question: str, reply: str, whole: str) -> str:
        """Return an example of the chatbot, with the days of a probe and the option that it takes."""
        for inside in in_brackets(reply, long=True):
            options = tuple(_NUMBER_BEHIND.sub("", each) for each in options_of("", inside, LANGUAGES[self.language]))
            named = [each for each in options if mentions(whole, each)]
            if len(options) > 1 and len(named) == 1:
                wanted = [each for each in options if each in self.prefers]
                taken = wanted[0] if wanted else options[(options.index(named[0]) + self.nth) % len(options)]
                whole = re.sub(rf"\b{re.escape(named[0])}\b", taken, whole, count=1)
                self.choices.append(Choice(self.turn, question, options, taken))
        dates = typed_values.find("date", whole)
        for found, said in reversed([*zip(dates, (*self.days[:1], self.until_day), strict=False)]):
            if said:
                whole = f"{whole[: found.start]}{said}{whole[found.end :]}"
        self.dated |= bool(dates)
        self.tried_day = self.days[0] if dates and self.days else self.tried_day
        self.given[question] = whole
        return whole

    def _timely(self, answer: str) -> str:
        """Return a time that the chatbot named as possible instead of another one."""
        if not self._times:
            answer = self.instead.get(answer, answer)
            if self.odd_time and is_clock(answer) and (self.odd_time != OUTSIDE or self.hours is not None):
                if self.odd_time == OUTSIDE and self.hours is not None:
                    self.odd_time = self.hours.outside()
                return self.odd_time
        if self.hours is None or not is_clock(answer):
            return answer
        halves = self.hours.halves or (self.nth == 1 and self.language == "en")  # "3 pm" as well as "15:00"
        minutes = "30" if self.nth == _HALF_PAST and self._times <= 1 else "00"  # the first answer may be refused
        return replace(self.hours, halves=halves).pick(self._times, minutes)

    def _several(self, question: str, reply: str, offered: Sequence[str] = ()) -> str:
        """Return the answers to a question for several facts in one line; empty if it asks for one."""
        found: dict[str, str] = {}
        chosen: dict[str, tuple[str, ...]] = {}
        parts = parts_asked(question, reply, lambda part: self._fact_in(part, {}) is not None)
        for part in parts if len(parts) >= _LEAST_TOGETHER else ():
            own = options_of(part.text, part.brackets, LANGUAGES[self.language])
            if len(own) > 1:
                chosen[part.text] = own
            elif example := example_in(part.brackets):
                found[part.text] = _ANOTHER.get(example, example) if example in found.values() else example
            elif offered and _EACH.search(fold(part.text)):
                chosen[part.text] = tuple(offered)
            elif (fact := self._fact_in(part.text, found)) is not None:
                found[part.text] = fact
            elif offered and not chosen and is_open_question(part.text):
                chosen[part.text] = tuple(offered)
            elif RETURN.search(fold(part.text)) and (first := next(filter(_ANOTHER.get, found.values()), "")):
                found[part.text] = _ANOTHER[first]
        if len(found) + len(chosen) < _LEAST_TOGETHER or len({*found.values(), *chosen}) < _LEAST_TOGETHER:
            return ""
        said = dict(found)
        for part_text, menu in chosen.items():
            taken = self._take(part_text, reply, menu).split(", ")
            number = self.quantity if counts_something(part_text) else ""
            said[part_text] = ", ".join(f"{number} {each}".strip() for each in taken)
        self.given |= found
        for part_text in found:
            if way := _WAY.search(fold(part_text)):
                said[part_text] = f"{way[0]} {said[part_text]}"
        return ", ".join(dict.fromkeys(said[part.text] for part in parts if part.text in said))

    def _fact_in(self, part: str, found: Mapping[str, str]) -> str | None:
        """Return the answer to a part of a question; None if it asks for no known fact."""
        about = variables_asked_for(part, PERSON)
        fact = fact_for(part, self.facts) or answer_to(part, self._times)
        if counted := HOW_MANY.search(fold(part)):
            thing = counted["thing"]
            unit = thing.removesuffix("s") if self.quantity == "1" and self.language == "en" else thing
            return f"{self.quantity} {unit}"
        if fact is not None:
            said = self._timely(fact)
            return _ANOTHER.get(said, said) if said in found.values() else said
        if about and about[0] not in NUMBERED:
            said = self._fact_of(about[0])
            return _ANOTHER.get(said, said) if said in found.values() else said
        if _CLOCK_TIME.search(fold(part)):
            return self._fact_of("time")
        if not is_about_day(part) or RETURN.search(fold(part)):
            return None
        said = self._fact_of("date")
        return _ANOTHER.get(said, said) if said in found.values() else said

    def _fill(self, form: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
        """Return a line for each label of a form; None if it was filled in too often."""
        lines = []
        self._invited[str(form)] += 1
        times = self._invited[str(form)] - 1
        if times > MOST_TIMES:
            return None
        for label, offered in form:
            if offered:
                taken = offered[self.nth % len(offered)]
                self.choices.append(Choice(self.turn, label, offered, taken))
            else:
                about = variables_asked_for(label, PERSON)
                fact = fact_for(label, self.facts) or answer_to(label, times)
                taken = self._timely(fact) if fact else self._fact_of(about[0]) if about else _ANY
                self.given[label] = taken
            lines.append(f"{label}: {taken}")
        return "\n".join(lines)

    def _take(self, question: str, reply: str, offered: Sequence[str]) -> str:
        """Take an option: another one, or its number, if the last one was not accepted."""
        known = tuple(each for each in unnumbered(offered) if 0 < len(each) <= _MOST_OPTION)
        wanted = {each.casefold() for each in self.prefers}
        preferred = [each for each in known if each.casefold() in wanted]
        preferred = preferred or [each for each in known if wanted.intersection(tokens(each)[:1])]
        in_turn = known or tuple(offered)
        before = self._menus[in_turn]
        taken = preferred[0] if preferred and not self._times else in_turn[(self.nth + before) % len(in_turn)]
        if self.task in in_turn and not before:
            taken = self.task
        self._menus[in_turn] += 1
        if self.choices and (self._times or self.choices[-1].question == question):
            self.choices.pop()
        if len(known) > 1 and not are_fields(known) and "|" not in taken:  # a row of a table is said by its number
            self.choices.append(Choice(self.turn, question, known, taken))
        if taken in self.said_as:
            return self.said_as[taken]
        number = number_of(reply, taken)
        by_number = self._times or self.nth == 1 or NUMBER.search(fold(question)) or "|" in taken
        return number if number and (by_number or _NUMBERS_TO.search(reply)) else taken


def of_what_it_asks(question: ChatbotQuestion) -> ChatbotQuestion:
    """Return a question without the number of an order where it asks only for the order."""
    if question.variables != NUMBERED or NUMBER.search(fold(question.text)):
        return question
    return replace(question, variables=(), kind=Kind.OTHER)


def as_choice(question: ChatbotQuestion, book: Phrasebook) -> ChatbotQuestion:
    """Return a question with several options as one for them: "A bill, a fault or something else?"."""
    found = options(question.text, book) if question.kind in (Kind.MORE, Kind.CONFIRM) else ()
    several = len(found) > 2 or (len(found) > 1 and is_open_question(question.text))
    return replace(question, kind=Kind.OTHER, options=found) if several else question
