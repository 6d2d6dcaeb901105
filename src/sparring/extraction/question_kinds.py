"""Kinds of questions, and sentences that answer them, such as an amount for "how much"."""

from collections.abc import Callable
from enum import StrEnum

from sparring.extraction import typed_values
from sparring.extraction.answer_kinds import weekdays
from sparring.extraction.function_words import by_language
from sparring.extraction.languages import words_of
from sparring.extraction.speech_acts import is_denial, is_question, is_yes_or_no_question, starts_with_yes_or_no
from sparring.extraction.text_pattern import TextPattern
from sparring.extraction.tokens import cached, fold, pattern, share, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_MIN_SHARE = 0.5
_MIN_TOPIC = 2
"""Minimum number of words that a question without a kind must have, all of which its answer repeats."""

_MIN_STEPS = 4
"""Minimum number of new words in instructions."""


_MAX_NUMBER = 3
"""Words of a sentence that is no more than a number: "I'm 5."."""


class QuestionKind(StrEnum):
    """Kind of answer that a question asks for."""

    AMOUNT = "amount"
    NUMBER = "number"
    DURATION = "duration"
    HOURS = "hours"
    TIME = "time"
    CONTACT = "contact"
    PLACE = "place"
    LIST = "list"
    HOW = "how"
    YES_OR_NO = "yes or no"
    OTHER = "other"


def _asked(kind: QuestionKind) -> Callable[[str], TextPattern]:
    return by_language(lambda language: language.sections["questions"][kind], lambda words: pattern(*words))


_ASKED = {
    kind: _asked(kind)
    for kind in (
        QuestionKind.DURATION,
        QuestionKind.AMOUNT,
        QuestionKind.HOURS,
        QuestionKind.NUMBER,
        QuestionKind.TIME,
        QuestionKind.CONTACT,
        QuestionKind.PLACE,
        QuestionKind.LIST,
        QuestionKind.HOW,
    )
}
"""In the order in which they are tried."""

_KIND_WORDS = stems(" ".join(words_of("answers", "kind_words")))
_RANGE = pattern(_WORDS["range"])
_CLOCK = pattern(_WORDS["clock"])
_DAY, _DAILY, _OPENS, _LASTS, _FREE, _COST, _PLACE, _INSTRUCTS = (
    pattern(*words_of("answers", key))
    for key in ("day", "daily", "opens", "lasts", "free", "cost", "place", "instructs")
)
_SPAN = pattern(_WORDS["span"])
_NUMBER = pattern(r"\d", *words_of("answers", "number"))
_ITEMS = pattern(r"[^,:;\n]{2,60}(?:, | and | or | y | o | и | или )\w", start="")


@cached
def question_kind(goal: str) -> QuestionKind:
    """Return the kind of answer that a goal asks for; `OTHER` if it is not recognizable."""
    said = fold(goal)
    for kind, wanted in _ASKED.items():
        if wanted(goal).search(said):
            return kind
    return QuestionKind.YES_OR_NO if is_yes_or_no_question(goal) else QuestionKind.OTHER


@cached
def asks_information(goal: str) -> bool:
    """Return True if a goal asks for information, by its form or by naming prices, hours or the like."""
    kind = question_kind(goal)
    if kind is QuestionKind.TIME and _ASKED[kind](goal).match(fold(goal)):
        return True  # "the check-out time"
    return is_question(goal) or kind not in (QuestionKind.OTHER, QuestionKind.TIME, QuestionKind.PLACE)


def topic_of(words: frozenset[str]) -> frozenset[str]:
    """Return the words of a question that say what it is about, without those that say what kind it is."""
    return words - _KIND_WORDS


def has_kind(kind: QuestionKind, text: str) -> bool:
    """Return True if `text` contains the kind of value that a question asks for."""
    said = fold(text)
    match kind:
        case QuestionKind.AMOUNT:
            return bool(typed_values.find("money", text) or _FREE.search(said) or (_NUMBER.search(said)))
        case QuestionKind.NUMBER:
            return bool(_NUMBER.search(said))
        case QuestionKind.DURATION:
            return bool(_SPAN.search(said))
        case QuestionKind.HOURS:
            return bool(_CLOCK.search(said))
        case QuestionKind.TIME:
            return bool(_CLOCK.search(said) or _DAY.search(said) or typed_values.find("date", text))
        case QuestionKind.CONTACT:
            return bool(typed_values.find("phone", text) or typed_values.find("email", text))
        case QuestionKind.PLACE:
            return bool(_PLACE.search(said))
        case QuestionKind.LIST:
            return bool(_ITEMS.search(said))
        case QuestionKind.HOW:
            return bool(_INSTRUCTS.search(said))
        case _:
            return True


def answers(goal: str, topic: frozenset[str], sentence: str, asked: str, *, direct: bool) -> bool:
    """Return True if a statement answers a question about `topic` with the kind of value that it asks for.

    `asked` is the user's message before, and `direct` means that it asks for this goal only.
    """
    kind = question_kind(goal)
    if is_denial(sentence) and kind is not QuestionKind.YES_OR_NO:
        return False
    if not has_kind(kind, sentence) or _names_other_days(goal, sentence):
        return False
    said = stems(sentence)
    on_topic = share(topic, said) >= _MIN_SHARE
    plain = fold(sentence)
    match kind:
        case QuestionKind.AMOUNT:
            exact = bool(typed_values.find("money", sentence) or _FREE.search(plain) or _COST.search(plain))
            return exact and (on_topic if topic else bool(_COST.search(plain)))
        case QuestionKind.NUMBER:
            return on_topic or (direct and len(tokens(sentence)) <= _MAX_NUMBER)
        case QuestionKind.DURATION:
            return on_topic or ((direct or not topic) and bool(_LASTS.search(plain)))
        case QuestionKind.HOURS:
            return on_topic or bool(_OPENS.search(plain) or (direct and (_RANGE.search(plain) or _DAILY.search(plain))))
        case QuestionKind.HOW:
            return bool(topic) and topic <= said and len(said - stems(asked)) >= _MIN_STEPS
        case QuestionKind.YES_OR_NO:
            return on_topic if starts_with_yes_or_no(sentence) else bool(topic) and topic <= said
        case QuestionKind.OTHER:
            return len(topic) >= _MIN_TOPIC and topic <= said and bool(said - stems(asked) - topic)
        case _:
            return on_topic


def _names_other_days(goal: str, sentence: str) -> bool:
    """Return True if a sentence names days of the week, but none of those that the question names."""
    wanted = weekdays(goal)
    return bool(wanted) and bool(weekdays(sentence)) and not wanted & weekdays(sentence)
