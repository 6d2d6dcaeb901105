"""Confirmations that the chatbot waits for."""

from collections.abc import Iterator

from sparring.core.case import Case
from sparring.core.conversation import Conversation, Evidence
from sparring.extraction.acts import reports, wanted_act
from sparring.extraction.goal_answers import CONFIRMING
from sparring.extraction.goals import values_of
from sparring.extraction.phrasebooks import understood_phrasebook
from sparring.extraction.question_kinds import asks_information
from sparring.extraction.speech_acts import asks_for_more, asks_to_confirm, is_agreement, is_denial, is_open_question
from sparring.extraction.tokens import cached, fold, mentions, pattern, sentences, share, stems, tokens
from sparring.extraction.word_tables import words_of_module

_WORDS = words_of_module(__name__)

_OFFERS_TO_ACT = pattern(_WORDS["offers_to_act"])
_MIN_SHARE = 0.5
_MIN_RECAP = 0.75
_GENERIC = stems("shall should would like want do go it that this now then please quiere desea que")


def pending_confirmation(conversation: Conversation, at: int | None = None) -> Evidence | None:
    """Return the question of the last message with which the chatbot asks the user to agree, or None.

    It is about a wish that the user has brought up: a question about anything else may be left unanswered. With `at`,
    it is that of another message.
    """
    case, at = conversation.case, len(conversation.messages) - 1 if at is None else at
    if at <= len(case.history) or conversation.messages[at].role != "chatbot":
        return None
    text = conversation.messages[at].text
    if "?" not in text:
        return None
    wishes = tuple(_wishes(conversation, at))
    for sentence in sentences(text) if wishes else ():
        if not (sentence.asks and asks_agreement(case, sentence.text)):
            continue
        if touches(case, sentence.text, wishes) or any(_recaps(case, text, wish) for wish in wishes):
            place = {"at": at, "start": sentence.start, "end": sentence.end, "text": sentence.text}
            return Evidence.unchecked(place)
    return None


def asks_agreement(case: Case, question: str) -> bool:
    """Return True if a question asks the user to agree to what the chatbot has named, or offers to act."""
    return not asks_for_more(question) and not is_open_question(question) and _agreement(case, fold(question))


def _agreement(case: Case, question: str) -> bool:
    confirms = asks_to_confirm(question) or understood_phrasebook(case).confirm.search(question)
    return bool(confirms or offers_to_act(question))


def says_already(question: str, answer: str) -> bool:
    """Return True if a question says what an answer does: "without a bike" and "no bike"."""
    words, said = stems(answer), tokens(question)
    first = next((at for at, word in enumerate(said) if stems(word) & words), len(said))
    named = " ".join(said[max(0, first - 3) : first + 1]) if words else question
    return is_denial(named) == is_denial(answer) and (not words or share(words, stems(question)) >= _MIN_SHARE)


@cached
def offers_to_act(text: str) -> bool:
    """Return True if the chatbot offers to do something: "Shall I place the order?"."""
    return _OFFERS_TO_ACT.search(fold(text)) is not None


def _wishes(conversation: Conversation, before: int) -> Iterator[int]:
    """Yield the indexes of wishes, not questions, asked for before a message; of all if none was read."""
    asked = {
        at for at, known in enumerate(conversation.goals) if known.asked_at is not None and known.asked_at < before
    }
    for at, goal in enumerate(conversation.case.goals):
        if (not asked or at in asked) and not goal.output and not asks_information(goal.text):
            yield at


def _recaps(case: Case, text: str, wish: int) -> bool:
    """Return True if a message names all values of a wish, or nearly all its words before it is done."""
    goal, said = case.goals[wish], [each.text for each in sentences(text) if not each.asks]
    if any(map(is_denial, said)):
        return False
    values = values_of(goal, case.variables)
    if values:
        return all(mentions(text, value) for value in values)
    done = any(is_agreement(each) or reports(each, wanted_act(goal.text)) for each in said)
    return not done and share(stems(goal.text), stems(text)) >= _MIN_RECAP


def touches(case: Case, question: str, wishes: tuple[int, ...]) -> bool:
    """Return True if a question is about one of the wishes, or about all that was named before."""
    words = stems(question) - CONFIRMING - _GENERIC
    if not words or (len(words) == 1 and wanted_act(question) is not None):
        return True
    for goal in (case.goals[at] for at in wishes):
        values = values_of(goal, case.variables)
        if words & stems(goal.text) or any(mentions(question, value) for value in values):
            return True
    return False
