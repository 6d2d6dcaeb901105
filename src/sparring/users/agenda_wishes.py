"""Wishes of the agenda user: its open goals, and sentences that bring them up."""

from collections.abc import Iterable

from sparring.core.case import Case, Goal
from sparring.core.conversation import Conversation, GoalProgress, GoalStage
from sparring.core.message import UserAct
from sparring.core.seeding import random_for
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.goals import texts
from sparring.extraction.options import menu
from sparring.extraction.pending import offers_to_act
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.phrasebooks.phrasebook import Phrasebook
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.role_sheet import RoleSheet, role_sheet
from sparring.extraction.slots import asks_availability
from sparring.extraction.speech_acts import asks_to_confirm, is_open_question, is_question
from sparring.extraction.tokens import fold, mentions, pattern, share, stems, tokens
from sparring.extraction.word_tables import words_of_module
from sparring.users.agenda_state import ASKING, OFFERED, AgendaState, GoalState
from sparring.users.lines import SILENT, Line, joined, line
from sparring.users.sentences import capital, goal_sentence, join_words, labelled_value, reworded, thing_question
from sparring.users.user import plain_phrasebook, spoken_phrasebook

_MAX_ATTEMPTS = 3
"""Maximum number of times a goal is brought up, however patient the user is."""

_MIN_SHARE = 0.5
"""Minimum share of the words of an item of a menu that a goal has."""

_SHORT_QUESTION = 4
"""Maximum number of words in a question for the next of several values."""

_ONE_BY_ONE = pattern(words_of_module(__name__)["one_by_one"], end=r"\b")
"""Words of a question for one value of several."""

_DEFINITE = pattern(
    r"(?:the|der|die|das|den|el|la|los|las|le|les|il|lo|gli|i|o|a|os|as) (?!\w+ (?:of|with) \d)|l'", start="^"
)

_SETTLED = frozenset({GoalStage.DONE, GoalStage.REFUSED, GoalStage.UNREAD})
"""Stages of goals that the user does not bring up again: of an unread one it can only believe that it is answered."""

_FORGONE = frozenset({GoalState.DENIED, GoalState.REPLACED})


class Wishes:
    """One turn of the user: what it knows at this point, and the wishes it may bring up."""

    def __init__(self, conversation: Conversation, state: AgendaState) -> None:
        self.case: Case = state.case
        self.state = state
        self.sheet: RoleSheet = role_sheet(self.case)
        self.book: Phrasebook = (
            plain_phrasebook(self.case, state.last_reply or "")
            if state.writes_plainly
            else spoken_phrasebook(self.case, conversation.turns)
        )
        self.understood: Phrasebook = understood_phrasebook(self.case)
        self.random = random_for(self.case, "user", conversation.turns)
        self.patience = self.sheet.patience
        progress = conversation.goals or (None,) * len(self.case.goals)
        lost = state.last_goal if state.fallbacks else None
        self.settled = {
            at
            for at, (known, plan) in enumerate(zip(progress, state.goals, strict=True))
            if plan.state in _FORGONE
            or (known and _is_settled(known, lost=at == lost or (not plan.echoed and self._is_passed_over(at))))
        }
        self.answered = sum(known is not None and known.stage is GoalStage.DONE for known in progress)
        self.proposed = any(known is not None and known.stage is GoalStage.PROPOSED for known in progress)

    def _is_passed_over(self, at: int) -> bool:
        """Return True if a wish was brought up once, with other goals, of which the chatbot took one up."""
        asked = [{each.goal for each in acts if each.act in ASKING} for acts in self.state.acts]
        together = [goals for goals in asked if at in goals]
        return len(together) == 1 and len(together[0]) > 1 and not asks_information(self.case.goals[at].text)

    def any(self, wordings: tuple[str, ...]) -> str:
        return self.random.choice(wordings)

    def phrase(self, act: UserAct, wordings: tuple[str, ...], goal: int | None = None) -> Line:
        return line(act, self.any(wordings), goal)

    def agreement(self) -> Line:
        """Return a yes: "please" to an offer or a time, "that's right" to "is that right?", else either."""
        reply, wordings = self.state.last_reply or "", self.book.yes
        if offers_to_act(reply) or asks_availability(reply):
            wordings = wordings[:1]
        elif asks_to_confirm(reply) or self.understood.confirm.search(fold(reply)):
            wordings = wordings[-1:]
        return self.phrase("yes", wordings)

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
        return [at for at in range(len(self.case.goals)) if at not in self.settled and not self.is_given_up(at)]

    def is_given_up(self, at: int) -> bool:
        """Return True if the user has brought up a goal as often as its patience allows."""
        return self.attempts(at) >= min(_MAX_ATTEMPTS, 1 + self.patience)

    def attempts(self, at: int) -> int:
        return self.state.goals[at].attempts

    def wish(self, at: int) -> Line:
        goal, attempt = self.case.goals[at], self.attempts(at)
        if goal.output or (not attempt and self._names_output(goal)):
            return line("question", self.ask(goal), at)
        text = goal.first or goal.text
        said = "" if attempt else labelled_value(text, self.state.last_reply or "", self.book)
        said = said or (self.again(at, attempt) if attempt else goal_sentence(text, self.book, self.random))
        act: UserAct = "question" if asks_information(goal.text) else "wish"
        values_said = {
            name: value for name, value in self.slots(goal.variables).items() if mentions(said, value.replace(",", " "))
        }
        return line(act, said, at, values_said)

    def again(self, at: int, attempt: int) -> str:
        """Return a goal again in other words, and at last its values if it was not understood."""
        goal, still = self.case.goals[at], self.book.still
        if not self.state.fallbacks:
            said, frame = goal_sentence(goal.text, self.book, self.random), still[(at + attempt - 1) % len(still)]
            return reworded(goal.text, frame, self.book) if ": " in said else frame.format(said)
        values = [text for name in goal.variables for text in [self.value(name)] if text]
        if attempt > 1 and values:
            return capital(join_words(values, self.book.and_))
        half = len(self.book.again) // 2
        return reworded(
            goal.text, self.any(self.book.again[half:] if attempt > 1 else self.book.again[:half]), self.book
        )

    def _names_output(self, goal: Goal) -> bool:
        """Return True if the user asks for a fact: an output, or "the deductible" with its answer."""
        definite = _DEFINITE.match(fold(goal.text)) is not None and ":" not in goal.text
        named = (stems(f"{spec.name.replace('_', ' ')} {spec.description}") for spec in self.case.outputs)
        known = goal.answer or any(stems(goal.text) <= each for each in named)
        return bool(definite and known) and not goal.done and not is_question(goal.text)

    def ask(self, goal: Goal) -> str:
        """Return a question for a goal's output."""
        described = _as_part_of_sentence(goal.text)
        if is_question(described):
            return self.book.tell[0].format(described)
        return thing_question(described, self.book, self.random)

    def with_day(self, question: str) -> Line:
        """Return a new wish with a day, if the chatbot already asks for the day."""
        if not (is_open_question(question) and asks_availability(question)):
            return SILENT
        fresh = (at for at in self.open_goals() if not self.attempts(at) and weekdays(self.case.goals[at].text))
        at = next(fresh, None) if self.state.turns else None
        return SILENT if at is None or asks_information(self.case.goals[at].text) else self.wish(at)

    def from_menu(self, reply: str) -> Line:
        """Return the item of a numbered menu about a goal, the last one first; its number if asked again."""
        items, last = menu(reply), self.state.last_goal
        goals = [at for at in range(len(self.case.goals)) if at not in self.settled] if items else []
        for at in sorted(goals, key=lambda at: (at != last, self.attempts(at))):
            about = stems(self.case.goals[at].text)
            alike = [share(stems(each), about) for each in items]
            best = max(alike)
            if best >= _MIN_SHARE and alike.count(best) == 1:
                number = alike.index(best)
                said = str(number + 1) if self.state.repeats else capital(items[number])
                return line("value", said, at, {OFFERED: items[number]})
        return SILENT

    def slots(self, names: Iterable[str]) -> dict[str, str]:
        """Return variables with their values as they are kept in the meaning of a message."""
        values = ((name, self.known(name)) for name in names)
        return {name: ", ".join(said) for name, said in values if said}

    def one_of_list(self, name: str, asked: str) -> Line:
        """Return the next value of a list that the chatbot takes one by one: "Which city first?"."""
        return self._next_of(name) if _ONE_BY_ONE.search(fold(asked)) else SILENT

    def rest_of_list(self, asked: str) -> Line:
        """Return the next value of a list to a short question after one of its values: "And then?"."""
        last = self.state.last[-1].slots if self.state.last and self.state.last[-1].act == "value" else {}
        name = next((each for each, value in last.items() if value in self.known(each)[:-1]), "")
        return self._next_of(name) if name and len(tokens(asked)) <= _SHORT_QUESTION else SILENT

    def _next_of(self, name: str) -> Line:
        said = {each.slots.get(name) for acts in self.state.acts for each in acts if each.act == "value"}
        values = self.known(name)
        value = next((each for each in values if each not in said), "") if len(values) > 1 else ""
        return line("value", self.any(self.book.value).format(value), None, {name: value}) if value else SILENT

    def known(self, name: str) -> tuple[str, ...]:
        """Return the values of a variable or fact, as texts."""
        return texts(self.case.variables[name]) if name in self.case.variables else self.sheet.values(name)

    def value(self, name: str) -> str:
        """Return a variable or fact in words."""
        value = self.case.variables.get(name)
        if isinstance(value, bool):
            return (self.book.yes if value else self.book.no)[0]
        return join_words(self.known(name), self.book.and_)


def _is_settled(known: GoalProgress, *, lost: bool) -> bool:
    """Return True if a goal need not be brought up again; an unread one that was not understood is `lost`."""
    return known.asked_at is not None and known.stage in _SETTLED and not (lost and known.stage is GoalStage.UNREAD)


def _as_part_of_sentence(text: str) -> str:
    words = text.strip().rstrip(".?!")
    return words[:1].lower() + words[1:] if words[1:2].islower() or words[1:2] == " " else words
