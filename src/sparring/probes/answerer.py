"""What the user of a probe answers: facts about itself, options, and forms."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sparring.core.value import Json
from sparring.extraction.questions import ChatbotQuestion, variables_asked_for
from sparring.extraction.speech_acts import (
    is_open_question,
    is_yes_or_no_question,
)
from sparring.extraction.tokens import fold, tokens
from sparring.probes.about import fact_for
from sparring.probes.asking import (
    HOW_MANY,
    counts_something,
    example_in,
    options_of,
    parts_asked,
)
from sparring.probes.domain import Domain
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

_WAY = re.compile(r"(?<=where )(?:from|to)\b|\b(?:from|to)(?= where)")
_RETURN = re.compile(r"\b(?:return|back|end|until|bis|ruckgabe|vuelta|retour)\b")
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
    `days` the answers to a question for a date, `later_days` those if it `asks_past` days, and `odd_time` that to one
    for a time. Facts are said as `instead` has them, at first, and everything in small letters if `lower`. `choices`
    and `given` are what was taken and said so far, `counted` is the number that was given, and `hours` are those that
    the chatbot named last. `dated` is true once the chatbot asked for a day, alone or with other facts.
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
    asks_past: bool = False
    odd_time: str = ""
    lower: bool = False
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
        self.given["date" if tried else question.text] = said
        return said

    def _fact_of(self, name: str) -> str:
        """Return a fact about the user, in another form if it was refused."""
        lines = lines_of(self.language)
        self.dated |= name == "date"
        days = self.later_days if self.asks_past else self.days
        dates = (*days, lines["day"], lines["other_day"], *_DATES)
        return self._timely(str(dates[min(self._times, len(dates) - 1)] if name == "date" else PERSON[name]))

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
        return replace(self.hours, halves=halves).pick(self._times)

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
            elif _RETURN.search(fold(part.text)) and (first := next(filter(_ANOTHER.get, found.values()), "")):
                found[part.text] = _ANOTHER[first]
        if len(found) + len(chosen) < _LEAST_TOGETHER or len({*found.values(), *chosen}) < _LEAST_TOGETHER:
            return ""
        said = dict(found)
        for part_text, options in chosen.items():
            taken = self._take(part_text, reply, options).split(", ")
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
        return self._fact_of("time") if _CLOCK_TIME.search(fold(part)) else None

    def _fill(self, form: Sequence[tuple[str, tuple[str, ...]]]) -> str | None:
        """Return a line for each label of a form; None if it was filled in too often."""
        lines = []
        self._invited[str(form)] += 1
        times = self._invited[str(form)] - 1
        if times > MOST_TIMES:
            return None
        for label, options in form:
            if options:
                taken = options[self.nth % len(options)]
                self.choices.append(Choice(self.turn, label, options, taken))
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
