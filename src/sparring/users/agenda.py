"""User without a model: it pursues its goals turn by turn and answers questions by patterns.

Its messages follow from the conversation alone. After a fallback it rephrases the goal, then tries another one.
Questions are answered from the case's variables. Otherwise it raises the next goal.
"""

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.errors import InputError
from sparring.core.message import Message, message
from sparring.core.seeding import random_for
from sparring.extraction.fallbacks import trailing_fallbacks
from sparring.extraction.goals import requests_goal, texts
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.questions import (
    ChatbotQuestion,
    Kind,
    contradicts_goal,
    has_known_kind,
    hints_about,
    hints_of,
    questions,
)
from sparring.extraction.speech_acts import is_question, is_yes_or_no_question
from sparring.extraction.tokens import fold, mentions, share, stems
from sparring.llm.plugin_context import PluginContext
from sparring.users.change_of_mind import change_of_mind
from sparring.users.goal_sentences import goal_sentence, join_words
from sparring.users.styles import ALL_QUESTIONS, CHANGE_YOUR_MIND, SINGLE_QUESTION, apply_styles, has_style
from sparring.users.user import (
    BaseUser,
    User,
    ignored_warnings,
    language_warnings,
    spoken_phrasebook,
)

_MAX_ATTEMPTS = 3
"""Maximum number of times a goal is brought up."""

_MAX_ASKS = 2
"""Maximum number of times the user repeats a value."""

_TURNS_FOR_CHANGE = 3
"""Turns needed for a change of mind: to take another value, to return, and to be understood."""

_MAX_CORRECTIONS = 2
"""Maximum number of corrections before the user leaves."""

_SETTLED = frozenset({GoalStage.DONE, GoalStage.REFUSED, GoalStage.UNREAD})
"""Stages of goals that the user does not bring up again: of an unread one it can only believe that it is answered."""

_FALLBACKS_BEFORE_NEXT_GOAL = 3
"""Consecutive fallbacks after which the user tries another goal."""


def create(argument: str, context: PluginContext) -> User:
    """Return the plug-in `agenda`."""
    if argument:
        raise InputError(f"agenda takes no argument, got {argument!r}", hint="--user agenda")
    return Agenda()


class Agenda(BaseUser):
    """A seeded user that pursues its goals: the same conversation gets the same message."""

    async def speak(self, conversation: Conversation) -> Message | None:
        return _Turn(conversation).speak()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return (*language_warnings(case), *ignored_warnings(case))


class _Turn:
    """One turn of the user, with what it derives from the conversation."""

    def __init__(self, conversation: Conversation) -> None:
        self.case: Case = conversation.case
        self.spoken = {name: said for name, said in self.case.variables.items() if name not in self.case.unspoken}
        self.book: Phrasebook = spoken_phrasebook(self.case, conversation.turns)
        self.understood: Phrasebook = understood_phrasebook(self.case)
        self.random = random_for(self.case, "user", conversation.turns)
        new = conversation.messages[len(self.case.history) :]
        self.own = [said.text for said in new if said.role == "user"]
        self.heard = [said.text for said in new if said.role == "chatbot"]
        progress = conversation.goals or (None,) * len(self.case.goals)
        # Goals are identified by object identity, because comparing their contents is slower.
        self.settled = {
            id(goal)
            for goal, known in zip(self.case.goals, progress, strict=True)
            if known is not None and known.asked_at is not None and known.stage in _SETTLED
        }
        self.proposed = any(known is not None and known.stage is GoalStage.PROPOSED for known in progress)
        self.brought_up: dict[str, int] = {}
        self.fallbacks = trailing_fallbacks(reversed(self.heard), self.case.fallbacks)

    def speak(self) -> Message | None:
        text = self.change_of_mind() or self.reaction() or self.next_wish()
        if text and not self.corrections_failed():
            return self.say(text)
        if self.own and self.own[-1] in self.understood.goodbye:
            return None
        return self.say(self.any(self.book.goodbye), ends=True)

    def say(self, text: str, *, ends: bool = False) -> Message:
        turn, careful = len(self.own), self.fallbacks > 0
        text = apply_styles(text, self.case, self.book, self.random, turn=turn, carefully=careful)
        return message("user", text, ends=ends)

    def reaction(self) -> str:
        """Return the answer to the last reply; empty if it leaves the next step to the user."""
        if not self.heard:
            return self.everything() if has_style(self.case, ALL_QUESTIONS) else ""
        if self.fallbacks:
            return self.rephrase()
        answers = self.answers(self.heard[-1])
        if self.proposed and not answers:
            return self.objection() or self.any(self.book.yes)
        return " ".join(answers[:1] if has_style(self.case, SINGLE_QUESTION) else answers)

    def any(self, wordings: tuple[str, ...]) -> str:
        return self.random.choice(wordings)

    # Wishes

    def next_wish(self) -> str:
        """Return a message about the next goal; empty if there is none left."""
        goal = self.open_goal()
        return self.wish(goal) if goal else ""

    def everything(self) -> str:
        """Return all open goals in one message, without those that ask for a result of the others."""
        goals = self.open_goals()
        return " ".join(map(self.wish, [goal for goal in goals if not goal.output] or goals))

    def open_goal(self, besides: Goal | None = None) -> Goal | None:
        """Return the open goal with the fewest attempts, the first of several."""
        return min(
            (goal for goal in self.open_goals() if goal is not besides),
            key=self.attempts,
            default=None,
        )

    def open_goals(self) -> list[Goal]:
        return [
            goal for goal in self.case.goals if id(goal) not in self.settled and self.attempts(goal) < _MAX_ATTEMPTS
        ]

    def attempts(self, goal: Goal) -> int:
        if goal.text not in self.brought_up:
            self.brought_up[goal.text] = sum(requests_goal(goal, self.case, said) for said in self.own)
        return self.brought_up[goal.text]

    def wish(self, goal: Goal) -> str:
        values = [text for name in goal.variables for text in [self.value(name)] if text]
        attempt = self.attempts(goal)
        if goal.output:
            return self.ask(goal)
        text = (goal.first if attempt == 0 else "") or goal.text
        return goal_sentence(text, values, self.book, self.random, attempt=attempt)

    def ask(self, goal: Goal) -> str:
        """Return a question for a goal's output."""
        described = _as_part_of_sentence(goal.text)
        return (self.book.tell[0] if is_question(described) else self.any(self.book.tell)).format(described)

    def change_of_mind(self) -> str:
        """Return a change of one stated value, once, and its reversal in the next message.

        The alternative is kept for a turn only while another goal was not brought up yet, so the conversation cannot
        end on it. Otherwise the same message reverses it.
        """
        if not has_style(self.case, CHANGE_YOUR_MIND) or not self.own:
            return ""
        about = change_of_mind(self.case, self.own, self.heard, self.understood)
        if about is None:
            return ""
        taken = [took for said in self.own for took in [about.taken(said)] if took]
        back = self.any(self.book.change_back).format(old=about.other, new=about.value)
        if taken:
            return back if taken[-1] == about.other else self.insist_on(about.value)
        if self.fallbacks or self.turns_left() < _TURNS_FOR_CHANGE:
            return ""
        change = self.any(self.book.change).format(old=about.value, new=about.other)
        return change if any(not self.attempts(goal) for goal in self.case.goals) else f"{change} {back}"

    def insist_on(self, value: str) -> str:
        """Return the right value in plain words if its reversal was not understood, at most twice."""
        said = self.own[-self.fallbacks :] if self.fallbacks else []
        plain = fold(value)
        return self.book.again[0].format(value) if 0 < len(said) <= _MAX_ASKS and plain in fold(said[0]) else ""

    def turns_left(self) -> int:
        limits = self.case.limits
        return min(limits.turns, limits.steps or limits.turns) - len(self.own)

    # Answers

    def rephrase(self) -> str:
        """Return the last goal in other words; another goal if that did not help."""
        said = self.own[-1] if self.own else ""
        last = next((goal for goal in self.case.goals if requests_goal(goal, self.case, said)), None)
        goal = self.open_goal(besides=last) if self.fallbacks >= _FALLBACKS_BEFORE_NEXT_GOAL or last is None else None
        goal = goal or (last if id(last) not in self.settled else None) or self.open_goal()
        if goal:
            return self.wish(goal)
        return self.next_wish() or self.any(self.book.goodbye)

    def answers(self, text: str) -> list[str]:
        """Return distinct answers to the questions in a reply."""
        hints = (*hints_of(self.case), *hints_about(self.case, text, self.own))
        asked = questions(text, variables=self.spoken, hints=hints, book=self.understood)
        return list(dict.fromkeys(answer for question in asked for answer in [self.answer(question)] if answer))

    def answer(self, question: ChatbotQuestion) -> str:
        match question.kind:
            case Kind.HINTED:
                (answer,) = question.variables
                return self.value(answer) if answer in self.case.variables else answer
            case Kind.MORE:
                return self.next_wish() or self.any(self.book.that_is_all)
            case Kind.CONFIRM:
                return self.objection() or self.any(self.book.yes)
            case Kind.VARIABLE:
                return self.state(question)
            case Kind.HOW_MANY:
                numbers = [self.value(name) for name in question.variables]
                return " ".join(numbers) or self.any(self.book.one)
            case Kind.OFFER:
                return (
                    self.detail(question) or self.related(question) or self.choose(question) or self.any(self.book.no)
                )
            case Kind.OTHER:
                return (
                    self.detail(question)
                    or self.related(question)
                    or self.unasked()
                    or self.unsaid(question)
                    or self.choose(question)
                    or self.insist()
                )

    def objection(self) -> str:
        """Return a correction if the reply confirms something the user never said, else an empty string."""
        wrong = contradicts_goal(self.case, self.own, self.heard[-1], self.understood)
        if not wrong:
            return ""
        values = [goal for goal in self.case.goals if goal.text == wrong]
        return (
            self.any(self.book.wrong).format(goal_sentence(wrong, (), self.book, self.random, attempt=0))
            if values
            else ""
        )

    def corrections_failed(self) -> bool:
        """Return True if the chatbot is still wrong after the maximum number of corrections."""
        opening = tuple(fold(wording.partition("{")[0]) for wording in self.understood.wrong)
        corrected = sum(fold(said).startswith(opening) for said in self.own)
        return corrected >= _MAX_CORRECTIONS and bool(self.heard) and bool(self.objection())

    def unsaid(self, question: ChatbotQuestion) -> str:
        """Return a value not stated yet, unless the question is clearly about something else."""
        if is_yes_or_no_question(question.text) or has_known_kind(question.text):
            return ""
        return next(
            (
                self.book.value[0].format(self.value(name))
                for name in self.spoken
                if self.value(name) and not any(mentions(said, self.value(name)) for said in self.own)
            ),
            "",
        )

    def state(self, question: ChatbotQuestion) -> str:
        """Return the variables asked for: within the whole goal the first time, then as bare values."""
        goals = [goal for goal in self.case.goals if set(goal.variables) & set(question.variables)]
        if (
            goals
            and all(id(goal) in self.settled for goal in goals)
            and self.understood.offer.search(fold(question.text))
        ):
            return self.any(self.book.no)
        fresh = [goal for goal in goals if id(goal) not in self.settled and not self.attempts(goal)]
        if fresh:
            return " ".join(map(self.wish, fresh[:1] if has_style(self.case, SINGLE_QUESTION) else fresh))
        values = f" {self.book.and_} ".join(filter(None, map(self.value, question.variables)))
        if not values:
            return ""
        said = sum(fold(values) in fold(own) for own in self.own)
        if goals and said > _MAX_ASKS:
            return self.wish(goals[0])
        return self.book.value[said % len(self.book.value)].format(values)

    def related(self, question: ChatbotQuestion) -> str:
        """Return an open goal that the question is about, or an empty string."""
        about = stems(question.text)
        goals = [goal for goal in self.open_goals() if not self.attempts(goal) and share(about, stems(goal.text))]
        return self.wish(max(goals, key=lambda goal: share(about, stems(goal.text)))) if goals else ""

    def detail(self, question: ChatbotQuestion) -> str:
        """Return a random option about a goal that was brought up, if the case leaves it open."""
        about = stems(question.text)
        asked = any(goal.answers and stems(goal.text) & about and self.attempts(goal) for goal in self.case.goals)
        return self.choose(question) if asked else ""

    def unasked(self) -> str:
        goal = self.open_goal()
        return self.wish(goal) if goal and not goal.output and not self.attempts(goal) else ""

    def choose(self, question: ChatbotQuestion) -> str:
        """Return a random option: the user has no preference unless the case states one."""
        if not question.options:
            return ""
        return self.any(self.book.value).format(self.any(question.options))

    def insist(self) -> str:
        return self.next_wish() or self.any(self.book.any_will_do)

    def value(self, name: str) -> str:
        value = self.case.variables.get(name)
        if isinstance(value, bool):
            return (self.book.yes if value else self.book.no)[0]
        return join_words(texts(value), self.book.and_)


def _as_part_of_sentence(text: str) -> str:
    words = text.strip().rstrip(".?!")
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words
