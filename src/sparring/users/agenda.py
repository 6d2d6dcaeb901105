"""User without a model: it pursues its goals turn by turn and answers questions by patterns.

Its messages follow from the conversation alone. After a fallback it rephrases the goal, then tries another one. It
accepts refusals, objects to what it did not order, and leaves when nothing is left to say.
"""

import re

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message, UserAct, message_of_parts, text_part
from sparring.core.seeding import random_for
from sparring.extraction import typed_values
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.pending import pending_confirmation
from sparring.extraction.speech_acts import (
    asks_to_try_again,
    domain_of,
    gives_reason,
    hands_over,
    is_farewell,
    only_waits,
)
from sparring.extraction.tokens import fold, mentions
from sparring.llm.plugin_context import PluginContext
from sparring.users.agenda_answers import AgendaAnswers
from sparring.users.agenda_state import ASKING, AgendaState, Following
from sparring.users.changes import Changing
from sparring.users.lines import SILENT, Line, joined, line
from sparring.users.manners import ASIDE, WHY_NEEDED, Moment, takes_alternatives, with_manners
from sparring.users.styles import ALL_QUESTIONS, LONG_PHRASES, SINGLE_QUESTION, apply_styles, has_style
from sparring.users.user import BaseUser, User, plain_phrasebook
from sparring.users.warnings import style_warnings, unread_warnings

_MAX_CORRECTIONS = 2
"""Maximum number of corrections before the user leaves."""

_REPLIES_BORNE = 2
"""Fallbacks, or repetitions of one reply, that a user without patience bears in a row."""

_FALLBACKS_BEFORE_NEXT_GOAL = 3
"""Consecutive fallbacks after which the user tries another goal."""

_NO_ARTICLE = re.compile(r"\bno (?:the|an?|my|our|some|\d+) ", re.IGNORECASE)

_ANSWERS: frozenset[UserAct] = frozenset({"value", "yes", "correction"})
"""Acts of answers that the user repeats if the chatbot did not understand them and asks the same again."""


_SHORT: tuple[set[UserAct], ...] = ({"yes"}, {"no"})
"""Acts of messages without styles: a chatbot that misreads them does what the user does not want."""


def create(argument: str, context: PluginContext) -> User:
    """Return the plug-in `agenda`."""
    if argument:
        raise InputError(f"agenda takes no argument, got {argument!r}", hint="--user agenda")
    return Agenda()


class Agenda(BaseUser):
    """A seeded user that pursues its goals: the same conversation gets the same message."""

    def __init__(self) -> None:
        self._following = Following()

    async def speak(self, conversation: Conversation) -> Message | None:
        return _Turn(conversation, self._following.state(conversation)).speak()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return (*style_warnings(case), *unread_warnings(case))


class _Turn(AgendaAnswers):
    """One turn of the user: its reaction to the last reply, its next wish, or its farewell."""

    def __init__(self, conversation: Conversation, state: AgendaState) -> None:
        super().__init__(conversation, state)
        self.changing = Changing(conversation, state, plain_phrasebook(self.case, state.last_reply or ""), self.random)
        self.pending = pending_confirmation(conversation) is not None
        new = conversation.messages[len(self.case.history) :]
        self.replies = [said.text for said in new if said.role == "chatbot"]

    def speak(self) -> Message | None:
        if self.state.left and (self.has_refused or not (self.pending or self.proposed)):
            return None
        if self.state.last_reply and self.state.turns and hands_over(self.state.last_reply):
            return self.say(self.phrase("farewell", self.book.handed_over), ends=True)
        if self.is_worn_out():
            return self.leave()
        said = self.changing.due() or self.changing.before(self.reaction() or self.next_wish())
        if said and not self.corrections_failed(said):
            return self.say(said)
        return self.leave(refuses=bool(said))

    def say(self, said: Line, *, ends: bool = False) -> Message:
        acts = {each.act for each in said.meant}
        again = any(each.act in ASKING and each.goal is not None and self.attempts(each.goal) for each in said.meant)
        hasty = self.case.limits.fallbacks == 1  # who leaves at the first misunderstanding must not cause it
        careful = again or hasty or self.state.writes_plainly or "correction" in acts or acts in _SHORT
        if self.sheet.manners:
            said = with_manners(said, self.sheet, self.book, self.moment())
        turn, exact = self.state.turns, "change" in acts
        text = apply_styles(said, self.case, self.book, self.random, turn=turn, carefully=careful, exact=exact)
        return message_of_parts("user", (text_part(text),), ends=ends).changed(meant=said.meant)

    def moment(self) -> Moment:
        return Moment(
            random=random_for(self.case, "user", "manners", self.state.turns),
            replies=self.replies,
            acts=self.state.acts,
            answered=self.answered,
            turns_left=self.changing.turns_left,
            careful=self.state.fallbacks > 0,
            long_phrases=has_style(self.case, LONG_PHRASES),
            fallbacks_allowed=self.case.limits.fallbacks,
        )

    def leave(self, *, refuses: bool = False) -> Message | None:
        """Say goodbye, once; with a last no to what is still wrong."""
        if self.state.left:
            return None
        bye = self.phrase("farewell", self.book.goodbye)
        no = line("no", self.any(self.book.wrong).format("").strip()) if refuses else SILENT
        return self.say(no + bye, ends=True)

    @property
    def has_refused(self) -> bool:
        """True if the user took leave with a no."""
        return {"no", "farewell"} <= {each.act for each in self.state.last}

    def is_worn_out(self) -> bool:
        """Return True if the chatbot fails to understand, or says the same, for longer than the user bears."""
        bears = self.patience + _REPLIES_BORNE
        declined = all(each.act == "no" for acts in self.state.acts[-2:] for each in acts)
        same = 2 if declined and self.state.turns > 1 else bears
        if self.state.fallbacks >= bears or (len(self.replies) > same and len({*self.replies[-same - 1 :]}) == 1):
            return True
        return self.replies.count(self.state.last_reply or "") > bears + len(self.case.goals)

    def corrections_failed(self, said: Line) -> bool:
        """Return True if `said` would correct the chatbot once more than the user bears."""
        corrects = any(each.act == "correction" for each in said.meant)
        return corrects and self.state.count("correction") >= _MAX_CORRECTIONS

    def reaction(self) -> Line:
        """Return the answer to the last reply; an empty line if it leaves the next step to the user."""
        if self.state.last_reply is None:
            return self.everything() if has_style(self.case, ALL_QUESTIONS) else SILENT
        if self.state.fallbacks:
            return self.rephrase()
        thwarted = self.thwarted(self.state.last_reply)
        if thwarted:
            return thwarted
        answers = self.answers()
        if not any(each.act in _ANSWERS for answer in answers for each in answer.meant):
            answers = self.withheld() or answers
        if not answers and self.state.turns:
            answers = [each for each in (self.misstatement(),) if each]
        if not answers and (self.proposed or self.pending) and not is_farewell(self.state.last_reply):
            return self.objection() or self.agreement()
        return joined(answers[:1] if has_style(self.case, SINGLE_QUESTION) else answers)

    def withheld(self) -> list[Line]:
        """Return what the user was asked for before it asked what that is needed for."""
        asked_back = any(each.slots.get(ASIDE) == WHY_NEEDED for each in self.state.last)
        return self.answers(self.replies[-2]) if asked_back and len(self.replies) > 1 else []

    # What thwarts a wish

    def thwarted(self, reply: str) -> Line:
        """Return the reaction to a reply that puts off, refuses or cannot do what the user wants."""
        if not self.state.turns:
            return SILENT
        last = self.state.last_goal
        if only_waits(reply) and last is not None:
            if asks_to_try_again(reply) or any(each.act == "wait" for each in self.state.last):
                again = last not in self.settled and not self.is_given_up(last)
                return self.wish(last) if again else self.next_wish()
            return self.phrase("wait", self.book.wait, last)
        if self.state.foreign == 1 and last is not None and domain_of(reply):
            able = self.any(self.book.able).format(_topic(self.case.goals[last].text))
            return line("question", able, None, {ASIDE: "able"})
        return self.refused(reply) if self.state.refused else SILENT

    def refused(self, reply: str) -> Line:
        """Return what the user says to a refusal: it takes or declines what is offered instead, or asks why."""
        at = self.state.refused[-1]
        name, taken = self.alternative(at)
        if taken:
            return line("alternative", self.any(self.book.instead).format(taken), at, {name: taken})
        if self.state.instead:
            what = self.refused_value(at, reply)
            if self.book.statement.match(fold(what)) or weekdays(what) or typed_values.find("time", what):
                return self.refusal() + self.next_wish()
            said = _NO_ARTICLE.sub("no ", self.any(self.book.without).format(what))
            return line("no", said, at) + self.next_wish()
        if (
            self.moment().made("why_not")
            or "?" in reply
            or gives_reason(reply)
            or self.sheet.has_manner("terse")
            or not self.patience
        ):
            return SILENT
        return line("question", self.any(self.book.why), None, {ASIDE: "why_not"})

    def alternative(self, at: int) -> tuple[str, str]:
        """Return the variable and the value that the user takes instead; empty if it takes none.

        It takes the next value of `otherwise`, those on offer first, and a flexible user what is offered.
        """
        goal, offers = self.case.goals[at], self.state.instead
        tried = {
            value
            for acts in self.state.acts
            for each in acts
            if each.act == "alternative"
            for value in each.slots.values()
        }
        left = [each for each in goal.otherwise if each not in tried and not self.is_refused(each)]
        for value in sorted(left, key=lambda each: not any(mentions(offer, each) for offer in offers)):
            return self.replaced(goal, value), value
        if not takes_alternatives(self.sheet):
            return "", ""
        for name in goal.variables:
            listed = goal.others.get(name, ())
            for offer in offers:
                if not listed or any(mentions(offer, other) for other in listed):
                    return name, offer
        return (goal.text, offers[0]) if offers and not goal.variables else ("", "")

    def replaced(self, goal: Goal, value: str) -> str:
        """Return the variable for which a value stands; the text of a goal without variables."""
        listed = [name for name in goal.variables if value in goal.others.get(name, ())]
        named = [name for name in goal.variables if any(map(self.is_refused, self.known(name)))]
        return next(iter((*listed, *named, *goal.variables)), goal.text)

    def refused_value(self, at: int, reply: str) -> str:
        """Return the value of a goal that a reply refuses; the whole goal if it names none."""
        goal = self.case.goals[at]
        values = (text for name in goal.variables for text in self.known(name))
        return next((value for value in values if mentions(reply, value)), _topic(goal.text))

    def rephrase(self) -> Line:
        """Return the last answer or goal in other words; another goal if that did not help."""
        acts = {each.act for each in self.state.last}
        aside = acts and all(ASIDE in each.slots for each in self.state.last)
        if aside and (answers := self.withheld() or self.answers()):
            return joined(answers)
        if acts & _ANSWERS and self.state.fallbacks < _FALLBACKS_BEFORE_NEXT_GOAL:
            again = [each for each in self.answers() if each.meant[0].act in acts]
            if again or self.repeated():
                return again[-1] if again else self.repeated()
        last = self.state.last_goal
        another = self.state.fallbacks >= _FALLBACKS_BEFORE_NEXT_GOAL or last is None
        at = self.open_goal(besides=last) if another else None
        if at is None and last is not None and last not in self.settled and not self.is_given_up(last):
            at = last
        return self.next_wish() if at is None else self.wish(at)

    def repeated(self) -> Line:
        """Return the last answer as plainly as possible."""
        last = self.state.last[-1]
        if last.act == "yes":
            return line("yes", self.book.yes[0])
        return line("value", ", ".join(last.slots.values()), last.goal, last.slots) if last.act == "value" else SILENT


def _topic(text: str) -> str:
    """Return a goal as words that fit into a sentence."""
    return text.strip().rstrip(".?!;,")
