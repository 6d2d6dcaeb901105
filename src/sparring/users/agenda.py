"""A user without a model: pursues the goals turn by turn, answers what it is asked, and knows nothing of any chatbot.

What to say follows from the conversation alone. A chatbot that did not understand hears the same wish in other words,
and then another wish; one that asks is answered from the case's variables; one that goes on is asked for the next
goal, and at the end for whatever the case still wants to hear.
"""

from sparring.core.case import Case, Goal, OutputSpec
from sparring.core.conversation import Conversation
from sparring.core.errors import InputError
from sparring.core.message import Message, message
from sparring.core.seeding import random_for
from sparring.extraction.fallbacks import trailing_fallbacks
from sparring.extraction.goals import is_misspelling, requests_goal, texts
from sparring.extraction.speech_acts import is_question, is_yes_or_no_question
from sparring.extraction.tokens import fold, mentions, share, share_with_typos, stems
from sparring.llm.plugin_context import PluginContext
from sparring.users.change_of_mind import doubt
from sparring.users.goal_sentences import goal_sentence, listed
from sparring.users.phrasebooks.phrasebook import Phrasebook
from sparring.users.questions import Kind, Question, contradicts_goal, hints_about, hints_of, of_a_kind, questions
from sparring.users.styles import ALL_QUESTIONS, CHANGE_YOUR_MIND, SINGLE_QUESTION, spoken, talks
from sparring.users.user import BaseUser, User, hearing, speaking, unspoken

_ATTEMPTS = 3
"""How often a goal is brought up before it is given up."""

_ASKS = 2
"""How often the user asks for a value the case wants to hear."""

_CHANGING = 3
"""How many turns must be left for a change of mind: to take another value, to go back, and to be understood."""

_CORRECTIONS = 2
"""How often a chatbot that got it wrong is corrected before the user leaves."""

_CHANGE_TOPIC = 3
"""After so many fallbacks in a row the user tries another goal."""


def create(argument: str, context: PluginContext) -> User:
    """The plug-in `agenda`."""
    if argument:
        raise InputError(f"agenda takes no {argument!r}", hint="--user agenda")
    return Agenda()


class Agenda(BaseUser):
    """Reactive and seeded: equal conversations get equal answers."""

    async def speak(self, conversation: Conversation) -> Message | None:
        return _Turn(conversation).speak()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return unspoken(case)


class _Turn:
    """What is on the user's mind when it is its turn."""

    def __init__(self, conversation: Conversation) -> None:
        self.case: Case = conversation.case
        self.spoken = {name: said for name, said in self.case.variables.items() if name not in self.case.unspoken}
        self.book: Phrasebook = speaking(self.case, conversation.turns)
        self.ears: Phrasebook = hearing(self.case)
        self.dice = random_for(self.case, "user", conversation.turns)
        new = conversation.messages[len(self.case.history) :]
        self.own = [said.text for said in new if said.role == "user"]
        self.heard = [said.text for said in new if said.role == "chatbot"]
        progress = conversation.goals or (None,) * len(self.case.goals)
        # Goals are told apart by being the same object, which is quicker than comparing all that is in them.
        self.answered = {
            id(goal)
            for goal, known in zip(self.case.goals, progress, strict=True)
            if known is not None and known.answered
        }
        self.brought_up: dict[str, int] = {}
        self.fallbacks = trailing_fallbacks(reversed(self.heard), self.case.fallbacks)
        stated = {output.name for output in conversation.outputs if output.evidence}
        self.missing = [wanted for wanted in self.case.outputs if wanted.name not in stated]

    def speak(self) -> Message | None:
        text = self.change_of_mind() or self.reaction() or self.next_wish()
        if text and not self.in_vain():
            return self.say(text)
        if self.own and self.own[-1] in self.ears.goodbye:
            return None
        return self.say(self.any(self.book.goodbye), ends=True)

    def say(self, text: str, *, ends: bool = False) -> Message:
        turn, careful = len(self.own), self.fallbacks > 0
        text = spoken(text, self.case, self.book, self.dice, turn=turn, carefully=careful)
        return message("user", text, ends=ends)

    def reaction(self) -> str:
        """What the chatbot's last message calls for; empty where it leaves the user to go on."""
        if not self.heard:
            return self.everything() if talks(self.case, ALL_QUESTIONS) else ""
        if self.fallbacks:
            return self.rephrase()
        answers = self.answers(self.heard[-1])
        return " ".join(answers[:1] if talks(self.case, SINGLE_QUESTION) else answers)

    def any(self, wordings: tuple[str, ...]) -> str:
        return self.dice.choice(wordings)

    # Wishes

    def next_wish(self) -> str:
        """The next goal to bring up, or the next value to ask for; empty when there is nothing left."""
        goal = self.open_goal()
        if goal:
            return self.wish(goal)
        wanted = next((output for output in self.missing if self.times_asked(output) < _ASKS), None)
        return self.ask(wanted) if wanted else ""

    def everything(self) -> str:
        """All goals at once."""
        return " ".join(map(self.wish, self.open_goals()))

    def open_goal(self, besides: Goal | None = None) -> Goal | None:
        """The open goal that was brought up least often, and of these the first."""
        return min(
            (goal for goal in self.open_goals() if goal is not besides),
            key=self.attempts,
            default=None,
        )

    def open_goals(self) -> list[Goal]:
        return [goal for goal in self.case.goals if id(goal) not in self.answered and self.attempts(goal) < _ATTEMPTS]

    def attempts(self, goal: Goal) -> int:
        if goal.text not in self.brought_up:
            self.brought_up[goal.text] = sum(requests_goal(goal, self.case, said) for said in self.own)
        return self.brought_up[goal.text]

    def wish(self, goal: Goal) -> str:
        values = [text for name in goal.variables for text in [self.value(name)] if text]
        attempt = self.attempts(goal)
        text = (goal.first if attempt == 0 else "") or goal.text
        return goal_sentence(text, values, self.book, self.dice, attempt=attempt)

    def ask(self, wanted: OutputSpec) -> str:
        described = _described(wanted)
        return (self.book.tell[0] if is_question(described) else self.any(self.book.tell)).format(described)

    def times_asked(self, wanted: OutputSpec) -> int:
        described = _described(wanted)
        if is_misspelling(self.case):
            return sum(share_with_typos(stems(described), stems(said)) == 1 for said in self.own)
        return sum(fold(described) in fold(said) for said in self.own)

    def change_of_mind(self) -> str:
        """Another value instead of one that was said, once; in the next message, the right one again.

        Nobody is left with a wrong value: the other one is only taken for a turn while there is a goal that was not
        brought up yet, so that the conversation cannot end on it, and else taken back in the same message.
        """
        if not talks(self.case, CHANGE_YOUR_MIND) or not self.own:
            return ""
        about = doubt(self.case, self.own, self.heard, self.ears)
        if about is None:
            return ""
        taken = [took for said in self.own for took in [about.taken(said)] if took]
        back = self.any(self.book.change_back).format(old=about.other, new=about.value)
        if taken:
            return back if taken[-1] == about.other else self.insist_on(about.value)
        if self.fallbacks or self.turns_left() < _CHANGING:
            return ""
        change = self.any(self.book.change).format(old=about.value, new=about.other)
        return change if any(not self.attempts(goal) for goal in self.case.goals) else f"{change} {back}"

    def insist_on(self, value: str) -> str:
        """The right value in plain words, if going back to it was not understood; that is, once or twice."""
        said = self.own[-self.fallbacks :] if self.fallbacks else []
        plain = fold(value)
        return self.book.again[0].format(value) if 0 < len(said) <= _ASKS and plain in fold(said[0]) else ""

    def turns_left(self) -> int:
        limits = self.case.limits
        return min(limits.turns, limits.steps or limits.turns) - len(self.own)

    # Answers

    def rephrase(self) -> str:
        """The last wish in other words; another wish if that does not help either."""
        said = self.own[-1] if self.own else ""
        last = next((goal for goal in self.case.goals if requests_goal(goal, self.case, said)), None)
        goal = self.open_goal(besides=last) if self.fallbacks >= _CHANGE_TOPIC or last is None else None
        goal = goal or (last if id(last) not in self.answered else None) or self.open_goal()
        if goal:
            return self.wish(goal)
        return self.next_wish() or self.any(self.book.goodbye)

    def answers(self, text: str) -> list[str]:
        """What to say to the questions in a chatbot's message, each thing once."""
        hints = (*hints_of(self.case), *hints_about(self.case, text, self.own))
        asked = questions(text, variables=self.spoken, hints=hints, book=self.ears)
        return list(dict.fromkeys(answer for question in asked for answer in [self.answer(question)] if answer))

    def answer(self, question: Question) -> str:
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
        """What to say to a chatbot that wants something confirmed which the user never said."""
        wrong = contradicts_goal(self.case, self.own, self.heard[-1], self.ears)
        if not wrong:
            return ""
        values = [goal for goal in self.case.goals if goal.text == wrong]
        return (
            self.any(self.book.wrong).format(goal_sentence(wrong, (), self.book, self.dice, attempt=0))
            if values
            else ""
        )

    def in_vain(self) -> bool:
        """Whether the chatbot was corrected often enough, and is wrong all the same."""
        opening = tuple(fold(wording.partition("{")[0]) for wording in self.ears.wrong)
        corrected = sum(fold(said).startswith(opening) for said in self.own)
        return corrected >= _CORRECTIONS and bool(self.heard) and bool(self.objection())

    def unsaid(self, question: Question) -> str:
        """Something the user knows and has not said yet, unless it is plain that a question is after another thing."""
        if is_yes_or_no_question(question.text) or of_a_kind(question.text):
            return ""
        return next(
            (
                self.book.value[0].format(self.value(name))
                for name in self.spoken
                if self.value(name) and not any(mentions(said, self.value(name)) for said in self.own)
            ),
            "",
        )

    def state(self, question: Question) -> str:
        """Say the variables asked for: as the whole wish the first time, as bare values when asked again."""
        goals = [goal for goal in self.case.goals if set(goal.variables) & set(question.variables)]
        if goals and all(id(goal) in self.answered for goal in goals) and self.ears.offer.search(fold(question.text)):
            return self.any(self.book.no)
        fresh = [goal for goal in goals if id(goal) not in self.answered and not self.attempts(goal)]
        if fresh:
            return " ".join(map(self.wish, fresh[:1] if talks(self.case, SINGLE_QUESTION) else fresh))
        values = f" {self.book.and_} ".join(filter(None, map(self.value, question.variables)))
        if not values:
            return ""
        said = sum(fold(values) in fold(own) for own in self.own)
        if goals and said > _ASKS:
            return self.wish(goals[0])
        return self.book.value[said % len(self.book.value)].format(values)

    def related(self, question: Question) -> str:
        """An open goal the question is about, so that it may be brought up now."""
        about = stems(question.text)
        goals = [goal for goal in self.open_goals() if not self.attempts(goal) and share(about, stems(goal.text))]
        return self.wish(max(goals, key=lambda goal: share(about, stems(goal.text)))) if goals else ""

    def detail(self, question: Question) -> str:
        """Any of the answers offered about something that was asked for, where the case leaves it open."""
        about = stems(question.text)
        asked = any(goal.answers and stems(goal.text) & about and self.attempts(goal) for goal in self.case.goals)
        return self.choose(question) if asked else ""

    def unasked(self) -> str:
        goal = self.open_goal()
        return self.wish(goal) if goal and not self.attempts(goal) else ""

    def choose(self, question: Question) -> str:
        """Any of the answers offered: the user has no opinion where the case has none."""
        if not question.options:
            return ""
        return self.any(self.book.value).format(self.any(question.options))

    def insist(self) -> str:
        return self.next_wish() or self.any(self.book.any_will_do)

    def value(self, name: str) -> str:
        value = self.case.variables.get(name)
        if isinstance(value, bool):
            return (self.book.yes if value else self.book.no)[0]
        return listed(texts(value), self.book.and_)


def _described(wanted: OutputSpec) -> str:
    """A wanted value in words: its description as part of a sentence, or its name."""
    words = (wanted.description or wanted.name.replace("_", " ")).strip().rstrip(".?!")
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words
