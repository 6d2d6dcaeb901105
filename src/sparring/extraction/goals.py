"""Tracking of goals: messages that ask for a goal. Finding the answer is the task of `goal_answers`."""

from functools import lru_cache

from sparring.core.case import Case, Goal
from sparring.core.conversation import GoalProgress
from sparring.core.message import Meant, Message
from sparring.core.value import Json
from sparring.extraction.chatbot_reply import ChatbotReply
from sparring.extraction.extractor import NO_CONTEXT, ExtractionContext, language_warnings
from sparring.extraction.goal_answers import GoalReading
from sparring.extraction.goal_request import GoalChoice, GoalRequest
from sparring.extraction.speech_acts import is_denial, starts_with_yes_or_no
from sparring.extraction.tokens import language_of, mentions, share, share_with_typos, stems

_MIN_SHARE = 0.5
"""Minimum share of a goal's words that a message must contain to ask for it."""

_REFUSED = frozenset({"no", "farewell"})
"""Acts of a user that takes leave because the chatbot kept to something wrong."""

_ASKING = frozenset({"wish", "question", "correction"})
"""Acts of a user's message that ask for the goal they are about."""


class GoalTracker:
    """Goals of a case, updated message by message."""

    def __init__(self, case: Case, context: ExtractionContext = NO_CONTEXT) -> None:
        self._misspelt = is_misspelling(case)
        self._readable = not language_warnings(case)
        self._goals = [_TrackedGoal(goal, case, context) for goal in case.goals]
        self._language = language_of(" ".join([goal.text for goal in case.goals]))
        self._refused = False

    def add_user_message(self, at: int, said: Message) -> None:
        """Add a user message after the history. Only one without a meaning is read for what it asks for."""
        text = said.text
        words = stems(text)
        foreign = bool(self._language) and language_of(text) not in ("", self._language)
        self._refused = self._refused or {each.act for each in said.meant} >= _REFUSED
        if said.meant:
            asked = [each.is_meant(number, said.meant) for number, each in enumerate(self._goals)]
        else:
            asked = [each.asks(text, words, self._misspelt) for each in self._goals]
        for each, asks in zip(self._goals, asked, strict=True):
            each.reading.add_request(at, text, words, asks=asks, others=sum(asked) > asks)
            each.reading.foreign = each.reading.foreign or foreign

    def add_reply(self, reply: ChatbotReply, *, failed: bool) -> None:
        """Add a reply; `failed` replies are fallbacks and errors.

        What a chatbot does after the user has refused it and left was not agreed, and counts for no goal.
        """
        for each in self._goals:
            if self._refused and not each.reading.done:
                continue
            if failed:
                each.reading.read_failure(reply)
            elif self._readable:
                each.reading.read(reply)
            else:
                each.reading.read_foreign(reply)

    def progress(self) -> tuple[GoalProgress, ...]:
        """Return the progress of every goal so far."""
        return tuple([each.progress() for each in self._goals])


class _TrackedGoal:
    """One goal with what was read about it."""

    def __init__(self, goal: Goal, case: Case, context: ExtractionContext) -> None:
        self._goal, self._case = goal, case
        request = GoalRequest(
            goal,
            values_of(goal, case.variables),
            distinctive_words(goal, case),
            _choices_of(goal, case.variables),
            context,
        )
        self.reading = GoalReading(request)
        self._progress = GoalProgress(text=goal.text)

    def asks(self, text: str, words: frozenset[str], misspelt: bool) -> bool:
        request = self.reading.request
        return _covers(request.about, request.values, request.own, misspelt, text, words) or _asks_first(
            self._goal, self._case, misspelt, text
        )

    def is_meant(self, number: int, meant: tuple[Meant, ...]) -> bool:
        """Return True if a message brings up this goal, or says enough of its values."""
        if any(each.goal == number and each.act in _ASKING for each in meant):
            return True
        names = self._goal.variables
        said = {name for each in meant if each.goal in (None, number) for name in each.slots}
        return bool(names) and len(said.intersection(names)) / len(names) >= _MIN_SHARE

    def progress(self) -> GoalProgress:
        asked_at = self.reading.asked_at
        stage, evidence = self.reading.result()
        known = self._progress
        if (asked_at, stage, evidence) != (known.asked_at, known.stage, known.evidence):
            fields = {"text": self._goal.text, "asked_at": asked_at, "stage": stage, "evidence": evidence}
            self._progress = GoalProgress.unchecked(fields)
        return self._progress


def values_of(goal: Goal, variables: dict[str, Json]) -> tuple[str, ...]:
    """Return the values of a goal's variables as texts."""
    found: tuple[str, ...] = ()
    for name in goal.variables:
        if name in variables:
            found += texts(variables[name])
    return found


def _choices_of(goal: Goal, variables: dict[str, Json]) -> tuple[GoalChoice, ...]:
    """Return the alternatives of each variable, without yes and no, which occur in any context."""
    return tuple(
        GoalChoice(
            texts(variables[name]),
            tuple([other for other in others if not starts_with_yes_or_no(other) and not is_denial(other)]),
        )
        for name, others in goal.others.items()
        if name in variables
    )


def texts(value: Json) -> tuple[str, ...]:
    """Return a variable's value, or each of its values, as text; of a mapping, the text of its values."""
    if isinstance(value, str):
        return (value,) if value else ()
    items = value if isinstance(value, list) else [value]
    return tuple([text for item in items for text in [_text(item)] if text])


def _text(value: Json) -> str:
    if isinstance(value, list | dict):
        inner = value.values() if isinstance(value, dict) else value
        return " ".join(
            str(item) for item in inner if isinstance(item, str | int | float) and not isinstance(item, bool)
        )
    return "" if value is None else str(value)


def requests_goal(goal: Goal, case: Case, text: str) -> bool:
    """Return True if a user message asks for `goal`: it contains most of its words or most of its values.

    It must also contain most words that distinguish the goal from the others: "whether there is parking" does not ask
    about wifi, although the two goals share words.
    """
    misspelt = is_misspelling(case)
    return _asks(
        goal.text, values_of(goal, case.variables), distinctive_words(goal, case), misspelt, text
    ) or _asks_first(goal, case, misspelt, text)


def _asks_first(goal: Goal, case: Case, misspelt: bool, text: str) -> bool:
    """Return True if a message asks for the opening form of a goal, by words of its own."""
    if not goal.first:
        return False
    own = _distinctive_words(goal.first, tuple([each.first or each.text for each in case.goals if each is not goal]))
    return _asks(goal.first, (), own, misspelt, text)


@lru_cache(maxsize=2048)
def _asks(goal: str, values: tuple[str, ...], own: frozenset[str], misspelt: bool, text: str) -> bool:
    return _covers(stems(goal), values, own, misspelt, text, stems(text))


def _covers(
    about: frozenset[str],
    values: tuple[str, ...],
    own: frozenset[str],
    misspelt: bool,
    text: str,
    words: frozenset[str],
) -> bool:
    """Return True if a message contains enough of the goal's and its distinctive words, or of its values."""
    if values and sum(mentions(text, value) for value in values) / len(values) >= _MIN_SHARE:
        return True
    measure = share_with_typos if misspelt else share
    return measure(about, words) >= _MIN_SHARE and (not own or measure(own, words) >= _MIN_SHARE)


def distinctive_words(goal: Goal, case: Case) -> frozenset[str]:
    """Return the words of a goal that no other goal of the case contains."""
    return _distinctive_words(goal.text, tuple([each.text for each in case.goals if each is not goal]))


@lru_cache(maxsize=4096)
def _distinctive_words(goal: str, others: tuple[str, ...]) -> frozenset[str]:
    return stems(goal) - frozenset[str]().union(*map(stems, others))


def is_misspelling(case: Case) -> bool:
    """Return True if the user of `case` makes spelling mistakes on purpose."""
    styles = case.persona.styles
    return bool(styles) and any(style.name == "make spelling mistakes" for style in styles)
