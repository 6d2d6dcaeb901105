"""Answers of the agenda user to the questions of a chatbot.

Only declared values are spoken: those of goals, facts and hints, other variables if the chatbot asks for them by their
name or type, and what the chatbot offers.
"""

import re

from sparring.core.value import Json
from sparring.extraction.pending import asks_agreement, offers_to_act, says_already, touches
from sparring.extraction.questions import ChatbotQuestion, Kind, has_known_kind, hints_about, hints_of, questions
from sparring.extraction.slots import asked_slots, asks_availability
from sparring.extraction.speech_acts import is_denial, is_open_question, is_yes_or_no_question, starts_with_yes_or_no
from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import fold, is_stop_word, mentions, pattern, share, stems
from sparring.extraction.word_tables import words_of_module
from sparring.users.agenda_objections import Objections, counts
from sparring.users.agenda_state import ANSWER, ASKING, OFFERED, names_goal
from sparring.users.lines import SILENT, Line, bare, joined, line
from sparring.users.manners import takes_alternatives
from sparring.users.sentences import capital, known_facts, recipient
from sparring.users.styles import SINGLE_QUESTION, has_style

_WORDS = words_of_module(__name__)

_COUNTING = stems(_WORDS["counting"])
"""Words of questions for a number that name no thing."""

_BARELY, _WHOLE_WISH = 1, 2
"""Number of times a question is asked again before the answer is only the value, and the whole wish."""

_MAX_UNKNOWN, _MAX_UNSURE = 2, 3
"""Maximum number of times the user says that it does not have something, and that it is not sure."""

_MAX_NOTHING_NEW = 2
"""Maximum number of times the user says that it wants nothing else; then it leaves."""

_ABOUT_THE_CASE = frozenset({"CURRENT_DATE", "PATIENCE", "PERSONALITY", "AMB_LEVEL", "SEED"})
"""Variables that are no value of the user's, in capitals."""

_ABOUT_IT = pattern(_WORDS["about_it"])
"""Words of an offer about what the user has asked for."""

_PREFERS = pattern(r"(?:prefer|prefier|rather|lieber|bevorzug|предпоч|suits? you|te (?:va|convien)|le convien)")
"""Words of a question that has to be answered with one of its options."""

_OPENS = pattern(_WORDS["opens"], end=r"\b")
"""Words of a question that leaves the next step to the user."""

_TAKES = pattern(r"(?:can|may|could) (?:i|we) (?:just |please )?(?:see|take|note|check|verify|speak|know|get)\b")
"""Words of a question that asks the user for something in the form of an offer."""

_WHICH = pattern(_WORDS["which"], start=r"^[^\w]*(?:(?:and|so|in|en|em|di|de) )?")
_OFFERED_ACT = pattern(r"(?:shall|should|can|may) (?:i|we) \w+")

_HAVE = pattern(_WORDS["have"], start=r"^[^\w]*(?:\w+,? )?")
"""Beginning of a question if the user has something, or has done it."""

_ABOUT_USER = pattern(_WORDS["about_user"], start=r"^[^\w]*(?:\w+,? )?")
"""Beginning of another question about the user that yes or no would answer."""

_YOURS = pattern(r"(?:your|su|tu|votre|vos|ihr\w{0,2}|dein\w*|suo|sua|tuo|tua|seu|ваш\w*|твои|твоя)\b")
_YOU = pattern(r"(?:you|usted|вас|вы)\b")

_PLAIN_WORDS = re.compile(r"[^\W\d_]+(?:[ ,]+[^\W\d_]+)*")
"""Values that may be written with a capital, unlike codes and addresses."""

_PERSONAL = frozenset({"name", "phone", "email", "address", "age", "birth_date"})
"""What everyone has and knows, and may keep to itself."""


class AgendaAnswers(Objections):
    """One turn of the user that answers questions."""

    def answers(self, reply: str = "") -> list[Line]:
        """Return distinct answers to the questions in a reply, the last one by default; "not sure" only alone."""
        text = reply or self.state.last_reply or ""
        if chosen := self.from_menu(text):
            return [chosen]
        own = tuple(self.case.goals[at].text for at in self._goals_in_order())
        hints = (*hints_of(self.case), *hints_about(self.case, text, own))
        asked = questions(text, variables=self.speakable(), hints=hints, book=self.understood)
        found = [answer for question in asked if (answer := self.answer(question))]
        busy = [each for each in found if any(said.act != "remark" or said.slots for said in each.meant)]
        return list({_subject(answer): answer for answer in reversed(busy or found[:1])}.values())[::-1]

    def _goals_in_order(self) -> list[int]:
        """Return the goals that were spoken of, the latest last."""
        return [each.goal for acts in self.state.acts for each in acts if each.goal is not None]

    def speakable(self) -> dict[str, Json]:
        """Return the variables that the user may say when it is asked for them."""
        declared = {name for goal in self.case.goals for name in goal.variables}
        return {
            name: value
            for name, value in self.case.variables.items()
            if name in declared or (name not in self.sheet.hidden and name.upper() not in _ABOUT_THE_CASE)
        }

    def answer(self, question: ChatbotQuestion) -> Line:
        at = self.state.last_goal
        wish = self.with_day(question.text) or recipient(question, "" if at is None else self.case.goals[at].text)
        known = wish or known_facts(question, self.sheet, self.book)
        if known or self.asks_what(question.text):
            again = self.state.repeats >= _BARELY and {each.act for each in self.state.last} == {"value"}
            return (bare(known) if again else known) or self.set_right()
        if question.kind is Kind.MORE:
            return self.next_wish() or self.that_is_all()
        if question.kind is Kind.CONFIRM or (question.kind is Kind.HINTED and self.confirms_hint(question)):
            return self.objection() or self.consent(question.text)
        if self.state.repeats > self.patience:  # asked as often as the user bears
            return SILENT
        match question.kind:
            case Kind.HINTED:
                return self.hinted(question)
            case Kind.VARIABLE:
                known = self.wanted_option(question) or self.narrower(question) or self.lacking(question)
                return known or self.state_values(question)
            case Kind.HOW_MANY:
                return self.how_many(question)
            case Kind.OFFER:
                wish = self.wanted_option(question) or self.related(question)
                return wish or self.to_offer(question) or self.offered(question)
            case _:
                return self.other(question)

    def other(self, question: ChatbotQuestion) -> Line:
        """Return the answer to a question that no value of the user's answers."""
        if self.declined(question.text, self.state.last_reply or ""):
            return self.next_wish() if _OPENS.search(fold(question.text)) else self.refusal()
        if asks_availability(question.text) and not is_open_question(question.text):
            return self.objection() or self.consent(question.text)
        return (
            self.wanted_option(question)
            or self.rest_of_list(question.text)
            or self.detail(question)
            or self.related(question)
            or self.named_before(question)
            or self.to_offer(question)
            or self.unsure(question, about_user=True)
            or self.unasked(question)
            or self.unsaid(question)
            or self.choose(question)
            or self.unknown(question)
            or self.insist(question)
        )

    def hinted(self, question: ChatbotQuestion) -> Line:
        """Return the author's answer, or an option that names it: "whole milk" for "milk"."""
        (answer,) = question.variables
        known, said = answer in self.case.variables, self.declared_answer(question)
        if narrower := _narrower(question.options, said):
            return self._chosen(question, self.any(narrower))
        same = (answer,) if known else [name for name in self.speakable() if self.known(name) == (said,)]
        slots = self.slots(same) or {ANSWER: said}
        times = sum(each.slots == slots for acts in self.state.acts for each in acts)
        bears = 0 if self.is_refused(said) else self.patience + len(self.case.goals)
        return SILENT if times > bears else line("value", said, self.state.last_goal, slots)

    def declared_answer(self, question: ChatbotQuestion) -> str:
        (answer,) = question.variables
        return self.value(answer) if answer in self.case.variables else answer

    def confirms_hint(self, question: ChatbotQuestion) -> bool:
        """Return True if a question asks to agree to what the author's answer says, or does so again after it."""
        said = self.declared_answer(question)
        again = self.state.repeats > 0 and not starts_with_yes_or_no(said)
        return asks_agreement(self.case, question.text) and (again or says_already(question.text, said))

    def narrower(self, question: ChatbotQuestion) -> Line:
        """Return any option that is a kind of the value asked for: "oat milk" for "milk"."""
        value = self.value(question.variables[0]) if len(question.variables) == 1 else ""
        found = _narrower(question.options or _kinds_of(value, question.before), value) if value else ()
        return self._chosen(question, self.any(found)) if len(found) > 1 else SILENT

    def lacking(self, question: ChatbotQuestion) -> Line:
        """Return that the user has no more, if a question names all values and asks for more."""
        values = [value for name in question.variables for value in self.known(name)]
        more = asked_slots(question.text, self.sheet.facts).missing and not question.options
        return self.unknown(question) if more and all(mentions(question.text, each) for each in values) else SILENT

    def how_many(self, question: ChatbotQuestion) -> Line:
        if numbers := " ".join(self.value(name) for name in question.variables):
            return line("value", numbers, None, self.slots(question.variables))
        return (
            self.counted(question)
            or self.related(question)
            or self.only_number()
            or line("value", self.any(self.book.one), self.state.last_goal)
        )

    def only_number(self) -> Line:
        """Return the only whole number that the user knows, which may be the answer under another name."""
        numbers = [name for name, value in self.speakable().items() if type(value) is int]
        return line("value", self.value(numbers[0]), None, self.slots(numbers)) if len(numbers) == 1 else SILENT

    def counted(self, question: ChatbotQuestion) -> Line:
        """Return the number of a thing that the question names, if one goal that was brought up counts it.

        A question that names another word of a goal, or no thing at all, is about all that the goal counts.
        """
        about = stems(question.text)
        for at, goal in enumerate(self.case.goals):
            bare = at == self.state.last_goal and about <= _COUNTING
            whole = bare or not about.isdisjoint(stems(goal.text))
            things = counts(goal.text).items()
            found = {number for thing, numbers in things if thing in about or whole for number in numbers}
            if self.attempts(at) and len(found) == 1:
                said = f"{found.pop():g}"
                return line("value", said, at, {name: said for name in goal.variables if self.known(name) == (said,)})
        return SILENT

    def state_values(self, question: ChatbotQuestion) -> Line:
        """Return the variables asked for: within the whole goal the first time, then as bare values."""
        asked = self._declared(question.variables)
        goals = [at for at, goal in enumerate(self.case.goals) if asked.intersection(goal.variables)]
        known = bool(goals) and all(self.state.slot(name).said for name in asked)
        if known and self.settled.issuperset(goals) and self._declinable(question):
            return self.refusal()
        if fresh := [at for at in goals if at not in self.settled and not self.attempts(at)]:
            return joined(map(self.wish, fresh[:1] if has_style(self.case, SINGLE_QUESTION) else fresh))
        if goals and self.state.repeats >= _WHOLE_WISH and goals[0] not in self.settled:
            return self.wish(goals[0])
        names = [name for name in question.variables if name in asked]
        if len(names) == 1 and (one := self.one_of_list(names[0], f"{question.before} {question.text}")):
            return one
        values = f" {self.book.and_} ".join(filter(None, map(self.value, names)))
        said = max((self.state.slot(name).said for name in names), default=0)
        frames = self.book.value[:1] if self.state.repeats >= _BARELY else self.book.value
        words = frames[said % len(frames)].format(values) if values else ""
        words = capital(words) if _PLAIN_WORDS.fullmatch(values) and values.islower() else words
        return line("value", words, goals[0] if goals else None, self.slots(names))

    def _declinable(self, question: ChatbotQuestion) -> bool:
        """Return True if no answers a question, as it does an offer."""
        return bool(self.understood.offer.search(fold(question.text))) and not is_open_question(question.text)

    def _declared(self, names: tuple[str, ...]) -> set[str]:
        """Return those of the variables that goals use; without any, all."""
        used = {name for goal in self.case.goals for name in goal.variables}
        return used.intersection(names) or set(names)

    def related(self, question: ChatbotQuestion) -> Line:
        """Return an open goal that the question is about, or an empty line."""
        about = stems(_OFFERED_ACT.sub("", fold(question.text)))
        alike = {at: share(about, stems(self.case.goals[at].text)) for at in self.open_goals() if not self.attempts(at)}
        best = max(alike, key=lambda at: alike[at], default=None)
        return self.wish(best) if best is not None and alike[best] else SILENT

    def wanted_option(self, question: ChatbotQuestion) -> Line:
        """Return the option that a goal names, if exactly one of those offered is."""
        if len(question.options) < 2:
            return SILENT
        last = self.state.last_goal
        known = last is not None and names_goal(self.case, last, question.text)
        goals = [at for at in range(len(self.case.goals)) if self.attempts(at) or not (known or at in self.settled)]
        for at in sorted(goals, key=lambda at: at != last):
            wanted = [each for each in question.options if mentions(self.case.goals[at].text, each)]
            if len(wanted) == 1:
                return self._chosen(question, wanted[0], at) if self.attempts(at) else self.wish(at)
        return SILENT

    def named_before(self, question: ChatbotQuestion) -> Line:
        """Return the value that the statement before the question names: "We have A and B. Which one?"."""
        at = self.state.last_goal
        if at is None or not (_WHICH.search(fold(question.text)) and f" {self.understood.and_} " in question.before):
            return SILENT
        names = [name for name in self.case.goals[at].variables if mentions(question.before, self.value(name))]
        return line("value", self.value(names[0]), at, self.slots(names)) if len(names) == 1 else SILENT

    def detail(self, question: ChatbotQuestion) -> Line:
        """Return a random option about a goal that was brought up, if the case leaves it open."""
        about = stems(question.text)
        goals = enumerate(self.case.goals)
        asked = any(goal.answers and stems(goal.text) & about and self.attempts(at) for at, goal in goals)
        return self.choose(question) if asked else SILENT

    def offered(self, question: ChatbotQuestion) -> Line:
        """Return any option for something the user asked for, else a no."""
        plain = fold(question.text)
        open_to_it = (self.state.turns and _ABOUT_IT.search(plain)) or _PREFERS.search(plain)
        chosen = self.choose(question) if open_to_it else self.detail(question)
        if not chosen and _PREFERS.search(plain) and self.understood.options.search(plain):
            return self.phrase("remark", self.book.any_will_do)
        return chosen or self.refusal()

    def to_offer(self, question: ChatbotQuestion) -> Line:
        """Return a yes to an offer to do what the user wants, and a no to any other."""
        plain = fold(question.text)
        offers = offers_to_act(question.text) or self.names_last(question.text)
        if self.state.last_goal is None or not offers or is_open_question(question.text) or _TAKES.search(plain):
            return SILENT
        wanted = _ABOUT_IT.search(plain) or touches(self.case, question.text, (self.state.last_goal,))
        return self.objection() or self.agreement() if wanted else self.refusal()

    def unasked(self, question: ChatbotQuestion) -> Line:
        """Return the next goal, unless the question offers options about the one that was brought up."""
        at = self.open_goal()
        if at is None or self.case.goals[at].output or self.attempts(at):
            return SILENT
        about_user = _asks_of(_YOURS, question.text) or asked_slots(question.text, ())
        about_last = question.options or has_known_kind(question.text) or about_user
        return SILENT if about_last and self.state.last_goal is not None else self.wish(at)

    def unsaid(self, question: ChatbotQuestion) -> Line:
        """Return a value of a goal that was not said yet, unless the question is about something else."""
        if is_yes_or_no_question(question.text) or has_known_kind(question.text) or question.options:
            return SILENT
        names = [name for goal in self.case.goals for name in goal.variables]
        name = next((each for each in names if self.value(each) and not self.state.slot(each).said), None)
        return SILENT if name is None else line("value", self.value(name), None, self.slots((name,)))

    def choose(self, question: ChatbotQuestion) -> Line:
        """Return a random option, unless all are other values than the user wants: then what it wants.

        A flexible user takes one of these instead.
        """
        if not question.options:
            return SILENT
        option, (at, name) = self.any(question.options), self.replaced_by(question.options)
        if not name:
            return self._chosen(question, option)
        if takes_alternatives(self.sheet):
            return line("alternative", self.any(self.book.instead).format(option), at, {name: option})
        return line("correction", self.any(self.book.misheard).format(self.value(name)), at, self.slots((name,)))

    def _chosen(self, question: ChatbotQuestion, option: str, goal: int | None = None) -> Line:
        """Return an option, with a please if it is one of things that are offered."""
        wants = self.understood.offer.search(fold(question.text)) or not is_yes_or_no_question(question.text)
        words = self.any(self.book.value if wants else self.book.value[:1]).format(option)
        goal = self.state.last_goal if goal is None else goal
        return line("value", capital(words) if option.islower() else words, goal, {OFFERED: option})

    def unknown(self, question: ChatbotQuestion) -> Line:
        """Return that the user does not have or know the answer, twice at most."""
        said = self.state.count("unknown")
        about_user = _asks_of(_YOURS, question.text) or _asks_of(_YOU, question.text)
        asks = about_user or has_known_kind(question.text) or asked_slots(question.text, ())
        if not asks or said >= _MAX_UNKNOWN or not self.state.turns:
            return SILENT
        has_not, knows_not, keeps = self.book.unknown
        if missing := asked_slots(question.text, ()).missing:
            return line("unknown", keeps if _PERSONAL.issuperset(missing) else knows_not if said else has_not)
        return line("unknown", knows_not) if is_open_question(question.text) else self.unsure(question)

    def unsure(self, question: ChatbotQuestion, *, about_user: bool = False) -> Line:
        """Return that the user does not know or have it; with `about_user`, only to a question about the user."""
        plain, said = fold(question.text), self.remarks()
        if said >= _MAX_UNSURE or not self.state.turns:
            return SILENT
        is_open = is_open_question(question.text)
        is_about_user = (_HAVE.search(plain) or _ABOUT_USER.search(plain)) and not _OPENS.search(plain)
        if about_user and (question.options or is_open or not is_about_user):
            return SILENT
        none = f"{self.book.no[0].partition(',')[0]}."
        return line(
            "remark", none if _HAVE.search(plain) and not is_open else self.book.unsure[said % len(self.book.unsure)]
        )

    def remarks(self) -> int:
        """Return how often the user had nothing to say to a question."""
        return sum(each.act == "remark" and not each.slots for acts in self.state.acts for each in acts)

    def that_is_all(self) -> Line:
        done = self.state.count("that_is_all") >= _MAX_NOTHING_NEW
        return SILENT if done else self.phrase("that_is_all", self.book.that_is_all)

    def insist(self, question: ChatbotQuestion) -> Line:
        """Return that the user has no preference, or knows no answer; the next goal if that is no answer."""
        if _OPENS.search(fold(question.text)) or self.remarks() >= _MAX_NOTHING_NEW:
            return self.next_wish()
        plain = fold(question.text)
        chooses = _PREFERS.search(plain) or self.understood.offer.search(plain)
        return self.phrase("remark", self.book.any_will_do) if chooses else self.unsure(question)


def _narrower(options: tuple[str, ...], said: str) -> tuple[str, ...]:
    """Return the options that say the same as an answer, or more; none if it names one of them."""
    if any(mentions(said, each) for each in options) or is_denial(said):
        return ()
    found = [each for each in options if mentions(each, said) or fold(each).startswith(fold(said))]
    return tuple(found or [each for each in options if stems(said) & stems(each)])


def _kinds_of(value: str, text: str) -> tuple[str, ...]:
    """Return the kinds of a thing that a text lists: "whole milk and oat milk"."""
    found = re.findall(rf"[^\W\d_]+ {re.escape(value)}\b", text, re.IGNORECASE)
    return tuple(each for each in found if not is_stop_word(fold(each.split()[0])))


def _subject(answer: Line) -> object:
    """Return what must not be said twice in a message: the same wish in any words, or the same words."""
    wished = all(each.act in ASKING for each in answer.meant)
    return tuple(each.goal for each in answer.meant) if wished else answer.text


def _asks_of(words: TextPattern, question: str) -> bool:
    """Return True if a question has words for the user, and does not leave the next step to it."""
    plain = fold(question)
    return words.search(plain) is not None and not _OPENS.search(plain)
