"""User without a model: it pursues its goals turn by turn and answers questions by patterns.

Its messages follow from the conversation alone. After a fallback it rephrases the goal, then tries another one.
Questions are answered from the case's variables. Otherwise it raises the next goal.
"""

from collections.abc import Iterable

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalStage
from sparring.core.errors import InputError
from sparring.core.message import Message, UserAct, message
from sparring.core.seeding import random_for
from sparring.extraction.goals import texts
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.questions import (
    ChatbotQuestion,
    Kind,
    contradicts_goal,
    has_known_kind,
    hints_about,
    hints_of,
    questions,
)
from sparring.extraction.role_sheet import role_sheet
from sparring.extraction.speech_acts import is_question, is_yes_or_no_question
from sparring.extraction.tokens import fold, share, stems
from sparring.llm.plugin_context import PluginContext
from sparring.users.agenda_state import OFFERED, AgendaState, Following
from sparring.users.change_of_mind import change_of_mind
from sparring.users.goal_sentences import goal_sentence, join_words
from sparring.users.idle_styles import style_warnings
from sparring.users.known_facts import known_facts
from sparring.users.lines import SILENT, Line, joined, line
from sparring.users.manners import Moment, with_manners
from sparring.users.styles import ALL_QUESTIONS, CHANGE_YOUR_MIND, SINGLE_QUESTION, apply_styles, has_style
from sparring.users.unread import unread_warnings
from sparring.users.user import (
    BaseUser,
    User,
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

    def __init__(self) -> None:
        self._following = Following()

    async def speak(self, conversation: Conversation) -> Message | None:
        return _Turn(conversation, self._following.state(conversation)).speak()

    def warnings(self, case: Case) -> tuple[str, ...]:
        return (*style_warnings(case), *unread_warnings(case))


class _Turn:
    """One turn of the user, with what it derives from the conversation."""

    def __init__(self, conversation: Conversation, state: AgendaState) -> None:
        self.case: Case = conversation.case
        self.state = state
        self.sheet = role_sheet(self.case)
        self.spoken = {name: said for name, said in self.case.variables.items() if name not in self.sheet.hidden}
        self.book: Phrasebook = spoken_phrasebook(self.case, conversation.turns)
        self.understood: Phrasebook = understood_phrasebook(self.case)
        self.random = random_for(self.case, "user", conversation.turns)
        new = conversation.messages[len(self.case.history) :]
        self.own = [said.text for said in new if said.role == "user"]
        self.heard = [said.text for said in new if said.role == "chatbot"]
        progress = conversation.goals or (None,) * len(self.case.goals)
        self.settled = {
            at
            for at, known in enumerate(progress)
            if known is not None and known.asked_at is not None and known.stage in _SETTLED
        }
        self.proposed = any(known is not None and known.stage is GoalStage.PROPOSED for known in progress)
        self.fallbacks = state.fallbacks

    def speak(self) -> Message | None:
        said = self.change_of_mind() or self.reaction() or self.next_wish()
        if said and not self.corrections_failed():
            return self.say(said)
        if any(each.act == "farewell" for each in self.state.last):
            return None
        return self.say(self.phrase("farewell", self.book.goodbye), ends=True)

    def say(self, said: Line, *, ends: bool = False) -> Message:
        careful = self.fallbacks > 0
        said = with_manners(said, self.sheet, self.book, self.moment())
        text = apply_styles(said.text, self.case, self.book, self.random, turn=self.state.turns, carefully=careful)
        return message("user", text, ends=ends, meant=said.meant)

    def moment(self) -> Moment:
        return Moment(
            random=random_for(self.case, "user", "manners", self.state.turns),
            heard=self.heard,
            acts=self.state.acts,
            answered=len(self.settled),
            turns_left=self.turns_left(),
            careful=self.fallbacks > 0,
            patience=self.case.limits.fallbacks,
        )

    def reaction(self) -> Line:
        """Return the answer to the last reply; an empty line if it leaves the next step to the user."""
        if not self.heard:
            return self.everything() if has_style(self.case, ALL_QUESTIONS) else SILENT
        if self.fallbacks:
            return self.rephrase()
        answers = self.answers(self.heard[-1])
        if self.proposed and not answers:
            return self.objection() or self.phrase("yes", self.book.yes)
        return joined(answers[:1] if has_style(self.case, SINGLE_QUESTION) else answers)

    def any(self, wordings: tuple[str, ...]) -> str:
        return self.random.choice(wordings)

    def phrase(self, act: UserAct, wordings: tuple[str, ...]) -> Line:
        return line(act, self.any(wordings))

    # Wishes

    def next_wish(self) -> Line:
        """Return a message about the next goal; empty if there is none left."""
        at = self.open_goal()
        return SILENT if at is None else self.wish(at)

    def everything(self) -> Line:
        """Return all open goals in one message, without those that ask for a result of the others."""
        goals = self.open_goals()
        return joined(map(self.wish, [at for at in goals if not self.case.goals[at].output] or goals))

    def open_goal(self, besides: int | None = None) -> int | None:
        """Return the open goal with the fewest attempts, the first of several."""
        return min((at for at in self.open_goals() if at != besides), key=self.attempts, default=None)

    def open_goals(self) -> list[int]:
        return [
            at for at in range(len(self.case.goals)) if at not in self.settled and self.attempts(at) < _MAX_ATTEMPTS
        ]

    def attempts(self, at: int) -> int:
        return self.state.goals[at].attempts

    def wish(self, at: int) -> Line:
        goal, attempt = self.case.goals[at], self.attempts(at)
        if goal.output:
            return line("question", self.ask(goal), at)
        values = [text for name in goal.variables for text in [self.value(name)] if text]
        text = (goal.first if attempt == 0 else "") or goal.text
        said = goal_sentence(text, values, self.book, self.random, attempt=attempt)
        act: UserAct = "question" if asks_information(goal.text) else "wish"
        return line(act, said, at, {} if text == goal.first else self.slots(goal.variables))

    def slots(self, names: Iterable[str]) -> dict[str, str]:
        """Return variables with their values as they are kept in the meaning of a message."""
        values = ((name, texts(self.case.variables[name])) for name in names if name in self.case.variables)
        return {name: ", ".join(said) for name, said in values if said}

    def ask(self, goal: Goal) -> str:
        """Return a question for a goal's output."""
        described = _as_part_of_sentence(goal.text)
        return (self.book.tell[0] if is_question(described) else self.any(self.book.tell)).format(described)

    def change_of_mind(self) -> Line:
        """Return a change of one stated value, once, and its reversal in the next message.

        The alternative is kept for a turn only while another goal was not brought up yet, so the conversation cannot
        end on it. Otherwise the same message reverses it.
        """
        if not has_style(self.case, CHANGE_YOUR_MIND) or not self.own:
            return SILENT
        about = change_of_mind(self.case, self.own, self.heard, self.understood)
        if about is None:
            return SILENT
        taken = [took for said in self.own for took in [about.taken(said)] if took]
        back = line("change", self.any(self.book.change_back).format(old=about.other, new=about.value))
        if taken:
            return back if taken[-1] == about.other else self.insist_on(about.value)
        if self.fallbacks or self.turns_left() < _TURNS_FOR_CHANGE:
            return SILENT
        change = line("change", self.any(self.book.change).format(old=about.value, new=about.other))
        return change if any(not plan.attempts for plan in self.state.goals) else change + back

    def insist_on(self, value: str) -> Line:
        """Return the right value in plain words if its reversal was not understood, at most twice."""
        said = self.own[-self.fallbacks :] if self.fallbacks else []
        plain = fold(value)
        again = 0 < len(said) <= _MAX_ASKS and plain in fold(said[0])
        return line("change", self.book.again[0].format(value)) if again else SILENT

    def turns_left(self) -> int:
        limits = self.case.limits
        return min(limits.turns, limits.steps or limits.turns) - len(self.own)

    # Answers

    def rephrase(self) -> Line:
        """Return the last goal in other words; another goal if that did not help."""
        last = self.state.last_goal
        at = self.open_goal(besides=last) if self.fallbacks >= _FALLBACKS_BEFORE_NEXT_GOAL or last is None else None
        if at is None:
            at = last if last is not None and last not in self.settled else self.open_goal()
        return self.phrase("farewell", self.book.goodbye) if at is None else self.wish(at)

    def answers(self, text: str) -> list[Line]:
        """Return distinct answers to the questions in a reply."""
        hints = (*hints_of(self.case), *hints_about(self.case, text, self.own))
        asked = questions(text, variables=self.spoken, hints=hints, book=self.understood)
        found = {answer.text: answer for question in asked for answer in [self.answer(question)] if answer}
        return list(found.values())

    def answer(self, question: ChatbotQuestion) -> Line:
        known = known_facts(question, self.sheet, self.book)
        if known:
            return known
        match question.kind:
            case Kind.HINTED:
                (answer,) = question.variables
                said = self.value(answer) if answer in self.case.variables else answer
                return line("value", said, self.state.last_goal, self.slots((answer,)))
            case Kind.MORE:
                return self.next_wish() or self.phrase("that_is_all", self.book.that_is_all)
            case Kind.CONFIRM:
                return self.objection() or self.phrase("yes", self.book.yes)
            case Kind.VARIABLE:
                return self.state_values(question)
            case Kind.HOW_MANY:
                numbers = " ".join(self.value(name) for name in question.variables)
                return line("value", numbers or self.any(self.book.one), None, self.slots(question.variables))
            case Kind.OFFER:
                return (
                    self.detail(question)
                    or self.related(question)
                    or self.choose(question)
                    or self.phrase("no", self.book.no)
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

    def objection(self) -> Line:
        """Return a correction if the reply confirms something the user never said, else an empty line."""
        wrong = contradicts_goal(self.case, self.own, self.heard[-1], self.understood)
        at = next((at for at, goal in enumerate(self.case.goals) if goal.text == wrong), None)
        if not wrong or at is None:
            return SILENT
        said = goal_sentence(wrong, (), self.book, self.random, attempt=0)
        return line("correction", self.any(self.book.wrong).format(said), at, self.slots(self.case.goals[at].variables))

    def corrections_failed(self) -> bool:
        """Return True if the chatbot is still wrong after the maximum number of corrections."""
        return self.state.count("correction") >= _MAX_CORRECTIONS and bool(self.heard) and bool(self.objection())

    def unsaid(self, question: ChatbotQuestion) -> Line:
        """Return a value not stated yet, unless the question is clearly about something else."""
        if is_yes_or_no_question(question.text) or has_known_kind(question.text):
            return SILENT
        told = (each for each in self.spoken if each not in self.sheet.unused and self.value(each))
        name = next((each for each in told if not self.state.slot(each).said), None)
        if name is None:
            return SILENT
        return line("value", self.book.value[0].format(self.value(name)), None, self.slots((name,)))

    def state_values(self, question: ChatbotQuestion) -> Line:
        """Return the variables asked for: within the whole goal the first time, then as bare values."""
        asked = set(question.variables)
        goals = [at for at, goal in enumerate(self.case.goals) if set(goal.variables) & asked]
        if goals and self.settled.issuperset(goals) and self.understood.offer.search(fold(question.text)):
            return self.phrase("no", self.book.no)
        fresh = [at for at in goals if at not in self.settled and not self.attempts(at)]
        if fresh:
            return joined(map(self.wish, fresh[:1] if has_style(self.case, SINGLE_QUESTION) else fresh))
        values = f" {self.book.and_} ".join(filter(None, map(self.value, question.variables)))
        if not values:
            return SILENT
        said = max(self.state.slot(name).said for name in question.variables)
        if goals and said > _MAX_ASKS:
            return self.wish(goals[0])
        words = self.book.value[said % len(self.book.value)].format(values)
        return line("value", words, goals[0] if goals else None, self.slots(question.variables))

    def related(self, question: ChatbotQuestion) -> Line:
        """Return an open goal that the question is about, or an empty line."""
        about = stems(question.text)
        alike = {at: share(about, stems(self.case.goals[at].text)) for at in self.open_goals() if not self.attempts(at)}
        best = max(alike, key=lambda at: alike[at], default=None)
        return self.wish(best) if best is not None and alike[best] else SILENT

    def detail(self, question: ChatbotQuestion) -> Line:
        """Return a random option about a goal that was brought up, if the case leaves it open."""
        about = stems(question.text)
        asked = any(
            goal.answers and stems(goal.text) & about and self.attempts(at) for at, goal in enumerate(self.case.goals)
        )
        return self.choose(question) if asked else SILENT

    def unasked(self) -> Line:
        at = self.open_goal()
        fresh = at is not None and not self.case.goals[at].output and not self.attempts(at)
        return self.wish(at) if fresh and at is not None else SILENT

    def choose(self, question: ChatbotQuestion) -> Line:
        """Return a random option: the user has no preference unless the case states one."""
        if not question.options:
            return SILENT
        frame, chosen = self.any(self.book.value), self.any(question.options)
        return line("value", frame.format(chosen), self.state.last_goal, {OFFERED: chosen})

    def insist(self) -> Line:
        return self.next_wish() or self.phrase("remark", self.book.any_will_do)

    def value(self, name: str) -> str:
        value = self.case.variables.get(name)
        if isinstance(value, bool):
            return (self.book.yes if value else self.book.no)[0]
        return join_words(texts(value), self.book.and_)


def _as_part_of_sentence(text: str) -> str:
    words = text.strip().rstrip(".?!")
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words
