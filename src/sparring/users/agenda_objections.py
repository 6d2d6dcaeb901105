"""Objections of the agenda user to what a chatbot confirms: wrong, extra and missing things."""

from collections.abc import Iterator

from sparring.core.case import Goal
from sparring.extraction import typed_values
from sparring.extraction.acts import Act, asserts, wanted_act
from sparring.extraction.answer_kinds import names_other_value
from sparring.extraction.goals import values_of
from sparring.extraction.numbers import number
from sparring.extraction.pending import asks_agreement
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.questions import contradicts_goal
from sparring.extraction.speech_acts import is_agreement, is_denial, is_open_question, offered_instead, refuses_value
from sparring.extraction.tokens import NUMBERS, cached, fold, mentions, pattern, sentences, share, stems, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.users.agenda_state import GoalState, names, names_goal
from sparring.users.agenda_wishes import Wishes
from sparring.users.changes import with_counted_thing
from sparring.users.lines import SILENT, Line, line
from sparring.users.manners import takes_alternatives
from sparring.users.sentences import goal_sentence, is_statement

_WORDS = words_of_module(__name__)

_WHOLE = pattern(_WORDS["whole"])
"""Words of a question that is about the order as a whole."""

_SUMS_UP = pattern(_WORDS["sums_up"])
"""Words of a reply that lists a whole order."""

_ASKS_WHAT = pattern(_WORDS["asks_what"])

_REMOVES = pattern(r"(?:remov|take off|drop|leave out|quit|убра|убер|вычерк)")

_MOST_WORDS = 0.6
"""Share of a question's words that are the wish's: "Would you like garlic bread with your pizza?" has fewer."""

_MIN_WORD = 4
"""Minimum length of a value that is never something else in passing."""


class Objections(Wishes):
    """One turn of the user that checks what it is asked to confirm."""

    def objection(self) -> Line:
        """Return a correction if the last reply confirms what the user does not want; else nothing."""
        reply = self.state.last_reply or ""
        return (
            self.too_expensive(reply)
            or self.wrong_value(reply)
            or self.wrong_goal(reply)
            or self.not_wanted(reply)
            or self.missing(reply)
        )

    def asks_what(self, question: str) -> bool:
        """Return True if a question is for what the chatbot got wrong, or has to change."""
        return self.state.turns > 0 and _ASKS_WHAT.search(fold(question)) is not None

    def set_right(self) -> Line:
        """Return what the chatbot has to change: the value that was corrected last, else what it got wrong."""
        acts = reversed([each for acts in self.state.acts for each in acts])
        last = next((each for each in acts if each.act in ("change", "correction") and each.slots), None)
        if last is not None:
            said = [with_counted_thing(self.state, last.goal, *each, self.book) for each in last.slots.items()]
            return line("value", self.any(self.book.value).format(", ".join(said)), last.goal, last.slots)
        at = self.state.last_goal
        return self.objection() or (SILENT if at is None or at in self.settled else self.wish(at))

    def refusal(self) -> Line:
        """Return a no."""
        return self.phrase("no", self.book.no)

    def is_refused(self, value: str) -> bool:
        return refuses_value(self.state.last_reply or "", value)

    def consent(self, question: str) -> Line:
        """Return a yes, or a no to an offer that the user does not take."""
        another = not takes_alternatives(self.sheet) and self._offers_another(question)
        return self.refusal() if another or self.declined(question, question) else self.agreement()

    def declined(self, question: str, offer: str) -> bool:
        """Return True if an offer is in place of a refused wish, and the user takes none.

        Without one, a question to agree is about it if the user has no other wish.
        """
        reply = self.state.last_reply or ""
        denied = (at for at, plan in enumerate(self.state.goals) if plan.state is GoalState.DENIED)
        about = [at for at in denied if at == self.state.last_goal or names_goal(self.case, at, reply)]
        wanted = [at for at, _ in self._asked()]
        if (
            not about
            or takes_alternatives(self.sheet)
            or any(names_goal(self.case, at, question) for at in about + wanted)
        ):
            return False
        return bool(offered_instead(offer)) or next(self._asked(), None) is None

    def names_last(self, question: str) -> bool:
        """Return True if a question has the words of the last wish, and hardly any other."""
        at, asked = self.state.last_goal, stems(question)
        wish = stems(self.case.goals[at].text) if at is not None else frozenset[str]()
        return bool(wish) and wish <= asked and share(asked, wish) > _MOST_WORDS

    def _offers_another(self, question: str) -> bool:
        """Return True if what a question asks to take has another value than the user said.

        It is named in the question, or else in the last sentence before it that names values of the wish.
        """
        before = [each.text for each in sentences((self.state.last_reply or "").partition(question)[0])]
        wishes = [(goal, name) for _, goal in self._asked() for name in goal.variables if self.state.slot(name).said]
        for text in (question, *reversed(before)):
            right = [name for _, name in wishes if names(text, self.state.slot(name).value)]
            wrong = [name for goal, name in wishes if self._other_value(goal, name, self.state.slot(name).value, text)]
            if right or wrong:
                return bool(set(wrong) - set(right))
        return False

    def misstatement(self) -> Line:
        """Return a correction if a statement of the last reply takes over a wrong value; else an empty line."""
        taken = [
            each.text for each in sentences(self.state.last_reply or "") if is_agreement(each.text) and not each.asks
        ]
        return next((wrong for text in taken if asserts(text) for wrong in [self.wrong_value(text)] if wrong), SILENT)

    def too_expensive(self, reply: str) -> Line:
        budget = next((limit for text in self.sheet.values("budget") for limit in _amounts(text)), None)
        if budget is None or all(amount <= budget for amount in _amounts(reply)):
            return SILENT
        return line("no", self.any(self.book.too_expensive), self.state.last_goal)

    def wrong_value(self, reply: str) -> Line:
        """Return the right value of a variable for which the chatbot names another one."""
        for at, goal in self._asked():
            for name in goal.variables:
                slot = self.state.slot(name)
                if slot.said and not names(reply, slot.value) and self._other_value(goal, name, slot.value, reply):
                    said = self._with_name(name, self.value(name), reply)
                    return line("correction", self.any(self.book.misheard).format(said), at, self.slots((name,)))
            counted = self._miscounted(goal, reply)
            if counted:
                return line("correction", self.any(self.book.misheard).format(counted), at, self.slots(goal.variables))
        return SILENT

    def wrong_goal(self, reply: str) -> Line:
        """Return a goal again, or no if it is done, if the chatbot confirms something else."""
        wrong = contradicts_goal(self.case, tuple(self._named()), reply, self.understood)
        at = next((at for at, goal in self._asked() if goal.text == wrong), None)
        if at in self.settled:
            return self.refusal()
        return SILENT if at is None else self._again(at)

    def not_wanted(self, reply: str) -> Line:
        """Return a rejection of another value of a variable that the chatbot puts into a whole order."""
        if self.state.count("change"):
            return SILENT
        wanted = " ".join((*self._named(), *self._all_values()))
        for goal in self.case.goals:
            for others in goal.others.values():
                extra = [each for each in others if len(each) >= _MIN_WORD and mentions(reply, each)]
                extra = [each for each in extra if not mentions(wanted, each) and _lists(reply, each)]
                if extra:
                    return line("correction", self.any(self.book.not_wanted).format(extra[0]), None, {})
        return SILENT

    def missing(self, reply: str) -> Line:
        """Return a wish that the chatbot leaves out of an order that it asks to confirm as a whole."""
        asking = [each.text for each in sentences(reply) if each.asks and asks_agreement(self.case, each.text)]
        if not any(_WHOLE.search(fold(each)) for each in asking):
            return SILENT
        sums_up = _SUMS_UP.search(fold(reply)) is not None
        for at, goal in self._asked():
            known = names_goal(self.case, at, reply) or (self.state.goals[at].echoed and not sums_up)
            if not known and _adds(goal) and not is_statement(goal.text) and not self._taken_back(goal):
                return self._again(at)
        return SILENT

    def _again(self, at: int) -> Line:
        said = goal_sentence(self.case.goals[at].text, self.book, self.random)
        slots = self.slots(self.case.goals[at].variables)
        return line("correction", self.any(self.book.wrong).format(said), at, slots)

    def _asked(self) -> Iterator[tuple[int, Goal]]:
        """Yield the wishes that were brought up and are still wanted."""
        for at, (goal, plan) in enumerate(zip(self.case.goals, self.state.goals, strict=True)):
            if plan.state is GoalState.ASKED and not goal.output and not asks_information(goal.text):
                yield at, goal

    def _named(self) -> Iterator[str]:
        return (goal.text for _, goal in self._asked())

    def _all_values(self) -> list[str]:
        return [value for goal in self.case.goals for value in values_of(goal, self.case.variables)]

    def _taken_back(self, goal: Goal) -> bool:
        """Return True if a later goal takes a goal back or changes it."""
        about = stems(goal.text)
        return any(
            _takes_back(other) and bool(about & stems(other.text)) for other in self.case.goals if other is not goal
        )

    def _other_value(self, goal: Goal, name: str, value: str, reply: str) -> bool:
        """Return True if a reply names another value for a variable, which no goal of the case has."""
        right = [each for each in self._all_values() if each != value]
        if any(names(reply, each) and _alike(goal, name, value, each) for each in right):
            return False
        others = [each for each in goal.others.get(name, ()) if mentions(reply, each)]
        return names_other_value(value, reply) or len(others) == 1

    def replaced_by(self, options: tuple[str, ...]) -> tuple[int | None, str]:
        """Return a wish and its variable that was said, and of which all options are other values."""
        for at, goal in self._asked():
            for name in goal.variables:
                value = self.value(name)
                if self.state.slot(name).said and all(self._other_value(goal, name, value, each) for each in options):
                    return at, name
        return None, ""

    def _miscounted(self, goal: Goal, reply: str) -> str:
        """Return the right number of a counted thing if the chatbot names another number."""
        said = counts(reply)
        for thing, numbers in counts(goal.text).items():
            right = {each for other in self.case.goals for each in counts(other.text).get(thing, ())}
            if thing in said and not said[thing] & right:
                return f"{min(numbers):g} {_word(goal.text, thing)}"
        return ""

    def _with_name(self, name: str, value: str, reply: str) -> str:
        """Return a value together with the name of its variable, if the chatbot uses it, too."""
        words = name.replace("_", " ").lower()
        return f"{words} {value}" if stems(words) and stems(words) <= stems(reply) else value


def _adds(goal: Goal) -> bool:
    """Return True if a goal adds something to an order."""
    return wanted_act(goal.text) in (None, Act.PLACE) and not _takes_back(goal)


def _takes_back(goal: Goal) -> bool:
    """Return True if a goal removes or changes something that was ordered before."""
    said = fold(goal.text)
    return wanted_act(goal.text) in (Act.CANCEL, Act.CHANGE, Act.RETURN) or _REMOVES.search(said) is not None


def _alike(goal: Goal, name: str, value: str, other: str) -> bool:
    """Return True if another value of the case may stand where a value is expected."""
    return names_other_value(value, other) or other in goal.others.get(name, ())


def _lists(reply: str, value: str) -> bool:
    """Return True if a reply names a value in a statement or a confirmation, not as an offer or a refusal."""
    said = [each for each in sentences(reply) if mentions(each.text, value)]
    return all(asserts(each.text) and not is_denial(each.text) and not is_open_question(each.text) for each in said)


def _amounts(text: str) -> list[float]:
    found = (number(str(each.value)) for each in typed_values.find("money", text))
    return [float(amount) for amount in found if amount is not None]


@cached
def counts(text: str) -> dict[str, set[float]]:
    """Return the numbers that stand before a word, by the stem of the word: 2 for `box` in "2 boxes"."""
    for day in reversed(typed_values.find("date", text)):  # "1 March" counts nothing
        text = f"{text[: day.start]} {text[day.end :]}"
    words, found = tokens(text), dict[str, set[float]]()
    for at, word in enumerate(words[:-1]):
        amount = NUMBERS.get(word) or (int(word) if word.isdecimal() and len(word) < _MIN_WORD else None)
        thing = next(iter(stems(words[at + 1])), "")
        if amount and len(words[at + 1]) >= _MIN_WORD and thing and not thing.isdigit():
            found.setdefault(thing, set()).add(float(amount))
    return found


def _word(text: str, stem: str) -> str:
    return next((word for word in text.replace(",", " ").split() if stem in stems(word)), "")
