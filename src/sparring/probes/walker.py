"""Walks through conversations with an unknown chatbot: answers its questions, takes its offers."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.phrasebooks import phrasebook
from sparring.extraction.questions import ChatbotQuestion, Kind, questions
from sparring.extraction.speech_acts import (
    is_denial,
    is_open_question,
    is_yes_or_no_question,
    refuses,
    starts_with_yes_or_no,
)
from sparring.extraction.tokens import fold, mentions, sentences
from sparring.extraction.typed_values import find
from sparring.probes.about import fact_for
from sparring.probes.acts import (
    ASKS_FOR_ANOTHER,
    adds_another,
    asks_if_right,
    asks_to_confirm,
    final_question,
    ids_in,
    says_done,
)
from sparring.probes.answerer import EXAMPLE, MOST_TIMES, NUMBER, NUMBERED, PERSON, RETURN, as_choice, of_what_it_asks
from sparring.probes.asking import (
    asking_part,
    asks_by_number,
    asks_for_any,
    asks_if_so,
    asks_past,
    bracketed_options,
    counts_something,
    example_in,
    form_in,
    format_in,
    in_brackets,
    is_about_day,
    is_below_minimum,
    is_optional,
    last_number,
    requests,
    thing_of,
    without_brackets,
)
from sparring.probes.domain import acts_offered
from sparring.probes.examples import has_date_format, in_format, to_try
from sparring.probes.explorer import LEAST_TURNS, Explorer
from sparring.probes.hours import hours_in, is_clock, times_in
from sparring.probes.invitations import (
    Purpose,
    alternative_in,
    buttons_in,
    confirms,
    invitations,
    without_buttons,
)
from sparring.probes.limits import least_in, within
from sparring.probes.lines import LANGUAGES, answer_to, lines_of, spoken_in
from sparring.probes.offers import asks_for_change, is_time, is_weekday, list_lines, listed, named_in

_MOST_CONFIRMED = 3
"""Times that a word to confirm is said."""


@dataclass
class Walker(Explorer):
    """Finds the next line of a user that wants what the chatbot does.

    An `eager` walker says a wish before it follows an example, one that `declines` takes nothing that costs extra, and
    `settled` is True if the language and the final questions are known. `buttons` are those of the last reply,
    `confirming` is True if it asks for a yes, and `asked` is its last question. `stops` are words with
    which one can stop. `line` is its last answer, and `interrupted` True if the user said something else instead.
    `answered` has the facts that were said to questions.
    """

    eager: bool = False
    declines: bool = False
    yes: str = ""
    buttons: tuple[str, ...] = ()
    thing: str = ""
    stops: list[str] = field(default_factory=list)
    answered: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Note the thing of a wish, as the "appointment" to book, unless it is ordered."""
        self.thing = thing_of(self.wishes[0]) if self.wishes else ""

    def answer_to(self, reply: str) -> str | None:
        """Return the answer to a reply; None if there is nothing left to say."""
        self.turn += 1
        self._listen(reply)
        before = self._times
        line = self._try_another(reply, self._react(reply), again=self._times > before)
        self.line = line.lower() if line is not None and self.lower else line
        if self._last is not None and self.line in self.given.values():
            self.answered[self._last.text] = str(self.line)
        return self.line

    def _listen(self, reply: str) -> None:
        """Note the hours of a reply, and speak the language of most replies that are no fallbacks."""
        self.hours = hours_in(reply) or self.hours
        self.domain.to_try += [each for each in to_try(reply) if each not in self.domain.to_try]
        self.stops += [each.said for each in invitations(reply) if each.purpose is Purpose.STOP]
        if not (is_fallback(reply) and self.replied):  # it says so in its own language, unless that is a bug
            self.replied = f"{self.replied} {reply}"
        spoken = spoken_in(self.replied) if len(self.replied.split()) > 3 else ""
        if spoken in LANGUAGES and not self.settled:
            self.language = spoken

    def _react(self, reply: str) -> str | None:
        self.confirming = False
        self.buttons = self.buttons or buttons_in(reply)
        if self._is_ended(reply):
            self.confirmed = True
            self._last = None
            return self._wish()
        question = self._meant(self._question(asking_part(reply)), reply)
        if self._is_declined(reply):
            return next((each for each in self.buttons if is_denial(each)), str(lines_of(self.language)["no"]))
        if self.has_commands(reply) and (command := self._wish() or self._try(reply, own=True)):
            return command
        if word := self._invitation(reply, Purpose.CONFIRM, most=_MOST_CONFIRMED):
            self.asked = reply
            return self._confirm(word, reply)
        labels = [each.name for each in list_lines(reply) if each.number and confirms(each.name)]
        if labels and self.turn > 1 and not self.buttons:
            self.asked = reply
            return self._confirm(labels[0], reply)
        if form := form_in(reply):
            return self._fill(form)
        if question is None:
            return self._react_to_statement(reply)
        if not (self.interrupted or self._wished):
            self._times = self._times + 1 if self._last and self._last.text == question.text else 0
        self._last, self._wished, self.stuck, self.asked = question, False, "", question.text
        self.asks_past = asks_past(question.text)
        self.asks_return = RETURN.search(fold(question.text)) is not None
        if self._times > MOST_TIMES:
            self.stuck = question.text
            return None
        if self.wishes and self.eager and not self._asks_who(question) and (wish := self._wish()) is not None:
            return wish
        if is_fallback(question.text):
            return (
                self._wish()
                or self._explore(question.text, reply)
                or self._try(reply)
                or self._wonder(question.text, reply)
            )
        return self._react_to_question(question, reply)

    def _is_ended(self, reply: str) -> bool:
        """Return True if a reply reports what was agreed, or what was done without a question to confirm."""
        done, numbered = says_done(reply), bool(ids_in(reply))
        agreed = self.line is not None and self.line == self.yes and numbered
        unasked = self.turn > LEAST_TURNS and done and numbered and bool(self.choices or self.given)
        ended = unasked or (self.confirmed and (agreed or done))
        asks = without_brackets(without_buttons(reply)).rstrip().endswith("?")
        return ended and not asks and not asks_to_confirm(reply)

    def _react_to_statement(self, reply: str) -> str | None:
        """Take an option of a reply that asks nothing, state a wish, or say the word that it names."""
        offered = self.buttons or (listed(reply) if self.turn > 1 else ())
        if (
            not offered
            and not self.confirmed
            and (self.stuck or any(is_fallback(each.text) for each in sentences(reply)[:1]))
        ):
            if tried := self._try(reply, own=True):
                return tried
            offered = named_in(reply)
        if self.turn > 1 and (label := next(filter(confirms, self.buttons), "")):
            self.asked = reply
            return self._confirm(label, reply)
        if not (self.buttons or self.confirmed or self.wishes) and (whole := self._whole(reply, reply)):
            return whole
        if (wish := self._wish()) is not None or len(offered) > 1:
            return wish or self._take(reply, reply, offered)
        if self.confirmed:
            return None
        return self._invitation(reply, Purpose.DONE, Purpose.SHOW) or self._try(reply) or None

    def _react_to_question(self, question: ChatbotQuestion, reply: str) -> str | None:
        """Confirm, give the example or a fact, take an option, or answer."""
        lines = lines_of(self.language)
        if self.quantity.startswith("-") and question.kind is Kind.HOW_MANY and not self._times:
            return self._answer(question, reply)
        offered = self._offered(question, reply)
        if (known := self._accepted(question)) and len(offered) < 2:
            return known
        if self.turn > 1 and (label := next(filter(confirms, offered if len(offered) > 1 else ()), "")):
            return self._confirm(label, reply)
        if (left := self._left(question)) and not self.wishes:
            return left
        if is_below_minimum(reply) and (more := self._one_more()):
            return more
        if adds_another(question.text) and (self.choices or self.given):
            return next(filter(is_denial, offered), str(lines["no"]))
        if not self.buttons and (whole := self._whole(question.text, reply)):
            return whole
        if has_date_format(reply) and (line := self._written_day(question, reply)):
            return line
        if len(offered) < 2 and (demo := self._demo_value(question.text)):
            return demo
        bracketed = tuple(each.partition("/")[0] for each in in_brackets(reply))
        if (agreed := next((each for each in (*offered, *bracketed) if _is_yes(each)), None)) is not None:
            return self._confirm(agreed if self.buttons else lines["yes"], reply)
        if other := alternative_in(reply):
            return other
        if len(offered) > 1 and asks_by_number(question.text):
            return self._take(question.text, reply, offered)
        one = is_yes_or_no_question(question.text) or asks_for_change(question.text) or _are_choices(question, offered)
        if not one and (several := self._several(question.text, reply, offered)):
            return several
        if (fact := self._fact(question)) is not None:
            return fact
        if (example := example_in(reply)) and len(offered) < 2:
            if find("date", example) and self._times < len(self._days()):
                self.given["date"] = self._fact_of("date")
                return self.given["date"]
            self.given[question.text] = self.instead.get(EXAMPLE, example) if not self._times else example
            return self.given[question.text]
        if self._times and (named := self._topics(reply)):
            return self._take(question.text, reply, named)
        if len(offered) < 2 and not self._times and (code := format_in(reply)):
            self.given[question.text] = code
            return code
        if question.kind is Kind.MORE:
            done = self._invitation(reply, Purpose.DONE) or str(lines["nothing_else"])
            tried = self._try(reply, own=True) if any(is_fallback(each.text) for each in sentences(reply)) else ""
            return self._wish() or tried or (None if self.confirmed and self._times else done)
        if len(offered) > 1:
            return self._take(question.text, reply, offered)
        if not is_open_question(question.text) and (question.kind is Kind.CONFIRM or asks_to_confirm(question.text)):
            return str(lines["no"]) if self._led_back(question.text, reply) else self._confirm(lines["yes"], reply)
        return self._answer(question, reply)

    def _meant(self, question: ChatbotQuestion | None, reply: str) -> ChatbotQuestion | None:
        """Return the question before if a reply only refuses its answer, "Please enter it again."."""
        if self._last is None or self.confirmed or self.line is None or self.interrupted:
            return question
        if question is None:
            return self._last if refuses(reply) or example_in(reply) or ASKS_FOR_ANOTHER.search(fold(reply)) else None
        unclear = not (question.options or question.variables) and question.kind is Kind.OTHER
        unclear = unclear and answer_to(question.text, 0) is None and fact_for(question.text, self.facts) is None
        again = ASKS_FOR_ANOTHER.search(fold(question.text)) or refuses(reply)
        return self._last if unclear and again and not listed(reply) else question

    def _is_declined(self, reply: str) -> bool:
        """Return True if a reply offers something for its price, which this user does not take."""
        asked = sentences(reply)[-1:] if not self.buttons else sentences(without_buttons(reply))
        offers = any(find("money", each.text) for each in asked) and not find("money", self.asked)
        final = final_question(reply) in self.domain.finals
        if not final and any(each.asks and is_optional(each.text) for each in sentences(reply)):
            return True
        yes = any(map(_is_yes, self.buttons)) or any(is_yes_or_no_question(each.text) for each in asked if each.asks)
        return self.declines and bool(self.domain.finals) and offers and yes and not final

    def _confirm(self, line: str, reply: str) -> str:
        """Say yes; it is what the probes wait for if a yes to this question ended a walk, or if none did."""
        known = self.settled and self.domain.finals
        begun = self.turn > 1 and bool(self.choices or self.given or asks_if_right(reply))
        self.confirming = begun and (not known or final_question(reply) in self.domain.finals)
        self.confirmed = self.confirmed or self.confirming
        self.yes = line
        return line

    def _question(self, reply: str) -> ChatbotQuestion | None:
        """Return the question to answer: the last one with options, else the last one."""
        book = phrasebook(LANGUAGES[self.language])
        found = questions(reply, variables=dict(PERSON), hints=(), book=book)
        if not found and (last := sentences(reply)[-1:]) and requests(last[0].text):
            asked = questions(f"{last[0].text.rstrip('.! ')}?", variables=dict(PERSON), hints=(), book=book)
            return replace(asked[-1], text=last[0].text) if asked else ChatbotQuestion(last[0].text, Kind.OTHER)
        begun = bool(self.choices or self.given)
        found = [of_what_it_asks(each if begun else as_choice(each, book)) for each in found]
        if found and answer_to(found[-1].text, 0) is not None:
            return found[-1]
        return next((each for each in reversed(found) if len(each.options) > 1), found[-1] if found else None)

    def _offered(self, question: ChatbotQuestion, reply: str) -> tuple[str, ...]:
        """Return the options of a question; those of a statement beside it if it is about nothing else."""
        answered = answer_to(question.text, 0) is not None or asks_to_confirm(question.text)
        if asks_by_number(question.text) and (found := listed(reply)):
            return found
        own = question.options if not answered or mentions(question.text, "".join(question.options[:1])) else ()
        if own and answered and all(answer_to(each, 0) is not None for each in own):  # "an e-mail address or a number"
            own = ()
        if not (own or self.buttons):
            own = acts_offered(question.text, self.language)
        if is_about_day(question.text) and not any(is_time(each) or is_weekday(each.split(" ")[0]) for each in own):
            own = ()
        if len(own) == len(numbered := [each for each in list_lines(reply) if each.number]):
            own = tuple(each.name for each in numbered)
        if found := self.buttons or own or self._listed(question, reply) or self._named_words(reply):
            timed = question.variables == ("time",) and not (self.buttons or any(map(is_time, found)))
            return found if not timed or all(mentions(question.text, each) for each in found) else ()
        timely = "time" in question.variables or is_clock(answer_to(question.text, 0) or "")
        if timely and len(times := times_in(reply)) > 1:
            return times
        if question.kind not in (Kind.OTHER, Kind.VARIABLE) or answered:
            return ()
        named = bracketed_options(reply, LANGUAGES[self.language]) or named_in(reply)
        facts = [str(PERSON[each]) for each in question.variables if each in PERSON]
        days = all(is_time(each) or is_weekday(each) for each in named)
        if is_about_day(question.text) and not days:
            return ()
        return named if not facts or days or set(facts) & set(named) else ()

    def _written_day(self, question: ChatbotQuestion, reply: str) -> str:
        """Return a day as a reply wants it to be written, if it asks for one."""
        if (known := answer_to(question.text, 0)) is not None and find("date", known):
            self.given[question.text] = in_format(reply, known, self.today)
            return self.given[question.text]
        asks = "date" in question.variables or is_about_day(question.text)
        return self._formatted_day(reply) if asks else ""

    def _named_words(self, reply: str) -> tuple[str, ...]:
        """Return the words among which a reply tells the user to choose."""
        words = tuple(each.said for each in invitations(reply) if each.purpose is Purpose.OTHER)
        return words if len(words) > 1 else ()

    def _listed(self, question: ChatbotQuestion, reply: str) -> tuple[str, ...]:
        """Return the options of a list after a question, or before one that they answer."""
        lines = list_lines(reply)
        before = bool(lines) and lines[-1].start < reply.rfind(question.text)
        other = answer_to(question.text, 0) is not None or asks_to_confirm(question.text)
        return () if before and other else listed(reply)

    def _answer(self, question: ChatbotQuestion, reply: str) -> str | None:
        lines = lines_of(self.language)
        if question.kind is Kind.HOW_MANY:
            before = [each for each in self.given if counts_something(each) and each != question.text]
            self.counted = int(self.quantity) + (len(before) if self.differs and not self._times else 0)
            self.given[question.text] = str(self.counted)
            return self.given[question.text]
        if number := last_number(reply):
            self.given[question.text] = number
            return number
        if not self._times and (least := least_in(without_brackets(reply))) is not None and hours_in(reply) is None:
            self.given[question.text] = str(least)
            return str(least)
        if not self._times and question.text in self.answered:
            return self.answered[question.text]
        if (answer := answer_to(question.text, self._times)) is not None:
            self.given[question.text] = within(self._timely(answer), reply)
            return self.given[question.text]
        if question.kind is Kind.VARIABLE and question.variables:
            name = question.variables[0]
            new = name not in self.given or self._times or self.asks_return
            if new and (name not in NUMBERED or NUMBER.search(fold(question.text))):
                at = question.text if self.asks_return and name in self.given else name
                self.given[at] = self._fact_of(name)
                return self.given[at]
        wish = self._wish()
        if wish is not None:
            return wish
        if "date" not in self.given and is_about_day(question.text):
            self.given["date"] = self._fact_of("date")
            return self.given["date"]
        if self.declines and question.kind is Kind.OFFER and find("money", question.text):
            return str(lines["no"])
        if asks_for_any(question.text):
            self.given[question.text] = lines["not_so"]
            return self.given[question.text]
        if is_yes_or_no_question(question.text):
            if self.declines and asks_if_so(question.text) and not self._times:
                self.given[question.text] = lines["not_so"]
                return self.given[question.text]
            return str(lines["no"]) if self._led_back(question.text, reply) else self._confirm(lines["yes"], reply)
        return self._explore(question.text, reply) or self._wonder(question.text, reply)

    def restart(self, nth: int) -> None:
        """Begin anew, as a user that takes other options."""
        self.nth = nth
        self.choices.clear()
        self.given.clear()
        self.answered.clear()
        self._menus.clear()
        self._invited.clear()
        self.confirmed, self.stuck, self._last, self._times, self._unsure = False, "", None, 0, 0


def _are_choices(question: ChatbotQuestion, offered: Sequence[str]) -> bool:
    """Return True if a question has the options itself: "Is it a laptop, phone or printer?"."""
    return len(offered) > 1 and all(mentions(question.text, each) for each in offered) and not requests(question.text)


def _is_yes(option: str) -> bool:
    return starts_with_yes_or_no(option) and not is_denial(option)
