"""Checks of what is taken for an answer: questions of the user, and what was taken before."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sparring.core.conversation import Conversation
from sparring.extraction import typed_values
from sparring.extraction.fallbacks import is_fallback
from sparring.extraction.tokens import sentences
from sparring.probes.acts import asks_to_confirm, says_done, turns_down
from sparring.probes.answerer import PERSON
from sparring.probes.asking import is_about_day
from sparring.probes.found import AnsweredTurn, Found, exactly, finding, questions_in, short, stating
from sparring.probes.invitations import without_buttons
from sparring.probes.lines import answer_to, facts_in
from sparring.probes.notes import Notes
from sparring.probes.offers import offered_in


def takes_question(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a question of the user in what is to confirm or done, where an answer belongs."""
    asked = next((each.asked.rstrip("?. ") for each in replies if each.turn == notes.aside and "?" in each.asked), "")
    before = next((each.text for each in replies if notes.aside and each.turn == notes.aside - 1), "")
    for each in replies if asked else ():
        if (
            each.turn > (notes.aside or 0)
            and asked in each.text
            and (asks_to_confirm(each.text) or says_done(each.text))
        ):
            title = f"The chatbot takes the question “{short(asked)}” for an answer"
            certain = not _takes_any_words(before)
            yield finding("question", title, each, certain=certain, unwanted=exactly(asked))
            return


def _takes_any_words(reply: str) -> bool:
    """Return True if any words may answer a reply, and not only a number, a day or an option."""
    asked = questions_in(reply, True)[-1:]
    known = [answer for each in asked if (answer := answer_to(each, 0)) is not None]
    has_form = any(any(map(str.isdigit, each)) and len(each.split()) == 1 for each in known)
    return not (has_form or any(map(is_about_day, asked)) or len(offered_in(reply, "en")) > 1)


def takes_answers(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find questions that are asked again and again although the answer is one that was taken before."""
    for asks, second, third in zip(replies, replies[1:], replies[2:], strict=False):
        for question in questions_in(asks.text, True)[-1:]:
            answers = {second.asked, third.asked}
            again = question in questions_in(second.text, True) and question in questions_in(third.text, True)
            again = again and question not in questions_in(replies[0].text, True)  # a menu of tasks comes again
            again = again and not any("?" in answer for answer in answers)  # a question is no answer
            if again and all((question, answer) in notes.domain.accepted for answer in answers):
                title = f"The chatbot asks again although it took “{short(third.asked)}” before"
                reason = len(questions_in(third.text, True)) < len(sentences(third.text))
                whole = any(typed_values.find(kind, third.asked) for kind in ("email", "phone"))
                reason = reason and not (is_fallback(third.text) or whole)
                yield finding("stuck", title, second, third, certain=not reason, unwanted=stating(third.text, question))
                return


def takes_small_letters(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find answers in small letters that are refused, and were taken in others."""
    for asks, after in pairwise(replies):
        question = questions_in(without_buttons(asks.text), True)[-1:]
        again = question and question == questions_in(without_buttons(after.text), True)[-1:]
        taken = [answer for asked, answer in notes.domain.accepted if [asked] == question] if again else []
        if any(answer != after.asked == answer.lower() for answer in taken) and after.asked not in taken:
            title = f"The chatbot does not take “{after.asked}” in small letters"
            certain = not any(map(str.isdigit, after.asked)) and (is_fallback(after.text) or turns_down(after.text))
            yield finding("stuck", title, asks, after, certain=certain, unwanted=stating(after.text, question[0]))
            return


def takes_email(conversation: Conversation, replies: Sequence[AnsweredTurn], notes: Notes) -> Iterator[Found]:
    """Find a right e-mail address with a dot that is refused, and another one that is taken."""
    for asks, after in pairwise(replies):
        if after.asked != facts_in("odd")[str(PERSON["email"])]:
            continue
        question = questions_in(asks.text, True)[-1:]
        if (
            question
            and question == questions_in(after.text, True)[-1:]
            and (question[0], str(PERSON["email"])) in notes.domain.accepted
        ):
            title = f"The chatbot does not take {after.asked}, a right e-mail address"
            yield finding("stuck", title, asks, after, unwanted=stating(after.text, question[0]))
            return
